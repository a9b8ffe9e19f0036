package controllers

import (
	"testing"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const (
	statePromoted = "Passed/Promoted: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=True/Promoted Ready=True/Promoted -> Current"
	stateFailed   = "Failed/BelowThreshold: Evaluated=True/BelowThreshold Passed=False/BelowThreshold Ready=False/BelowThreshold Stalled=True/BelowThreshold -> Failed"
	stateMeasures = "Pending/Evaluating: Evaluated=False/Evaluating Passed=Unknown/Evaluating Ready=False/Evaluating Reconciling=True/Evaluating -> InProgress"
)

// waits is the state of a gate that waits without a verdict.
func waits(reason string) string {
	return "Pending/" + reason + ": Evaluated=False/" + reason + " Passed=Unknown/" + reason + " Ready=False/" + reason + " Reconciling=True/" + reason + " -> InProgress"
}

// stalls is the state of a gate that cannot be measured until somebody acts.
func stalls(reason string) string {
	return "Inconclusive/" + reason + ": Evaluated=False/" + reason + " Passed=Unknown/" + reason + " Ready=False/" + reason + " Stalled=True/" + reason + " -> Failed"
}

// passedBut is the state of a gate that has passed and whose alias did not move.
func passedBut(reason, condition, kstatus string) string {
	return "Passed/" + reason + ": Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=False/" + reason + " Ready=False/" + reason + " " + condition + "=True/" + reason + " -> " + kstatus
}

func TestAGateThatNobodyHasSeenIsInProgress(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	gate := w.gate()
	if got := kstatusOf(t, gate); got != "InProgress" {
		t.Errorf("kstatus of a fresh gate is %s", got)
	}
}

func TestAGoodCandidateIsMeasuredAndPromoted(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	w.expect(stateMeasures)
	w.expectJobs(1)
	w.expectAlias(w.live)
	w.runJob()
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(w.candidate)
	w.expectBlocks(w.candidate, "")
	w.expectBlocks(w.live, "")
	gate := w.read()
	if gate.Status.NDCG != "1.000000" || gate.Status.Recall != "1.000000" || len(gate.Status.Scores) != 3 {
		t.Errorf("scores: %q %q %v", gate.Status.NDCG, gate.Status.Recall, gate.Status.Scores)
	}
	if gate.Status.Alias.PromotedFrom.Index != w.live || gate.Status.Promotion != nil || gate.Status.Lock != nil {
		t.Errorf("the promotion is recorded as %+v, %+v, %+v", gate.Status.Alias, gate.Status.Promotion, gate.Status.Lock)
	}
}

func TestABadCandidateFailsAndTheAliasStays(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.measured()
	w.expect(stateFailed)
	w.expectMessage("ndcg@10 0.666667 is below its min 0.800000")
	w.expectAlias(w.live)
	w.expectBlocks(w.candidate, "")
	w.expectBlocks(w.live, "")
}

func TestPolicyOffOpensTheGateAndLeavesTheAlias(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyOff))
	w.measured()
	w.expect("Passed/ThresholdsMet: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Ready=True/ThresholdsMet -> Current")
	w.expectAlias(w.live)
}
