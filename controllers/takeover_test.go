package controllers

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func TestALockThatAnotherManagerHasGivenUpIsNotLeftBehind(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate(lockUntilPassed)
	w.measured()
	w.expect(stateFailed)
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.blocks.read_only": null}`)
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.blocks.write": null, "index.hidden": null}`)
	// This manager is about to take the lock again, and stands still while the next one
	// gives it back for good.
	w.proxy.before("PUT /"+w.candidate+"/_block/write", func() {
		w.edit(policy(v1alpha1.PolicyOff))
		_, err := w.newReconciler().Reconcile(t.Context(), w.request("gate"))
		must(t, err)
	})
	if due := w.pass(); due != conflictRetry {
		t.Errorf("the next pass is due in %s", due)
	}
	w.expectBlocks(w.candidate, "")
	w.pass()
	w.expect(stateFailed)
}

func TestAStatusThatIsOutOfDateTakesNoBlockOff(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(lockUntilPassed)
	w.pass()
	w.runJob()
	old := &v1alpha1.RelevanceGate{}
	w.proxy.before("POST /_aliases", func() { old = w.read() })
	w.pass()
	w.expect(statePromoted)
	w.proxy.clear()
	testengine.Do(t, "PUT", w.engine+"/"+w.candidate+"/_settings", `{"index.hidden": true}`)
	now := w.r.Client
	w.r.Client = outOfDate{now, old}
	if due := w.pass(); due != conflictRetry {
		t.Errorf("the next pass is due in %s", due)
	}
	w.expectBlocks(w.candidate, "hidden")
	w.r.Client = now
	w.expect(statePromoted)
}

// outOfDate is a cache that shows the gate as it was.
type outOfDate struct {
	client.Client
	gate *v1alpha1.RelevanceGate
}

func (c outOfDate) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	if gate, ok := object.(*v1alpha1.RelevanceGate); ok {
		c.gate.DeepCopyInto(gate)
		return nil
	}
	return c.Client.Get(ctx, key, object, options...)
}
