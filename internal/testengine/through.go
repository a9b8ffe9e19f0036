package testengine

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// RoundTrip is an http.RoundTripper made of a function.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Through starts a proxy before an engine and returns its URL. Every request goes
// through transport. Where that fails the client's connection is reset, and where
// a body breaks off the client's does too.
func Through(t *testing.T, engine string, transport http.RoundTripper) string {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // What comes before a break reaches the client.
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { reset(t, w) },
		ErrorLog:      log.New(io.Discard, "", 0),
	})
	t.Cleanup(server.Close)
	return server.URL
}

// reset ends the connection without a word.
func reset(t *testing.T, w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // Closing sends a reset then.
	}
	_ = connection.Close()
}
