package controllers

import (
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func TestALockIsGivenBackOnRequest(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate(lockUntilPassed)
	w.measured()
	w.expect(stateFailed)
	w.expectMessage(v1alpha1.AnnotationUnlock)
	w.annotate(v1alpha1.AnnotationUnlock, w.candidate)
	w.pass()
	w.expect(stateFailed)
	w.expectBlocks(w.candidate, "")
	w.expectEvent("Normal Unlocked: the lock on " + w.candidate + " was given back")
	status := w.read().Status
	if status.Lock != nil || status.Unlocked != w.uuid(w.candidate) || status.Requests.Unlock.Reason != v1alpha1.ReasonUnlocked {
		t.Errorf("it is recorded as %+v, %q, %+v", status.Lock, status.Unlocked, status.Requests.Unlock)
	}

	// Now it can be mended without being locked again half-way.
	w.index(w.candidate, map[string]string{"d3": "red hat"})
	w.r = w.newReconciler()
	w.pass()
	w.expect(waits("Unlocked"))
	w.expectMessage(v1alpha1.AnnotationRequestedAt)
	w.expectBlocks(w.candidate, "")
	w.expectJobs(1)
	w.annotate(v1alpha1.AnnotationRequestedAt, "mended")
	w.pass()
	w.expect(stateMeasures)
	w.expectBlocks(w.candidate, allBlocks)
	w.runJob()
	w.pass()
	w.expect(statePromoted)
	w.expectBlocks(w.candidate, "")
}

func TestACandidateThatPassedAndWasUnlockedIsNotPromoted(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyManual), lockUntilPassed)
	w.measured()
	w.expect(stateAwaitsApproval)
	w.annotate(v1alpha1.AnnotationUnlock, w.uuid(w.candidate))
	w.approve()
	w.pass()
	w.expect(passedBut("Unlocked", "Reconciling", "InProgress"))
	w.expectAlias(w.live)
	w.expectBlocks(w.candidate, "")
	// Another candidate is locked as ever.
	next := testengine.Index(t, w.engine, "next", "")
	w.index(next, badDocs)
	w.edit(candidate(next))
	w.pass()
	w.expect(stateMeasures)
	w.expectBlocks(next, allBlocks)
}

func TestARequestToUnlockThatCannotBe(t *testing.T) {
	for title, row := range map[string]struct {
		lock   v1alpha1.LockMode
		want   string
		blocks string
	}{
		"another index is named": {v1alpha1.LockUntilPassed, "; name that", allBlocks},
		"there is no lock":       {v1alpha1.LockDuringSwap, "holds no lock", ""},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, badDocs)
			w.gate(lockUntilPassed, func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.Lock = row.lock })
			w.measured()
			w.annotate(v1alpha1.AnnotationUnlock, w.live)
			w.pass()
			w.expect(stateFailed)
			w.expectBlocks(w.candidate, row.blocks)
			answer := w.read().Status.Requests.Unlock
			if answer.Reason != v1alpha1.ReasonRequestRefused || !strings.Contains(answer.Message, row.want) {
				t.Errorf("the answer is %+v", answer)
			}
		})
	}
}
