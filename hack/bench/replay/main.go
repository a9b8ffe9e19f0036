// Command replay sends recorded requests to a search engine, as many at a time as
// were seen, and throws the answers away: what a measurement cannot do without. It
// is a program of its own so that it pays for its start as `evaluate` does.
package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: replay ENGINE-URL FILE")
		os.Exit(3)
	}
	if err := replay(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func replay(engine, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // It was only read.
	var seen struct {
		AtATime  int
		Requests []struct {
			URI  string
			Body []byte
		}
	}
	if err := gob.NewDecoder(file).Decode(&seen); err != nil {
		return fmt.Errorf("reading the recorded requests: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: seen.AtATime}}
	next := make(chan int)
	failures := make([]error, seen.AtATime)
	var workers sync.WaitGroup
	for worker := range seen.AtATime {
		workers.Go(func() {
			for i := range next {
				failures[worker] = errors.Join(failures[worker], send(ctx, client, engine+seen.Requests[i].URI, seen.Requests[i].Body))
			}
		})
	}
	for i := range seen.Requests {
		next <- i
	}
	close(next)
	workers.Wait()
	return errors.Join(failures...)
}

func send(ctx context.Context, client *http.Client, url string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // It was only read.
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s: %s", url, response.Status)
	}
	return nil
}
