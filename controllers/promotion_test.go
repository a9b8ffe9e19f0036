package controllers

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func TestACandidateOfPoorHealthWaits(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.number_of_replicas": 1}`)
	w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.MinHealth = v1alpha1.HealthGreen })
	w.measured()
	if got, want := w.state("gate"), passedBut("NotHealthy", "Reconciling", "InProgress"); got != want {
		t.Fatalf("the gate is %s", got)
	}
	w.expectAlias(w.live)
	w.expectBlocks(w.candidate, "")
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.number_of_replicas": 0}`)
	w.pass()
	w.expect(statePromoted)
	w.expectJobs(1)
}

func TestTheGateIsAskedOnceMoreDirectlyBeforeTheSwap(t *testing.T) {
	for title, row := range map[string]struct {
		change func(w *world)
		want   string
	}{
		"the policy became Off": {func(w *world) { w.edit(policy(v1alpha1.PolicyOff)) },
			"Passed/ThresholdsMet: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Ready=True/ThresholdsMet -> Current"},
		"it was suspended": {func(w *world) { w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = true }) },
			"Passed/Suspended: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=False/Promoting Ready=False/Suspended -> InProgress"},
		"the limits became stricter": {func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[2].Min = "1" })
		}, stateFailed},
		"the approval was taken back": {func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Annotations = nil })
		}, stateAwaitsApproval},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(policy(v1alpha1.PolicyManual))
			w.measured()
			w.approve()
			w.proxy.before("PUT /"+w.candidate+"/_block/write", func() { row.change(w) })
			if due := w.pass(); due != conflictRetry {
				t.Errorf("the next pass is due in %s", due)
			}
			w.expectAlias(w.live)
			w.expectBlocks(w.candidate, "")
			w.pass()
			w.expect(row.want)
			w.expectAlias(w.live)
			w.expectBlocks(w.candidate, "")
			if w.read().Status.Promotion != nil {
				t.Error("the intent is still recorded")
			}
		})
	}
}

func TestRivalsOfASwap(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		t.Run("a write before the block is measured", func(t *testing.T) {
			w := newWorld(t, url, goodDocs)
			w.gate()
			w.pass()
			w.runJob()
			w.proxy.before("PUT /"+w.candidate+"/_block/write", func() { w.index(w.candidate, map[string]string{"d9": "grey glove"}) })
			w.pass()
			if got := w.state("gate"); got != waits("ContentChanged") {
				t.Fatalf("the gate is %s", got)
			}
			w.expectAlias(w.live)
			w.expectBlocks(w.candidate, "")
			w.measured()
			w.expect(statePromoted)
			w.expectJobs(2)
		})
		t.Run("an alias that somebody moved first is left there", func(t *testing.T) {
			w := newWorld(t, url, goodDocs)
			other := testengine.Index(t, url, "other", "")
			w.index(other, goodDocs)
			w.gate()
			w.pass()
			w.runJob()
			w.proxy.before("POST /_aliases", func() { w.pointAlias(other) })
			w.pass()
			if got := w.state("gate"); got != passedBut("AliasMoved", "Reconciling", "InProgress") {
				t.Fatalf("the gate is %s", got)
			}
			w.expectAlias(other)
			w.expectBlocks(w.candidate, "")
			w.measured() // beside the other one
			w.expect(statePromoted)
			w.expectJobs(2)
		})
		t.Run("an answer that is lost changes nothing", func(t *testing.T) {
			w := newWorld(t, url, goodDocs)
			w.gate()
			w.pass()
			w.runJob()
			w.proxy.mu.Lock()
			w.proxy.answer = func(out http.ResponseWriter, request *http.Request) bool {
				if request.URL.Path != "/_aliases" {
					return false
				}
				body, _ := io.ReadAll(request.Body)
				testengine.Do(t, "POST", url+"/_aliases", string(body))
				out.WriteHeader(http.StatusBadGateway)
				return true
			}
			w.proxy.mu.Unlock()
			w.pass()
			w.expect(statePromoted)
			w.expectAlias(w.candidate)
		})
	})
}

func TestARightThatIsMissingForTheSwapIsTold(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	w.runJob()
	w.proxy.answerWith("POST /_aliases", 403, "application/json", securityError(403))
	w.pass()
	if got := w.state("gate"); got != passedBut("EngineUnauthorized", "Stalled", "Failed") {
		t.Fatalf("the gate is %s", got)
	}
	w.expectAlias(w.live)
	w.expectBlocks(w.candidate, "")
	w.proxy.clear()
	w.later(firstPromotionRetry)
	w.pass()
	w.expect(statePromoted)
}

func TestTheIntentIsRecordedBeforeTheEngineIsTouched(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	w.runJob()
	state := ""
	w.proxy.before("PUT /"+w.candidate+"/_block/write", func() {
		state = w.state("gate")
		if record := w.read().Status.Promotion; record == nil || record.To.Index != w.candidate || record.From.Index != w.live || record.Lock != v1alpha1.LockDuringSwap {
			t.Errorf("the intent is recorded as %+v", record)
		}
	})
	w.pass()
	if state != passedBut("Promoting", "Reconciling", "InProgress") {
		t.Errorf("before the swap the gate was %s", state)
	}
}

func TestAPromotionThatWasCutShortIsBroughtToItsEnd(t *testing.T) {
	block := func(w *world) { testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_block/write", "") }
	suspended := "Passed/Suspended: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=True/Promoted Ready=False/Suspended -> InProgress"
	for title, row := range map[string]struct {
		left  func(w *world) // what the pass before left behind
		want  string
		alias func(w *world) string
	}{
		"nothing was done yet":    {func(*world) {}, stateAwaitsApproval, onLive},
		"the block was set":       {block, stateAwaitsApproval, onLive},
		"the alias was moved":     {func(w *world) { block(w); w.pointAlias(w.candidate) }, statePromoted, onCandidate},
		"the block was taken off": {func(w *world) { w.pointAlias(w.candidate) }, statePromoted, onCandidate},
		"the alias was moved elsewhere": {func(w *world) {
			block(w)
			other := testengine.Index(w.t, w.engine, "other", "")
			w.index(other, goodDocs)
			w.pointAlias(other)
			w.live = other
		}, stateMeasures, onLive},
		"the spec asks for no lock any more": {func(w *world) {
			block(w)
			w.pointAlias(w.candidate)
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.Lock = v1alpha1.LockNone })
		}, statePromoted, onCandidate},
		"the gate was suspended after the swap": {func(w *world) {
			block(w)
			w.pointAlias(w.candidate)
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = true })
		}, suspended, onCandidate},
		"the gate was suspended before the swap": {func(w *world) {
			block(w)
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = true })
		}, strings.NewReplacer("Promoted=True/Promoted", "Promoted=False/AwaitingApproval").Replace(suspended), onLive},
		"the candidate had changed before it": {func(w *world) {
			w.index(w.candidate, map[string]string{"d9": "grey glove"})
			block(w)
			w.pointAlias(w.candidate)
		}, waits("ContentChanged"), onLive},
		"the candidate was made anew before it": {func(w *world) {
			testengine.Do(w.t, "DELETE", w.engine+"/"+w.candidate, "")
			testengine.Create(w.t, w.engine, w.candidate, "")
			w.index(w.candidate, badDocs)
			w.pointAlias(w.candidate)
		}, waits("ContentChanged"), onLive},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(policy(v1alpha1.PolicyManual))
			w.measured()
			w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
				status.Promotion = &v1alpha1.PromotionStatus{
					EvaluationKey: status.Evaluation.Key,
					From:          &v1alpha1.IndexRef{Index: w.live, UUID: testengine.UUID(t, w.engine, w.live)},
					To:            &v1alpha1.IndexRef{Index: w.candidate, UUID: testengine.UUID(t, w.engine, w.candidate)},
					Step:          v1alpha1.StepRecorded,
				}
			})
			row.left(w)
			w.r = w.newReconciler()
			w.pass()
			if got := w.state("gate"); got != row.want {
				t.Fatalf("state\n got %s\nwant %s\nmessage: %s", got, row.want, w.read().Status.Message)
			}
			w.expectAlias(row.alias(w))
			w.expectBlocks(w.candidate, "")
			w.expectBlocks(w.live, "")
			if record := w.read().Status.Promotion; record != nil {
				t.Errorf("still recorded: %+v", record)
			}
		})
	}
}

func TestALockIsNotGivenBackBeforeThePromotionUnderItIsChecked(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyManual), lockUntilPassed)
	w.measured()
	w.expect(stateAwaitsApproval)
	w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
		status.Promotion = &v1alpha1.PromotionStatus{
			EvaluationKey: status.Evaluation.Key,
			From:          &v1alpha1.IndexRef{Index: w.live, UUID: testengine.UUID(t, w.engine, w.live)},
			To:            &v1alpha1.IndexRef{Index: w.candidate, UUID: testengine.UUID(t, w.engine, w.candidate)},
			Lock:          v1alpha1.LockUntilPassed,
		}
	})
	// Somebody wrote behind the lock, then the alias moved, then the manager stopped.
	for _, settings := range []string{`{"index.blocks.read_only": null}`, `{"index.blocks.write": null}`} {
		testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", settings)
	}
	w.index(w.candidate, map[string]string{"d9": "grey glove"})
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_block/write", "")
	w.pointAlias(w.candidate)
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = true })
	w.r = w.newReconciler()
	w.pass()
	w.expectAlias(w.live)
	w.pass()
	w.expectBlocks(w.candidate, "")
	if got := w.read().Status; got.Reason != v1alpha1.ReasonSuspended || got.Lock != nil || got.Promotion != nil {
		t.Errorf("the gate is %s", w.state("gate"))
	}
}

func onLive(w *world) string      { return w.live }
func onCandidate(w *world) string { return w.candidate }

func TestAPromotionWhoseRecordCouldNotBeWrittenIsFoundAgain(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		for title, lock := range map[string]func(*v1alpha1.RelevanceGate){
			"DuringSwap":  func(*v1alpha1.RelevanceGate) {},
			"UntilPassed": lockUntilPassed,
		} {
			t.Run(title, func(t *testing.T) {
				w := newWorld(t, url, goodDocs)
				w.gate(lock)
				w.pass()
				w.runJob()
				writes := 0
				w.writes.refuse = func(write string) error {
					if strings.HasSuffix(write, "/status") {
						if writes++; writes > 1 { // the first one is the intent
							return errors.New("killed")
						}
					}
					return nil
				}
				if _, err := w.r.Reconcile(t.Context(), w.request("gate")); err == nil {
					t.Error("the status was written")
				}
				w.writes.refuse = nil
				w.expectAlias(w.candidate)
				if w.read().Status.Promotion == nil {
					t.Error("the intent is not recorded")
				}
				w.r = w.newReconciler()
				w.pass()
				w.expect(statePromoted)
				w.expectAlias(w.candidate)
				w.expectBlocks(w.candidate, "")
				w.expectJobs(1)
			})
		}
	})
}

func TestAGoldenSetThatChangesDuringThePassMovesNothing(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	w.runJob()
	w.proxy.before("PUT /"+w.candidate+"/_block/write", func() {
		w.golden("golden", strings.Replace(goldenText, "grade\": 1", "grade\": 2", 1))
	})
	if due := w.pass(); due != conflictRetry {
		t.Errorf("the next pass is due in %s", due)
	}
	w.expectAlias(w.live)
	w.expectBlocks(w.candidate, "")
	w.pass()
	w.expect(stateMeasures)
	w.expectAlias(w.live)
}

func TestAnAPIServerThatFailsBeforeTheSwapIsNotTheEngine(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	reader := &failingReader{Reader: w.r.Live}
	w.r.Live = reader
	w.gate()
	w.pass()
	w.runJob()
	w.proxy.before("PUT /"+w.candidate+"/_block/write", func() { reader.fail = true })
	if _, err := w.r.Reconcile(t.Context(), w.request("gate")); err == nil || !strings.Contains(err.Error(), "the API server is busy") {
		t.Errorf("the pass ends with %v", err)
	}
	w.expectAlias(w.live)
	w.expectBlocks(w.candidate, "")
	reader.fail = false
	w.pass()
	w.expect(statePromoted)
}

func TestABlockOfSomebodyElseOutlivesAPromotionWithoutALock(t *testing.T) {
	for title, row := range map[string]struct {
		lock v1alpha1.LockMode
		left string
	}{
		"None":       {v1alpha1.LockNone, "write hidden"},
		"DuringSwap": {v1alpha1.LockDuringSwap, "hidden"},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(policy(v1alpha1.PolicyManual), func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.Lock = row.lock })
			w.measured()
			w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
				status.Promotion = &v1alpha1.PromotionStatus{
					From: &v1alpha1.IndexRef{Index: w.live, UUID: testengine.UUID(t, w.engine, w.live)},
					To:   &v1alpha1.IndexRef{Index: w.candidate, UUID: testengine.UUID(t, w.engine, w.candidate)},
					Lock: row.lock,
				}
			})
			testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.blocks.write": true, "index.hidden": true}`)
			w.pass()
			w.expect(stalls("CandidateBlocked"))
			w.expectBlocks(w.candidate, row.left)
			if record := w.read().Status.Promotion; record != nil {
				t.Errorf("still recorded: %+v", record)
			}
		})
	}
}
