package sim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// stepKind is what happens in one step of a run.
type stepKind int

const (
	stepPass     stepKind = iota // a manager looks at a gate
	stepJob                      // kubelet and Job controller take a Job on
	stepAct                      // somebody else acts
	stepWait                     // time passes
	stepTwice                    // passes follow on each other until nothing is left to do
	stepTakeOver                 // a second manager begins while the first stands still
	stepResume                   // the one that stands still goes on
	stepRestart                  // a manager dies between two passes
)

// step is one step of a run, drawn beforehand: a run without some of its steps is
// otherwise the same.
type step struct {
	Kind    stepKind
	Arg     int
	Manager int
	Stale   int // a bit for each kind that the manager's cache does not catch up with before
	Faults  []fault
}

func (s step) String() string {
	switch s.Kind {
	case stepPass:
		text := fmt.Sprintf("pass of manager %d over gate %d", s.Manager, s.Arg)
		for i, kind := range cachedKinds {
			if s.Stale&(1<<i) != 0 {
				text += ", stale " + kind + "s"
			}
		}
		for _, f := range s.Faults {
			text += "; " + f.String()
		}
		return text
	case stepJob:
		text := fmt.Sprintf("Job %d goes way %d", s.Arg/100, jobWay(s.Arg))
		for _, f := range s.Faults {
			text += "; " + f.String()
		}
		return text
	case stepAct:
		return actionAt(s.Arg).name
	case stepWait:
		return fmt.Sprint("wait ", waits[s.Arg%len(waits)])
	}
	return [...]string{stepTwice: "passes until all is done", stepTakeOver: "another manager takes over", stepResume: "resume", stepRestart: "restart"}[s.Kind]
}

var waits = []time.Duration{time.Second, 10 * time.Second, 31 * time.Second, time.Minute, 11 * time.Minute}

// jobWay is how a Job goes: mostly as it should.
func jobWay(arg int) int {
	if arg%100 < 70 {
		return jobRuns
	}
	return arg % 100 % jobWays
}

// drawSteps draws a run: between 50 and 80 steps.
func drawSteps(random *rand.Rand) []step {
	var steps []step
	for total := 50 + random.IntN(30); len(steps) < total; {
		switch n := random.IntN(100); {
		case n < 30:
			steps = append(steps, drawPass(random))
		case n < 32: // a measurement of which a part is missing
			missing := fault{Call: 6 + random.IntN(6), Kind: lose, Arg: random.IntN(1000)}
			steps = append(steps, step{Kind: stepJob, Arg: random.IntN(70), Faults: []fault{missing}})
		case n < 55: // what leads to a promotion if nothing comes between
			if random.IntN(3) == 0 {
				steps = append(steps, step{Kind: stepAct, Arg: numberOf(nextCandidate, random.IntN(1000))})
			}
			pass := drawPass(random)
			pass.Faults = nil
			steps = append(steps, pass, step{Kind: stepJob, Arg: random.IntN(70)}, drawPass(random))
		case n < 65:
			steps = append(steps, step{Kind: stepJob, Arg: random.IntN(1000), Faults: drawJobFaults(random)})
		case n < 82:
			steps = append(steps, step{Kind: stepAct, Arg: random.IntN(1_000_000)})
		case n < 90:
			steps = append(steps, step{Kind: stepWait, Arg: random.IntN(1000)})
		case n < 93:
			steps = append(steps, step{Kind: stepTwice, Manager: random.IntN(2)})
		case n < 96:
			steps = append(steps, step{Kind: stepResume})
		case n < 98:
			steps = append(steps, step{Kind: stepTakeOver})
		default:
			steps = append(steps, step{Kind: stepRestart})
		}
	}
	return steps
}

func drawPass(random *rand.Rand) step {
	s := step{Kind: stepPass, Arg: random.IntN(2), Manager: random.IntN(2)}
	if random.IntN(4) == 0 {
		s.Stale = random.IntN(1 << len(cachedKinds))
	}
	if random.IntN(5) < 2 {
		return s
	}
	for range 1 + random.IntN(2) {
		call := random.IntN(pick(random, 15, 35, 60))
		if random.IntN(3) == 0 {
			call = atPoint + pick(random, 0, 0, 0, 1, 1, 2, 3, 4)
		}
		f := fault{
			Call: call, After: random.IntN(2) == 0, Arg: random.IntN(1_000_000),
			Kind: pick(random, refuse, refuse, lose, lose, late, crash, crash, stop, park, act, act, act, act, act, act, refresh),
		}
		s.Faults = append(s.Faults, f)
	}
	return s
}

func drawJobFaults(random *rand.Rand) []fault {
	var faults []fault
	for random.IntN(2) == 0 {
		faults = append(faults, fault{Call: random.IntN(25), After: random.IntN(2) == 0, Arg: random.IntN(1_000_000), Kind: pick(random, refuse, lose, act, act)})
	}
	return faults
}

// do carries out one step.
func (w *world) do(s step) {
	w.tell("%s", s)
	// Each step begins with a full second, so that a pause of some random
	// milliseconds in the product changes nothing after it.
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
	m := w.managers[s.Manager%len(w.managers)]
	switch s.Kind {
	case stepPass:
		if m.isParked() {
			return
		}
		for i, kind := range cachedKinds {
			if s.Stale&(1<<i) == 0 {
				m.cache.sync(kind)
			}
		}
		w.startPass(m, w.gateName(s.Arg), s.Faults)
	case stepJob:
		if jobs := w.openJobs(); len(jobs) > 0 {
			w.runJob(jobs[s.Arg/100%len(jobs)], jobWay(s.Arg), s.Faults)
		}
	case stepAct:
		w.act(s.Arg)
	case stepWait:
		time.Sleep(waits[s.Arg%len(waits)])
	case stepTwice:
		if !m.isParked() {
			w.passUntilDone(m)
		}
	case stepTakeOver:
		if len(w.managers) == 1 && w.managers[0].isParked() {
			w.managers[0].leaving = true
			w.managers = append(w.managers, w.newManager())
		}
	case stepResume:
		for _, each := range w.managers {
			if each.isParked() {
				w.release(each, true)
				return
			}
		}
	case stepRestart:
		if !m.isParked() {
			w.restart(m)
		}
	}
}

// passUntilDone: I6. While nothing else happens, passes come to an end of their
// work, and then write nothing.
func (w *world) passUntilDone(m *manager) {
	if w.api.gate("a") == nil {
		return
	}
	for range 8 {
		m.cache.syncAll()
		p := w.startPass(m, "a", nil)
		if w.violation != nil || !p.finished {
			return
		}
		if p.writes == 0 {
			return
		}
	}
	w.violate("I6", "passes over an unchanged gate go on writing; %s", w.stateOf("a"))
}
