package searchnode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/**
 * Runs one Elasticsearch 9 node in this JVM until it is told to end. Each argument is a setting,
 * {@code name=value}: the settings live in one place, the script that calls this. The system
 * property {@code searchnode.plugins} names the folder with our plugin.
 */
public final class Elasticsearch9Node {

    private Elasticsearch9Node() {}

    public static void main(String[] args) {
        Settings.Builder builder = Settings.builder();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            builder.put(arg.substring(0, equals), arg.substring(equals + 1));
        }
        Settings settings = builder.build();
        System.setProperty("es.path.home", settings.get("path.home"));
        // Logging has to stand before anything of the engine is loaded.
        LogConfigurator.configureESLogging();
        LogConfigurator.setNodeName(settings.get("node.name"));
        LogConfigurator.configureWithoutConfig(settings);
        try {
            Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "searchnode");
            PluginsLoader plugins = PluginsLoader.createPluginsLoader(
                Set.of(),
                PluginsLoader.loadPluginsBundles(Path.of(System.getProperty("searchnode.plugins"))),
                Map.of(),
                false
            );
            Node node = new Node(environment, plugins);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
            node.start();
            // All threads of a node are daemons: only this one keeps the JVM alive.
            new CountDownLatch(1).await();
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void close(Node node) {
        try {
            node.prepareForClose();
            node.close();
        } catch (IOException e) {
            e.printStackTrace();
        }
    }
}
