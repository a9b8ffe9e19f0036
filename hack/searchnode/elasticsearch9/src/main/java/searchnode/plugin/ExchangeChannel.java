package searchnode.plugin;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import org.apache.lucene.util.BytesRef;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.support.PlainActionFuture;
import org.elasticsearch.action.support.SubscribableListener;
import org.elasticsearch.common.bytes.ReleasableBytesReference;
import org.elasticsearch.common.recycler.Recycler;
import org.elasticsearch.http.HttpChannel;
import org.elasticsearch.http.HttpResponse;
import org.elasticsearch.rest.ChunkedRestResponseBodyPart;

/** One request and its answer. To the engine it is a connection, which the JDK keeps to itself. */
final class ExchangeChannel implements HttpChannel {

    private static final int CHUNK_BYTES = 1 << 15;

    private record Answer(Response response, ActionListener<Void> sent) {}

    private final HttpExchange exchange;
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final SubscribableListener<Void> closed = new SubscribableListener<>();

    ExchangeChannel(HttpExchange exchange) {
        this.exchange = exchange;
    }

    /** Hands the answer to the thread that waits for it, so that none of the engine's has to write. */
    @Override
    public void sendResponse(HttpResponse response, ActionListener<Void> sent) {
        if (!answer.complete(new Answer((Response) response, sent))) {
            sent.onFailure(new ClosedChannelException());
        }
    }

    /** Waits for the answer and sends it. */
    void writeAnswer(Recycler<BytesRef> recycler) throws IOException {
        Answer ready = answer.join();
        ActionListener.run(ready.sent(), sent -> {
            write(ready.response(), recycler);
            sent.onResponse(null);
        });
    }

    private void write(Response response, Recycler<BytesRef> recycler) throws IOException {
        exchange.getResponseHeaders().putAll(response.headers());
        exchange.sendResponseHeaders(response.status().getStatus(), length(response));
        try (OutputStream out = exchange.getResponseBody()) {
            if (response.content() != null) {
                response.content().writeTo(out);
            } else {
                writeParts(response.firstPart(), out, recycler);
            }
        }
    }

    /** The length as the JDK wants it told: -1 for no content, 0 for one of unknown length. */
    private static long length(Response response) {
        if (response.content() == null) {
            return 0;
        }
        return response.content().length() == 0 ? -1 : response.content().length();
    }

    private static void writeParts(ChunkedRestResponseBodyPart part, OutputStream out, Recycler<BytesRef> recycler)
        throws IOException {
        while (true) {
            while (!part.isPartComplete()) {
                try (ReleasableBytesReference chunk = part.encodeChunk(CHUNK_BYTES, recycler)) {
                    chunk.writeTo(out);
                }
            }
            if (part.isLastPart()) {
                return;
            }
            PlainActionFuture<ChunkedRestResponseBodyPart> next = new PlainActionFuture<>();
            part.getNextPart(next);
            part = next.actionGet();
        }
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return exchange.getLocalAddress();
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return exchange.getRemoteAddress();
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
        answer.completeExceptionally(new ClosedChannelException());
        exchange.close();
        closed.onResponse(null);
    }
}
