package controllers

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// startAnew forgets failed attempts once the spec or a Secret has changed:
// what mends them, such as more memory, another timeout or right credentials,
// is in no evaluation key.
func (r *Reconciler) startAnew(ctx context.Context, s *scope) error {
	failure := s.gate.Status.Failure
	if failure == nil {
		return nil
	}
	versions, err := r.secretVersions(ctx, s)
	if err != nil {
		return err
	}
	if known := s.mem.secrets; failure.Generation != s.gate.Generation || known != "" && known != versions {
		s.gate.Status.Failure = nil
	}
	s.mem.secrets = versions
	return nil
}

// secretVersions names the versions of the gate's Secrets. They are in no cache.
func (r *Reconciler) secretVersions(ctx context.Context, s *scope) (string, error) {
	var names []string
	if ref := evaluationCredentials(s.gate); ref != nil {
		names = append(names, ref.Name)
	}
	if ref := s.gate.Spec.Engine.CASecretRef; ref != nil {
		names = append(names, ref.Name)
	}
	versions := "of"
	for _, name := range names {
		version := ""
		switch secret, err := r.secretMeta(ctx, s.gate.Namespace, name); {
		case err == nil:
			version = secret.ResourceVersion
		case !apierrors.IsNotFound(err):
			return "", err
		}
		versions += fmt.Sprintf(" %s %s", name, version)
	}
	return versions, nil
}

// leftOver tells whether the Job failed before this evaluation began. The gate
// has asked for the same evaluation before, and for another one in between:
// what failed then is no attempt of now.
func leftOver(job *batchv1.Job, evaluation *v1alpha1.EvaluationStatus) bool {
	done, why := jobFinished(job)
	return evaluation.Job == "" && done && why != jobComplete &&
		job.CreationTimestamp.Time.Before(evaluation.StartedAt.Truncate(time.Second))
}
