// Package controllers holds the operator's reconciler: it takes a gate from
// its spec to a verdict and, if the verdict allows it, moves the alias.
//
// One pass goes through the phases below in order. A phase reads the world,
// fills the scope and goes on, or ends the pass with a halt. Nothing is decided
// from a condition of an earlier pass: conditions are written for readers.
package controllers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const (
	// passTimeout bounds what one pass asks of the engine and the API server.
	passTimeout = 2 * time.Minute
	// writeTimeout bounds the writing of what the pass found: it has time of its
	// own, so that an engine which hangs can still be reported.
	writeTimeout = 20 * time.Second
)

// conflictRetry is when to start again after somebody else wrote the gate.
const conflictRetry = time.Second

// The manager's rights; `make manifests` writes the role from them. The chart has
// the same.
//
// +kubebuilder:rbac:groups=relevancegate.dev,resources=relevancegates,verbs=get;list;watch
// +kubebuilder:rbac:groups=relevancegate.dev,resources=relevancegates/status,verbs=patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=pods/log,verbs=get
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get
// +kubebuilder:rbac:groups="",resources=events,verbs=get;list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler takes gates from their spec to a verdict and a promotion.
type Reconciler struct {
	// Client reads gates, Jobs, Pods and the metadata of ConfigMaps from the
	// cache, and writes.
	client.Client
	// Live reads from the API server what is not cached or must be fresh.
	Live client.Reader
	// Events tells users of transitions.
	Events events.EventRecorder
	// Clock is the time.
	Clock clock.PassiveClock
	// JobImage is the image of the evaluation pod: the manager's own.
	JobImage string
	// Hosts are the engines that the manager may call.
	Hosts EngineHosts
	// CredentialsLabel is what the labels of the gates' Secrets must match; nil = any do.
	CredentialsLabel labels.Selector
	// Transport replaces the HTTP transport to the engines. Only tests set it.
	Transport http.RoundTripper
	// Logs are where reports are read from; nil keeps no reports.
	Logs PodLogs
	// MaxEvaluations is how many Jobs may run at a time over all gates; 0 = any number.
	MaxEvaluations int
	// MaxEngineSearches is how many searches the Jobs may send to one engine at a
	// time; 0 = any number.
	MaxEngineSearches int

	memory *memory
}

// scope is what one pass knows. A field is empty until its phase has run.
type scope struct {
	gate *v1alpha1.RelevanceGate // as read, its status changed as the pass goes on
	base *v1alpha1.RelevanceGate // as it stands in the API server
	now  time.Time
	mem  *remembered

	engine *engine.Client
	info   engine.Info
	inputs inputs
	// credentials is the version of the engine's Secret.
	credentials string
	// engineFailed says that the engine could not be asked.
	engineFailed bool

	alias     alias.State
	aliasRead bool
	live      *alias.Target // nil: the alias does not point at one index

	candidateIndex string       // the name of the index under test; empty if a pattern finds none
	candidate      alias.Target // the index under test
	fingerprint    engine.Fingerprint
	key            string

	// outcome is the verdict on the numbers of the current key; nil = there
	// are none.
	outcome *verdict.Outcome
	// due says that the schedule asks for a new measurement of the live index, and
	// nextScheduled is when it asks next.
	due           bool
	nextScheduled time.Time
	// drifted is the index that the alias was moved away from, or nil, and
	// notReverted is why it was not moved back.
	drifted     *v1alpha1.IndexRef
	notReverted string
	// atRest says that the alias points where our promotion put it.
	atRest bool
}

// Reconcile is one pass over one gate.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	gate := &v1alpha1.RelevanceGate{}
	err := r.Get(ctx, request.NamespacedName, gate)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, r.gateDeleted(ctx, request.NamespacedName)
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("reading the gate: %w", err)
	}
	if gate.DeletionTimestamp != nil {
		// A finalizer holds the gate, and not one of ours: those are never set.
		r.memory.of(gate).last = gate
		return ctrl.Result{}, r.gateDeleted(ctx, request.NamespacedName)
	}

	s := &scope{gate: gate, base: gate.DeepCopy(), now: r.Clock.Now(), mem: r.memory.of(gate)}
	before := s.base
	halted := r.runPhases(ctx, s)
	if s.engine != nil {
		s.engine.Close()
	}
	if ctx.Err() != nil {
		// The manager is stopping, and that is all that the halt would tell.
		return ctrl.Result{}, ctx.Err()
	}
	if halted == nil || asHalt(halted) != nil {
		halted = r.finish(ctx, s, before, asHalt(halted))
	}
	if apierrors.IsConflict(halted) {
		// Somebody wrote the gate while this pass looked at the world: what it
		// found may be out of date.
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	}
	h := asHalt(halted)
	if h == nil && halted != nil {
		return ctrl.Result{}, halted
	}
	next := s.nextPass(h)
	if again := r.keepReport(ctx, s); again > 0 {
		next = min(next, again)
	}
	return ctrl.Result{RequeueAfter: next}, nil
}

// finish writes what the pass found, and tells of it only once it is written.
// It returns the halt, or the error that kept it from being written.
func (r *Reconciler) finish(ctx context.Context, s *scope, before *v1alpha1.RelevanceGate, h *halt) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if err := r.writeStatus(ctx, s, h); err != nil {
		return err
	}
	if !s.engineFailed {
		s.mem.engineFailures = 0
	}
	r.sendEvent(before, s.gate)
	if err := r.expireJobs(ctx, s); err != nil {
		return err
	}
	if h == nil {
		return nil
	}
	return h
}

// runPhases takes the gate as far as it gets in this pass.
func (r *Reconciler) runPhases(ctx context.Context, s *scope) error {
	ctx, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	for _, phase := range []func(context.Context, *scope) error{
		r.suspended,        // spec.suspend, if there is nothing to put in order first
		r.connect,          // credentials, the engine's client
		r.readAlias,        // where the alias points
		r.recoverPromotion, // a promotion that was cut short
		r.chooseCandidate,  // the index that the spec names or its pattern finds
		r.giveBackLock,     // a lock that the spec no longer asks for
		r.unlock,           // a lock that somebody asks to give back
		r.suspended,        // now that all is in order
		r.rollBack,         // a rollback that was asked for
		r.mendDrift,        // an alias that somebody else has moved
		r.resolveInputs,    // golden set, search, metrics
		r.rest,             // after a promotion: nothing more is touched
		r.checkDrift,       // what is left of that
		r.checkAlias,       // an alias that can be moved
		r.checkChosen,      // an index that the pattern matches
		r.findCandidate,    // exists, is free, is filled
		r.settle,           // its content holds still
		r.lockCandidate,    // lock UntilPassed
		r.evaluate,         // the Job, its result
		r.decide,           // the verdict
		r.promote,          // the alias
	} {
		if err := phase(ctx, s); err != nil {
			if errors.Is(err, errEndPass) {
				return nil
			}
			return err
		}
	}
	return nil
}

// errEndPass ends a pass whose gate is where it shall be.
var errEndPass = errors.New("the pass is done")

// nextPass says when to look at the gate again if nothing happens before: at
// its poll interval, and 10 % of it earlier or later so that the gates of one
// manager do not all call at once.
func (s *scope) nextPass(h *halt) time.Duration {
	if h != nil && h.after > 0 {
		return h.after
	}
	poll := jittered(s.gate.UID, s.now, time.Duration(s.gate.Spec.Evaluation.PollSeconds)*time.Second)
	if !s.nextScheduled.IsZero() {
		poll = min(poll, s.nextScheduled.Sub(s.now))
	}
	return poll
}

// Forget makes the reconciler one that has seen no gate yet, as after a start.
func (r *Reconciler) Forget() { r.memory = newMemory() }

// SetupWithManager registers the reconciler and what it watches.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error {
	r.Forget()
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.RelevanceGate{}, builder.WithPredicates(predicate.Or(
			// A status write of ours must not lead to the next pass.
			predicate.GenerationChangedPredicate{},
			predicate.AnnotationChangedPredicate{},
		))).
		Owns(&batchv1.Job{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(r.gateOfPod)).
		WatchesMetadata(configMapMeta(), handler.EnqueueRequestsFromMapFunc(r.gatesOfConfigMap)).
		WithOptions(options).
		Complete(r)
}

// gateOfPod finds the gate of an evaluation pod. A pod of ours belongs to a
// Job, and the Job's owner is the gate.
func (r *Reconciler) gateOfPod(ctx context.Context, pod client.Object) []reconcile.Request {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != "Job" {
		return nil
	}
	job := &batchv1.Job{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: pod.GetNamespace(), Name: owner.Name}, job); err != nil {
		// The Job is gone: its own event leads to the gate.
		return nil
	}
	gate := metav1.GetControllerOf(job)
	if gate == nil || gate.Kind != "RelevanceGate" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: job.Namespace, Name: gate.Name}}}
}

// gatesOfConfigMap finds the gates whose golden set the ConfigMap holds, or a part
// of it. Of a change it is asked before and after, so that one which lost its label
// leads to its gates too.
func (r *Reconciler) gatesOfConfigMap(ctx context.Context, configMap client.Object) []reconcile.Request {
	gates := &v1alpha1.RelevanceGateList{}
	if err := r.List(ctx, gates, client.InNamespace(configMap.GetNamespace())); err != nil {
		log.FromContext(ctx).Error(err, "Listing gates for a changed ConfigMap failed")
		return nil
	}
	var requests []reconcile.Request
	for i := range gates.Items {
		gate := &gates.Items[i]
		if selectsGoldenSet(gate, configMap) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(gate)})
		}
	}
	return requests
}

// keyInput is all that decides the result of this evaluation.
func (s *scope) keyInput() evaluate.KeyInput {
	input := evaluate.KeyInput{
		ClusterUUID:          s.info.ClusterUUID,
		CandidateFingerprint: s.fingerprint.Digest(),
		GoldenDigest:         s.inputs.golden.digest,
		Search:               s.inputs.search,
		Metrics:              s.inputs.metrics,
		Confidence:           s.inputs.confidence,
		Segments:             s.inputs.segments,
		JudgedAt:             int(s.gate.Spec.Judgments.At),
		Regressions:          s.inputs.regressions,
		Repeats:              int(s.gate.Spec.Evaluation.Repeats),
	}
	if s.gate.Spec.GoldenSet.MaxGrade != nil {
		input.MaxGrade = int(*s.gate.Spec.GoldenSet.MaxGrade)
	}
	if s.live != nil {
		input.LiveUUID = s.live.UUID
	}
	return input
}
