package controllers

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

func TestVerdictAndConditionsFollowFromTheScope(t *testing.T) {
	passed := &verdict.Outcome{Verdict: verdict.Passed, Reason: verdict.ReasonThresholdsMet, Message: "holds"}
	failed := &verdict.Outcome{Verdict: verdict.Failed, Reason: verdict.ReasonBelowThreshold, Message: "below"}
	thin := &verdict.Outcome{Verdict: verdict.Inconclusive, Reason: verdict.ReasonTooFewJudged, Message: "thin"}
	wait := func(reason string) *halt { return asHalt(waiting(reason, 0, "waits")) }
	stall := func(reason string) *halt { return asHalt(stalled(reason, "stalls")) }
	keep := func(reason string) *halt { return &halt{reason: reason, message: "waits", keepsVerdict: true} }
	for title, row := range map[string]struct {
		outcome *verdict.Outcome
		halt    *halt
		policy  v1alpha1.PromotionPolicy
		atRest  bool
		want    string
	}{
		"a Job runs":                      {nil, wait("Evaluating"), "Automatic", false, "Pending/Evaluating Evaluated=False/Evaluating Passed=Unknown/Evaluating Ready=False/Evaluating Reconciling=True/Evaluating"},
		"the engine is down":              {nil, wait("EngineUnavailable"), "Automatic", false, "Pending/EngineUnavailable Evaluated=False/EvaluationError Passed=Unknown/EngineUnavailable Ready=False/EngineUnavailable Reconciling=True/EngineUnavailable"},
		"a bad golden set":                {nil, stall("InvalidGoldenSet"), "Automatic", false, "Inconclusive/InvalidGoldenSet Evaluated=False/InvalidGoldenSet Passed=Unknown/InvalidGoldenSet Ready=False/InvalidGoldenSet Stalled=True/InvalidGoldenSet"},
		"limits met and promoted":         {passed, nil, "Automatic", true, "Passed/Promoted Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=True/Promoted Ready=True/Promoted"},
		"limits met, policy Off":          {passed, nil, "Off", false, "Passed/ThresholdsMet Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Ready=True/ThresholdsMet"},
		"limits met, alias being moved":   {passed, wait("Promoting"), "Automatic", false, "Passed/Promoting Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=False/Promoting Ready=False/Promoting Reconciling=True/Promoting"},
		"limits met, not approved":        {passed, wait("AwaitingApproval"), "Manual", false, "Passed/AwaitingApproval Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=False/AwaitingApproval Ready=False/AwaitingApproval Reconciling=True/AwaitingApproval"},
		"drifted":                         {passed, stall("Drifted"), "Automatic", false, "Passed/Drifted Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=False/Drifted Ready=False/Drifted Stalled=True/Drifted"},
		"below a limit":                   {failed, nil, "Automatic", false, "Failed/BelowThreshold Evaluated=True/BelowThreshold Passed=False/BelowThreshold Ready=False/BelowThreshold Stalled=True/BelowThreshold"},
		"below a limit, promoted before":  {failed, nil, "Automatic", true, "Failed/LiveBelowThreshold Evaluated=True/BelowThreshold Passed=False/BelowThreshold Promoted=True/Promoted Ready=False/LiveBelowThreshold Stalled=True/LiveBelowThreshold"},
		"evidence too thin":               {thin, nil, "Automatic", false, "Inconclusive/TooFewJudged Evaluated=True/TooFewJudged Passed=Unknown/TooFewJudged Ready=False/TooFewJudged Stalled=True/TooFewJudged"},
		"attempts used up":                {nil, stall("EvaluationError"), "Automatic", false, "Inconclusive/EvaluationError Evaluated=False/EvaluationError Passed=Unknown/EvaluationError Ready=False/EvaluationError Stalled=True/EvaluationError"},
		"suspended before it was seen":    {nil, keep("Suspended"), "Automatic", false, "Pending/Suspended Evaluated=False/Suspended Passed=Unknown/Suspended Ready=False/Suspended"},
		"a broken golden set, promoted":   {nil, stall("InvalidGoldenSet"), "Automatic", true, "Inconclusive/InvalidGoldenSet Evaluated=False/InvalidGoldenSet Passed=Unknown/InvalidGoldenSet Promoted=True/Promoted Ready=False/InvalidGoldenSet Stalled=True/InvalidGoldenSet"},
		"passed and the alias is missing": {passed, stall("AliasMissing"), "Automatic", false, "Passed/AliasMissing Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=False/AliasMissing Ready=False/AliasMissing Stalled=True/AliasMissing"},
	} {
		gate := makeGate("products")
		gate.Spec.Promotion.Policy = row.policy
		s := &scope{gate: gate, outcome: row.outcome, atRest: row.atRest, live: &alias.Target{Index: "v2"}, aliasRead: true}
		s.setVerdict(row.halt)
		s.setConditions(row.halt)
		got := fmt.Sprintf("%s/%s", gate.Status.Verdict, gate.Status.Reason)
		for _, kind := range v1alpha1.ConditionTypes() {
			if condition := meta.FindStatusCondition(gate.Status.Conditions, kind); condition != nil {
				got += fmt.Sprintf(" %s=%s/%s", kind, condition.Status, condition.Reason)
			}
		}
		if got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", title, got, row.want)
		}
	}
}

func TestALongMessageIsCutBetweenCharacters(t *testing.T) {
	got := cutMessage(strings.Repeat("ñ", 1000))
	if len(got) > maxMessage || strings.ToValidUTF8(got, "?") != got || !strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes: %q", len(got), got[len(got)-8:])
	}
	if got := cutMessage("short"); got != "short" {
		t.Errorf("a short message became %q", got)
	}
}
