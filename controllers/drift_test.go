package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func revertDrift(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.OnDrift = v1alpha1.OnDriftRevert }

var stateDrifted = passedBut("Drifted", "Stalled", "Failed")

// reverting makes a world whose gate has promoted its candidate and reverts drift.
func reverting(t *testing.T) *world {
	t.Helper()
	w := onElasticsearch(t, goodDocs)
	w.gate(revertDrift)
	w.measured()
	w.expect(statePromoted)
	return w
}

// otherIndex makes an index that no gate knows.
func (w *world) otherIndex() string {
	w.t.Helper()
	other := testengine.Index(w.t, w.engine, "other", "")
	w.index(other, badDocs)
	return other
}

func TestDriftThatOneSwapMendsIsReverted(t *testing.T) {
	for title, row := range map[string]struct {
		move  func(w *world)
		state string
	}{
		"moved elsewhere":   {func(w *world) { w.pointAlias(w.otherIndex()) }, statePromoted},
		"moved back":        {func(w *world) { w.pointAlias(w.live) }, statePromoted},
		"taken away":        {func(w *world) { w.removeAlias() }, statePromoted},
		"on a second index": {func(w *world) { w.pointAlias(w.live, w.candidate) }, stateDrifted},
		"filtered by somebody": {func(w *world) {
			testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_alias/"+w.alias, `{"filter": {"term": {"name": "red"}}}`)
		}, stateDrifted},
	} {
		t.Run(title, func(t *testing.T) {
			w := reverting(t)
			row.move(w)
			moved := w.pointsAt()
			w.pass()
			w.expect(row.state)
			w.expectJobs(1)
			if row.state == stateDrifted {
				w.expectAlias(moved...)
				w.expectMessage("it was not moved back: one swap does not mend that")
				return
			}
			w.expectAlias(w.candidate)
			w.expectEvent("Warning DriftReverted: alias " + w.alias + " had been moved to ")
			reverts := w.read().Status.Drift.Reverts
			if len(reverts) != 1 || !strings.Contains(reverts[0].Message, "by whom is not known") || reverts[0].At == nil {
				t.Errorf("the reverts are %+v", reverts)
			}
			if from := w.read().Status.Alias.PromotedFrom; from == nil || from.Index != w.live {
				t.Errorf("a rollback would go to %v", from)
			}
		})
	}
}

func TestDriftIsRevertedThreeTimesAnHour(t *testing.T) {
	w := reverting(t)
	other := w.otherIndex()
	first := w.clock.Now()
	for range maxReverts {
		w.pointAlias(other)
		w.pass()
		w.expect(statePromoted)
		w.expectAlias(w.candidate)
		w.later(10 * time.Minute)
	}
	w.pointAlias(other)
	w.pass()
	w.expect(stateDrifted)
	w.expectMessage("moved back 3 times within an hour", first.Add(time.Hour).UTC().Format("15:04:05"), "who moved it is not known")
	w.expectAlias(other)
	// A restart forgets nothing.
	w.r = w.newReconciler()
	w.expect(stateDrifted)
	w.clock.SetTime(first.Add(time.Hour + time.Second))
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(w.candidate)
}

func TestDriftIsNotReverted(t *testing.T) {
	for title, row := range map[string]struct {
		prepare func(w *world)
		state   string
		message string
	}{
		"by the answer Report": {func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.OnDrift = v1alpha1.OnDriftReport })
		}, stateDrifted, "acceptDrift="},
		"to an index that is closed": {func(w *world) { testengine.Do(w.t, "POST", w.engine+"/"+w.candidate+"/_close", "") },
			stateDrifted, "it was not moved back: "},
		"where the engine refuses": {func(w *world) { w.proxy.answerWith("POST /_aliases", 403, "application/json", securityError(403)) },
			stateDrifted, "the engine answered 403"},
		"where an older gate owns the alias": {func(w *world) {
			older := w.readNamed("a-older")
			older.Spec.Promotion.Policy = v1alpha1.PolicyManual
			must(w.t, w.k.Update(w.t.Context(), older))
		}, stateDrifted, "a-older"},
		"by a suspended gate": {func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = true })
		}, "Passed/Suspended: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=True/Promoted Ready=False/Suspended -> InProgress", ""},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gateNamed("a-older", policy(v1alpha1.PolicyOff), candidate("none"))
			w.gate(revertDrift)
			w.measured()
			w.expect(statePromoted)
			other := w.otherIndex()
			row.prepare(w)
			w.pointAlias(other)
			w.pass()
			if got := w.state("gate"); got != row.state {
				t.Fatalf("the gate is %s: %s", got, w.read().Status.Message)
			}
			w.expectMessage(row.message)
			w.expectAlias(other)
		})
	}
}

func TestDriftIsSeenWhateverElseIsWrong(t *testing.T) {
	t.Run("reverted without a golden set", func(t *testing.T) {
		w := reverting(t)
		w.golden("golden", "{")
		w.pointAlias(w.otherIndex())
		w.pass()
		w.expect(strings.Replace(stalls("InvalidGoldenSet"), " Ready", " Promoted=True/Promoted Ready", 1))
		w.expectAlias(w.candidate)
	})
	t.Run("reverted while the next candidate is measured", func(t *testing.T) {
		w := reverting(t)
		next := w.otherIndex()
		w.edit(candidate(next))
		w.measured()
		w.expect(stateFailed)
		w.pointAlias(next)
		w.pass()
		w.expect(stateFailed)
		w.expectAlias(w.candidate)
	})
	t.Run("reported while the next candidate is measured", func(t *testing.T) {
		w := rested(t)
		next := w.otherIndex()
		w.edit(candidate(next))
		w.pointAlias(w.live)
		w.pass()
		w.expect(stalls("Drifted"))
		w.expectJobs(1)
		w.annotate(v1alpha1.AnnotationAcceptDrift, w.live)
		w.measured()
		w.expect(stateFailed)
		if live := w.read().Status.Evaluation.Live.Index; live != w.live {
			t.Errorf("it was measured beside %s", live)
		}
	})
	t.Run("after a rollback", func(t *testing.T) {
		w := reverting(t)
		w.askRollback()
		w.pass()
		w.expect(stateRolledBack)
		w.pointAlias(w.candidate)
		w.pass()
		w.expect(stateRolledBack)
		w.expectAlias(w.live)
	})
}

func TestAMoveByHandThatIsAcceptedStays(t *testing.T) {
	for title, name := range map[string]func(w *world, index string) string{
		"by name": func(_ *world, index string) string { return index + " hotfix" },
		"by UUID": func(w *world, index string) string { return w.uuid(index) },
	} {
		t.Run(title, func(t *testing.T) {
			w := rested(t)
			other := w.otherIndex()
			w.pointAlias(other)
			w.pass()
			w.expect(stateDrifted)
			request := name(w, other)
			w.annotate(v1alpha1.AnnotationAcceptDrift, request)
			w.measured() // the candidate, beside the other one
			w.expect(stateRolledBack)
			w.expectAlias(other)
			status := w.read().Status
			if answer := status.Requests.AcceptDrift; answer.Value != request || answer.Reason != v1alpha1.ReasonDriftAccepted {
				t.Errorf("the answer is %+v", answer)
			}
			w.expectEvent("Normal DriftAccepted: alias " + w.alias + " is taken to be right on " + other)

			// It accepts that one move: back on the candidate is drift again, and so is the
			// other index once a promotion has moved the alias away from it.
			w.pointAlias(w.candidate)
			w.pass()
			if got := w.read().Status.Reason; got != v1alpha1.ReasonDrifted {
				t.Errorf("the gate is %s", w.state("gate"))
			}
			w.pointAlias(other)
			w.pass()
			w.approve()
			w.pass()
			w.expect(statePromoted)
			w.pointAlias(other)
			w.pass()
			w.expect(stateDrifted)
		})
	}
}

func TestAMoveByHandThatIsAcceptedCanBeRolledBack(t *testing.T) {
	w := reverting(t)
	other := w.otherIndex()
	w.edit(func(gate *v1alpha1.RelevanceGate) {
		gate.Annotations = map[string]string{v1alpha1.AnnotationAcceptDrift: other}
		gate.Spec.Candidate.Index = other
	})
	w.pointAlias(other)
	w.measured()
	// What was accepted is live, so it is measured alone.
	w.expect(stateLiveBelow)
	w.expectAlias(other)
	w.annotate(v1alpha1.AnnotationRollback, w.uuid(other))
	w.pass()
	w.expectAlias(w.candidate)
}

func TestDriftThatCannotBeAccepted(t *testing.T) {
	for title, row := range map[string]struct {
		move    func(w *world)
		request func(w *world) string
		want    string
	}{
		"there is none":      {func(*world) {}, onCandidate, "which is no drift"},
		"another is named":   {func(w *world) { w.pointAlias(w.live) }, onCandidate, "; name that"},
		"on a second index":  {func(w *world) { w.pointAlias(w.live, w.candidate) }, onLive, "leave it on one index"},
		"it was taken away":  {func(w *world) { w.removeAlias() }, onLive, "leave it on one index"},
		"it has got filters": {func(w *world) { w.pointAlias(w.live); w.addAlias(`{"filter": {"term": {"name": "red"}}}`) }, onLive, "without a filter"},
	} {
		t.Run(title, func(t *testing.T) {
			w := rested(t)
			row.move(w)
			w.annotate(v1alpha1.AnnotationAcceptDrift, row.request(w))
			w.pass()
			answer := w.read().Status.Requests.AcceptDrift
			if answer.Reason != v1alpha1.ReasonRequestRefused || !strings.Contains(answer.Message, row.want) {
				t.Errorf("the answer is %+v", answer)
			}
			w.expectEvent("Warning RequestRefused: " + answer.Message)
			if to := w.read().Status.Alias.PromotedTo.Index; to != w.candidate {
				t.Errorf("recorded is %s", to)
			}
		})
	}
}

func TestARevertThatWasCutShortIsBroughtToItsEnd(t *testing.T) {
	w := reverting(t)
	other := w.otherIndex()
	w.pointAlias(other)
	w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
		status.Promotion = &v1alpha1.PromotionStatus{
			Kind: v1alpha1.MoveRevert, Lock: v1alpha1.LockNone, To: status.Alias.PromotedTo,
			From: &v1alpha1.IndexRef{Index: other, UUID: w.uuid(other)},
		}
		at := status.Alias.PromotedAt
		status.Drift = &v1alpha1.DriftStatus{Reverts: []v1alpha1.RevertStatus{{At: at}}}
	})
	w.pointAlias(w.candidate)
	w.r = w.newReconciler()
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(w.candidate)
	if reverts := w.read().Status.Drift.Reverts; len(reverts) != 1 || reverts[0].Message == "" {
		t.Errorf("the reverts are %+v", reverts)
	}
}
