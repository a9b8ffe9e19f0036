package controllers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const (
	// maxBy is the longest name of an approver that is kept, in bytes.
	maxBy = 256
	// maxKey is the longest evaluation key, in bytes.
	maxKey = 128
)

// approval is what the annotations of a gate say.
type approval struct {
	request string // empty: there is none
	by      string
}

func approvalOf(gate *v1alpha1.RelevanceGate) approval {
	return approval{
		request: cutMessage(strings.TrimSpace(gate.Annotations[v1alpha1.AnnotationApprove])),
		by:      cut(strings.TrimSpace(gate.Annotations[v1alpha1.AnnotationApprovedBy]), maxBy),
	}
}

// key is the evaluation that is approved. What follows it only tells one approval
// from another.
func (a approval) key() string { return firstWord(a.request) }

func firstWord(text string) string {
	if words := strings.Fields(text); len(words) > 0 {
		return words[0]
	}
	return ""
}

// checkApproval asks for an approval where one is needed: under the policy Manual,
// and for an index that was rolled back. It names the evaluation key, so an
// approval of another evaluation opens nothing. It holds for a time that starts
// when it is first seen, for one promotion, and while the spec stays as it is.
func (s *scope) checkApproval() error {
	status := &s.gate.Status
	if s.gate.Spec.Promotion.Policy != v1alpha1.PolicyManual && !s.wasRolledBack() {
		return nil
	}
	asked := approvalOf(s.gate)
	seen := status.Approval
	switch {
	case asked.request == "":
		status.Approval = nil
		return s.awaitApproval("approve it with: %s", s.approveCommand(s.key))
	case asked.key() != s.key:
		return s.awaitApproval("the approval names another evaluation; approve this one with: %s", s.approveCommand(s.key))
	case seen == nil || seen.Request != asked.request || seen.By != asked.by:
		seen = s.recordApproval(asked)
	}
	holds := time.Duration(s.gate.Spec.Promotion.ApprovalSeconds) * time.Second
	switch {
	case seen.Generation != s.gate.Generation:
		s.voidApproval("the spec has changed since it was given")
	case s.now.Sub(seen.At.Time) > holds:
		s.voidApproval(fmt.Sprintf("it is older than %s", holds))
	}
	if seen.Void != "" {
		return s.awaitApproval("the approval is void, as %s; approve again with: %s", seen.Void, s.approveCommand(`"`+s.key+` $(date +%s)"`))
	}
	return nil
}

// wasRolledBack tells whether the candidate was live under this gate and was taken
// back.
func (s *scope) wasRolledBack() bool {
	return slices.Contains(s.gate.Status.RolledBack, s.candidate.UUID)
}

func (s *scope) approveCommand(value string) string {
	return s.annotateCommand(v1alpha1.AnnotationApprove, value)
}

// awaitApproval waits for one. An index that was rolled back waits for nobody but
// the user who may want it back.
func (s *scope) awaitApproval(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if s.wasRolledBack() {
		return stalled(v1alpha1.ReasonRolledBack, "%s passed, but it was live and was rolled back, so only an approval of this evaluation makes it live again; %s", s.candidate.Index, what)
	}
	return waiting(v1alpha1.ReasonAwaitingApproval, 0, "passed; %s", what)
}

// recordApproval writes down an approval of the present evaluation.
func (s *scope) recordApproval(asked approval) *v1alpha1.ApprovalStatus {
	at := metav1.NewTime(s.now)
	given := &v1alpha1.ApprovalStatus{
		EvaluationKey: s.key, By: asked.by, At: &at, Generation: s.gate.Generation, Request: asked.request,
	}
	s.gate.Status.Approval = given
	if history := s.gate.Status.History; len(history) > 0 && history[0].Key == s.key {
		history[0].Approval = given.DeepCopy()
	}
	return given
}

// voidApproval ends an approval. Its record stays, so that the annotation, which
// stays too, is not taken for another one.
func (s *scope) voidApproval(why string) {
	if given := s.gate.Status.Approval; given != nil && given.Void == "" {
		given.Void = why
	}
}

// approvedBy says who approved what.
func approvedBy(given *v1alpha1.ApprovalStatus) string {
	by := "somebody who gives no name"
	if given.By != "" {
		by = fmt.Sprintf("%q, as the annotation claims", given.By)
	}
	return fmt.Sprintf("evaluation %s was approved by %s", given.EvaluationKey, by)
}
