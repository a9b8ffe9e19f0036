package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/report"
)

const (
	// reportTimeout bounds the copying of one report. The gate's next pass waits
	// for it.
	reportTimeout = 10 * time.Second
	// maxReportTries is how often a log is read that gives no report.
	maxReportTries = 3
	// maxReportLog is how much of a log is read. A kubelet keeps 10 MiB unless it is
	// told otherwise.
	maxReportLog = 64 << 20
	// maxReportBytes leaves room for the rest of the ConfigMap, which may have 1 MiB.
	maxReportBytes = 1000 << 10
	// reportKey and noteKey are the keys of the ConfigMap.
	reportKey = "report.json.gz"
	noteKey   = "note"
)

// reportMemory says how far the report of a Job has come. It saves work: that a
// report is there is read off the ConfigMap.
type reportMemory struct {
	job   string
	tries int
	// settled: the report is kept, or it is known that it cannot be.
	settled bool
}

// keepReport copies the report from the log of the evaluation pod into a
// ConfigMap, once for each evaluation. It is done after the verdict is written and
// never while the alias is on its way, and nothing is decided by it: what goes
// wrong here is told by an event and changes nothing else. It returns when to try
// again, or 0.
func (r *Reconciler) keepReport(ctx context.Context, s *scope) time.Duration {
	evaluation := s.gate.Status.Evaluation
	if r.Logs == nil || s.gate.Spec.Suspend || evaluation == nil || evaluation.CompletedAt == nil || evaluation.Job == "" || s.gate.Status.Promotion != nil {
		return 0
	}
	kept := &s.mem.report
	if kept.job != evaluation.Job {
		*kept = reportMemory{job: evaluation.Job}
	}
	if kept.settled {
		return 0
	}
	// One report at a time bounds the memory that they take, and one slow log
	// must not hold up the passes of all gates.
	if !r.memory.reporting.TryLock() {
		return busyPoll
	}
	defer r.memory.reporting.Unlock()
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	kept.tries++
	problem, err := r.copyReport(ctx, s)
	if err != nil && kept.tries < maxReportTries {
		return busyPoll
	}
	kept.settled = true
	if err != nil {
		problem = err.Error()
	}
	if problem != "" {
		r.Events.Eventf(s.gate, nil, corev1.EventTypeWarning, v1alpha1.ReasonReportNotKept, "Report", "%s",
			cut("the report of Job "+evaluation.Job+" is not kept: "+problem, maxNote))
	}
	return 0
}

// copyReport does nothing more once the ConfigMap is of this Job. After the last
// try it writes there what the problem with the report is, and returns it.
func (r *Reconciler) copyReport(ctx context.Context, s *scope) (problem string, err error) {
	evaluation := s.gate.Status.Evaluation
	meta := configMapMeta()
	err = r.Get(ctx, client.ObjectKey{Namespace: s.gate.Namespace, Name: s.gate.ReportName()}, meta)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("reading the ConfigMap of the report: %w", err)
	}
	if err == nil && meta.Annotations[v1alpha1.AnnotationReportJob] == evaluation.Job && metav1.IsControlledBy(meta, s.gate) {
		return "", nil
	}
	job := &batchv1.Job{}
	err = r.Get(ctx, client.ObjectKey{Namespace: s.gate.Namespace, Name: evaluation.Job}, job)
	if apierrors.IsNotFound(err) {
		return "", nil // It was kept as long as it could have been read.
	}
	if err != nil {
		return "", fmt.Errorf("reading Job %s: %w", evaluation.Job, err)
	}
	packed, note, err := r.readReport(ctx, s, job)
	if err != nil && s.mem.report.tries < maxReportTries {
		return "", err
	}
	if err != nil {
		problem = err.Error()
		note = "There is no report: " + problem
	}
	return problem, r.writeReport(ctx, buildReportConfigMap(s.gate, packed, note), s.gate)
}

// readReport finds the report in the log of the Job's pod, gzipped, and says in
// one sentence what it is.
func (r *Reconciler) readReport(ctx context.Context, s *scope, job *batchv1.Job) (packed []byte, note string, err error) {
	pods, err := podsOf(ctx, r, job)
	if err != nil {
		return nil, "", err
	}
	pod := ended(pods)
	if pod == nil {
		return nil, "", fmt.Errorf("the pod of Job %s is gone, and its log with it", job.Name)
	}
	stream, err := r.Logs.Open(ctx, pod, containerName, maxReportLog)
	if err != nil {
		return nil, "", fmt.Errorf("reading the log of pod %s: %w", pod.Name, err)
	}
	defer stream.Close()
	evaluation := s.gate.Status.Evaluation
	packed, leftOut, err := report.Pack(evaluate.NewFrameReader(stream, evaluation.Key), maxReportBytes)
	if err != nil {
		return nil, "", fmt.Errorf("reading the log of pod %s: %w", pod.Name, err)
	}
	note = "The report of the evaluation that the annotation names; unpack it with gunzip."
	if leftOut > 0 {
		note += fmt.Sprintf(" It has no room for %d of the %d queries: those that are least bad are left out.", leftOut, evaluation.GoldenSet.Queries)
	}
	return packed, note, nil
}

// buildReportConfigMap holds a report, or the note that says why there is none.
func buildReportConfigMap(gate *v1alpha1.RelevanceGate, packed []byte, note string) *corev1.ConfigMap {
	labels := childLabels(gate)
	labels[v1alpha1.LabelComponent] = v1alpha1.ComponentReport
	configMap := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:            gate.ReportName(),
			Namespace:       gate.Namespace,
			Labels:          labels,
			OwnerReferences: ownerOf(gate),
			Annotations: map[string]string{
				v1alpha1.AnnotationReportJob: gate.Status.Evaluation.Job,
				v1alpha1.AnnotationReportKey: gate.Status.Evaluation.Key,
			},
		},
		Data: map[string]string{noteKey: note},
	}
	if packed != nil {
		configMap.BinaryData = map[string][]byte{reportKey: packed}
	}
	return configMap
}

// writeReport creates the ConfigMap or replaces what an earlier report left in it.
// One of somebody else stays as it is.
func (r *Reconciler) writeReport(ctx context.Context, wanted *corev1.ConfigMap, gate *v1alpha1.RelevanceGate) error {
	err := r.Create(ctx, wanted.DeepCopy())
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	found := &corev1.ConfigMap{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(wanted), found); err != nil {
		return err
	}
	if !metav1.IsControlledBy(found, gate) {
		return errors.New("ConfigMap " + found.Name + " exists and belongs to somebody else")
	}
	changed := found.DeepCopy()
	changed.Labels, changed.OwnerReferences = wanted.Labels, wanted.OwnerReferences
	changed.Annotations = merged(found.Annotations, wanted.Annotations)
	changed.Data, changed.BinaryData = wanted.Data, wanted.BinaryData
	return r.Patch(ctx, changed, client.MergeFromWithOptions(found, client.MergeFromWithOptimisticLock{}))
}
