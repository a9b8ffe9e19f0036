package searchnode.plugin;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.elasticsearch.common.bytes.BytesArray;
import org.elasticsearch.common.bytes.BytesReference;
import org.elasticsearch.http.HttpBody;
import org.elasticsearch.http.HttpRequest;
import org.elasticsearch.http.HttpResponse;
import org.elasticsearch.rest.ChunkedRestResponseBodyPart;
import org.elasticsearch.rest.RestRequest.Method;
import org.elasticsearch.rest.RestStatus;

/** A request, read to its end. */
final class Request implements HttpRequest {

    private final HttpExchange exchange;
    private final Headers headers; // its names are looked up in any case
    private HttpBody body;

    Request(HttpExchange exchange) throws IOException {
        this(exchange, exchange.getRequestHeaders(), read(exchange));
    }

    private Request(HttpExchange exchange, Headers headers, HttpBody body) {
        this.exchange = exchange;
        this.headers = headers;
        this.body = body;
    }

    private static HttpBody read(HttpExchange exchange) throws IOException {
        return HttpBody.fromBytesReference(new BytesArray(exchange.getRequestBody().readAllBytes()));
    }

    @Override
    public Method method() {
        return Method.valueOf(exchange.getRequestMethod());
    }

    @Override
    public String uri() {
        return exchange.getRequestURI().toString();
    }

    @Override
    public Map<String, List<String>> getHeaders() {
        return headers;
    }

    @Override
    public HttpRequest removeHeader(String name) {
        Headers others = new Headers(headers);
        others.remove(name);
        return new Request(exchange, others, body);
    }

    @Override
    public HttpBody body() {
        return body;
    }

    @Override
    public void setBody(HttpBody body) {
        this.body = body;
    }

    @Override
    public boolean hasContent() {
        return !body.isEmpty();
    }

    @Override
    public List<String> strictCookies() {
        return List.of();
    }

    @Override
    public HttpVersion protocolVersion() {
        return exchange.getProtocol().equals("HTTP/1.0") ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1;
    }

    @Override
    public HttpResponse createResponse(RestStatus status, BytesReference content) {
        return new Response(status, content, null);
    }

    @Override
    public HttpResponse createResponse(RestStatus status, ChunkedRestResponseBodyPart firstPart) {
        return new Response(status, null, firstPart);
    }

    @Override
    public Exception getInboundException() {
        return null;
    }

    @Override
    public void release() {}
}
