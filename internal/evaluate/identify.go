package evaluate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// identify finds out what is about to be measured: the engine, and both
// indices by name and UUID. The candidate is refreshed and its content is
// fingerprinted; the live index is only looked at.
func (r *run) identify(ctx context.Context) error {
	var info engine.Info
	err := retryLost(ctx, func() (err error) {
		info, err = r.client.Info(ctx)
		return err
	})
	// A role that may only search and read indices may not ask this; wrong
	// credentials show in the next call.
	if err != nil && !engine.IsUnauthorized(err) {
		return err
	}
	r.report.Engine = info
	for _, a := range r.arms {
		a.result = &IndexResult{Name: a.index.Name}
		if a.isCandidate {
			r.report.Candidate = a.result
		} else {
			r.report.Live = a.result
		}
	}
	return r.together(ctx, r.identifyArm)
}

// identifyAgain asks whether what was measured was one and the same content,
// and meanwhile looks up what the candidate lacks.
func (r *run) identifyAgain(ctx context.Context) error {
	return r.together(ctx, r.identifyArmAgain, r.countMissing)
}

// together runs a step on all arms at once, and further steps beside it.
func (r *run) together(ctx context.Context, step func(context.Context, *arm) error, more ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, a := range r.arms {
		group.Go(func() error {
			return retryLost(ctx, func() error { return step(ctx, a) })
		})
	}
	for _, other := range more {
		group.Go(func() error { return other(ctx) })
	}
	return group.Wait()
}

// A broken connection need not cost a whole measurement.
const (
	lostTries = 4
	lostPause = 500 * time.Millisecond
)

// retryLost repeats calls that change nothing, or the same again, while their
// connection breaks.
func retryLost(ctx context.Context, calls func() error) error {
	for try := 1; ; try++ {
		err := calls()
		if !engine.IsConnectionLost(err) || try == lostTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lostPause):
		}
	}
}

func (r *run) identifyArm(ctx context.Context, a *arm) (err error) {
	if a.result.UUID, err = r.indexUUID(ctx, a); err != nil {
		return err
	}
	if !a.isCandidate {
		a.result.Docs, err = r.client.Count(ctx, a.index.Name)
		return err
	}
	if err := r.client.Refresh(ctx, a.index.Name); err != nil {
		return err
	}
	content, err := r.candidateContent(ctx, a)
	if err != nil {
		return err
	}
	a.result.Docs, a.result.Fingerprint = content.Docs, content.Digest()
	if a.index.Fingerprint != "" && a.index.Fingerprint != a.result.Fingerprint {
		return NewFailure(ReasonCandidateChanged, fmt.Errorf("the candidate %s has changed since the evaluation was planned", a.index.Name))
	}
	return nil
}

// identifyArmAgain: a candidate that changed is a finding; a live index made
// anew is a failure, as its scores then belong to two indices.
func (r *run) identifyArmAgain(ctx context.Context, a *arm) error {
	if a.isCandidate {
		content, err := r.candidateContent(ctx, a)
		gone := errors.Is(err, engine.ErrNotSettled) || engine.IsNotFound(err)
		if err != nil && !gone {
			return err
		}
		r.report.Measurement.CandidateChanged = gone || content.Digest() != a.result.Fingerprint
		return nil
	}
	uuid, err := r.indexUUID(ctx, a)
	if err != nil {
		return err
	}
	if uuid != a.result.UUID {
		return NewFailure(ReasonLiveChanged, fmt.Errorf("the live index %s was made anew while it was measured", a.index.Name))
	}
	return nil
}

// An index that is being written to has no fingerprint at that moment.
const (
	settleTries = 5
	settlePause = 200 * time.Millisecond
)

// candidateContent is the fingerprint of what the pod can see: without cluster
// UUID, templates and synonym sets, which the controller compares.
func (r *run) candidateContent(ctx context.Context, a *arm) (engine.Fingerprint, error) {
	for try := 1; ; try++ {
		fingerprint, err := r.client.Fingerprint(ctx, a.index.Name)
		if !errors.Is(err, engine.ErrNotSettled) || try == settleTries {
			return fingerprint.Content(), err
		}
		select {
		case <-ctx.Done():
			return engine.Fingerprint{}, ctx.Err()
		case <-time.After(settlePause):
		}
	}
}

// indexUUID finds the UUID of an index that must be concrete, and the plan's.
func (r *run) indexUUID(ctx context.Context, a *arm) (string, error) {
	side, missing, changed := "live index", ReasonLiveMissing, ReasonLiveChanged
	if a.isCandidate {
		side, missing, changed = "candidate", ReasonCandidateMissing, ReasonCandidateChanged
	}
	settings, err := r.client.Settings(ctx, a.index.Name)
	if engine.IsNotFound(err) || (err == nil && len(settings) == 0) {
		return "", NewFailure(missing, fmt.Errorf("the %s %s does not exist", side, a.index.Name))
	}
	if err != nil {
		return "", err
	}
	found, concrete := settings[a.index.Name]
	if !concrete {
		return "", NewFailure(ReasonInvalidPlan, fmt.Errorf("the %s %s is not an index but an alias or a pattern; name the index", side, a.index.Name))
	}
	if a.index.UUID != "" && a.index.UUID != found.UUID {
		return "", NewFailure(changed, fmt.Errorf("the %s %s was made anew since the evaluation was planned", side, a.index.Name))
	}
	return found.UUID, nil
}
