package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// A gate that has passed may wait for days. It must not write at each poll.
func TestAPromotionThatIsRefusedIsAtRestUntilItIsTriedAgain(t *testing.T) {
	settings := func(index func(*world) string, text string) func(*world) {
		return func(w *world) { testengine.Do(w.t, "PUT", w.engine+"/"+index(w)+"/_settings", text) }
	}
	for title, row := range map[string]struct {
		spoil, mend func(w *world)
		want        string
		asked       bool // the engine was told to block or to swap
	}{
		"poor health": {
			settings(onCandidate, `{"index.number_of_replicas": 1}`), settings(onCandidate, `{"index.number_of_replicas": 0}`),
			passedBut("NotHealthy", "Reconciling", "InProgress"), false,
		},
		"too few documents": {
			func(w *world) { w.index(w.live, map[string]string{"d5": "x", "d6": "x", "d7": "x"}) },
			func(w *world) {
				testengine.Do(w.t, "POST", w.engine+"/"+w.live+"/_delete_by_query?refresh=true", `{"query": {"match": {"name": "x"}}}`)
			},
			passedBut("TooFewDocs", "Reconciling", "InProgress"), false,
		},
		"a live index that is read_only": {
			settings(onLive, `{"index.blocks.read_only": true}`), settings(onLive, `{"index.blocks.read_only": null}`),
			passedBut("CandidateBlocked", "Stalled", "Failed"), true,
		},
		"a right that is missing": {
			func(w *world) { w.proxy.answerWith("POST /_aliases", 403, "application/json", securityError(403)) },
			func(w *world) { w.proxy.clear() },
			passedBut("EngineUnauthorized", "Stalled", "Failed"), true,
		},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.MinHealth = v1alpha1.HealthGreen })
			w.pass()
			w.runJob()
			row.spoil(w)
			w.proxy.take()
			for round := range 2 { // what is tried again is refused again
				w.later(lastRetry)
				w.writes.take()
				w.pass()
				if writes := w.writes.take(); round > 0 && !row.asked && len(writes) > 0 {
					t.Errorf("what can be asked beforehand was written about: %v", writes)
				}
				if asked := touched(w.proxy.take()); asked != row.asked {
					t.Errorf("the engine was told to change something: %t", asked)
				}
				w.expect(row.want)
				if touched(w.proxy.take()) {
					t.Error("a second pass told the engine to change something")
				}
				w.expectAlias(w.live)
				w.expectBlocks(w.candidate, "")
				if record := w.read().Status.Promotion; record != nil {
					t.Errorf("still recorded: %+v", record)
				}
			}
			row.mend(w)
			w.later(2 * firstPromotionRetry)
			w.pass()
			w.expect(statePromoted)
			w.expectJobs(1)
		})
	}
}

// touched tells whether the engine was asked to change an index or the alias.
func touched(requests []string) bool {
	for _, request := range requests {
		if strings.HasPrefix(request, "PUT ") || request == "POST /_aliases" {
			return true
		}
	}
	return false
}

func TestARefusedPromotionIsTriedAgainEverLater(t *testing.T) {
	gate := makeGate("products", func(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.PollSeconds = 3600 })
	s := &scope{gate: gate, now: time.Unix(0, 0), mem: &remembered{}, key: "a"}
	refused := func(reason string) time.Duration {
		due := asHalt(s.promotionRefused(&halt{reason: reason})).after
		s.now = s.now.Add(due - time.Second)
		if s.promotionHeld() == nil {
			t.Error("it is tried again too early")
		}
		s.now = s.now.Add(time.Second)
		if s.promotionHeld() != nil {
			t.Error("it is not tried again in time")
		}
		return due
	}
	for i, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 600, 600} {
		if got := refused("One"); got != want*time.Second {
			t.Errorf("after refusal %d: %s, want %s", i+1, got, want*time.Second)
		}
	}
	if got := refused("Another"); got != firstPromotionRetry {
		t.Errorf("after another refusal: %s", got)
	}
	for what, change := range map[string]func(){
		"another evaluation": func() { s.key = "b" },
		"a changed spec":     func() { gate.Generation++ },
		"an approval":        func() { gate.Annotations = map[string]string{v1alpha1.AnnotationApprove: "b"} },
		"another Secret":     func() { s.credentials = "2" },
	} {
		_ = s.promotionRefused(&halt{reason: "One"})
		change()
		if s.promotionHeld() != nil {
			t.Errorf("%s is not tried at once", what)
		}
	}
	gate.Spec.Evaluation.PollSeconds = 2
	if due := asHalt(s.promotionRefused(&halt{reason: "One"})).after; due != 2*time.Second {
		t.Errorf("the next pass is due in %s, later than the poll", due)
	}
}
