package controllers

import (
	"errors"
	"fmt"
	"time"
)

// A halt ends a pass before the gate is open. It says what happens next, not
// what went wrong: either time or the world helps (waiting), or the user must
// act (stalled). Everything else that ends a pass is a plain error, which
// controller-runtime retries with its back-off.
type halt struct {
	reason  string
	message string
	// after is when to look again. A stalled gate is looked at again at its
	// poll interval too, because what stalls it may live in the search engine,
	// which nobody watches.
	after   time.Duration
	stalled bool
	// keepsVerdict leaves verdict, Evaluated and Passed as they were: the halt is
	// about the alias alone.
	keepsVerdict bool
}

func (h *halt) Error() string { return h.reason + ": " + h.message }

// waiting halts the pass until the world has moved on.
func waiting(reason string, after time.Duration, format string, args ...any) error {
	return &halt{reason: reason, message: fmt.Sprintf(format, args...), after: after}
}

// stalled halts the pass until the user changes something.
func stalled(reason string, format string, args ...any) error {
	return &halt{reason: reason, message: fmt.Sprintf(format, args...), stalled: true}
}

// asHalt returns the halt in err's chain, or nil.
func asHalt(err error) *halt {
	var h *halt
	if errors.As(err, &h) {
		return h
	}
	return nil
}
