package controllers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// uuid is the UUID of an index.
func (w *world) uuid(index string) string {
	w.t.Helper()
	return testengine.UUID(w.t, w.engine, index)
}

func (w *world) askRollback() { w.annotate(v1alpha1.AnnotationRollback, w.uuid(w.candidate)) }

// expectEvent fails unless exactly one event begins like this.
func (w *world) expectEvent(start string) {
	w.t.Helper()
	told := slices.DeleteFunc(w.events.all(), func(event string) bool { return !strings.HasPrefix(event, start) })
	if len(told) != 1 {
		w.t.Errorf("%d events begin with %q, among %q", len(told), start, w.events.all())
	}
}

// expectRefused fails unless the request to roll back was refused for that reason.
func (w *world) expectRefused(part string) {
	w.t.Helper()
	requests := w.read().Status.Requests
	if requests == nil || requests.Rollback == nil {
		w.t.Fatal("the request has no answer")
	}
	answer := requests.Rollback
	if answer.Reason != v1alpha1.ReasonRequestRefused || !strings.Contains(answer.Message, part) || answer.At == nil {
		w.t.Errorf("the answer is %+v, want %q", answer, part)
	}
	w.expectEvent("Warning RequestRefused: " + answer.Message)
}

func TestARollbackMovesTheAliasBackOnce(t *testing.T) {
	w := rested(t)
	key := w.read().Status.Evaluation.Key
	promoted := w.uuid(w.candidate)
	w.askRollback()
	w.pass()
	w.expect(stateRolledBack)
	w.expectAlias(w.live)
	w.expectBlocks(w.live, "")
	w.expectBlocks(w.candidate, "")
	w.expectJobs(1)
	status := w.read().Status
	if !slices.Equal(status.RolledBack, []string{promoted}) || status.Promotion != nil || status.Alias.PromotedFrom != nil ||
		*status.Alias.PromotedTo != (v1alpha1.IndexRef{Index: w.live, UUID: w.uuid(w.live)}) {
		t.Errorf("the rollback is recorded as %v, %+v", status.RolledBack, status.Alias)
	}
	if answer := status.Requests.Rollback; answer.Value != promoted || answer.Reason != v1alpha1.ReasonRolledBack {
		t.Errorf("the answer is %+v", answer)
	}
	w.expectEvent("Normal RolledBack: alias " + w.alias + " was moved back from " + w.candidate + " to " + w.live)

	// An approval of its key makes it live again, and the old request does not act again.
	w.annotate(v1alpha1.AnnotationApprove, key)
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(w.candidate)
	if list := w.read().Status.RolledBack; len(list) > 0 {
		t.Errorf("still rolled back: %v", list)
	}
	// Nor does the old approval, once it is rolled back again.
	w.annotate(v1alpha1.AnnotationRollback, key+" once more")
	w.pass()
	w.expect(stateRolledBack)
	w.expectMessage("the approval is void", "it was used")
	w.expectAlias(w.live)
}

func TestAnApprovalFromBeforeARollbackIsVoid(t *testing.T) {
	w := rested(t)
	// Under the policy Automatic nobody has read it.
	w.annotate(v1alpha1.AnnotationApprove, w.read().Status.Evaluation.Key)
	w.pass()
	w.askRollback()
	w.pass()
	w.expect(stateRolledBack)
	w.expectMessage("after it was given")
	w.expectAlias(w.live)
}

func TestARollbackNeedsNoGoldenSet(t *testing.T) {
	w := rested(t)
	w.golden("golden", "{")
	w.askRollback()
	w.pass()
	w.expect(stalls("InvalidGoldenSet"))
	w.expectAlias(w.live)
}

func TestARollbackToTheCandidateOfTheSpecRests(t *testing.T) {
	w := rested(t)
	w.askRollback()
	w.edit(candidate(w.live))
	w.measured()
	w.expect(statePromoted)
	w.expectAlias(w.live)
}

func TestAnIndexThatChangedWhileLiveIsMeasuredAgainAfterItsRollback(t *testing.T) {
	w := rested(t)
	w.index(w.candidate, map[string]string{"d9": "grey glove"})
	w.askRollback()
	w.measured()
	w.expect(stateRolledBack)
	w.expectAlias(w.live)
	w.approve()
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(w.candidate)
}

func TestARollbackThatCannotBeIsRefused(t *testing.T) {
	remake := func(w *world) {
		testengine.Do(w.t, "DELETE", w.engine+"/"+w.live, "")
		testengine.Create(w.t, w.engine, w.live, "")
	}
	for title, row := range map[string]struct {
		prepare func(w *world)
		want    string
		alias   func(w *world) string
		state   string
	}{
		"the index before was deleted":   {func(w *world) { testengine.Do(w.t, "DELETE", w.engine+"/"+w.live, "") }, "was deleted", onCandidate, statePromoted},
		"the index before was made anew": {remake, "was deleted and made anew", onCandidate, statePromoted},
		"the index before is closed":     {func(w *world) { testengine.Do(w.t, "POST", w.engine+"/"+w.live+"/_close", "") }, "/_open", onCandidate, statePromoted},
		"the alias was moved elsewhere": {func(w *world) {
			other := testengine.Index(w.t, w.engine, "other", "")
			w.pointAlias(other)
			w.live = other
		}, "which is to be rolled back", onLive, passedBut("Drifted", "Stalled", "Failed")},
		"the policy is Off": {func(w *world) { w.edit(policy(v1alpha1.PolicyOff)) }, "policy is Off", onCandidate, statePromoted},
	} {
		t.Run(title, func(t *testing.T) {
			w := rested(t)
			row.prepare(w)
			w.askRollback()
			w.pass()
			w.expect(row.state)
			w.expectRefused(row.want)
			w.expectAlias(row.alias(w))
			if list := w.read().Status.RolledBack; len(list) > 0 {
				t.Errorf("rolled back: %v", list)
			}
		})
	}
	t.Run("another index is named", func(t *testing.T) {
		w := rested(t)
		w.annotate(v1alpha1.AnnotationRollback, w.uuid(w.live))
		w.pass()
		w.expect(statePromoted)
		w.expectRefused(w.uuid(w.candidate) + "); name that")
		w.expectAlias(w.candidate)
	})
	t.Run("nothing was promoted", func(t *testing.T) {
		w := onElasticsearch(t, badDocs)
		w.gate()
		w.measured()
		w.askRollback()
		w.pass()
		w.expect(stateFailed)
		w.expectRefused("has never moved the alias")
		w.expectAlias(w.live)
	})
	t.Run("the engine refuses", func(t *testing.T) {
		w := rested(t)
		w.proxy.answerWith("POST /_aliases", 403, "application/json", securityError(403))
		w.askRollback()
		w.pass()
		w.proxy.clear()
		w.expect(statePromoted)
		w.expectRefused("the engine answered 403")
		w.expectAlias(w.candidate)
	})
	t.Run("the older gate owns the alias", func(t *testing.T) {
		w := onElasticsearch(t, goodDocs)
		w.gateNamed("a-older", policy(v1alpha1.PolicyOff), candidate("none"))
		w.gate()
		w.measured()
		w.expect(statePromoted)
		older := w.readNamed("a-older")
		older.Spec.Promotion.Policy = v1alpha1.PolicyManual
		must(t, w.k.Update(t.Context(), older))
		w.askRollback()
		w.pass()
		w.expect(statePromoted)
		w.expectRefused("a-older")
		w.expectAlias(w.candidate)
	})
}

func TestASuspendedGateRollsNothingBack(t *testing.T) {
	w := rested(t)
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = true })
	w.askRollback()
	w.pass()
	w.expectAlias(w.candidate)
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = false })
	w.pass()
	w.expect(stateRolledBack)
	w.expectAlias(w.live)
}

func TestTheLossOfTheIndexBeforeIsToldAtRest(t *testing.T) {
	w := rested(t)
	testengine.Do(t, "POST", w.engine+"/"+w.live+"/_close", "")
	w.pass()
	w.expect(statePromoted)
	w.expectMessage("it cannot be rolled back: "+w.live+" is closed", "_open")
	w.expectEvent("Warning RollbackLost: the promotion cannot be rolled back: " + w.live + " is closed")
	testengine.Do(t, "POST", w.engine+"/"+w.live+"/_open", "")
	w.pass()
	w.expect(statePromoted)
	if status := w.read().Status; strings.Contains(status.Message, "rolled back") || status.Alias.RollbackLoss != "" {
		t.Errorf("it is still lost: %s", status.Message)
	}
	testengine.Do(t, "DELETE", w.engine+"/"+w.live, "")
	w.pass()
	w.expect(statePromoted)
	w.expectMessage("was deleted")
}

func TestTheIntentToRollBackIsRecordedAndKeepsTheVerdict(t *testing.T) {
	w := rested(t)
	w.askRollback()
	state := ""
	w.proxy.before("POST /_aliases", func() {
		state = w.state("gate")
		record := w.read().Status.Promotion
		if record == nil || record.Kind != v1alpha1.MoveRollback || record.From.Index != w.candidate || record.To.Index != w.live {
			t.Errorf("the intent is recorded as %+v", record)
		}
	})
	w.pass()
	if state != passedBut("Promoting", "Reconciling", "InProgress") {
		t.Errorf("before the swap the gate was %s", state)
	}
}

func TestARequestThatIsTakenBackDuringThePassMovesNothing(t *testing.T) {
	w := rested(t)
	w.askRollback()
	w.proxy.before("GET /_cluster/health/"+w.live, func() {
		w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Annotations = nil })
	})
	if due := w.pass(); due != conflictRetry {
		t.Errorf("the next pass is due in %s", due)
	}
	w.expectAlias(w.candidate)
	w.pass()
	w.expect(statePromoted)
}

func TestARollbackThatWasCutShortIsBroughtToItsEnd(t *testing.T) {
	for title, move := range map[string]func(w *world){
		"before the swap": func(*world) {},
		"after the swap":  func(w *world) { w.pointAlias(w.live) },
	} {
		t.Run(title, func(t *testing.T) {
			w := rested(t)
			w.askRollback()
			w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
				status.Promotion = &v1alpha1.PromotionStatus{
					Kind: v1alpha1.MoveRollback, Request: w.uuid(w.candidate), Lock: v1alpha1.LockNone,
					From: status.Alias.PromotedTo, To: status.Alias.PromotedFrom,
				}
			})
			move(w)
			w.r = w.newReconciler()
			w.later(time.Minute)
			w.pass()
			w.expect(stateRolledBack)
			w.expectAlias(w.live)
			if list := w.read().Status.RolledBack; !slices.Equal(list, []string{w.uuid(w.candidate)}) {
				t.Errorf("rolled back: %v", list)
			}
		})
	}
}
