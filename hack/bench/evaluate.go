package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// allMetrics asks for every kind of metric at once.
const allMetrics = `
    - {name: ndcg@10, min: "0"}
    - {name: ndcg, gain: Linear}
    - {name: dcg@10}
    - {name: precision@5}
    - {name: recall@50}
    - {name: f1@10}
    - {name: success@5}
    - {name: mrr}
    - {name: map}
    - {name: r-precision}
    - {name: bpref}
    - {name: err@10}
    - {name: rbp.80}
    - {name: judged@10}
    - {name: unjudgedRate@10}
    - {name: nonempty}`

// collection is documents to search and queries with judgments.
type collection struct {
	what string
	// load fills the index of that name.
	load func(ctx context.Context, engine, index string) error
	// golden writes the golden set into the folder and returns its files.
	golden func(dir string) ([]string, error)
	rounds int
}

// benchEvaluate measures the whole process `evaluate` with all metrics against a
// process that sends the bare `_msearch` requests of it. They are recorded from a
// first run through a proxy, so both send exactly the same bodies, as many at a time.
func benchEvaluate(ctx context.Context, binary, engine string, on collection) error {
	for _, index := range []string{"bench-v1", "bench-v2"} {
		if err := on.load(ctx, engine, index); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files, err := on.golden(dir)
	if err != nil {
		return err
	}
	gateFile, recordFile, replay := filepath.Join(dir, "gate.yaml"), filepath.Join(dir, "requests"), filepath.Join(dir, "replay")
	if err := os.WriteFile(gateFile, fmt.Appendf(nil, gate, "bench", engine, allMetrics), 0o600); err != nil {
		return err
	}
	if err := start(exec.CommandContext(ctx, "go", "build", "-o", replay, "./hack/bench/replay")); err != nil {
		return err
	}
	evaluate := func(url string) error {
		command := exec.CommandContext(ctx, binary, "evaluate", "-f", gateFile, "--url", url, "--live", "bench-v1")
		for _, file := range files {
			command.Args = append(command.Args, "--golden-set", file)
		}
		return start(command)
	}
	if err := record(engine, recordFile, evaluate); err != nil {
		return err
	}

	var ours, peer []time.Duration
	measure := func(times *[]time.Duration, what func() error) error {
		took, err := timed(what)
		*times = append(*times, took)
		return err
	}
	for round := range on.rounds {
		sides := []func() error{
			func() error { return measure(&ours, func() error { return evaluate(engine) }) },
			func() error {
				return measure(&peer, func() error { return start(exec.CommandContext(ctx, replay, engine, recordFile)) })
			},
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
	row(fmt.Sprintf("`evaluate`, %s on two indices, against its bare `_msearch` requests", on.what), median(peer), median(ours), "1.10")
	return nil
}

// start runs a command to its end; its output is for the error.
func start(command *exec.Cmd) error {
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %.500s", filepath.Base(command.Path), err, output)
	}
	return nil
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
