package evaluate

import (
	"context"
	"errors"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// failureOf gives an error of the engine its reason. ctx tells a deadline of
// ours from a slow engine.
func failureOf(ctx context.Context, err error) *Failure {
	switch {
	case errors.As(err, new(*Failure)):
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return NewFailure(ReasonTimedOut, errors.New("the measurement took longer than it may (evaluation.timeoutSeconds)"))
	case ctx.Err() != nil:
		return NewFailure(ReasonInterrupted, errors.New("the measurement was stopped"))
	}
	return AsFailure(err)
}

// AsFailure is the failure that err is or holds, or else one with the reason
// that fits err.
func AsFailure(err error) *Failure {
	var failure *Failure
	if errors.As(err, &failure) {
		return failure
	}
	return NewFailure(reasonOf(err), err)
}

// reasonOf names what is wrong with an engine that answered with err.
func reasonOf(err error) string {
	switch {
	case engine.IsTLS(err):
		return ReasonUntrustedTLS
	case engine.IsUnauthorized(err):
		return ReasonUnauthorized
	case engine.IsNotAnEngine(err):
		return ReasonNotAnEngine
	case engine.IsUnavailable(err):
		return ReasonEngineUnavailable
	case errors.Is(err, engine.ErrNotSettled):
		return ReasonCandidateChanged
	}
	return ReasonEvaluationError
}
