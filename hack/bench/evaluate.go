package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// benchEvaluate measures the whole process `evaluate` against the bare
// `_msearch` requests that it sends. They are recorded from a first run through
// a proxy, so the peer sends exactly the same bodies, as many at a time.
func benchEvaluate(ctx context.Context, binary, engine string, queries, rounds int) error {
	for _, index := range []string{"bench-v1", "bench-v2"} {
		if err := load(ctx, engine, index); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	set, err := goldenSet(queries)
	if err != nil {
		return err
	}
	goldenFile, gateFile := filepath.Join(dir, "golden.json"), filepath.Join(dir, "gate.yaml")
	if err := errors.Join(os.WriteFile(goldenFile, set, 0o600), os.WriteFile(gateFile, fmt.Appendf(nil, gate, "bench", engine), 0o600)); err != nil {
		return err
	}
	evaluate := func(url string) error {
		command := exec.CommandContext(ctx, binary, "evaluate", "-f", gateFile, "--golden-set", goldenFile, "--url", url, "--live", "bench-v1")
		output, err := command.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %.500s", err, output)
		}
		return nil
	}

	recorder, err := record(engine)
	if err != nil {
		return err
	}
	err = evaluate(recorder.server.URL)
	recorder.server.Close()
	if err != nil {
		return err
	}
	var ours, peer []time.Duration
	measure := func(times *[]time.Duration, what func() error) error {
		took, err := timed(what)
		*times = append(*times, took)
		return err
	}
	for round := range rounds {
		sides := []func() error{
			func() error { return measure(&ours, func() error { return evaluate(engine) }) },
			func() error { return measure(&peer, func() error { return recorder.replay(ctx, engine) }) },
		}
		// An engine gets faster while it warms up, so each side goes first in turn.
		if round%2 == 1 {
			slices.Reverse(sides)
		}
		for _, side := range sides {
			if err := side(); err != nil {
				return err
			}
		}
	}
	row(fmt.Sprintf("`evaluate`, %d queries on two indices, against its bare `_msearch` requests", queries), median(peer), median(ours), "1.10")
	return nil
}

// recorder is a proxy that keeps the _msearch requests that pass through it.
type recorder struct {
	server   *httptest.Server
	mu       sync.Mutex
	requests []recorded
	running  int
	most     int // at a time
}

type recorded struct {
	uri  string
	body []byte
}

func record(engine string) (*recorder, error) {
	target, err := url.Parse(engine)
	if err != nil {
		return nil, err
	}
	r := &recorder{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/_msearch") {
			body, err := io.ReadAll(request.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			request.Body = io.NopCloser(bytes.NewReader(body))
			r.begin(recorded{request.URL.RequestURI(), body})
			defer r.end()
		}
		proxy.ServeHTTP(w, request)
	}))
	return r, nil
}

func (r *recorder) begin(request recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request)
	r.running++
	r.most = max(r.most, r.running)
}

func (r *recorder) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
}

// replay sends the recorded requests, as many at a time as were seen.
func (r *recorder) replay(ctx context.Context, engine string) error {
	next := make(chan recorded)
	failures := make([]error, r.most)
	var workers sync.WaitGroup
	for i := range r.most {
		workers.Go(func() {
			for request := range next {
				failures[i] = errors.Join(failures[i], call(ctx, http.MethodPost, engine+request.uri, request.body))
			}
		})
	}
	for _, request := range r.requests {
		next <- request
	}
	close(next)
	workers.Wait()
	return errors.Join(failures...)
}

func timed(what func() error) (time.Duration, error) {
	start := time.Now()
	err := what()
	return time.Since(start), err
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
