package searchnode.plugin;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.cluster.node.DiscoveryNode;
import org.elasticsearch.common.component.AbstractLifecycleComponent;
import org.elasticsearch.common.network.HandlingTimeTracker;
import org.elasticsearch.common.transport.BoundTransportAddress;
import org.elasticsearch.common.transport.TransportAddress;
import org.elasticsearch.transport.ConnectTransportException;
import org.elasticsearch.transport.ConnectionProfile;
import org.elasticsearch.transport.Transport;
import org.elasticsearch.transport.TransportMessageListener;
import org.elasticsearch.transport.TransportStats;

/** The transport of a node that has no others to talk to: it opens no socket. */
final class LonelyTransport extends AbstractLifecycleComponent implements Transport {

    private final RequestHandlers requestHandlers = new RequestHandlers();
    private final ResponseHandlers responseHandlers = new ResponseHandlers();
    private final BoundTransportAddress address;

    LonelyTransport() {
        TransportAddress loopback = new TransportAddress(InetAddress.getLoopbackAddress(), 0);
        address = new BoundTransportAddress(new TransportAddress[] { loopback }, loopback);
    }

    @Override
    public void openConnection(DiscoveryNode node, ConnectionProfile profile, ActionListener<Connection> listener) {
        listener.onFailure(new ConnectTransportException(node, "this transport opens no connections"));
    }

    /** Messages are what other nodes send. */
    @Override
    public void setMessageListener(TransportMessageListener listener) {}

    @Override
    public BoundTransportAddress boundAddress() {
        return address;
    }

    @Override
    public BoundTransportAddress boundRemoteIngressAddress() {
        return address;
    }

    @Override
    public Map<String, BoundTransportAddress> profileBoundAddresses() {
        return Map.of();
    }

    @Override
    public TransportAddress[] addressesFromString(String address) {
        return new TransportAddress[0];
    }

    @Override
    public List<String> getDefaultSeedAddresses() {
        return List.of();
    }

    @Override
    public TransportStats getStats() {
        long[] noTimes = new long[HandlingTimeTracker.BUCKET_COUNT];
        return new TransportStats(0, 0, 0, 0, 0, 0, noTimes, noTimes, Map.of());
    }

    @Override
    public ResponseHandlers getResponseHandlers() {
        return responseHandlers;
    }

    @Override
    public RequestHandlers getRequestHandlers() {
        return requestHandlers;
    }

    @Override
    protected void doStart() {}

    @Override
    protected void doStop() {}

    @Override
    protected void doClose() {}
}
