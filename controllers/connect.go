package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// credentialKeys are the keys that a Secret with credentials may have.
var credentialKeys = []string{"username", "password", "api-key", "token"}

// connect reads the gate's credentials and makes the client of its engine. It
// does not call the engine.
func (r *Reconciler) connect(ctx context.Context, s *scope) error {
	spec := &s.gate.Spec.Engine
	config := engine.Config{URL: spec.URL, Distribution: string(spec.Distribution), Control: r.Hosts.Control, Transport: r.Transport}
	if err := r.Hosts.AllowURL(spec.URL); err != nil {
		return stalled(v1alpha1.ReasonEngineHostNotAllowed, "%s", err)
	}
	if err := r.checkSecrets(ctx, s); err != nil {
		return err
	}
	if ref := spec.CredentialsSecretRef; ref != nil {
		secret, err := r.secret(ctx, s.gate.Namespace, ref.Name)
		if err != nil {
			return err
		}
		s.credentials = secret.ResourceVersion
		for key, target := range map[string]*string{
			"username": &config.Username, "password": &config.Password,
			"api-key": &config.APIKey, "token": &config.Token,
		} {
			*target = strings.TrimRight(string(secret.Data[key]), "\r\n")
		}
		if config.Username+config.Password+config.APIKey+config.Token == "" {
			return stalled(v1alpha1.ReasonInvalidSecret, "Secret %s/%s has none of the keys username and password, api-key, token; add those of the engine",
				s.gate.Namespace, ref.Name)
		}
	}
	if ref := spec.CASecretRef; ref != nil {
		secret, err := r.secret(ctx, s.gate.Namespace, ref.Name)
		if err != nil {
			return err
		}
		if config.CACert = secret.Data[ref.Key]; len(config.CACert) == 0 {
			return stalled(v1alpha1.ReasonSecretNotFound, "Secret %s/%s has no key %s; put the engine's CA certificate there", s.gate.Namespace, ref.Name, ref.Key)
		}
	}
	client, err := engine.New(config)
	if err != nil {
		return stalled(v1alpha1.ReasonInvalidSecret, "spec.engine: %s", err)
	}
	s.engine = client
	return nil
}

// secret reads a Secret from the API server: Secrets are never cached.
func (r *Reconciler) secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		return nil, stalled(v1alpha1.ReasonSecretNotFound, "Secret %s/%s does not exist; create it or correct spec.engine", namespace, name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading Secret %s/%s: %w", namespace, name, err)
	}
	return secret, nil
}

// evaluationCredentials names the Secret that the evaluation pod gets, or nil.
func evaluationCredentials(gate *v1alpha1.RelevanceGate) *v1alpha1.SecretRef {
	if own := gate.Spec.Evaluation.CredentialsSecretRef; own != nil {
		return own
	}
	return gate.Spec.Engine.CredentialsSecretRef
}

const (
	// The engine is asked again after 10 s, then after twice as long each
	// time, up to 10 min, without end.
	firstRetry = 10 * time.Second
	lastRetry  = 10 * time.Minute
)

// engineError turns an error of the engine into what happens next. The
// engine's own words may quote a query or a document, so only their kind goes
// into the status.
func (s *scope) engineError(err error) error {
	if err == nil {
		return nil
	}
	if asHalt(err) != nil {
		return err
	}
	summary := engine.Summary(err)
	var refused *HostNotAllowedError
	switch {
	case errors.As(err, &refused):
		return stalled(v1alpha1.ReasonEngineHostNotAllowed, "%s", refused)
	case engine.IsTLS(err):
		return stalled(v1alpha1.ReasonEngineTLSError, "%s; put the CA that signed the engine's certificate into spec.engine.caSecretRef", summary)
	case engine.IsUnauthorized(err):
		return stalled(v1alpha1.ReasonEngineUnauthorized, "%s; correct the credentials or the role that spec.engine.credentialsSecretRef names", summary)
	case engine.IsNotAnEngine(err):
		return stalled(v1alpha1.ReasonNotASearchEngine, "%s", summary)
	case errors.Is(err, alias.ErrBlocked):
		return stalled(v1alpha1.ReasonCandidateBlocked, "%s", summary)
	case errors.Is(err, engine.ErrNotSettled), errors.Is(err, alias.ErrRecreated):
		return waiting(v1alpha1.ReasonSettling, busyPoll, "the candidate %s is being written, or was made anew", s.candidateIndex)
	}
	s.engineFailed = true
	s.mem.engineFailures++
	return waiting(v1alpha1.ReasonEngineUnavailable, backoff(s.mem.engineFailures), "%s; tried again until it answers", summary)
}

// backoff is the wait before the engine is tried again after so many failures.
func backoff(failures int) time.Duration { return doubling(firstRetry, failures) }

// doubling is first, and twice as long after each further failure.
func doubling(first time.Duration, failures int) time.Duration {
	wait := first
	for i := 1; i < failures && wait < lastRetry; i++ {
		wait *= 2
	}
	return min(wait, lastRetry)
}
