package controllers

import (
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// pattern makes a gate look for its candidates by the name of the world's.
func (w *world) pattern() func(*v1alpha1.RelevanceGate) {
	return func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Candidate = v1alpha1.Candidate{Pattern: w.candidate + "*"}
	}
}

// newer creates another index that the pattern matches.
func (w *world) newer(suffix string, docs map[string]string) string {
	w.t.Helper()
	index := w.candidate + suffix
	w.t.Cleanup(func() { testengine.Remove(w.t, w.engine, index) })
	testengine.Create(w.t, w.engine, index, "")
	w.index(index, docs)
	return index
}

func TestAPatternTakesTheNewestIndex(t *testing.T) {
	w := onElasticsearch(t, nil)
	w.gate(w.pattern())
	w.pass()
	w.expect(waits("CandidateMissing"))
	w.expectMessage("was created after the live index " + w.live)

	first := w.newer("-2026-12-01", goodDocs)
	w.pass()
	w.expect(stateMeasures)
	w.runJob()
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(first)

	// At rest on what it promoted, until a newer one appears.
	w.pass()
	w.expect(statePromoted)
	w.expectJobs(1)
	second := w.newer("-2026-11-30", badDocs) // the name does not count, the creation does
	w.pass()
	w.expect(stateMeasures)
	w.expectMessage(second)
	w.runJob()
	w.pass()
	w.expect(stateFailed)
	w.expectAlias(first)

	third := w.newer("-2026-12-02", goodDocs)
	w.pass()
	w.expect(stateMeasures)
	w.runJob()
	w.pass()
	w.expect(statePromoted)
	w.expectAlias(third)
}

func TestANewerIndexSupersedesTheOneThatIsMeasured(t *testing.T) {
	w := onElasticsearch(t, nil)
	old := w.newer("-1", goodDocs)
	w.gate(w.pattern(), func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Promotion.Lock = v1alpha1.LockUntilPassed
		docs := int64(1)
		gate.Spec.Candidate.ReadyWhen = &v1alpha1.ReadyWhen{MinDocs: &docs}
	})
	w.pass()
	w.expect(stateMeasures)
	w.expectBlocks(old, "write read_only hidden")
	before := w.job().Name
	next := w.newer("-2", goodDocs)
	w.pass()
	w.expect(stateMeasures)
	w.expectMessage(next)
	w.expectBlocks(old, "")
	w.expectBlocks(next, "write read_only hidden")
	if after := w.job().Name; after == before {
		t.Errorf("Job %s goes on with the older index", before)
	}
	w.runJob()
	w.pass()
	w.expectAlias(next)
}

func TestAPatternNeverGoesBackToWhatWasLive(t *testing.T) {
	w := onElasticsearch(t, nil)
	first := w.newer("-1", goodDocs)
	w.gate(w.pattern())
	w.measured()
	w.expectAlias(first)
	// Somebody moves the alias back: the promoted index is newer than the live one, and was live.
	w.pointAlias(w.live)
	w.pass()
	w.expectAlias(w.live)
	w.expectMessage("this gate has " + first + " recorded")
	w.expectJobs(1)
	if state := w.state("gate"); !strings.Contains(state, "Drifted") {
		t.Errorf("the gate is %s", state)
	}
	// A newer one is measured once that is accepted.
	w.annotate(v1alpha1.AnnotationAcceptDrift, w.live)
	w.measured()
	second := w.newer("-2", goodDocs)
	w.measured()
	w.expectAlias(second)
	if got := len(w.read().Status.OnceLive); got != 3 {
		t.Errorf("%d indices are remembered as once live, want 3", got)
	}
}

func TestAfterARollbackThePatternWaitsForANewerIndex(t *testing.T) {
	w := onElasticsearch(t, nil)
	first := w.newer("-1", goodDocs)
	w.gate(w.pattern())
	w.measured()
	w.expectAlias(first)
	w.annotate(v1alpha1.AnnotationRollback, testengine.UUID(t, w.engine, first))
	w.pass()
	w.expectAlias(w.live)
	w.measured()
	w.expect(statePromoted) // at rest there: what was rolled back is no candidate
	w.expectAlias(w.live)
	second := w.newer("-2", goodDocs)
	w.measured()
	w.expectAlias(second)
}
