package controllers

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// R24: fields that the API server would drop are told at the start.
func TestAnOlderDefinitionIsTold(t *testing.T) {
	if server == nil {
		t.Skip("KUBEBUILDER_ASSETS is not set, so there is no API server to ask; `make test` sets it.")
	}
	must(t, CheckServed(t.Context(), server, time.Minute))

	for title, row := range map[string]struct{ from, to, want string }{
		"a field of the status":     {`"onceLive":`, `"formerly":`, "would drop status.onceLive; apply"},
		"a field of a list's items": {`"candidateLow":`, `"lower":`, "status.scores[].candidateLow"},
		"a field of the spec":       {`"minDocsRatio":`, `"ratio":`, "would drop spec.promotion.minDocsRatio"},
		"no definition at all":      {"apis/relevancegate.dev/v1alpha1", "apis/other.dev/v1", "does not serve relevancegate.dev/v1alpha1"},
	} {
		err := CheckServed(t.Context(), through(t, func(body string) string {
			return strings.ReplaceAll(body, row.from, row.to)
		}), time.Millisecond)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", title, err, row.want)
		}
	}
}

// through is the API server behind a proxy that changes its answers.
func through(t *testing.T, change func(body string) string) *rest.Config {
	t.Helper()
	target, err := url.Parse(server.Host)
	must(t, err)
	transport, err := rest.TransportFor(server)
	must(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = transport
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		request.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, request)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write([]byte(change(answer.Body.String())))
	}))
	t.Cleanup(front.Close)
	return &rest.Config{Host: front.URL}
}
