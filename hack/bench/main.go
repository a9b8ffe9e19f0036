// Command bench measures the project's bars, each as a ratio to a peer in the
// same run, since seconds alone say more about the machine than about the code.
// The script beside it starts what is needed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"
)

// options are the flags. What has no engine, cluster or peers is not measured.
type options struct {
	binary                     string
	engine, inCluster, reached string
	namespace                  string
	peers, data                string
	rounds, scoredQueries      int
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/relevance-gate", "the binary to measure")
	flag.StringVar(&o.engine, "engine", "", "URL of a search engine for evaluate")
	flag.StringVar(&o.inCluster, "engine-in-cluster", "", "URL of a search engine as pods reach it; without it the Job is not measured")
	flag.StringVar(&o.reached, "engine-of-cluster", "", "the same engine's URL as this program reaches it")
	flag.StringVar(&o.namespace, "namespace", "bench", "namespace whose gates the operator handles")
	flag.StringVar(&o.peers, "peers", "", "folder that hack/bench/peers/setup made; without it score is not measured")
	flag.StringVar(&o.data, "data", os.Getenv("RELEVANCE_GATE_TEST_DATA"), "folder with test data; without it Cranfield is not measured")
	flag.IntVar(&o.scoredQueries, "score-queries", 100_000, "queries of the run that score is measured with")
	flag.IntVar(&o.rounds, "rounds", 15, "how often each side is measured")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	fmt.Println("| what | peer, median | ours, median | ratio | bar |")
	fmt.Println("|---|---|---|---|---|")
	if o.engine != "" {
		// The many take long, so they are measured less often.
		collections := []collection{shop(225, o.rounds), shop(10_000, o.rounds/5)}
		if o.data != "" {
			collections = slices.Insert(collections, 0, cranfield(o.data, o.rounds))
		}
		for _, of := range collections {
			if err := benchEvaluate(ctx, o.binary, o.engine, of); err != nil {
				return fmt.Errorf("measuring evaluate with %s: %w", of.what, err)
			}
		}
	}
	if err := benchMemory(ctx, o.binary, o.engine); err != nil {
		return fmt.Errorf("measuring the memory of evaluate: %w", err)
	}
	if o.inCluster != "" {
		if err := benchJob(ctx, o.reached, o.inCluster, o.namespace, o.rounds); err != nil {
			return fmt.Errorf("measuring apply to verdict: %w", err)
		}
	}
	if o.peers != "" {
		if err := benchScore(ctx, o.binary, o.peers, o.scoredQueries); err != nil {
			return fmt.Errorf("measuring score: %w", err)
		}
		if err := benchBootstrap(ctx, o.peers); err != nil {
			return fmt.Errorf("measuring the bootstrap: %w", err)
		}
	}
	return benchStart(ctx, o.binary)
}

// row prints one bar.
func row(what string, peer, ours time.Duration, bar string) {
	fmt.Printf("| %s | %.3f s | %.3f s | %.2f | %s |\n", what, peer.Seconds(), ours.Seconds(), ours.Seconds()/peer.Seconds(), bar)
}
