package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// attemptFailure says why an attempt gave no result. One that is not counted
// is tried again without end.
type attemptFailure struct {
	reason  string
	message string
	counted bool
}

// collect takes the result of a Job once our container has ended, whatever
// other containers of the pod do. It returns nil while there is none.
func (r *Reconciler) collect(ctx context.Context, s *scope, job *batchv1.Job) (*evaluate.Summary, error) {
	pods, err := podsOf(ctx, r, job)
	if done, _ := jobFinished(job); err == nil && done && ended(pods) == nil {
		// What the cache knows of pods may be older than what it knows of the Job.
		pods, err = podsOf(ctx, r.Live, job)
	}
	if err != nil {
		return nil, err
	}
	if pod := ended(pods); pod != nil {
		summary, failed := s.read(pod, terminated(pod))
		if failed != nil {
			failed.counted = failed.counted || pastDeadline(job, terminated(pod))
			return nil, s.attemptFailed(*failed)
		}
		return summary, nil
	}
	return nil, r.withoutResult(ctx, s, job, pods)
}

// withoutResult says what becomes of a Job none of whose pods has a result: it
// is waited for, or was an attempt.
func (r *Reconciler) withoutResult(ctx context.Context, s *scope, job *batchv1.Job, pods []corev1.Pod) error {
	done, why := jobFinished(job)
	switch {
	case done && len(pods) > 0 && disrupted(&pods[0]):
		return s.attemptFailed(attemptFailure{v1alpha1.ReasonResultLost, "the evaluation pod was evicted", false})
	case done && len(pods) > 0:
		return s.attemptFailed(attemptFailure{v1alpha1.ReasonEvaluationError, fmt.Sprintf("Job %s ended before the evaluation did: %s", job.Name, why), true})
	case done:
		return s.attemptFailed(attemptFailure{v1alpha1.ReasonResultLost, fmt.Sprintf("Job %s ended (%s) and has no pod to read a result from", job.Name, why), true})
	case len(pods) == 0 && s.now.Sub(job.CreationTimestamp.Time) >= podStartTimeout:
		return waiting(v1alpha1.ReasonPodNotCreated, busyPoll*2, "Job %s has had no pod for %s: %s", job.Name, podStartTimeout, r.whyNoPod(ctx, job))
	case len(pods) > 0 && !running(&pods[0]) && s.now.Sub(pods[0].CreationTimestamp.Time) >= podStartTimeout:
		return waiting(v1alpha1.ReasonPodNotStarted, busyPoll*2, "pod %s was made more than %s ago and does not run: %s", pods[0].Name, podStartTimeout, r.whyNotRunning(ctx, &pods[0]))
	}
	return s.evaluating()
}

// podsOf are the pods that the Job made.
func podsOf(ctx context.Context, reader client.Reader, job *batchv1.Job) ([]corev1.Pod, error) {
	pods := &corev1.PodList{}
	if err := reader.List(ctx, pods, client.InNamespace(job.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job.Name}); err != nil {
		return nil, fmt.Errorf("listing the pods of Job %s: %w", job.Name, err)
	}
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return !metav1.IsControlledBy(&pod, job) }), nil
}

// ended is the pod whose evaluation has ended, or nil.
func ended(pods []corev1.Pod) *corev1.Pod {
	for i := range pods {
		if terminated(&pods[i]) != nil {
			return &pods[i]
		}
	}
	return nil
}

// terminated is the end of our container, or nil.
func terminated(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	if status := containerStatus(pod); status != nil {
		return status.State.Terminated
	}
	return nil
}

// read takes the summary out of the termination message, strictly: what is not
// exactly a result of this evaluation is none.
func (s *scope) read(pod *corev1.Pod, state *corev1.ContainerStateTerminated) (*evaluate.Summary, *attemptFailure) {
	if state.ExitCode == 0 {
		summary, err := evaluate.DecodeSummary([]byte(state.Message), s.plan())
		if err == nil {
			err = s.fits(summary)
		}
		if err != nil {
			return nil, &attemptFailure{v1alpha1.ReasonEvaluationError, fmt.Sprintf("pod %s ended without a result: %s", pod.Name, err), true}
		}
		return summary, nil
	}
	if failure, err := evaluate.DecodeFailure([]byte(state.Message)); err == nil {
		return nil, &attemptFailure{attemptReason(failure.Reason), failure.Message, !uncounted[failure.Reason]}
	}
	if disrupted(pod) {
		return nil, &attemptFailure{v1alpha1.ReasonResultLost, "the evaluation pod was evicted", false}
	}
	return nil, &attemptFailure{v1alpha1.ReasonEvaluationError, fmt.Sprintf("pod %s ended with exit code %d (%s)", pod.Name, state.ExitCode, state.Reason), true}
}

// fits makes sure that a summary is of the indices and metrics that were asked
// for.
func (s *scope) fits(summary *evaluate.Summary) error {
	evaluation := s.gate.Status.Evaluation
	candidate, live := "", ""
	if evaluation.Candidate != nil {
		candidate = evaluation.Candidate.UUID
	}
	if evaluation.Live != nil {
		live = evaluation.Live.UUID
	}
	if uuidOf(summary.Candidate) != candidate || uuidOf(summary.Live) != live {
		return errors.New("the summary is of other indices")
	}
	_, err := evaluate.Limits(summary.Measurement, s.limits())
	return err
}

func uuidOf(result *evaluate.IndexResult) string {
	if result == nil {
		return ""
	}
	return result.UUID
}

// attemptReason is the condition's reason for what the pod failed of. The pod's
// own word could be anything.
func attemptReason(reason string) string {
	switch reason {
	case evaluate.ReasonEngineUnavailable, evaluate.ReasonGoldenSetChanged, evaluate.ReasonInvalidGoldenSet,
		evaluate.ReasonInvalidSearch, evaluate.ReasonCandidateMissing, evaluate.ReasonCandidateChanged:
		return reason
	case evaluate.ReasonSearchRejected, evaluate.ReasonInvalidPlan:
		return v1alpha1.ReasonInvalidSearch
	case evaluate.ReasonUnauthorized:
		return v1alpha1.ReasonEngineUnauthorized
	case evaluate.ReasonUntrustedTLS:
		return v1alpha1.ReasonEngineTLSError
	case evaluate.ReasonNotAnEngine:
		return v1alpha1.ReasonNotASearchEngine
	}
	return v1alpha1.ReasonEvaluationError
}

// uncounted are failures that say nothing about the evaluation itself.
var uncounted = map[string]bool{
	evaluate.ReasonEngineUnavailable: true,
	evaluate.ReasonGoldenSetChanged:  true,
	evaluate.ReasonInterrupted:       true,
}

// disrupted tells whether the cluster took the pod away.
func disrupted(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// pastDeadline tells whether the container ended because the Job's time was up.
// It was interrupted then as by a drained node, but would be each time.
func pastDeadline(job *batchv1.Job, end *corev1.ContainerStateTerminated) bool {
	if _, why := jobFinished(job); strings.HasPrefix(why, batchv1.JobReasonDeadlineExceeded) {
		return true
	}
	// The Job may say so later than the pod.
	start, limit := job.Status.StartTime, job.Spec.ActiveDeadlineSeconds
	return start != nil && limit != nil && end.FinishedAt.Sub(start.Time) >= time.Duration(*limit)*time.Second
}

// jobComplete is how a Job ended that succeeded.
const jobComplete = "complete"

// jobFinished tells whether a Job has ended, and how. Only these two
// conditions end it; others, such as FailureTarget, may stand before them.
func jobFinished(job *batchv1.Job) (done bool, why string) {
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch condition.Type {
		case batchv1.JobComplete:
			return true, jobComplete
		case batchv1.JobFailed:
			return true, strings.TrimSuffix(condition.Reason+": "+condition.Message, ": ")
		}
	}
	return false, ""
}

// attemptFailed records an attempt without a result and says when the next one
// comes.
func (s *scope) attemptFailed(failed attemptFailure) error {
	status := &s.gate.Status
	failure := status.Failure
	if failure == nil {
		failure = &v1alpha1.FailureStatus{}
		status.Failure = failure
	}
	if failed.counted {
		failure.Count++
	}
	status.Evaluation.Attempt++
	status.Evaluation.Job = ""
	failure.Reason, failure.Message, failure.Generation = failed.reason, cutMessage(failed.message), s.gate.Generation
	next := metav1.NewTime(s.now.Add(backoff(int(status.Evaluation.Attempt) - 1)))
	failure.NextAttemptAt = &next
	return s.attemptsLeft()
}

// attemptsLeft goes on if the next attempt may start now, and otherwise halts
// with what the last one failed of.
func (s *scope) attemptsLeft() error {
	failure := s.gate.Status.Failure
	if failure == nil {
		return nil
	}
	if failure.Reason == v1alpha1.ReasonInvalidSearch {
		// It would be refused in each attempt.
		return stalled(failure.Reason, "%s", failure.Message)
	}
	if retries := *s.gate.Spec.Evaluation.Retries; failure.Count > retries {
		return stalled(v1alpha1.ReasonEvaluationError,
			"%d attempts gave no result, the last one because: %s; a changed spec, input or Secret, or another value of the annotation %s, starts again",
			failure.Count, failure.Message, v1alpha1.AnnotationRequestedAt)
	}
	if left := failure.NextAttemptAt.Sub(s.now); left > 0 {
		return waiting(failure.Reason, left, "attempt %d follows at %s; the last one gave no result: %s",
			s.gate.Status.Evaluation.Attempt, failure.NextAttemptAt.UTC().Format(time.RFC3339), failure.Message)
	}
	return nil
}

// expireJobs lets Kubernetes remove this gate's Jobs some time after their result
// was stored, or their failure was, and never before. It asks the cache in every
// pass, so a pass that was cut short leaves no Job behind for good.
func (r *Reconciler) expireJobs(ctx context.Context, s *scope) error {
	jobs := &batchv1.JobList{}
	if err := r.List(ctx, jobs, client.InNamespace(s.gate.Namespace), client.MatchingLabels{v1alpha1.LabelGateUID: string(s.gate.UID)}); err != nil {
		return fmt.Errorf("listing the gate's Jobs: %w", err)
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		evaluation := s.gate.Status.Evaluation
		wanted := evaluation != nil && evaluation.CompletedAt == nil && evaluation.Job == job.Name
		if wanted || job.Spec.TTLSecondsAfterFinished != nil || !metav1.IsControlledBy(job, s.gate) {
			continue
		}
		expiring := job.DeepCopy()
		expiring.Spec.TTLSecondsAfterFinished = ptr.To[int32](finishedJobTTLSeconds)
		if err := r.Patch(ctx, expiring, client.MergeFrom(job)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("setting the lifetime of Job %s: %w", job.Name, err)
		}
	}
	return nil
}
