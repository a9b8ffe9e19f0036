package searchnode.plugin;

import com.sun.net.httpserver.Headers;
import org.elasticsearch.common.bytes.BytesReference;
import org.elasticsearch.http.HttpResponse;
import org.elasticsearch.rest.ChunkedRestResponseBodyPart;
import org.elasticsearch.rest.RestStatus;

/** An answer with either a content of known length or the first part of one that is made while it is sent. */
record Response(RestStatus status, BytesReference content, ChunkedRestResponseBodyPart firstPart, Headers headers)
    implements
        HttpResponse {

    Response(RestStatus status, BytesReference content, ChunkedRestResponseBodyPart firstPart) {
        this(status, content, firstPart, new Headers());
    }

    @Override
    public void addHeader(String name, String value) {
        headers.add(name, value);
    }

    @Override
    public boolean containsHeader(String name) {
        return headers.containsKey(name);
    }
}
