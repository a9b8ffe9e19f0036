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
	"time"
)

func main() {
	binary := flag.String("binary", "bin/relevance-gate", "the binary to measure")
	engine := flag.String("engine", "", "URL of a search engine for evaluate")
	inCluster := flag.String("engine-in-cluster", "", "URL of a search engine as pods reach it; without it the Job is not measured")
	reached := flag.String("engine-of-cluster", "", "the same engine's URL as this program reaches it")
	namespace := flag.String("namespace", "bench", "namespace whose gates the operator handles")
	rounds := flag.Int("rounds", 7, "how often each side is measured")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	if err := run(ctx, *binary, *engine, *inCluster, *reached, *namespace, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, engine, inCluster, reached, namespace string, rounds int) error {
	fmt.Println("| what | peer, median | ours, median | ratio | bar |")
	fmt.Println("|---|---|---|---|---|")
	if engine != "" {
		// The many take long, so they are measured less often.
		for _, of := range []struct{ queries, rounds int }{{225, rounds}, {10_000, (rounds + 2) / 3}} {
			if err := benchEvaluate(ctx, binary, engine, of.queries, of.rounds); err != nil {
				return fmt.Errorf("measuring evaluate with %d queries: %w", of.queries, err)
			}
		}
	}
	if inCluster != "" {
		if err := benchJob(ctx, reached, inCluster, namespace, rounds); err != nil {
			return fmt.Errorf("measuring apply to verdict: %w", err)
		}
	}
	return benchStart(ctx, binary)
}

// row prints one bar.
func row(what string, peer, ours time.Duration, bar string) {
	fmt.Printf("| %s | %.3f s | %.3f s | %.2f | %s |\n", what, peer.Seconds(), ours.Seconds(), ours.Seconds()/peer.Seconds(), bar)
}
