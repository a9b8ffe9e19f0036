package controllers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// minOnly leaves only limits that need no live index.
func minOnly(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[0].MaxDrop = "" }

func createAlias(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.CreateAlias = true }

func (w *world) removeAlias() {
	w.t.Helper()
	testengine.Do(w.t, "DELETE", w.engine+"/_all/_alias/"+w.alias, "")
}

func (w *world) addAlias(properties string) {
	w.t.Helper()
	testengine.Do(w.t, "PUT", w.engine+"/"+w.live+"/_alias/"+w.alias, properties)
}

func TestAliasesThatCannotBeSwapped(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		for title, row := range map[string]struct {
			prepare func(w *world)
			want    string
			message string
		}{
			"on two indices": {func(w *world) {
				w.pointAlias(w.live, testengine.Index(t, url, "other", ""))
			}, stalls("AliasOnSeveralIndices"), "2 indices"},
			"an index": {func(w *world) {
				w.removeAlias()
				testengine.Create(t, url, w.alias, "")
			}, stalls("AliasIsIndex"), "is an index"},
			"with a filter":  {func(w *world) { w.addAlias(`{"filter": {"term": {"name": "red"}}}`) }, stalls("AliasNotPlain"), "filter"},
			"with a routing": {func(w *world) { w.addAlias(`{"routing": "1"}`) }, stalls("AliasNotPlain"), "routing"},
		} {
			t.Run(title, func(t *testing.T) {
				w := newWorld(t, url, goodDocs)
				row.prepare(w)
				before := w.pointsAt()
				w.gate()
				w.pass()
				w.expect(row.want)
				w.expectMessage(row.message)
				w.expectJobs(0)
				w.expectAlias(before...)
				w.expectBlocks(w.candidate, "")
			})
		}
	})
}

func TestAnAliasThatDoesNotExist(t *testing.T) {
	t.Run("is not made unless the gate says so", func(t *testing.T) {
		w := onElasticsearch(t, goodDocs)
		w.removeAlias()
		w.gate(minOnly)
		w.measured()
		w.expect(passedBut("AliasMissing", "Stalled", "Failed"))
		w.expectMessage("createAlias")
		w.expectAlias()
	})
	t.Run("gives a relative limit nothing to compare with", func(t *testing.T) {
		w := onElasticsearch(t, goodDocs)
		w.removeAlias()
		w.gate()
		w.measured()
		w.expect("Inconclusive/NoLiveIndex: Evaluated=True/NoLiveIndex Passed=Unknown/NoLiveIndex Ready=False/NoLiveIndex Stalled=True/NoLiveIndex -> Failed")
		w.expectAlias()
	})
	t.Run("is made by createAlias, where maxDrop does not apply", func(t *testing.T) {
		w := onElasticsearch(t, goodDocs)
		w.removeAlias()
		w.gate(createAlias)
		w.measured()
		w.expect(statePromoted)
		w.expectAlias(w.candidate)
		if from := w.read().Status.Alias.PromotedFrom; from != nil {
			t.Errorf("it came from %v", from)
		}
	})
}

func TestCandidatesThatCannotBeMeasured(t *testing.T) {
	settings := func(text string) func(*world) {
		return func(w *world) { testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_settings", text) }
	}
	for title, row := range map[string]struct {
		prepare func(w *world)
		edit    func(w *world, gate *v1alpha1.RelevanceGate)
		want    string
		message string
		mend    func(w *world)
	}{
		"missing": {func(w *world) { testengine.Do(w.t, "DELETE", w.engine+"/"+w.candidate, "") }, nil, waits("CandidateMissing"), "does not exist yet",
			func(w *world) { testengine.Create(w.t, w.engine, w.candidate, ""); w.index(w.candidate, goodDocs) }},
		"live already": {func(w *world) { w.pointAlias(w.candidate) }, nil, stalls("CandidateInUse"), "already",
			func(w *world) { w.pointAlias(w.live) }},
		"behind another alias": {func(w *world) {
			testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_alias/"+w.alias+"-other", "")
		}, nil, stalls("CandidateInUse"), "-other",
			func(w *world) { testengine.Do(w.t, "DELETE", w.engine+"/"+w.candidate+"/_alias/*", "") }},
		"an alias itself": {nil, func(w *world, gate *v1alpha1.RelevanceGate) {
			testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_alias/"+w.alias+"-other", "")
			gate.Spec.Candidate.Index = w.alias + "-other"
		}, stalls("CandidateInUse"), "is an alias", nil},
		"blocked by somebody else": {settings(`{"index.blocks.write": true}`), nil, stalls("CandidateBlocked"), `PUT /`, settings(`{"index.blocks.write": null}`)},
		"hidden by somebody else":  {settings(`{"index.hidden": true}`), nil, stalls("CandidateBlocked"), "index.hidden", settings(`{"index.hidden": null}`)},
		"too small to be ready": {nil, func(_ *world, gate *v1alpha1.RelevanceGate) {
			gate.Spec.Candidate.ReadyWhen = &v1alpha1.ReadyWhen{MinDocs: ptr.To[int64](5)}
		}, waits("CandidateNotReady"), "has 4 documents", func(w *world) { w.index(w.candidate, map[string]string{"d9": "grey glove"}) }},
		"without its sign": {nil, func(_ *world, gate *v1alpha1.RelevanceGate) {
			gate.Spec.Candidate.ReadyWhen = &v1alpha1.ReadyWhen{Meta: &v1alpha1.MetaField{Key: "built", Value: "true"}}
		}, waits("CandidateNotReady"), "_meta.built", func(w *world) {
			testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_mapping", `{"_meta": {"built": true}}`)
		}},
		"far smaller than the live index": {func(w *world) {
			w.index(w.live, map[string]string{"d5": "x", "d6": "x", "d7": "x"})
		}, nil, waits("TooFewDocs"), "has 4 documents, the live index", func(w *world) {
			w.index(w.candidate, map[string]string{"d5": "x", "d6": "x", "d7": "x"})
		}},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			if row.prepare != nil {
				row.prepare(w)
			}
			w.gate(func(gate *v1alpha1.RelevanceGate) {
				if row.edit != nil {
					row.edit(w, gate)
				}
			})
			w.pass()
			before := w.pointsAt()
			w.expect(row.want)
			w.expectMessage(row.message)
			w.expectJobs(0)
			w.expectAlias(before...)
			for _, request := range w.proxy.take() {
				refresh := strings.Contains(request, "_refresh") && strings.Contains(row.want, "CandidateInUse")
				if refresh || strings.HasPrefix(request, "PUT") || strings.Contains(request, "_aliases") {
					t.Errorf("the candidate was touched: %s", request)
				}
			}
			if row.mend != nil {
				row.mend(w)
				w.measured()
				w.expect(statePromoted)
			}
		})
	}
}

func TestTheOlderOfTwoGatesMovesTheAlias(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	other := testengine.Index(t, w.engine, "other", "")
	w.index(other, goodDocs)
	w.gateNamed("a-older", policy(v1alpha1.PolicyManual), candidate(other))
	w.gate()
	w.measured()
	w.expect(passedBut("AliasTakenByOtherGate", "Stalled", "Failed"))
	w.expectMessage("a-older")
	w.expectAlias(w.live)
	// The older one is not in the way of a gate that stands alone, or once it is Off.
	w.passOf("a-older")
	w.expectOf("a-older", stateMeasures)
	older := w.readNamed("a-older")
	older.Spec.Promotion.Policy = v1alpha1.PolicyOff
	must(t, w.k.Update(t.Context(), older))
	w.pass()
	w.expect(statePromoted)
}

func TestACandidateThatAnotherGateHasLockedIsWaitedFor(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gateNamed("a-older", lockUntilPassed)
	w.passOf("a-older")
	w.expectBlocks(w.candidate, "write read_only hidden")
	w.gate(policy(v1alpha1.PolicyOff))
	w.pass()
	// Its blocks are not "somebody else's": the gate that holds them is named.
	w.expect(waits("CandidateLockedByOtherGate"))
	w.expectMessage("a-older")
	// The same while the other one moves its alias to it.
	older := w.readNamed("a-older")
	older.Status.Promotion, older.Status.Lock = &v1alpha1.PromotionStatus{To: &v1alpha1.IndexRef{UUID: older.Status.Lock.UUID}}, nil
	must(t, w.k.Status().Update(t.Context(), older))
	w.pass()
	w.expect(waits("CandidateLockedByOtherGate"))
}

// rested makes a world whose gate has promoted its candidate.
func rested(t *testing.T) *world {
	t.Helper()
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.measured()
	w.expect(statePromoted)
	return w
}

func TestAtRestAGateReadsItsAliasAndDoesNothingElse(t *testing.T) {
	w := rested(t)
	w.writes.take()
	w.proxy.take()
	polls, start := 0, w.clock.Now()
	for w.clock.Now().Sub(start) < 10*time.Minute {
		due := w.pass()
		if due < 54*time.Second || due > 66*time.Second {
			t.Fatalf("the next poll is due in %s", due)
		}
		polls++
		w.later(due)
		if polls == 3 {
			w.index(w.candidate, map[string]string{"d9": "written through the alias"})
		}
	}
	if writes := w.writes.take(); len(writes) > 0 {
		t.Errorf("at rest it wrote %v", writes)
	}
	reads := 0
	for _, request := range w.proxy.take() {
		switch request {
		case "GET /" + w.alias + "/_alias":
			reads++
		case "GET /" + w.alias + "/_settings": // the UUID of where it points
		case "GET /" + w.live + "/_settings": // whether it can be rolled back to
		default:
			t.Errorf("at rest it asked %s", request)
		}
	}
	if reads != polls || polls < 9 || polls > 12 {
		t.Errorf("%d polls in ten minutes read the alias %d times", polls, reads)
	}
	w.expectJobs(1)
	w.expect(statePromoted)
}

const stateLiveBelow = "Failed/LiveBelowThreshold: Evaluated=True/BelowThreshold Passed=False/BelowThreshold Promoted=True/Promoted Ready=False/LiveBelowThreshold Stalled=True/LiveBelowThreshold -> Failed"

func TestAfterAPromotionAChangedGoldenSetMeasuresTheLiveIndexAlone(t *testing.T) {
	w := rested(t)
	before := testengine.Do(t, "GET", w.engine+"/"+w.candidate, "")
	w.golden("golden", strings.Replace(goldenText, `"hat"`, `"bonnet"`, 1))
	w.proxy.take()
	w.pass()
	w.expect(strings.Replace(stateMeasures, " Ready", " Promoted=True/Promoted Ready", 1))
	w.runJob()
	w.pass()
	w.expect(stateLiveBelow)
	gate := w.read()
	if gate.Status.Evaluation.Candidate != nil || gate.Status.Evaluation.Live.Index != w.candidate || gate.Status.NDCG != "0.666667" {
		t.Errorf("measured was %+v, ndcg %s", gate.Status.Evaluation, gate.Status.NDCG)
	}
	for _, request := range w.proxy.take() {
		if strings.Contains(request, "_refresh") || strings.HasPrefix(request, "PUT") || strings.Contains(request, "_aliases") {
			t.Errorf("the live index was touched: %s", request)
		}
	}
	if after := testengine.Do(t, "GET", w.engine+"/"+w.candidate, ""); after != before {
		t.Errorf("the live index changed from %s to %s", before, after)
	}
	w.expectAlias(w.candidate)
	w.golden("golden", goldenText+" ")
	w.measured()
	w.expect(statePromoted)
	w.expectJobs(3)
}

func TestAfterAPromotionTheAnnotationMeasuresTheLiveIndexOnce(t *testing.T) {
	w := rested(t)
	w.annotate(v1alpha1.AnnotationRequestedAt, "now")
	w.measured()
	w.expect(statePromoted)
	w.expectJobs(2)
}

func TestAfterAPromotionStricterLimitsGiveAVerdictWithoutAJob(t *testing.T) {
	w := rested(t)
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[2].Min = "0.99" })
	w.pass()
	w.expect(stateLiveBelow)
	w.expectAlias(w.candidate)
	w.expectJobs(1)
}

func TestAfterAPromotionABrokenGoldenSetLeavesTheAliasPromoted(t *testing.T) {
	w := rested(t)
	w.golden("golden", "{")
	w.pass()
	w.expect(strings.Replace(stalls("InvalidGoldenSet"), " Ready", " Promoted=True/Promoted Ready", 1))
	w.expectAlias(w.candidate)
}

func TestTheNextCandidateIsMeasuredBesideThePromotedOne(t *testing.T) {
	w := rested(t)
	next := testengine.Index(t, w.engine, "next", "")
	w.index(next, badDocs)
	w.edit(candidate(next))
	w.measured()
	w.expect(stateFailed)
	w.expectAlias(w.candidate)
	if live := w.read().Status.Evaluation.Live.Index; live != w.candidate {
		t.Errorf("it was measured beside %s", live)
	}
	// Back to the index that is live: the numbers of the failed one are not its own.
	w.edit(candidate(w.candidate))
	w.pass()
	w.expect(strings.Replace(stateMeasures, " Ready", " Promoted=True/Promoted Ready", 1))
	w.runJob()
	w.pass()
	w.expect(statePromoted)
}

func TestAnAliasThatIsMovedAwayAfterAPromotionHasDrifted(t *testing.T) {
	for title, move := range map[string]func(w *world){
		"moved back":        func(w *world) { w.pointAlias(w.live) },
		"taken away":        func(w *world) { w.removeAlias() },
		"on a second index": func(w *world) { w.pointAlias(w.live, w.candidate) },
		"filtered by somebody": func(w *world) {
			testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_alias/"+w.alias, `{"filter": {"term": {"name": "red"}}}`)
		},
	} {
		t.Run(title, func(t *testing.T) {
			w := rested(t)
			move(w)
			moved := w.pointsAt()
			w.pass()
			w.expect(passedBut("Drifted", "Stalled", "Failed"))
			w.expectAlias(moved...)
			w.expectJobs(1)
			w.pointAlias(w.candidate)
			w.pass()
			w.expect(statePromoted)
		})
	}
}

func TestUnderThePolicyOffAnAliasMayBeMovedByOthers(t *testing.T) {
	w := rested(t)
	w.edit(policy(v1alpha1.PolicyOff))
	w.pass()
	w.expect(statePromoted)
	w.pointAlias(w.live)
	w.measured()
	w.expect("Passed/ThresholdsMet: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Ready=True/ThresholdsMet -> Current")
	w.expectAlias(w.live)
}

func TestAPromotedIndexThatWasMadeAnewIsAnotherCandidate(t *testing.T) {
	w := rested(t)
	w.pointAlias(w.live)
	testengine.Do(t, "DELETE", w.engine+"/"+w.candidate, "")
	testengine.Create(t, w.engine, w.candidate, "")
	w.index(w.candidate, badDocs)
	w.measured()
	w.expect(stateFailed)
	w.expectJobs(2)
	w.expectAlias(w.live)
}

func TestACandidateThatIsMadeAnewInMidPassIsMeasuredByItsOwnUUID(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.proxy.before("POST /"+w.candidate+"/_refresh", func() {
		testengine.Remove(t, w.engine, w.candidate)
		testengine.Create(t, w.engine, w.candidate, "")
		w.index(w.candidate, goodDocs)
	})
	w.gate()
	w.pass()
	if got, want := w.state("gate"), waits("Settling"); got != want {
		t.Errorf("the gate is %s", got)
	}
	w.expectJobs(0)
	w.measured()
	w.expect(statePromoted)
}

func TestACandidateThatTheAliasHasJustLeftIsNotMeasuredBesideItself(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.pointAlias(w.candidate)
	w.proxy.before("GET /"+w.candidate+"/_settings", func() { w.pointAlias(w.live) })
	w.gate()
	w.pass()
	if got, want := w.state("gate"), waits("AliasMoved"); got != want {
		t.Errorf("the gate is %s", got)
	}
	w.expectJobs(0)
	w.measured()
	w.expect(statePromoted)
}

func TestAnotherClusterBehindTheSameAddressIsMeasuredAnew(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyManual))
	w.measured()
	key := w.read().Status.Evaluation.Key
	w.annotate(v1alpha1.AnnotationApprove, key)
	info := testengine.Do(t, "GET", w.engine+"/", "")
	uuid := w.read().Status.Evaluation.Engine.ClusterUUID
	w.proxy.mu.Lock()
	w.proxy.answer = func(out http.ResponseWriter, request *http.Request) bool {
		if request.URL.Path != "/" {
			return false
		}
		out.Header().Set("Content-Type", "application/json")
		out.Header().Set("X-Elastic-Product", "Elasticsearch")
		fmt.Fprint(out, strings.Replace(info, uuid, "another", 1))
		return true
	}
	w.proxy.mu.Unlock()
	w.pass()
	w.expect(stateMeasures)
	if again := w.read().Status.Evaluation.Key; again == key {
		t.Error("the key is the same on another cluster")
	}
	w.expectAlias(w.live)
	if slices.Contains(w.proxy.take(), "POST /_aliases") {
		t.Error("the approval for the other cluster was taken")
	}
}
