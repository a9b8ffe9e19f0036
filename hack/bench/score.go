package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scoreRounds is how often the fast sides are measured; the slow ones, which take minutes, are measured once.
const scoreRounds = 3

// benchScore measures the whole process `score` against trec_eval, pytrec_eval, ranx and ir-measures on generated
// files, and its peak memory against the size of the files. hack/bench/peers/setup has put them into the folder peers.
func benchScore(ctx context.Context, binary, peers string, queries int) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	qrels, run := filepath.Join(dir, "qrels"), filepath.Join(dir, "run")
	size, err := generate(qrels, run, queries)
	if err != nil {
		return err
	}
	trecEval, python := filepath.Join(peers, "trec_eval"), filepath.Join(peers, "venv", "bin", "python")
	version, err := trecEvalVersion(ctx, trecEval)
	if err != nil {
		return err
	}
	if err := sameScores(ctx, binary, trecEval, qrels, run); err != nil {
		return err
	}

	ours := []string{binary, "score", "-m", "ndcg@10", "-m", "map", "-m", "recall@50", qrels, run}
	peer := []string{trecEval, "-m", "ndcg_cut.10", "-m", "map", "-m", "recall.50", qrels, run}
	var ourTimes, peerTimes []time.Duration
	peak := int64(0)
	for range scoreRounds {
		mine, err := runProcess(ctx, ours)
		if err != nil {
			return err
		}
		theirs, err := runProcess(ctx, peer)
		if err != nil {
			return err
		}
		ourTimes, peerTimes, peak = append(ourTimes, mine.took), append(peerTimes, theirs.took), max(peak, mine.peak)
	}
	what := fmt.Sprintf("`score`, %d queries x %d hits, %.0f MB", queries, hitsPerQuery, float64(size)/1e6)
	row(what+", against "+version, median(peerTimes), median(ourTimes), "0.05")
	for _, slow := range []struct {
		name, bar string
		command   []string
	}{
		{"pytrec_eval", "0.05", []string{python, "hack/bench/peers/score_pytrec_eval.py", qrels, run}},
		{"ranx", "1", []string{python, "hack/bench/peers/score_ranx.py", qrels, run}},
		{"ir-measures", "1", []string{python, "-m", "ir_measures", qrels, run, "nDCG@10 AP R@50"}},
	} {
		theirs, err := runProcess(ctx, slow.command)
		if err != nil {
			return err
		}
		row(what+", against "+slow.name, theirs.took, median(ourTimes), slow.bar)
	}
	fmt.Printf("| `score`, peak memory against the size of its files | %.0f MB | %.0f MB | %.2f | 1.5 |\n",
		float64(size)/1e6, float64(peak)/1e6, float64(peak)/float64(size))
	return nil
}

// process is what there is to know of a process that has ended.
type process struct {
	out  string
	took time.Duration
	peak int64 // resident bytes
}

func runProcess(ctx context.Context, command []string) (process, error) {
	var out, errOut bytes.Buffer
	p := exec.CommandContext(ctx, command[0], command[1:]...)
	p.Stdout, p.Stderr = &out, &errOut
	took, err := timed(p.Run)
	if err != nil {
		return process{}, fmt.Errorf("%s: %w: %.500s", command[0], err, errOut.String())
	}
	usage, ok := p.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return process{}, errors.New("this system does not tell the peak memory of a process")
	}
	return process{out.String(), took, usage.Maxrss * 1024}, nil
}

// trecEvalVersion is what trec_eval calls itself.
func trecEvalVersion(ctx context.Context, trecEval string) (string, error) {
	said, err := exec.CommandContext(ctx, trecEval, "-v").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w; run hack/bench/peers/setup", trecEval, err)
	}
	return strings.TrimSpace(string(said)), nil
}

// sameScores makes sure that both sides do the same work.
func sameScores(ctx context.Context, binary, trecEval, qrels, run string) error {
	options := []string{"-m", "ndcg_cut.10", "-m", "map", "-m", "recall.50", qrels, run}
	ours, err := runProcess(ctx, append([]string{binary, "score"}, options...))
	if err != nil {
		return err
	}
	theirs, err := runProcess(ctx, append([]string{trecEval}, options...))
	if err != nil {
		return err
	}
	if ours.out != theirs.out {
		return fmt.Errorf("the scores differ: ours\n%s, trec_eval's\n%s", ours.out, theirs.out)
	}
	return nil
}
