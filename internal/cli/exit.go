package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
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
	// reported: the report says it already.
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
	exit.message += hint(failure)
	return exit
}

// hint says what a user of the command line can do about an engine that refuses to
// talk, as far as that is plain.
func hint(err error) string {
	var authority x509.UnknownAuthorityError
	var plain tls.RecordHeaderError
	var refused *engine.Error
	switch {
	case errors.As(err, &plain):
		return "; is it an http:// address?"
	case errors.As(err, &authority):
		return "; name the file with the authority that signed it by --ca-file"
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		return "; give ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, or ELASTICSEARCH_API_KEY, as the engine knows them"
	}
	return ""
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

// problem is the error as the reports tell it.
func (e *exitError) problem(result report.Result) report.Problem {
	p := report.Problem{Gate: result.Gate, Reason: e.reason, Message: e.message, At: result.At}
	if e.code == exitInconclusive {
		inconclusive := verdict.Inconclusive
		p.Verdict = &inconclusive
	}
	return p
}

// askedOutput looks for --output itself, as a command line that is wrong elsewhere
// is not parsed to its end. It is empty where none is asked for.
func askedOutput(args []string) report.Format {
	for i, arg := range args {
		value, found := "", false
		switch {
		case arg == "-o" || arg == "--output":
			if i+1 < len(args) {
				value, found = args[i+1], true
			}
		case strings.HasPrefix(arg, "--output="):
			value, found = strings.TrimPrefix(arg, "--output="), true
		case strings.HasPrefix(arg, "-o"):
			value, found = strings.TrimPrefix(strings.TrimPrefix(arg, "-o"), "="), true
		}
		if format, err := report.ParseFormat(value); found && err == nil {
			return format
		}
	}
	return ""
}
