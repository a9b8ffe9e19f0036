package controllers

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

const allBlocks = "write read_only hidden"

func TestALockUntilPassedIsTakenBeforeTheMeasurementAndGivenBackByThePromotion(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		w := newWorld(t, url, goodDocs)
		w.gate(lockUntilPassed)
		w.pass()
		w.expect(stateMeasures)
		w.expectBlocks(w.candidate, allBlocks)
		if lock := w.read().Status.Lock; lock == nil || lock.Index != w.candidate || lock.Before != (v1alpha1.IndexBlocks{}) {
			t.Errorf("the lock is recorded as %+v", lock)
		}
		if status, answer := testengine.Try(t, "POST", url+"/_aliases", `{"actions": [{"add": {"index": "`+w.candidate+`", "alias": "`+w.alias+`"}}]}`); status != http.StatusForbidden {
			t.Errorf("somebody else could point the alias at the candidate: %d %s", status, answer)
		}
		w.runJob()
		w.pass()
		w.expect(statePromoted)
		w.expectAlias(w.candidate)
		w.expectBlocks(w.candidate, "")
		w.expectBlocks(w.live, "")
	})
}

func TestALockIsKeptOnAFailedCandidate(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		w := newWorld(t, url, badDocs)
		w.gate(lockUntilPassed)
		w.measured()
		w.expect(stateFailed)
		w.expectMessage("stays locked until another candidate is named")
		w.expectBlocks(w.candidate, allBlocks)
		w.expectAlias(w.live)
		// A manager that was started anew keeps it, and takes it again where it was lifted.
		w.r = w.newReconciler()
		w.expect(stateFailed)
		testengine.Do(t, "PUT", url+"/"+w.candidate+"/_settings", `{"index.blocks.read_only": null}`)
		w.pass()
		w.expectBlocks(w.candidate, allBlocks)
		w.expect(stateFailed)
		w.expectJobs(1)
	})
}

func TestALockIsGivenBack(t *testing.T) {
	for title, act := range map[string]func(w *world){
		"by suspending": func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = true })
			w.pass()
			w.expect("Failed/Suspended: Evaluated=True/BelowThreshold Passed=False/BelowThreshold Ready=False/Suspended -> InProgress")
		},
		"by the policy Off": func(w *world) {
			w.edit(policy(v1alpha1.PolicyOff))
			w.pass()
			w.expect(stateFailed)
		},
		"by another lock": func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.Lock = v1alpha1.LockNone })
			w.pass()
			w.expect(stateFailed)
		},
		"by another candidate": func(w *world) {
			w.edit(candidate(w.candidate + "-next"))
			w.pass()
			w.expect(waits("CandidateMissing"))
		},
		"by deleting the gate": func(w *world) {
			w.delete(w.read())
			w.pass()
		},
		"by deleting it while a finalizer holds it": func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Finalizers = []string{"example.com/foreign"} })
			w.delete(w.read())
			w.r = w.newReconciler() // it has never seen the gate
			w.pass()
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Finalizers = nil })
			w.pass()
		},
		"by deleting it while the engine is away": func(w *world) {
			w.delete(w.read())
			w.proxy.answerWith("/", http.StatusServiceUnavailable, "text/plain", "")
			if _, err := w.r.Reconcile(w.t.Context(), w.request("gate")); err == nil {
				w.t.Error("the lock is given up")
			}
			w.proxy.clear()
			w.pass()
		},
		"to an index that somebody made live": func(w *world) {
			for _, settings := range []string{`{"index.blocks.read_only": null}`, `{"index.blocks.write": null}`} {
				testengine.Do(w.t, "PUT", w.engine+"/"+w.candidate+"/_settings", settings)
			}
			w.pointAlias(w.candidate)
			w.pass()
			w.expect(stalls("CandidateInUse"))
		},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, badDocs)
			w.gate(lockUntilPassed)
			w.measured()
			w.expect(stateFailed)
			w.expectBlocks(w.candidate, allBlocks)
			act(w)
			w.expectBlocks(w.candidate, "")
			gate := &v1alpha1.RelevanceGate{}
			err := w.k.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "gate"}, gate)
			if client.IgnoreNotFound(err) != nil || gate.Status.Lock != nil {
				t.Errorf("the lock is still recorded: %+v, %v", gate.Status.Lock, err)
			}
		})
	}
}

func TestACandidateThatIsNotReadyIsNotLocked(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(lockUntilPassed, func(gate *v1alpha1.RelevanceGate) { *gate.Spec.Candidate.ReadyWhen.MinDocs = 5 })
	w.pass()
	w.expect(waits("CandidateNotReady"))
	w.expectBlocks(w.candidate, "")
	w.index(w.candidate, map[string]string{"d9": "grey glove"})
	w.later(time.Minute)
	w.pass()
	w.expect(stateMeasures)
	w.expectBlocks(w.candidate, allBlocks)
}

func TestALockIsRecordedBeforeItIsTaken(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(lockUntilPassed)
	recorded := false
	w.proxy.before("PUT /"+w.candidate+"/_block/write", func() { recorded = w.read().Status.Lock != nil })
	w.pass()
	if !recorded {
		t.Error("a crash after the block would have left it behind for good")
	}
	// And a pass that was cut short in between completes it.
	w.proxy.clear()
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.blocks.read_only": null}`)
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.blocks.write": null, "index.hidden": null}`)
	w.r = w.newReconciler()
	w.pass()
	w.expectBlocks(w.candidate, allBlocks)
	if !strings.HasPrefix(w.state("gate"), "Pending/Evaluating") {
		t.Errorf("the gate is %s", w.state("gate"))
	}
}

func TestABlockThatSomebodyElseSetBeforeTheLockWasRecordedIsLeftAlone(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(lockUntilPassed)
	// The count of readyWhen comes after the look at the blocks, and before the record.
	w.proxy.before("/"+w.candidate+"/_count", func() {
		testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_block/write", "")
	})
	w.pass()
	w.expect(stalls("CandidateBlocked"))
	w.expectBlocks(w.candidate, "write")
	if lock := w.read().Status.Lock; lock != nil {
		t.Errorf("the lock is recorded as %+v", lock)
	}
}
