package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

const (
	manyQueries = 130_000
	manyJudged  = 20 // a query
)

// benchMemory measures the most memory that `evaluate` takes with a golden set as
// large as they get. The engine is a stub, so that the searches take seconds; the
// real one, if there is one, is searched once more.
func benchMemory(ctx context.Context, binary, engine string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	goldenFile, gateFile := filepath.Join(dir, "golden.json"), filepath.Join(dir, "gate.yaml")
	if err := writeManyQueries(goldenFile); err != nil {
		return err
	}

	stub := httptest.NewServer(testengine.NewFake(findAny))
	defer stub.Close()
	for _, index := range []string{"bench-v1", "bench-v2"} {
		if err := call(ctx, http.MethodPut, stub.URL+"/"+index, []byte(`{}`)); err != nil {
			return err
		}
	}
	for _, on := range []struct{ name, url string }{{"a stub engine", stub.URL}, {"a real engine", engine}} {
		if on.url == "" {
			continue
		}
		if err := os.WriteFile(gateFile, fmt.Appendf(nil, gate, "bench", on.url, twoMetrics), 0o600); err != nil {
			return err
		}
		command := exec.CommandContext(ctx, binary, "evaluate", "-f", gateFile, "--golden-set", goldenFile, "--live", "bench-v1")
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %.500s", err, output)
		}
		usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			return errors.New("this system does not say how much memory a process took")
		}
		fmt.Printf("| `evaluate`, %d queries with %d judgments on %s, peak memory | | %d MiB | | 512 MiB |\n",
			manyQueries, manyQueries*manyJudged, on.name, usage.Maxrss>>10) // Linux counts in KiB.
	}
	return nil
}

// writeManyQueries writes the golden set piece by piece: a child that is started
// counts what its parent takes as its own.
func writeManyQueries(file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	writeGolden(buffered, manyQueries, manyJudged)
	return errors.Join(buffered.Flush(), out.Close())
}

func writeGolden(out io.Writer, queries, judged int) {
	random := rand.New(rand.NewPCG(5, 6))
	fmt.Fprint(out, `{"schema":"relevancegate.dev/golden/v1","name":"bench","queries":[`)
	for q := range queries {
		var judgments []string
		first, step := random.IntN(documents), 1+random.IntN(documents/judged-1)
		for i := range judged {
			judgments = append(judgments, fmt.Sprintf(`{"id":"d%d","grade":%d,"why":"made up"}`, (first+i*step)%documents, 1+random.IntN(3)))
		}
		separator := ","
		if q == 0 {
			separator = ""
		}
		fmt.Fprintf(out, "%s\n{\"id\":\"q%d\",\"query\":%q,\"judgments\":[%s]}", separator, q, words(random, 3), strings.Join(judgments, ","))
	}
	fmt.Fprint(out, "]}\n")
}

// findAny finds 51 of the documents, the same ones each time for the same search.
func findAny(_ string, body []byte) []testengine.Found {
	hash := fnv.New64a()
	_, _ = hash.Write(body) // It cannot fail.
	random := rand.NewPCG(hash.Sum64(), 0)
	found := make([]testengine.Found, 51)
	for i := range found {
		found[i] = testengine.Found{ID: fmt.Sprintf("d%d", random.Uint64()%documents), Score: 30 - float64(i)/7}
	}
	return found
}
