package searchnode.plugin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.support.SubscribableListener;
import org.elasticsearch.common.network.NetworkService;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.util.PageCacheRecycler;
import org.elasticsearch.common.util.concurrent.ThreadContext;
import org.elasticsearch.http.AbstractHttpServerTransport;
import org.elasticsearch.http.HttpPreRequest;
import org.elasticsearch.http.HttpServerChannel;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.telemetry.TelemetryProvider;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.BytesRefRecycler;
import org.elasticsearch.xcontent.NamedXContentRegistry;

/** HTTP by the server of the JDK: one virtual thread reads a request, waits, and writes the answer. */
final class HttpTransport extends AbstractHttpServerTransport {

    static {
        // Without it every answer waits for the client's acknowledgement of its headers.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // Seconds: longer than clients keep a connection, so that none is closed while a request is on its way.
        System.setProperty("sun.net.httpserver.idleInterval", "300");
    }

    private final BiConsumer<HttpPreRequest, ThreadContext> perRequestThreadContext;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    HttpTransport(
        Settings settings,
        NetworkService networkService,
        PageCacheRecycler recycler,
        ThreadPool threadPool,
        NamedXContentRegistry xContentRegistry,
        Dispatcher dispatcher,
        BiConsumer<HttpPreRequest, ThreadContext> perRequestThreadContext,
        ClusterSettings clusterSettings,
        TelemetryProvider telemetryProvider
    ) {
        super(
            settings,
            networkService,
            new BytesRefRecycler(recycler),
            threadPool,
            xContentRegistry,
            dispatcher,
            clusterSettings,
            telemetryProvider
        );
        this.perRequestThreadContext = perRequestThreadContext;
    }

    @Override
    protected void startInternal() {
        bindServer();
    }

    @Override
    protected HttpServerChannel bind(InetSocketAddress address) throws IOException {
        HttpServer server = HttpServer.create(address, 0);
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.start();
        return new ServerChannel(server, new SubscribableListener<>());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (ExchangeChannel channel = new ExchangeChannel(exchange)) {
            serverAcceptedChannel(channel);
            incomingRequest(new Request(exchange), channel);
            channel.writeAnswer(recycler());
        }
    }

    @Override
    protected void populatePerRequestThreadContext(RestRequest request, ThreadContext threadContext) {
        perRequestThreadContext.accept(request.getHttpRequest(), threadContext);
    }

    @Override
    protected void stopInternal() {
        executor.close();
    }

    private record ServerChannel(HttpServer server, SubscribableListener<Void> closed) implements HttpServerChannel {

        @Override
        public InetSocketAddress getLocalAddress() {
            return server.getAddress();
        }

        @Override
        public boolean isOpen() {
            return !closed.isDone();
        }

        @Override
        public void addCloseListener(ActionListener<Void> listener) {
            closed.addListener(listener);
        }

        @Override
        public void close() {
            server.stop(0);
            closed.onResponse(null);
        }
    }
}
