package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// checkSecrets refuses a Secret of the gate that lacks the label of the manager's
// flag --engine-credentials-label, before anything of it is read or mounted: a
// gate's author who may not read Secrets could otherwise have one sent to a URL of
// their own.
func (r *Reconciler) checkSecrets(ctx context.Context, s *scope) error {
	if r.CredentialsLabel == nil {
		return nil
	}
	for _, name := range secretsOf(s.gate) {
		secret, err := r.secretMeta(ctx, s.gate.Namespace, name)
		if apierrors.IsNotFound(err) {
			continue // The pod waits for its own; who needs another one says so.
		}
		if err != nil {
			return err
		}
		if !r.CredentialsLabel.Matches(labels.Set(secret.Labels)) {
			return stalled(v1alpha1.ReasonSecretNotAllowed,
				"Secret %s/%s does not have the label %s, which the manager's flag --engine-credentials-label asks of every Secret that gates may use; label it or name another one",
				s.gate.Namespace, name, r.CredentialsLabel)
		}
	}
	return nil
}

// secretsOf names the Secrets that the manager reads or the evaluation pod mounts.
func secretsOf(gate *v1alpha1.RelevanceGate) []string {
	var names []string
	if ref := gate.Spec.Engine.CredentialsSecretRef; ref != nil {
		names = append(names, ref.Name)
	}
	if ref := gate.Spec.Evaluation.CredentialsSecretRef; ref != nil {
		names = append(names, ref.Name)
	}
	if ref := gate.Spec.Engine.CASecretRef; ref != nil {
		names = append(names, ref.Name)
	}
	return names
}

// secretMeta reads a Secret without its content.
func (r *Reconciler) secretMeta(ctx context.Context, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := r.Live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, secret); err != nil {
		return nil, fmt.Errorf("reading the metadata of Secret %s/%s: %w", namespace, name, err)
	}
	return secret, nil
}
