package controllers

import (
	"fmt"
	"time"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// firstPromotionRetry is the wait after the first refusal of a promotion. It
// doubles up to lastRetry.
const firstPromotionRetry = 5 * time.Second

// refusal is a promotion that was refused. Each try writes to the status and
// blocks the candidate, so it is not tried at every poll.
type refusal struct {
	wanted string
	halt   halt
	tries  int
	until  time.Time
}

// promotionWanted names what is to be promoted and whatever a user would change
// to have it tried again at once.
func (s *scope) promotionWanted() string {
	return fmt.Sprintf("%s %d %q %s", s.key, s.gate.Generation, s.gate.Annotations[v1alpha1.AnnotationApprove], s.credentials)
}

// promotionRefused remembers why a promotion did not happen, and returns that.
func (s *scope) promotionRefused(h *halt) error {
	last, wanted := s.mem.refusal, s.promotionWanted()
	tries := 1
	if last.wanted == wanted && last.halt.reason == h.reason {
		tries = last.tries + 1
	}
	s.mem.refusal = refusal{wanted: wanted, halt: *h, tries: tries, until: s.now.Add(doubling(firstPromotionRetry, tries))}
	return s.promotionHeld()
}

// promotionHeld repeats why the same promotion was refused, until it is time to
// try again. Other phases go on at every poll.
func (s *scope) promotionHeld() error {
	last := s.mem.refusal
	left := last.until.Sub(s.now)
	if left <= 0 || last.wanted != s.promotionWanted() {
		return nil
	}
	held := last.halt
	held.after = min(left, time.Duration(s.gate.Spec.Evaluation.PollSeconds)*time.Second)
	return &held
}
