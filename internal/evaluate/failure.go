package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/sentence"
)

// FailureSchema names the form of a failure in the termination message.
const FailureSchema = "relevancegate.dev/failure/v1"

// maxFailureMessage bounds the message, so that a failure fits where a summary
// does.
const maxFailureMessage = 1024

// Reasons of a Failure.
const (
	// ReasonEngineUnavailable surfaces when the engine cannot be reached or
	// has no capacity. It is not counted as an attempt.
	ReasonEngineUnavailable = "EngineUnavailable"
	// ReasonGoldenSetChanged surfaces when the mounted golden set is not the
	// plan's. It is not counted as an attempt.
	ReasonGoldenSetChanged = "GoldenSetChanged"
	// ReasonInvalidGoldenSet surfaces when the golden set does not parse or
	// does not fit the metrics.
	ReasonInvalidGoldenSet = "InvalidGoldenSet"
	// ReasonUnauthorized surfaces when the engine refuses the credentials.
	ReasonUnauthorized = "Unauthorized"
	// ReasonUntrustedTLS surfaces when the engine's certificate is not
	// trusted.
	ReasonUntrustedTLS = "UntrustedTLS"
	// ReasonNotAnEngine surfaces when something else answers at the URL.
	ReasonNotAnEngine = "NotAnEngine"
	// ReasonSearchRejected surfaces when the engine rejects every search.
	ReasonSearchRejected = "SearchRejected"
	// ReasonInvalidSearch surfaces when the search body breaks a rule.
	ReasonInvalidSearch = "InvalidSearch"
	// ReasonInvalidPlan surfaces when the plan cannot be read or contradicts
	// itself.
	ReasonInvalidPlan = "InvalidPlan"
	// ReasonCandidateMissing surfaces when the candidate index does not exist.
	ReasonCandidateMissing = "CandidateMissing"
	// ReasonCandidateChanged surfaces when the candidate is not the one that
	// the plan fingerprinted.
	ReasonCandidateChanged = "CandidateChanged"
	// ReasonLiveMissing surfaces when the live index does not exist.
	ReasonLiveMissing = "LiveMissing"
	// ReasonLiveChanged surfaces when the live index was made anew under its
	// name.
	ReasonLiveChanged = "LiveChanged"
	// ReasonTimedOut surfaces when the measurement took longer than it may.
	ReasonTimedOut = "TimedOut"
	// ReasonInterrupted surfaces when the measurement was told to stop.
	ReasonInterrupted = "Interrupted"
	// ReasonEvaluationError surfaces for everything else.
	ReasonEvaluationError = "EvaluationError"
)

// Failure says why there is no measurement. It travels where the summary
// would, and it is the error that Run returns.
type Failure struct {
	Schema  string `json:"schema"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	err     error
}

// NewFailure makes a failure with the error's sentence as its message. What an
// engine gave as the reason of an error stays out of it, as that can hold query
// texts and the message ends up in a status; Unwrap still has it.
func NewFailure(reason string, err error) *Failure {
	return &Failure{Schema: FailureSchema, Reason: reason, Message: engine.Summary(err), err: err}
}

// Error is the message.
func (f *Failure) Error() string { return f.Message }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.err }

// Encode writes the failure for the termination message.
func (f *Failure) Encode() ([]byte, error) {
	short := *f
	short.Message = sentence.Cut(f.Message, maxFailureMessage)
	return json.Marshal(&short)
}

// DecodeFailure reads what Encode wrote, strictly.
func DecodeFailure(raw []byte) (*Failure, error) {
	var failure Failure
	if err := decodeStrict(raw, &failure); err != nil {
		return nil, fmt.Errorf("the failure is not readable: %w", err)
	}
	if failure.Schema != FailureSchema {
		return nil, fmt.Errorf("the failure's schema is %q, want %q", failure.Schema, FailureSchema)
	}
	if failure.Reason == "" || failure.Message == "" {
		return nil, errors.New("the failure has no reason or no message")
	}
	return &failure, nil
}
