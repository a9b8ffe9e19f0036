package e2e

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// moment is where a held exchange is held.
type moment int

const (
	beforeRequest moment = iota // the engine does not hear of the request
	beforeAnswer                // the engine has done it, the caller does not know
)

// A proxy stands before the engine and holds one exchange, so that a test can
// kill the caller right there. What is held never goes on: its caller is dead.
type proxy struct {
	URL     string
	forward *httputil.ReverseProxy

	mu    sync.Mutex
	hold  func(*http.Request) bool
	at    moment
	held  chan struct{} // closed when an exchange is held
	armed bool
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	target, err := url.Parse(engineAddress)
	must(t, err)
	p := &proxy{forward: httputil.NewSingleHostReverseProxy(target)}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(bridge, "0"))
	must(t, err)
	p.URL = "http://" + listener.Addr().String()
	server := &http.Server{Handler: p}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return p
}

// holdOne arms the proxy and returns what is closed once an exchange is held.
func (p *proxy) holdOne(at moment, which func(*http.Request) bool) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold, p.at, p.armed, p.held = which, at, true, make(chan struct{})
	return p.held
}

// take tells whether this exchange is the one to hold.
func (p *proxy) take(request *http.Request, at moment) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.armed || p.at != at || !p.hold(request) {
		return false
	}
	p.armed = false
	return true
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if p.take(request, beforeRequest) {
		close(p.held)
		<-request.Context().Done()
		return
	}
	if !p.take(request, beforeAnswer) {
		p.forward.ServeHTTP(w, request)
		return
	}
	p.forward.ServeHTTP(discard{http.Header{}}, request)
	close(p.held)
	<-request.Context().Done()
}

// discard swallows the answer of an exchange that is held after it.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}
