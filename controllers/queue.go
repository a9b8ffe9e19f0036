package controllers

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// load is what a running evaluation asks of its engine.
type load struct {
	cluster  string // the engine's cluster UUID
	searches int    // at a time
}

// startedJob is a Job that the cache may not show yet.
type startedJob struct {
	at time.Time
	load
}

// loadOf reads what buildJob has written on a Job. One without it counts as an
// evaluation, and asks nothing of any engine.
func loadOf(job *batchv1.Job) load {
	searches, err := strconv.Atoi(job.Annotations[v1alpha1.AnnotationSearches])
	if err != nil {
		searches = 0
	}
	return load{job.Annotations[v1alpha1.AnnotationCluster], searches}
}

// checkQueue holds a new Job back while as many run as may, or while those on the
// same engine search as much at a time as they may. One golden set that many gates
// share would otherwise start all their Jobs at once. An evaluation that asks for
// more than the whole limit runs alone.
func (r *Reconciler) checkQueue(ctx context.Context, s *scope) error {
	loads, err := r.running(ctx, s.now)
	if err != nil {
		return err
	}
	later := jittered(s.gate.UID, s.now, busyPoll)
	if r.MaxEvaluations > 0 && len(loads) >= r.MaxEvaluations {
		return waiting(v1alpha1.ReasonQueued, later, "%d evaluations are running, which is as many as the manager allows", len(loads))
	}
	searches := 0
	for _, each := range loads {
		if each.cluster == s.info.ClusterUUID {
			searches += each.searches
		}
	}
	wanted := int(s.gate.Spec.Evaluation.MaxConcurrentSearches)
	if r.MaxEngineSearches > 0 && searches > 0 && searches+wanted > r.MaxEngineSearches {
		return waiting(v1alpha1.ReasonQueued, later, "evaluations on this engine may send %d searches at a time, this one would send %d more, and the manager allows %d",
			searches, wanted, r.MaxEngineSearches)
	}
	return nil
}

// running are the loads of the evaluations that run.
func (r *Reconciler) running(ctx context.Context, now time.Time) ([]load, error) {
	jobs := &batchv1.JobList{}
	ours := client.MatchingLabels{v1alpha1.LabelComponent: v1alpha1.ComponentEvaluation, v1alpha1.LabelManagedBy: v1alpha1.AppName}
	if err := r.List(ctx, jobs, ours); err != nil {
		return nil, fmt.Errorf("listing Jobs: %w", err)
	}
	started := r.memory.started
	var loads []load
	for i := range jobs.Items {
		delete(started, client.ObjectKeyFromObject(&jobs.Items[i]))
		if done, _ := jobFinished(&jobs.Items[i]); !done {
			loads = append(loads, loadOf(&jobs.Items[i]))
		}
	}
	// A Job that the cache still does not show after a minute was deleted.
	maps.DeleteFunc(started, func(_ types.NamespacedName, job startedJob) bool { return now.Sub(job.at) > time.Minute })
	for _, job := range started {
		loads = append(loads, job.load)
	}
	return loads, nil
}
