package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// benchStart measures how long the binary takes to start and end, which every
// evaluation pod pays, against the start of a process that does nothing.
func benchStart(ctx context.Context, binary string) error {
	var ours, peer []time.Duration
	for range 21 {
		took, err := timed(func() error { return exec.CommandContext(ctx, binary, "version").Run() })
		if err != nil {
			return fmt.Errorf("starting %s: %w", binary, err)
		}
		ours = append(ours, took)
		if took, err = timed(func() error { return exec.CommandContext(ctx, "true").Run() }); err != nil {
			return fmt.Errorf("starting true: %w", err)
		}
		peer = append(peer, took)
	}
	row("start of the evaluator (`version`), against `true`", median(peer), median(ours), "50 ms")
	return nil
}
