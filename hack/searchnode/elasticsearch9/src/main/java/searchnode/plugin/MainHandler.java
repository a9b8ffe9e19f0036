package searchnode.plugin;

import java.util.List;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.node.Node;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestRequest.Method;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.xcontent.XContentBuilder;

/** {@code GET /}: what the engine says about itself. */
final class MainHandler extends BaseRestHandler {

    private final ClusterService clusterService;

    MainHandler(ClusterService clusterService) {
        this.clusterService = clusterService;
    }

    @Override
    public String getName() {
        return "searchnode_main";
    }

    @Override
    public List<Route> routes() {
        return List.of(new Route(Method.GET, "/"), new Route(Method.HEAD, "/"));
    }

    @Override
    protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
        return channel -> {
            ClusterState state = clusterService.state();
            Build build = Build.current();
            XContentBuilder body = channel.newBuilder()
                .prettyPrint()
                .startObject()
                .field("name", Node.NODE_NAME_SETTING.get(clusterService.getSettings()))
                .field("cluster_name", state.getClusterName().value())
                .field("cluster_uuid", state.metadata().clusterUUID())
                .startObject("version")
                .field("number", build.version())
                .field("build_hash", build.hash())
                .field("minimum_wire_compatibility_version", build.minWireCompatVersion())
                .field("minimum_index_compatibility_version", build.minIndexCompatVersion())
                .endObject()
                .field("tagline", "You Know, for Search")
                .endObject();
            channel.sendResponse(new RestResponse(RestStatus.OK, body));
        };
    }
}
