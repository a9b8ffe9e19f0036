package cli

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/report"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// Reasons that only the command line has.
const (
	// reasonUsage surfaces when the command line is wrong.
	reasonUsage = "Usage"
	// reasonInvalidGate surfaces when the gate file is wrong.
	reasonInvalidGate = "InvalidGate"
	// reasonAliasNotPlain surfaces when the alias does not name one live index.
	reasonAliasNotPlain = "AliasNotPlain"
)

// exitError ends the process with a code other than 0.
type exitError struct {
	code    int
	reason  string
	message string
	// reported: the output says it already.
	reported bool
}

func (e *exitError) Error() string { return e.message }

// usageError puts what cobra says, and what it suggests, on one line.
func usageError(err error) *exitError {
	return &exitError{code: exitUsage, reason: reasonUsage, message: strings.Join(strings.Fields(err.Error()), " ")}
}

func gateError(err error) *exitError {
	return &exitError{code: exitUsage, reason: reasonInvalidGate, message: err.Error()}
}

// inconclusive are the reasons of a failure that is nobody's mistake: asked
// again later, the answer may be another.
var inconclusive = []string{
	evaluate.ReasonEngineUnavailable,
	evaluate.ReasonTimedOut,
	evaluate.ReasonInterrupted,
	evaluate.ReasonCandidateMissing,
	evaluate.ReasonCandidateChanged,
	evaluate.ReasonLiveMissing,
	evaluate.ReasonLiveChanged,
	evaluate.ReasonEvaluationError,
}

// failureError says why there is no measurement.
func failureError(err error) *exitError {
	failure := evaluate.AsFailure(err)
	exit := &exitError{code: exitUsage, reason: failure.Reason, message: failure.Message}
	if slices.Contains(inconclusive, failure.Reason) {
		exit.code = exitInconclusive
	}
	// A failure leaves out what the engine gave as the reason, because it may
	// hold query texts; here it goes to the one who wrote them.
	var refused *engine.Error
	if errors.As(failure, &refused) && refused.Reason != "" {
		exit.message += ": " + refused.Reason
	}
	return exit
}

// outcomeError is nil for a gate that passed.
func outcomeError(outcome verdict.Outcome) error {
	exit := &exitError{reason: outcome.Reason, message: outcome.Message, reported: true}
	switch outcome.Verdict {
	case verdict.Passed:
		return nil
	case verdict.Failed:
		exit.code = exitFailed
	default:
		exit.code = exitInconclusive
	}
	return exit
}

// writeDocument writes the error as the JSON document that a caller of -o json
// waits for in every case.
func (e *exitError) writeDocument(out io.Writer) error {
	var v *verdict.Verdict
	if e.code == exitInconclusive {
		inconclusive := verdict.Inconclusive
		v = &inconclusive
	}
	return report.WriteFailure(out, v, e.reason, e.message)
}

// asksForJSON looks for -o json itself, as a command line that is wrong
// elsewhere is not parsed to its end.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		switch {
		case (arg == "-o" || arg == "--output") && i+1 < len(args) && args[i+1] == outputJSON:
			return true
		case strings.TrimPrefix(arg, "-o") == outputJSON,
			strings.TrimPrefix(arg, "-o=") == outputJSON,
			strings.TrimPrefix(arg, "--output=") == outputJSON:
			return arg != outputJSON
		}
	}
	return false
}
