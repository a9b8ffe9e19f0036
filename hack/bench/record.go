package main

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
)

// recording is what the program in the folder replay reads.
type recording struct {
	AtATime  int
	Requests []recorded
}

type recorded struct {
	URI  string
	Body []byte
}

// record writes into the file the _msearch requests that a run sends to the engine,
// which it reaches by the URL that it is given.
func record(engine, file string, run func(url string) error) error {
	target, err := url.Parse(engine)
	if err != nil {
		return err
	}
	var seen recording
	var mu sync.Mutex
	running := 0
	begin := func(request recorded) {
		mu.Lock()
		defer mu.Unlock()
		seen.Requests = append(seen.Requests, request)
		running++
		seen.AtATime = max(seen.AtATime, running)
	}
	end := func() {
		mu.Lock()
		defer mu.Unlock()
		running--
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/_msearch") {
			body, err := io.ReadAll(request.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			request.Body = io.NopCloser(bytes.NewReader(body))
			begin(recorded{request.URL.RequestURI(), body})
			defer end()
		}
		proxy.ServeHTTP(w, request)
	}))
	defer server.Close()
	if err := run(server.URL); err != nil {
		return err
	}

	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := errors.Join(gob.NewEncoder(out).Encode(seen), out.Close()); err != nil {
		return fmt.Errorf("writing the recorded requests: %w", err)
	}
	return nil
}
