package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

var stateAwaitsApproval = passedBut("AwaitingApproval", "Reconciling", "InProgress")

var stateRolledBack = passedBut("RolledBack", "Stalled", "Failed")

func (w *world) approve() { w.annotate(v1alpha1.AnnotationApprove, w.read().Status.Evaluation.Key) }

func TestThePolicyManualWaitsForAnApproval(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyManual))
	w.measured()
	w.expect(stateAwaitsApproval)
	w.expectMessage("kubectl annotate relevancegate", w.read().Status.Evaluation.Key)
	w.annotate(v1alpha1.AnnotationApprove, "sha256:another")
	w.pass()
	w.expect(stateAwaitsApproval)
	w.expectMessage("names another evaluation")
	w.expectAlias(w.live)
	w.approve()
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(w.candidate)
}

func TestAnApprovalOfOtherContentIsVoid(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyManual))
	w.measured()
	w.approve()
	w.index(w.candidate, map[string]string{"d9": "grey glove"})
	w.measured()
	w.expect(stateAwaitsApproval)
	w.expectAlias(w.live)
}

func TestAnApprovalExpires(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyManual), func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.ApprovalSeconds = 3600 })
	w.measured()
	w.approve()
	// The live index has grown since, which keeps the alias where it is.
	w.index(w.live, map[string]string{"d5": "x", "d6": "x", "d7": "x"})
	w.pass()
	if got, want := w.state("gate"), passedBut("TooFewDocs", "Reconciling", "InProgress"); got != want {
		t.Fatalf("the gate is %s", got)
	}
	testengine.Do(t, "POST", w.engine+"/"+w.live+"/_delete_by_query?refresh=true", `{"query": {"match": {"name": "x"}}}`)
	w.later(time.Hour + time.Second)
	w.pass()
	w.expect(stateAwaitsApproval)
	w.expectMessage("older than 1h0m0s")
	w.expectAlias(w.live)
	w.edit(func(gate *v1alpha1.RelevanceGate) { delete(gate.Annotations, v1alpha1.AnnotationApprove) })
	w.pass()
	w.approve()
	w.pass()
	w.expect(statePromoted)
}

func TestAnIndexThatWasRolledBackNeedsAnApproval(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	w.runJob()
	w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
		status.RolledBack = []string{testengine.UUID(t, w.engine, w.candidate)}
	})
	w.pass()
	w.expect(stateRolledBack)
	w.expectMessage("was rolled back", w.read().Status.Evaluation.Key)
	w.expectAlias(w.live)
	w.approve()
	w.pass()
	w.expect(statePromoted)
}

func TestAnApprovalSaysWhoAndIsRemembered(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyManual))
	w.measured()
	w.annotate(v1alpha1.AnnotationApprovedBy, "alice@shop")
	w.pass()
	w.expect(stateAwaitsApproval)
	w.approve()
	w.pass()
	w.expect(statePromoted)
	status := w.read().Status
	if given := status.Approval; given == nil || given.By != "alice@shop" || given.EvaluationKey != status.Evaluation.Key || given.Void != "it was used" {
		t.Errorf("the approval is recorded as %+v", given)
	}
	if given := status.History[0].Approval; given == nil || given.By != "alice@shop" || given.At == nil || given.Void != "" {
		t.Errorf("the approval is remembered as %+v", given)
	}
	want := "Normal Approved: evaluation " + status.Evaluation.Key + ` was approved by "alice@shop", as the annotation claims`
	told := 0
	for _, event := range w.events.all() {
		if event == want {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the events are %q", w.events.all())
	}
}

func TestAnApprovalIsVoidOnAnyChange(t *testing.T) {
	for title, row := range map[string]struct {
		change func(w *world)
		why    string
	}{
		"of the limits": {func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[0].Min = "0.10" })
		}, "the spec has changed since"},
		"of the golden set and back": {func(w *world) {
			w.golden("golden", goldenText+" ")
			w.pass()
			w.golden("golden", goldenText)
		}, "another evaluation was begun"},
		"by another measurement": {func(w *world) {
			w.annotate(v1alpha1.AnnotationRequestedAt, "now")
		}, "another evaluation was begun"},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(policy(v1alpha1.PolicyManual))
			w.measured()
			w.approve()
			// The live index has grown since, which keeps the alias where it is.
			w.index(w.live, map[string]string{"d5": "x", "d6": "x", "d7": "x"})
			w.pass()
			if got, want := w.state("gate"), passedBut("TooFewDocs", "Reconciling", "InProgress"); got != want {
				t.Fatalf("the gate is %s", got)
			}
			testengine.Do(t, "POST", w.engine+"/"+w.live+"/_delete_by_query?refresh=true", `{"query": {"match": {"name": "x"}}}`)
			row.change(w)
			w.pass()
			if strings.HasPrefix(w.state("gate"), "Pending/Evaluating") {
				w.runJob()
				w.pass()
			}
			w.expect(stateAwaitsApproval)
			w.expectMessage("the approval is void", row.why)
			w.expectAlias(w.live)
			// Another text behind the key is another approval.
			w.annotate(v1alpha1.AnnotationApprove, w.read().Status.Evaluation.Key+" again")
			w.pass()
			w.expect(statePromoted)
		})
	}
}

func TestTheFirstWordNamesWhatARequestIsAbout(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " ": "", "key": "key", " key ": "key", "key 2026-01-31 again": "key", "key\tby alice": "key", "key\nagain": "key",
	} {
		if got := firstWord(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
