package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

func TestTheHistoryHoldsTheLastTenVerdictsNewestFirst(t *testing.T) {
	gate := makeGate("products")
	s := &scope{gate: gate, outcome: &verdict.Outcome{Verdict: verdict.Failed, Reason: verdict.ReasonBelowThreshold}}
	for i := range 12 {
		gate.Status.Evaluation = &v1alpha1.EvaluationStatus{Key: string(rune('a' + i))}
		for range 2 { // a second pass adds nothing
			must(t, (&Reconciler{}).remember(t.Context(), s))
		}
	}
	history := gate.Status.History
	if len(history) != 10 || history[0].Key != "l" || history[9].Key != "c" {
		t.Errorf("%d entries from %s to %s", len(history), history[0].Key, history[len(history)-1].Key)
	}
}

func TestALimitIsLooserWhenItHoldsLessBack(t *testing.T) {
	full := func() *v1alpha1.RelevanceGateSpec {
		return &v1alpha1.RelevanceGateSpec{
			Metrics: []v1alpha1.Metric{
				{Name: "ndcg@10", Min: "0.80", MaxDrop: "0.02", Confidence: "0.95", RelevantFrom: 2},
				{Name: "precision@5", RelevantFrom: 1},
			},
			Regressions: &v1alpha1.Regressions{Metric: "ndcg@10", Drop: "0.05", MaxQueries: ptr.To[int32](9), ProtectWeightFrom: ptr.To[int64](100)},
			Segments:    &v1alpha1.Segments{MinQueries: 5, Limits: []v1alpha1.SegmentLimit{{Segment: "head", Metric: "ndcg@10", Min: "0.85"}}},
			Judgments:   v1alpha1.Judgments{MinJudged: "0.60"},
		}
	}
	type spec = v1alpha1.RelevanceGateSpec
	for title, row := range map[string]struct {
		edit func(*spec)
		want []string
	}{
		"nothing":                {func(*spec) {}, nil},
		"another way to write":   {func(s *spec) { s.Metrics[0].Min = "0.800" }, nil},
		"a higher min":           {func(s *spec) { s.Metrics[0].Min = "0.81" }, nil},
		"a lower min":            {func(s *spec) { s.Metrics[0].Min = "0.799999" }, []string{"min of ndcg@10 went from 0.800000 to 0.799999"}},
		"no min":                 {func(s *spec) { s.Metrics[0].Min = "" }, []string{"min of ndcg@10, 0.800000, was taken away"}},
		"a higher maxDrop":       {func(s *spec) { s.Metrics[0].MaxDrop = "0.1" }, []string{"maxDrop of ndcg@10 went from 0.020000 to 0.100000"}},
		"a lower maxDrop":        {func(s *spec) { s.Metrics[0].MaxDrop = "0" }, nil},
		"less confidence":        {func(s *spec) { s.Metrics[0].Confidence = "0.9" }, []string{"confidence of ndcg@10 went from 0.950000 to 0.900000"}},
		"more that is relevant":  {func(s *spec) { s.Metrics[0].RelevantFrom = 1 }, []string{"relevantFrom of ndcg@10 went from 2 to 1"}},
		"of a metric without":    {func(s *spec) { s.Metrics[1].RelevantFrom = 3 }, nil},
		"ten instead of nine":    {func(s *spec) { s.Regressions.MaxQueries = ptr.To[int32](10) }, []string{"regressions.maxQueries went from 9 to 10"}},
		"a larger drop":          {func(s *spec) { s.Regressions.Drop = "0.5" }, []string{"regressions.drop went from 0.050000 to 0.500000"}},
		"fewer are protected":    {func(s *spec) { s.Regressions.ProtectWeightFrom = ptr.To[int64](1000) }, []string{"regressions.protectWeightFrom went from 100 to 1000"}},
		"a lower segment":        {func(s *spec) { s.Segments.Limits[0].Min = "0.8" }, []string{"min of ndcg@10 in the segment head went from 0.850000 to 0.800000"}},
		"segments of fewer":      {func(s *spec) { s.Segments.MinQueries = 1 }, []string{"segments.minQueries went from 5 to 1"}},
		"fewer judged":           {func(s *spec) { s.Judgments.MinJudged = "0.5" }, []string{"judgments.minJudged went from 0.600000 to 0.500000"}},
		"more errors":            {func(s *spec) { s.Evaluation.MaxErrors = 1 }, []string{"evaluation.maxErrors went from 0 to 1"}},
		"no regressions at all":  {func(s *spec) { s.Regressions = nil }, []string{"regressions.drop, 0.050000, was taken away", "regressions.maxQueries, 9, was taken away", "regressions.protectWeightFrom, 100, was taken away"}},
		"the metric is reported": {func(s *spec) { s.Metrics[0].Min, s.Metrics[0].MaxDrop = "", "" }, []string{"min of ndcg@10, 0.800000, was taken away", "maxDrop of ndcg@10, 0.020000, was taken away", "confidence of ndcg@10, 0.950000, was taken away", "relevantFrom of ndcg@10, 2, was taken away"}},
	} {
		t.Run(title, func(t *testing.T) {
			var before []v1alpha1.HistoryLimit
			for _, l := range limitsOf(full()) {
				before = append(before, v1alpha1.HistoryLimit{Name: l.name, Value: l.value})
			}
			after := full()
			row.edit(after)
			if got := loosened(before, limitsOf(after)); !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestTheLastWriterOfAPartIsNamed(t *testing.T) {
	at := func(second int) *metav1.Time {
		return ptr.To(metav1.NewTime(time.Date(2026, 1, 31, 12, 0, second, 0, time.UTC)))
	}
	owns := func(part string) *metav1.FieldsV1 { return metav1.NewFieldsV1(fmt.Sprintf(`{%q: {}}`, part)) }
	managers := []metav1.ManagedFieldsEntry{
		{Manager: "helm", Time: at(1), FieldsV1: owns("f:spec")},
		{Manager: "kubectl-edit", Time: at(3), FieldsV1: owns("f:spec")},
		{Manager: "argocd", Time: at(2), FieldsV1: owns("f:spec")},
		{Manager: "kubectl-annotate", Time: at(4), FieldsV1: owns("f:metadata")},
		{Manager: "relevance-gate", Time: at(5), FieldsV1: owns("f:spec"), Subresource: "status"},
	}
	if got, want := lastWriter("the spec", managers, "f:spec"), "; the spec was last written by the field manager kubectl-edit"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := lastWriter("it", managers, "f:data", "f:binaryData"); got != "" {
		t.Errorf("nobody wrote it, but %q", got)
	}
}

// editAs writes the spec as the field manager of that name.
func (w *world) editAs(manager string, change func(*v1alpha1.RelevanceGate)) {
	w.t.Helper()
	gate := w.read()
	base := gate.DeepCopy()
	change(gate)
	must(w.t, w.k.Patch(w.t.Context(), gate, client.MergeFrom(base), client.FieldOwner(manager)))
}

func TestWhoLowersTheBarIsSeen(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate(policy(v1alpha1.PolicyManual))
	w.measured()
	w.expect(stateFailed)
	first := w.read().Status.History
	if len(first) != 1 || first[0].Changes != nil || first[0].Candidate.Index != w.candidate || first[0].Live.Index != w.live ||
		first[0].GoldenDigest != w.read().Status.Evaluation.GoldenSet.Digest || first[0].SearchDigest == "" || first[0].Fingerprint == "" {
		t.Fatalf("the first verdict is remembered as %+v", first)
	}

	w.editAs("lazy-deployer", func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Metrics[0].Min, gate.Spec.Metrics[0].MaxDrop, gate.Spec.Metrics[1].Min = "0.60", "0.40", "0.60"
	})
	w.pass()
	w.expect(stateAwaitsApproval)
	want := "min of ndcg@10 went from 0.800000 to 0.600000; maxDrop of ndcg@10 went from 0.020000 to 0.400000; min of recall@50 went from 0.750000 to 0.600000; " +
		"the spec was last written by the field manager lazy-deployer"
	history := w.read().Status.History
	if len(history) != 2 || !slices.Equal(history[0].Changes, []v1alpha1.HistoryChange{{Reason: "LimitLowered", Message: want}}) {
		t.Errorf("the lowered bar is remembered as %+v", history)
	}
	if events := w.events.all(); !slices.Contains(events, "Warning LimitLowered: "+want) {
		t.Errorf("the events are %q", events)
	}

	// The same verdict against a still lower bar is another one; a higher bar is no news.
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[0].Min = "0.50" })
	w.pass()
	w.expect(stateAwaitsApproval)
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[0].Min = "0.55" })
	w.pass()
	w.expect(stateAwaitsApproval)
	history = w.read().Status.History
	if len(history) != 4 || history[0].Changes != nil || len(history[1].Changes) != 1 {
		t.Errorf("the history is %+v", history)
	}
	w.expectJobs(1)
}

func TestChangedJudgmentsAreSeen(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.measured()
	w.expect(stateFailed)
	before := w.read().Status.Evaluation.GoldenSet.Digest
	w.golden("golden", strings.Replace(goldenText, `"hat"`, `"headgear"`, 1))
	w.measured()
	w.expect(statePromoted)
	after := w.read().Status.Evaluation.GoldenSet.Digest
	want := fmt.Sprintf("the golden set went from %s to %s; it was last written by the field manager ", before, after)
	changes := w.read().Status.History[0].Changes
	if len(changes) != 1 || changes[0].Reason != "JudgmentsChanged" || !strings.HasPrefix(changes[0].Message, want) {
		t.Errorf("the change is remembered as %+v, want %s", changes, want)
	}
	told := slices.DeleteFunc(w.events.all(), func(event string) bool { return !strings.HasPrefix(event, "Warning JudgmentsChanged: "+want) })
	if len(told) != 1 {
		t.Errorf("it was told %d times", len(told))
	}
}
