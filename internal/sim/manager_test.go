package sim

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/controllers"
)

// manager is one process of the operator: the product's own reconciler, what its
// cache has seen, and the pass that it is in.
type manager struct {
	w     *world
	id    int
	r     *controllers.Reconciler
	cache *cache
	// pass is the last one that was begun; it may be parked.
	pass *pass
	// stop ends the manager's context, as a signal does.
	ctx  context.Context //nolint:containedctx // the life of a process
	stop context.CancelFunc
	// leaving: another manager has taken over, so this one ends with its pass.
	leaving bool
}

func (w *world) newManager() *manager {
	w.started++
	m := &manager{w: w, id: w.started, cache: newCache(w.api)}
	m.ctx, m.stop = context.WithCancel(w.ctx)
	m.r = &controllers.Reconciler{
		Client: apiClient{m: m}, Live: liveReader{m}, Events: noEvents{}, Clock: jumpingClock{w}, JobImage: "relevance-gate:sim",
		Transport: managerTransport{m}, MaxEvaluations: w.scene.maxEvaluations,
	}
	m.r.Forget()
	return m
}

type noEvents struct{}

func (noEvents) Eventf(_ apiruntime.Object, _ apiruntime.Object, _, _, _, _ string, _ ...any) {}

// jumpingClock is the time of the bubble that the simulation runs in, and what the
// clock of the machine was set forward or back by.
type jumpingClock struct{ w *world }

func (c jumpingClock) Now() time.Time                  { return time.Now().Add(c.w.clockJump) }
func (c jumpingClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// pass is one Reconcile.
type pass struct {
	m      *manager
	gate   string
	faults []fault
	calls  int // external calls so far
	// disturbed: an answer was an error or was lost by the simulation's doing, so the
	// pass may end with its work half done.
	disturbed bool
	writes    int // to the API server

	parked chan struct{} // the pass waits before a call
	resume chan bool     // true: go on; false: the process is killed
	done   chan struct{}

	finished bool // Reconcile has returned
	result   ctrl.Result
	err      error

	seen // what the pass has read
}

// startPass begins a pass and waits until it ends or is parked.
func (w *world) startPass(m *manager, gate string, faults []fault) *pass {
	p := &pass{m: m, gate: gate, faults: faults, parked: make(chan struct{}), resume: make(chan bool), done: make(chan struct{})}
	p.seen = newSeen(w)
	m.pass = p
	go func() {
		defer close(p.done)
		defer func() {
			if broken := recover(); broken != nil {
				w.violate("panic", "%v\n%s", broken, debug.Stack())
			}
		}()
		p.result, p.err = m.r.Reconcile(m.ctx, ctrl.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: gate}})
		p.finished = true
	}()
	w.await(p)
	return p
}

func (w *world) await(p *pass) {
	select {
	case <-p.parked:
		w.tell("  parked before call %d", p.calls)
	case <-p.done:
		w.passEnded(p)
	}
}

// release lets a parked pass go on, or kills its process.
func (w *world) release(m *manager, goOn bool) {
	p := m.pass
	if !m.isParked() {
		return
	}
	p.parked = make(chan struct{})
	p.resume <- goOn
	w.await(p)
}

func (m *manager) isParked() bool {
	if m.pass == nil {
		return false
	}
	select {
	case <-m.pass.parked:
		return true
	default:
		return false
	}
}

// passEnded looks at what came of a pass. A manager that was killed in it, or that
// has lost its lease, starts anew.
func (w *world) passEnded(p *pass) {
	w.tell("  pass of manager %d ended after %d calls: finished %t, error %v; %s", p.m.id, p.calls, p.finished, p.err, w.stateOf(p.gate))
	w.checkPass(p)
	if !p.finished || p.m.leaving || p.m.ctx.Err() != nil {
		w.restart(p.m)
	}
}

// restart puts a new manager in the place of one, whose memory is gone, unless
// another has taken over.
func (w *world) restart(m *manager) {
	m.stop()
	i := slices.Index(w.managers, m)
	if i < 0 {
		return
	}
	if m.leaving && len(w.managers) > 1 {
		w.managers = slices.Delete(w.managers, i, i+1)
		return
	}
	w.managers[i] = w.newManager()
}

// faultKind is what goes wrong at an external call.
type faultKind int

const (
	refuse  faultKind = iota // an error, and the call has no effect
	lose                     // the call has its effect, and its answer is lost
	late                     // the answer is an error, and the effect comes seconds later
	crash                    // the process dies
	stop                     // the process is told to end
	park                     // the process stands still until it is resumed
	act                      // somebody else acts
	refresh                  // the manager's cache catches up
	faultKinds
)

func (k faultKind) String() string {
	return [...]string{"refuse", "lose", "late", "crash", "stop", "park", "act", "refresh"}[k]
}

// points are calls at which much depends on what happens before and after them. A
// fault's call from atPoint on is the first one whose name begins so.
var points = []string{"POST /_aliases", "PUT /products-v", "patch status", "read gate", "create job"}

const atPoint = 1000

// fault goes wrong at one call of a step, before it or after its effect.
type fault struct {
	Call  int
	After bool
	Kind  faultKind
	Arg   int
}

func (f fault) String() string {
	when := "before"
	if f.After {
		when = "after"
	}
	text := fmt.Sprintf("%s call %d: %s", when, f.Call, f.Kind)
	if f.Call >= atPoint {
		text = fmt.Sprintf("%s the call %q: %s", when, points[f.Call-atPoint], f.Kind)
	}
	if f.Kind == act {
		return text + " " + actionAt(f.Arg).name
	}
	return fmt.Sprint(text, " ", f.Arg)
}

// external is one external call: what it does, how it fails, and, where it may have
// its effect after its answer, how.
type external struct {
	name  string
	do    func() error
	fail  func(arg int, before bool) error
	later func() (effect func())
}

// around carries out an external call with the faults that the step has for it.
func (p *pass) around(ctx context.Context, call external) error {
	w := p.m.w
	n := p.calls
	p.calls++
	if ctx.Err() != nil {
		return ctx.Err()
	}
	refused := false
	var wrong error
	here := p.faultsAt(n, call.name)
	for _, f := range here {
		if f.After {
			continue
		}
		w.tell("    %s (%s)", f, call.name)
		switch f.Kind {
		case refuse, lose:
			p.disturbed, refused = true, true
			wrong = call.fail(f.Arg, true)
		case late:
			p.disturbed, refused = true, true
			if call.later != nil {
				effect := call.later()
				delay := time.Duration(f.Arg%9000+500) * time.Millisecond
				go func() {
					time.Sleep(delay)
					w.tell("    the late %s has its effect", call.name)
					effect()
				}()
			}
			// An answer that proves nothing: an engine that refuses has no effect later.
			wrong = call.fail(pickOf(f.Arg, 2, 5), true)
		case park:
			began := time.Now()
			close(p.parked)
			if goOn := <-p.resume; !goOn {
				p.die()
			}
			// Whatever time has passed, the request reaches the network. But the pass's
			// deadlines may be over.
			p.disturbed = p.disturbed || time.Since(began) > 5*time.Second
		default:
			p.happens(f)
		}
	}
	if refused {
		return wrong
	}
	err := call.do()
	for _, f := range here {
		if !f.After {
			continue
		}
		w.tell("    %s (%s)", f, call.name)
		switch f.Kind {
		case refuse, lose, late:
			p.disturbed = true
			err = call.fail(f.Arg, false)
		case park:
		default:
			p.happens(f)
		}
	}
	return err
}

// faultsAt takes the faults of the step that are for the n-th call, of this name.
func (p *pass) faultsAt(n int, name string) []fault {
	var here []fault
	p.faults = slices.DeleteFunc(slices.Clone(p.faults), func(f fault) bool {
		if f.Call != n && (f.Call < atPoint || !strings.HasPrefix(name, points[f.Call-atPoint])) {
			return false
		}
		here = append(here, f)
		return true
	})
	return here
}

// happens is the fault's effect on the process, or on the world around it.
func (p *pass) happens(f fault) {
	switch f.Kind {
	case crash:
		p.die()
	case stop:
		p.disturbed = true
		p.m.stop()
	case act:
		p.m.w.act(f.Arg)
	case refresh:
		p.m.cache.syncAll()
	}
}

// die ends the process in the middle of its work.
func (p *pass) die() {
	p.disturbed = true
	runtime.Goexit()
}

func (m *manager) readCache(key objectKey, into client.Object) error {
	err := get(m.cache.objects, key, into)
	if err == nil {
		m.pass.sawCached(key, into)
	}
	return err
}

// callAPI is one call to the API server.
func (m *manager) callAPI(ctx context.Context, verb string, key objectKey, do func() error) error {
	p := m.pass
	isWrite := verb != "read" && verb != "list"
	return p.around(ctx, external{name: verb + " " + key.kind + " " + key.name, fail: func(arg int, before bool) error {
		group := schema.GroupResource{Resource: key.kind}
		switch arg % 4 {
		case 0:
			return apierrors.NewServiceUnavailable("simulated")
		case 1:
			return apierrors.NewTimeoutError("simulated", 1)
		case 2:
			if before && isWrite {
				return apierrors.NewConflict(group, key.name, fmt.Errorf("simulated"))
			}
		}
		return apierrors.NewInternalError(fmt.Errorf("simulated"))
	}, do: func() error {
		m.w.seq++
		if isWrite {
			p.writes++
		}
		err := do()
		if m.w.tracing {
			m.w.tell("    %d. %s %s %s: %v", p.calls-1, verb, key.kind, key.name, err)
		}
		return err
	}})
}

// managerTransport is a manager's way to the engine.
type managerTransport struct{ m *manager }

func (t managerTransport) RoundTrip(request *http.Request) (response *http.Response, err error) {
	p := t.m.pass
	call := readCall(request)
	outside := external{
		name: call.String(),
		do: func() error {
			response = t.m.w.callEngine(p, call)
			return nil
		},
		fail: func(arg int, before bool) (err error) {
			response, err = brokenAnswer(request, arg, before)
			return err
		},
	}
	// A write block that comes seconds after its connection broke, when the lock was
	// given back already, is left behind: the next pass to look calls it somebody
	// else's. Only the swap waits for what may yet come.
	if call.op == "_aliases" {
		outside.later = func() func() {
			t.m.w.checkCall(p, call)
			return func() { t.m.w.carryOut(p, call) }
		}
	}
	err = p.around(request.Context(), outside)
	if err != nil {
		return nil, err
	}
	p.sawAnswer(call, response)
	return response, nil
}

// brokenAnswer is what comes back in the place of an answer.
func brokenAnswer(request *http.Request, arg int, before bool) (*http.Response, error) {
	switch arg % 6 {
	case 0:
		return errorAnswer(503, "master_not_discovered_exception"), nil
	case 1:
		return errorAnswer(429, "es_rejected_execution_exception"), nil
	case 2:
		<-request.Context().Done() // nothing comes back until the caller gives up
		return nil, request.Context().Err()
	case 3:
		if before {
			return errorAnswer(403, "security_exception"), nil
		}
	case 4:
		if before {
			return errorAnswer(500, "illegal_state_exception"), nil
		}
	}
	return nil, syscall.ECONNRESET
}

// sawLive and sawCached keep what a pass was told of gate and golden set.

func (p *pass) sawLive(key objectKey, object client.Object) {
	switch o := object.(type) {
	case *v1alpha1.RelevanceGate:
		if key.name == p.gate {
			p.liveGate, p.liveGateAt = o.DeepCopy(), p.m.w.seq
		}
	case *metav1.PartialObjectMetadata:
		if key == (objectKey{"configmap", goldenName}) {
			p.liveGolden = o.ResourceVersion
		}
	}
}

func (p *pass) sawCached(key objectKey, object client.Object) {
	switch o := object.(type) {
	case *v1alpha1.RelevanceGate:
		if key.name == p.gate {
			p.known = o.DeepCopy()
		}
	case *metav1.PartialObjectMetadata:
		if key == (objectKey{"configmap", goldenName}) {
			p.cachedGolden = o.ResourceVersion
		}
	}
}
