// Package gateserver answers over HTTP whether a gate is open, for delivery tools that cannot read the resource. The
// resource is the contract; the routes only mirror its status, from the cache, on every replica.
package gateserver

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const (
	// readTimeout bounds a read from the cache, which waits while the cache fills. It stays below the 10 s after which
	// Argo Rollouts gives up, so that the caller gets an answer.
	readTimeout = 5 * time.Second
	// requestTimeout bounds the reading of a request, which has no body that counts.
	requestTimeout = 5 * time.Second
	// idleTimeout is longer than the usual interval of polls, so that a poller keeps its connection.
	idleTimeout = 90 * time.Second
	// shutdownTimeout lets answers under way finish; it is well below the 30 s that a pod has to end.
	shutdownTimeout = 10 * time.Second
	// maxHeaderBytes is enough for any URL of ours and what proxies add.
	maxHeaderBytes = 16 << 10
)

var log = ctrl.Log.WithName("gateserver")

// Handler answers GET /v1/gates/{namespace}/{name}/status from the reader, which should be the manager's cache. The
// code is always 200, since Argo Rollouts takes any other for an error: verdict and reason say the rest. The query
// parameters candidate, evaluationKey and goldenDigest pin what the caller means; a mismatch is Pending.
func Handler(reader client.Reader) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/gates/{namespace}/{name}/status", func(w http.ResponseWriter, r *http.Request) {
		writeStatus(w, ask(r, reader))
	})
	return mux
}

// ask computes the one answer that the routes encode.
func ask(r *http.Request, reader client.Reader) answer {
	pins, ok := parsePins(r.URL.RawQuery)
	if !ok {
		return pending(reasonInvalidQuery)
	}

	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	key := client.ObjectKey{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
	var gate v1alpha1.RelevanceGate
	switch err := reader.Get(ctx, key, &gate); {
	case apierrors.IsNotFound(err):
		return pending(reasonGateNotFound)
	case err != nil:
		// Not an error in the log: whoever reaches the port could fill it with namespaces that are not watched.
		log.V(1).Info("Reading a gate failed", "gate", key, "error", err.Error())
		return pending(reasonGateUnreadable)
	}
	return answerOf(&gate, pins)
}

// writeStatus encodes the answer for the status route.
func writeStatus(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := json.NewEncoder(w).Encode(a); err != nil {
		log.V(1).Info("Writing an answer failed", "error", err.Error())
	}
}

// Server serves the routes beside a manager. Every replica serves, leader or not.
type Server struct {
	// BindAddress is where to listen, such as ":8082".
	BindAddress string
	// Listener is listened on instead of BindAddress if it is set.
	Listener net.Listener
	// Reader is where gates are read from: the manager's cache.
	Reader client.Reader
}

var (
	_ manager.Runnable               = (*Server)(nil)
	_ manager.LeaderElectionRunnable = (*Server)(nil)
)

// NeedLeaderElection is false: a replica that waits for the lease has the same cache.
func (s *Server) NeedLeaderElection() bool { return false }

// Start serves until ctx ends, then lets the answers under way finish.
func (s *Server) Start(ctx context.Context) error {
	timeout := shutdownTimeout
	server := manager.Server{
		Name: "gate",
		Server: &http.Server{
			Addr:              s.BindAddress,
			Handler:           Handler(s.Reader),
			ReadHeaderTimeout: requestTimeout,
			ReadTimeout:       requestTimeout,
			WriteTimeout:      requestTimeout + readTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
		},
		Listener:        s.Listener,
		ShutdownTimeout: &timeout,
	}
	return server.Start(ctx)
}
