// Package sim lets gates live through a whole life in memory: the product's own
// reconciler, verdict and alias code against a simulated engine, API server, kubelet
// and clock, with faults before and after every external call, restarts, two
// managers and rivals. What happens is drawn from a seed; the design's invariants
// are checked all the time. It has tests only.
package sim

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

var (
	seedFlag  = flag.Uint64("sim.seed", 1, "seed of the simulation")
	runsFlag  = flag.Int("sim.runs", 200, "how many runs the simulation makes")
	briefFlag = flag.Bool("sim.brief", false, "do not look for the fewest steps that a violation needs")
	traceFlag = flag.Bool("sim.trace", false, "print everything that happens in the only run with -sim.runs=1")
)

func init() {
	ctrllog.SetLogger(logr.Discard())
	debug.SetGCPercent(400) // a run leaves much garbage and keeps nothing
}

// run is what is drawn from a seed.
type run struct {
	seed  uint64
	scene scene
	steps []step
}

func drawRun(seed uint64) run {
	random := rand.New(rand.NewPCG(seed, 0))
	return run{seed, chooseScene(random), drawSteps(random)}
}

// outcome is what came of a run.
type outcome struct {
	violation *violation
	steps     int // begun before the violation
	counts    map[string]int
	trace     []string
}

// play plays a run in a bubble whose time passes at once.
func (r run) play(t *testing.T, tracing bool) outcome {
	t.Helper()
	var out outcome
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t.Context(), r.scene)
		w.tracing = tracing
		for _, s := range r.steps {
			out.steps++
			w.do(s)
			if w.violation != nil {
				break
			}
		}
		if w.violation == nil {
			w.settle()
		}
		w.end()
		out.violation, out.counts, out.trace = w.violation, w.counts, w.trace
	})
	return out
}

// end leaves no goroutine behind.
func (w *world) end() {
	found := w.violation
	for _, m := range slices.Clone(w.managers) {
		for m.isParked() {
			w.release(m, false)
		}
	}
	synctest.Wait()
	w.violation = found
}

// TestSimulation plays many runs. One that fails is played again without some of its
// steps until it needs all that are left.
func TestSimulation(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	next, counts := 0, map[string]int{}
	take := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == *runsFlag || t.Failed() {
			return 0, false
		}
		next++
		return *seedFlag*1_000_000 + uint64(next-1), true
	}
	t.Run("runs", func(t *testing.T) {
		for range runtime.GOMAXPROCS(0) {
			t.Run("worker", func(t *testing.T) {
				t.Parallel()
				for seed, ok := take(); ok; seed, ok = take() {
					r := drawRun(seed)
					out := r.play(t, *traceFlag)
					if *traceFlag {
						t.Log(strings.Join(out.trace, "\n"))
					}
					if out.violation != nil {
						t.Error(r.report(t, out))
						return
					}
					mu.Lock()
					for what, n := range out.counts {
						counts[what] += n
					}
					mu.Unlock()
				}
			})
		}
	})
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[what], what)
	}
}

// report says how a run has failed, in as few steps as will do.
func (r run) report(t *testing.T, out outcome) string {
	t.Helper()
	if *briefFlag {
		return fmt.Sprintf("seed %d violates %s", r.seed, out.violation)
	}
	small := r.shrink(t, out)
	played := small.play(t, true)
	var text strings.Builder
	fmt.Fprintf(&text, "seed %d violates %s\nmake test-sim SEED=%d RUNS=%d finds it again; %d of its %d steps do:\n%+v\n",
		r.seed, out.violation, r.seed/1_000_000, r.seed%1_000_000+1, len(small.steps), len(r.steps), small.scene)
	for i, s := range small.steps {
		fmt.Fprintf(&text, "%3d. %s\n", i+1, s)
	}
	if played.violation == nil {
		fmt.Fprintf(&text, "(played once more, they violate nothing: the simulation is not deterministic)\n")
		return text.String()
	}
	fmt.Fprintf(&text, "in which: %s\n%s", played.violation, strings.Join(played.trace, "\n"))
	return text.String()
}

// shrink drops steps and faults as long as the same invariant is violated.
func (r run) shrink(t *testing.T, out outcome) run {
	t.Helper()
	tries := 0
	fails := func(steps []step) bool {
		tries++
		again := run{r.seed, r.scene, steps}.play(t, false)
		return again.violation != nil && again.violation.invariant == out.violation.invariant
	}
	small := run{r.seed, r.scene, r.steps[:out.steps]}
	for size := len(small.steps) / 2; size > 0 && tries < 600; {
		dropped := false
		for from := 0; from+size <= len(small.steps) && tries < 600; {
			without := slices.Delete(slices.Clone(small.steps), from, from+size)
			if fails(without) {
				small.steps, dropped = without, true
			} else {
				from += size
			}
		}
		if !dropped || size > 1 {
			size /= 2
		}
	}
	for i := range small.steps {
		for f := 0; f < len(small.steps[i].Faults); {
			steps := slices.Clone(small.steps)
			steps[i].Faults = slices.Delete(slices.Clone(steps[i].Faults), f, f+1)
			if fails(steps) {
				small.steps = steps
			} else {
				f++
			}
		}
	}
	return small
}
