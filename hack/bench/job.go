package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// look is how often the API server is asked; both sides are asked the same way.
const look = 50 * time.Millisecond

// benchJob measures the time from the creation of a gate to its verdict
// against a bare Job that does the same evaluation: a copy of the one that the
// operator made. The candidate's settle time is 0, since waiting is not work.
func benchJob(ctx context.Context, engine, inCluster, namespace string, rounds int) error {
	for _, index := range []string{"bench-v1", "bench-v2"} {
		if err := load(ctx, engine, index); err != nil {
			return err
		}
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	set, err := goldenSet(225)
	if err != nil {
		return err
	}
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "bench", Namespace: namespace}, Data: map[string]string{"golden.json": string(set)}}
	if err := client.IgnoreAlreadyExists(c.Create(ctx, configMap)); err != nil {
		return err
	}
	var ours, peer []time.Duration
	for i := range rounds {
		took, made, err := gateRound(ctx, c, namespace, inCluster)
		if err != nil {
			return err
		}
		ours = append(ours, took)
		if took, err = jobRound(ctx, c, made, i); err != nil {
			return err
		}
		peer = append(peer, took)
		if err := c.Delete(ctx, &v1alpha1.RelevanceGate{ObjectMeta: metav1.ObjectMeta{Name: "bench", Namespace: namespace}}); err != nil {
			return err
		}
	}
	row("creation of a gate to its verdict, 225 queries, against a bare Job that measures the same", median(peer), median(ours), "1.35")
	return nil
}

// gateRound returns how long the verdict took, and the Job that was made.
func gateRound(ctx context.Context, c client.Client, namespace, engine string) (time.Duration, *batchv1.Job, error) {
	applied := &v1alpha1.RelevanceGate{}
	if err := yaml.UnmarshalStrict(fmt.Appendf(nil, gate, namespace, engine, twoMetrics), applied); err != nil {
		return 0, nil, err
	}
	start := time.Now()
	if err := c.Create(ctx, applied); err != nil {
		return 0, nil, err
	}
	err := until(ctx, func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(applied), applied)
		return applied.Status.Verdict != "" && applied.Status.Verdict != v1alpha1.VerdictPending, err
	})
	took := time.Since(start)
	if err != nil {
		return 0, nil, err
	}
	if applied.Status.Verdict != v1alpha1.VerdictPassed {
		return 0, nil, fmt.Errorf("the gate's verdict is %s: %s", applied.Status.Verdict, applied.Status.Message)
	}
	job := &batchv1.Job{}
	err = c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: applied.Status.Evaluation.Job}, job)
	return took, job, err
}

// jobRound runs the same evaluation as a Job of nobody's.
func jobRound(ctx context.Context, c client.Client, made *batchv1.Job, round int) (time.Duration, error) {
	bare := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("bare-%d-%s", round, made.UID[:8]), Namespace: made.Namespace},
		Spec:       batchv1.JobSpec{BackoffLimit: made.Spec.BackoffLimit, Template: *made.Spec.Template.DeepCopy()},
	}
	bare.Spec.Template.Labels = nil
	start := time.Now()
	if err := c.Create(ctx, bare); err != nil {
		return 0, err
	}
	err := until(ctx, func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(bare), bare)
		for _, condition := range bare.Status.Conditions {
			if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
				return false, fmt.Errorf("the bare Job failed: %s", condition.Message)
			}
		}
		return bare.Status.Succeeded > 0 && bare.Status.CompletionTime != nil, err
	})
	took := time.Since(start)
	return took, errors.Join(err, c.Delete(ctx, bare, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

func until(ctx context.Context, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}
