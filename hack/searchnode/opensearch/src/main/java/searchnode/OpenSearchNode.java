package searchnode;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.mapper.MapperExtrasPlugin;
import org.opensearch.index.rankeval.RankEvalPlugin;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.join.ParentJoinPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.script.mustache.MustachePlugin;
import org.opensearch.transport.Netty4Plugin;

/**
 * Runs one OpenSearch node in this JVM until it is told to end. Each argument is a setting,
 * {@code name=value}: the settings live in one place, the script that calls this.
 */
public final class OpenSearchNode extends Node {

    /** What the distribution would find in its modules folder, as far as we need it. */
    static final List<Class<? extends Plugin>> PLUGINS = List.of(
        Netty4Plugin.class,
        CommonAnalysisPlugin.class,
        PainlessPlugin.class,
        MustachePlugin.class,
        RankEvalPlugin.class,
        ReindexPlugin.class,
        MapperExtrasPlugin.class,
        ParentJoinPlugin.class
    );

    private OpenSearchNode(Settings settings, List<Class<? extends Plugin>> plugins) {
        super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "searchnode"), plugins, true);
    }

    public static void main(String[] args) {
        run(PLUGINS, args);
    }

    static void run(List<Class<? extends Plugin>> plugins, String[] args) {
        Settings.Builder settings = Settings.builder();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            settings.put(arg.substring(0, equals), arg.substring(equals + 1));
        }
        try {
            Node node = new OpenSearchNode(settings.build(), plugins);
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
            node.close();
        } catch (Exception e) {
            e.printStackTrace();
        }
    }
}
