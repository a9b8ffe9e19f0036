package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

const (
	bootstrapColumns = 3 // metrics
	bootstrapQueries = 10_000
	bootstrapRounds  = 3
)

// benchBootstrap measures the intervals of three metrics against numpy's
// vectorised way. Both sides are timed without the start of a process.
func benchBootstrap(ctx context.Context, peers string) error {
	random := rand.New(rand.NewPCG(7, 8))
	columns := make([][]float64, bootstrapColumns)
	var file bytes.Buffer
	for i := range columns {
		columns[i] = make([]float64, bootstrapQueries)
		for query := range columns[i] {
			columns[i][query] = random.Float64()
		}
		if err := binary.Write(&file, binary.LittleEndian, columns[i]); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	scores := filepath.Join(dir, "scores")
	if err := os.WriteFile(scores, file.Bytes(), 0o600); err != nil {
		return err
	}

	command := []string{
		filepath.Join(peers, "venv", "bin", "python"), "hack/bench/peers/bootstrap_numpy.py",
		scores, strconv.Itoa(bootstrapColumns), strconv.Itoa(relevance.DefaultResamples),
	}
	var ours, theirs []time.Duration
	for range bootstrapRounds {
		begin := time.Now()
		drawn, err := relevance.Bootstrap(columns, nil, relevance.DefaultResamples, 1)
		if err != nil {
			return err
		}
		intervals := make([]relevance.Interval, len(drawn))
		for i, distribution := range drawn {
			intervals[i] = distribution.Percentile(950_000)
		}
		ours = append(ours, time.Since(begin))
		took, err := bootstrapPeer(ctx, command, intervals)
		if err != nil {
			return err
		}
		theirs = append(theirs, took)
	}
	row(fmt.Sprintf("bootstrap, %d resamples x %d queries x %d metrics, against numpy", relevance.DefaultResamples, bootstrapQueries, bootstrapColumns),
		median(theirs), median(ours), "none")
	return nil
}

// bootstrapPeer runs numpy and makes sure that it did the same work: the draws
// differ, so the intervals are alike but not the same.
func bootstrapPeer(ctx context.Context, command []string, ours []relevance.Interval) (time.Duration, error) {
	process, err := runProcess(ctx, command)
	if err != nil {
		return 0, err
	}
	out := bytes.NewBufferString(process.out)
	var seconds float64
	if _, err := fmt.Fscan(out, &seconds); err != nil {
		return 0, fmt.Errorf("reading numpy's seconds: %w", err)
	}
	for _, interval := range ours {
		var low, high float64
		if _, err := fmt.Fscan(out, &low, &high); err != nil {
			return 0, fmt.Errorf("reading numpy's intervals: %w", err)
		}
		if math.Abs(low-interval.Low) > 0.001 || math.Abs(high-interval.High) > 0.001 {
			return 0, fmt.Errorf("numpy's interval is %f..%f, ours %f..%f", low, high, interval.Low, interval.High)
		}
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
