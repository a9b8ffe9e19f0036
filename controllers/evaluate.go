package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/gatelimits"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// evaluate sees to it that the numbers of the current evaluation key are in
// the status: they are there already, or a Job measures them.
func (r *Reconciler) evaluate(ctx context.Context, s *scope) error {
	s.key = evaluate.Key(s.keyInput())
	if s.measured() {
		return nil
	}
	if s.notBegun() {
		if err := r.checkDocs(ctx, s); err != nil {
			return err
		}
	}
	plan := s.plan()
	plan.Candidate = &evaluate.Index{
		Name:        s.candidate.Index,
		UUID:        s.candidate.UUID,
		Fingerprint: s.fingerprint.Content().Digest(),
	}
	if s.live != nil {
		plan.Live = &evaluate.Index{Name: s.live.Index, UUID: s.live.UUID}
	}
	return r.measure(ctx, s, plan)
}

// measured tells whether the status holds the numbers of the current key, and
// nobody asked for new ones.
func (s *scope) measured() bool {
	evaluation := s.gate.Status.Evaluation
	return evaluation != nil && evaluation.Key == s.key && evaluation.CompletedAt != nil && !s.againWanted()
}

// notBegun tells whether the status speaks of another evaluation than the one
// that is wanted.
func (s *scope) notBegun() bool {
	evaluation := s.gate.Status.Evaluation
	return evaluation == nil || evaluation.Key != s.key || s.againWanted()
}

// againWanted tells whether the numbers are to be measured anew, though nothing
// that they depend on has changed.
func (s *scope) againWanted() bool { return s.askedAgain() || s.due }

// askedAgain tells whether the annotation asks for an evaluation that has not
// been started yet. An annotation that was taken off asks for nothing.
func (s *scope) askedAgain() bool {
	asked := s.requestedAt()
	return asked != "" && asked != s.gate.Status.LastHandledReconcileAt
}

// requestedAt is the annotation's value, as much of it as the status holds.
func (s *scope) requestedAt() string {
	return cutMessage(s.gate.Annotations[v1alpha1.AnnotationRequestedAt])
}

// plan is the part of the plan that does not depend on the indices.
func (s *scope) plan() *evaluate.Plan {
	spec := &s.gate.Spec
	in := s.keyInput()
	return &evaluate.Plan{
		Schema:                evaluate.PlanSchema,
		EvaluationKey:         s.key,
		URL:                   spec.Engine.URL,
		Distribution:          string(spec.Engine.Distribution),
		GoldenDigest:          in.GoldenDigest,
		GoldenFormat:          string(spec.GoldenSet.Format),
		GoldenSource:          s.inputs.golden.source,
		GoldenFiles:           s.goldenFiles(),
		MaxGrade:              in.MaxGrade,
		RequireWhy:            spec.Judgments.RequireWhy,
		Search:                in.Search,
		Metrics:               in.Metrics,
		Confidence:            in.Confidence,
		Segments:              in.Segments,
		JudgedAt:              in.JudgedAt,
		Regressions:           in.Regressions,
		Repeats:               in.Repeats,
		MaxConcurrentSearches: int(spec.Evaluation.MaxConcurrentSearches),
		// The same copies of each shard answer every search of this gate.
		Preference:     "rgate-" + string(s.gate.UID),
		TimeoutSeconds: int(spec.Evaluation.TimeoutSeconds),
	}
}

// goldenFiles names the files of a golden set that may be in several.
func (s *scope) goldenFiles() []string {
	if s.gate.Spec.GoldenSet.ConfigMapRef != nil {
		return nil
	}
	var names []string
	for _, part := range s.inputs.golden.shards {
		names = append(names, part.name(s.gate.Namespace))
	}
	return names
}

// measure takes the evaluation of the current key one step on: start a Job,
// wait for it, or take its result.
func (r *Reconciler) measure(ctx context.Context, s *scope, plan *evaluate.Plan) error {
	status := &s.gate.Status
	if s.notBegun() {
		if err := r.begin(ctx, s, plan); err != nil {
			return err
		}
	}
	evaluation := status.Evaluation
	if err := r.startAnew(ctx, s); err != nil {
		return err
	}
	if err := s.attemptsLeft(); err != nil {
		return err
	}
	job, err := r.findJob(ctx, s, jobName(s.gate, s.key, evaluation.Attempt))
	for job != nil && leftOver(job, evaluation) {
		evaluation.Attempt++
		job, err = r.findJob(ctx, s, jobName(s.gate, s.key, evaluation.Attempt))
	}
	if err != nil {
		return err
	}
	if job == nil {
		if evaluation.Job != "" {
			return s.attemptFailed(attemptFailure{v1alpha1.ReasonResultLost, fmt.Sprintf("Job %s was deleted before its result was read", evaluation.Job), true})
		}
		return r.startJob(ctx, s, plan)
	}
	evaluation.Job = job.Name
	if err := r.handOverAgain(ctx, s, job); err != nil {
		return err
	}
	summary, err := r.collect(ctx, s, job)
	if err != nil || summary == nil {
		return err
	}
	s.store(summary)
	return nil
}

// begin makes room for the numbers of a new evaluation. The old ones must not
// stand beside a key that they do not belong to; the history keeps them.
func (r *Reconciler) begin(ctx context.Context, s *scope, plan *evaluate.Plan) error {
	status := &s.gate.Status
	attempt := int32(1)
	if old := status.Evaluation; old != nil {
		if err := r.deleteJob(ctx, s, old); err != nil {
			return err
		}
		if old.Key == s.key {
			// Asked for once more: the name of the Job must be another one.
			attempt = old.Attempt + 1
		}
	}
	s.due = false
	if asked := s.requestedAt(); asked != "" {
		status.LastHandledReconcileAt = asked
	}
	status.Failure = nil
	s.voidApproval("another evaluation was begun since it was given")
	s.clearNumbers()
	started := metav1.NewTime(s.now)
	status.Evaluation = &v1alpha1.EvaluationStatus{
		Key:          s.key,
		InputsDigest: evaluate.InputsDigest(s.keyInput()),
		Attempt:      attempt,
		StartedAt:    &started,
		Engine:       s.engineStatus(),
		GoldenSet: &v1alpha1.GoldenSetStatus{
			Digest:    s.inputs.golden.digest,
			Queries:   int64(s.inputs.golden.queries),
			Judgments: int64(s.inputs.golden.judgments),
		},
		SearchDigest: evaluate.SearchDigest(s.inputs.search),
		Bootstrap:    bootstrapOf(plan),
	}
	if plan.Candidate != nil {
		status.Evaluation.Candidate = &v1alpha1.CandidateStatus{Index: plan.Candidate.Name, UUID: plan.Candidate.UUID, Fingerprint: s.fingerprint.Digest()}
	}
	if plan.Live != nil {
		status.Evaluation.Live = &v1alpha1.LiveStatus{Index: plan.Live.Name, UUID: plan.Live.UUID}
	}
	return nil
}

// bootstrapOf is how the intervals of a plan were found, nil where there are none.
func bootstrapOf(plan *evaluate.Plan) *v1alpha1.BootstrapStatus {
	draws := plan.Draws()
	if draws == nil {
		return nil
	}
	return &v1alpha1.BootstrapStatus{
		Method: v1alpha1.BootstrapPercentile, Resamples: int32(draws.Resamples), Seed: strconv.FormatUint(draws.Seed, 10),
	}
}

func (s *scope) engineStatus() *v1alpha1.EngineStatus {
	return &v1alpha1.EngineStatus{
		ClusterUUID:  s.info.ClusterUUID,
		Distribution: v1alpha1.Distribution(s.info.Distribution),
		Version:      s.info.Version,
	}
}

// findJob reads the gate's Job of that name, or nil. A Job that the cache does
// not show is looked for in the API server before it counts as gone.
func (r *Reconciler) findJob(ctx context.Context, s *scope, name string) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	key := types.NamespacedName{Namespace: s.gate.Namespace, Name: name}
	err := r.Get(ctx, key, job)
	if apierrors.IsNotFound(err) {
		err = r.Live.Get(ctx, key, job)
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading Job %s: %w", key, err)
	}
	if !metav1.IsControlledBy(job, s.gate) {
		return nil, stalled(v1alpha1.ReasonEvaluationError, "Job %s exists and belongs to somebody else; delete it", key)
	}
	return job, nil
}

// startJob creates the plan and the Job. Both names follow from the key and
// the attempt, so a second manager, or a pass after a crash, finds them made.
func (r *Reconciler) startJob(ctx context.Context, s *scope, plan *evaluate.Plan) error {
	r.memory.starting.Lock()
	defer r.memory.starting.Unlock()
	if err := r.checkQueue(ctx, s); err != nil {
		return err
	}
	raw, err := json.Marshal(plan)
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	name := jobName(s.gate, s.key, s.gate.Status.Evaluation.Attempt)
	configMap, job := buildPlanConfigMap(s.gate, name, raw), buildJob(s.gate, name, r.JobImage, s.inputs.golden.shards)
	for _, child := range []client.Object{configMap, job} {
		err := r.Create(ctx, child)
		if apierrors.IsAlreadyExists(err) {
			err = r.adopt(ctx, s, child)
		}
		if h := asHalt(err); h != nil {
			return s.attemptFailed(attemptFailure{h.reason, h.message, true})
		}
		if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) {
			return s.attemptFailed(attemptFailure{v1alpha1.ReasonEvaluationError, fmt.Sprintf("Job %s could not be created: %s", name, err), true})
		}
		if err != nil {
			return fmt.Errorf("creating %T %s: %w", child, name, err)
		}
	}
	r.memory.started[client.ObjectKeyFromObject(job)] = startedJob{s.now, loadOf(job)}
	if s.mem.secrets, err = r.secretVersions(ctx, s); err != nil {
		return err
	}
	if err := r.handOver(ctx, s, configMap.DeepCopy(), configMap, job); err != nil {
		return err
	}
	s.gate.Status.Evaluation.Job = name
	return s.evaluating()
}

func (s *scope) evaluating() error {
	return waiting(v1alpha1.ReasonEvaluating, podStartTimeout/2, "Job %s measures %s", s.gate.Status.Evaluation.Job, s.measuredIndices())
}

func (s *scope) measuredIndices() string {
	evaluation := s.gate.Status.Evaluation
	switch {
	case evaluation.Candidate == nil:
		return "the live index " + evaluation.Live.Index
	case evaluation.Live == nil:
		return "the candidate " + evaluation.Candidate.Index
	}
	return fmt.Sprintf("the candidate %s and the live index %s", evaluation.Candidate.Index, evaluation.Live.Index)
}

// handOver makes the Job the owner of its plan, so that both go at the same time.
// The plan is made first, for the pod cannot start without it.
func (r *Reconciler) handOver(ctx context.Context, s *scope, before, plan client.Object, job *batchv1.Job) error {
	if !metav1.IsControlledBy(plan, s.gate) {
		return nil
	}
	plan.SetOwnerReferences(ownedBy(batchv1.SchemeGroupVersion.WithKind("Job"), job))
	if err := r.Patch(ctx, plan, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("handing the plan %s over to its Job: %w", plan.GetName(), err)
	}
	return nil
}

// handOverAgain does it for a pass that was cut short before it could.
func (r *Reconciler) handOverAgain(ctx context.Context, s *scope, job *batchv1.Job) error {
	plan := configMapMeta()
	err := r.Get(ctx, client.ObjectKeyFromObject(job), plan)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the plan of Job %s: %w", job.Name, err)
	}
	return r.handOver(ctx, s, plan.DeepCopy(), plan, job)
}

// adopt takes an object of our name as ours if this gate owns it, or, as with a
// plan, if the Job of the same name does.
func (r *Reconciler) adopt(ctx context.Context, s *scope, child client.Object) error {
	key := client.ObjectKeyFromObject(child)
	kind := "Job"
	if _, ok := child.(*corev1.ConfigMap); ok {
		kind = "ConfigMap"
	}
	if err := r.Live.Get(ctx, key, child); err != nil {
		return err
	}
	owner := metav1.GetControllerOf(child)
	ofJob := kind == "ConfigMap" && owner != nil && owner.Kind == "Job" && owner.Name == child.GetName()
	if !ofJob && !metav1.IsControlledBy(child, s.gate) {
		return stalled(v1alpha1.ReasonEvaluationError, "%s %s exists and belongs to somebody else; delete it", kind, key)
	}
	return nil
}

// deleteJob removes the Job of an evaluation that is no longer wanted. Its pod
// and its plan go with it.
func (r *Reconciler) deleteJob(ctx context.Context, s *scope, evaluation *v1alpha1.EvaluationStatus) error {
	if evaluation.Job == "" || evaluation.CompletedAt != nil {
		return nil
	}
	job, err := r.findJob(ctx, s, evaluation.Job)
	if err != nil || job == nil {
		return err
	}
	err = r.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &job.UID})
	return client.IgnoreNotFound(err)
}

// decide gives the verdict on the numbers in the status. They do not depend on
// the limits, so changed limits lead to a new verdict without a Job.
func (r *Reconciler) decide(ctx context.Context, s *scope) error {
	measurement, err := s.measurement()
	if err != nil {
		return err
	}
	limits, err := evaluate.Limits(measurement, s.limits())
	if err != nil {
		return fmt.Errorf("lining up the limits: %w", err)
	}
	outcome := verdict.Decide(measurement, limits)
	s.outcome = &outcome
	s.storeVerdict(outcome, limits)
	return r.remember(ctx, s)
}

// limits are the spec's.
func (s *scope) limits() evaluate.LimitValues {
	values := gatelimits.Of(&s.gate.Spec)
	values.LiveOnly = s.gate.Status.Evaluation.Candidate == nil
	return values
}
