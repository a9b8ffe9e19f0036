package controllers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// A request is an annotation that asks for one act. Its first word names what it is
// about, and its value is recorded with the answer: an annotation that stays on the
// gate, as it does where a GitOps tool owns it, never acts twice.

// asked is the annotation's value if it has no answer yet, else empty.
func (s *scope) asked(annotation string, answered *v1alpha1.RequestStatus) string {
	value := cutMessage(s.gate.Annotations[annotation])
	if answered != nil && answered.Value == value {
		return ""
	}
	return value
}

// requests are the answers so far.
func (s *scope) requests() v1alpha1.RequestsStatus {
	if s.gate.Status.Requests == nil {
		return v1alpha1.RequestsStatus{}
	}
	return *s.gate.Status.Requests
}

// answers is where an answer is written.
func (s *scope) answers() *v1alpha1.RequestsStatus {
	if s.gate.Status.Requests == nil {
		s.gate.Status.Requests = &v1alpha1.RequestsStatus{}
	}
	return s.gate.Status.Requests
}

// answer is what became of a request.
func (s *scope) answer(value, reason, format string, args ...any) *v1alpha1.RequestStatus {
	at := metav1.NewTime(s.now)
	return &v1alpha1.RequestStatus{Value: value, Reason: reason, Message: cutMessage(fmt.Sprintf(format, args...)), At: &at}
}

// annotateCommand is what a user types to ask for something.
func (s *scope) annotateCommand(annotation, value string) string {
	return fmt.Sprintf("kubectl annotate relevancegate -n %s %s --overwrite %s=%s", s.gate.Namespace, s.gate.Name, annotation, value)
}

// asksFor is all that the annotations of a gate ask for.
func asksFor(gate *v1alpha1.RelevanceGate) (values [6]string) {
	for i, annotation := range []string{
		v1alpha1.AnnotationApprove, v1alpha1.AnnotationApprovedBy, v1alpha1.AnnotationRollback, v1alpha1.AnnotationAcceptDrift,
		v1alpha1.AnnotationUnlock, v1alpha1.AnnotationRequestedAt,
	} {
		values[i] = gate.Annotations[annotation]
	}
	return values
}
