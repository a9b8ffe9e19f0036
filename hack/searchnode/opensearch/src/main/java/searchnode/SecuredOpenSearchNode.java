package searchnode;

import java.util.ArrayList;
import java.util.List;
import org.opensearch.plugins.Plugin;

/** An {@link OpenSearchNode} with the security plugin. */
public final class SecuredOpenSearchNode {

    private SecuredOpenSearchNode() {}

    public static void main(String[] args) throws ClassNotFoundException {
        List<Class<? extends Plugin>> plugins = new ArrayList<>(OpenSearchNode.PLUGINS);
        // It is published in a zip only, and so not at hand for the compiler.
        plugins.add(Class.forName("org.opensearch.security.OpenSearchSecurityPlugin").asSubclass(Plugin.class));
        OpenSearchNode.run(plugins, args);
    }
}
