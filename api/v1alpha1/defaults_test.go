package v1alpha1_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

func TestAGateGetsTheDefaultsOfAllThatItLeavesOut(t *testing.T) {
	c := newClient(t)
	want := object{
		"engine":    object{"url": "https://search.shop.svc:9200"},
		"alias":     "products",
		"candidate": object{"index": "products-v2"},
		"goldenSet": object{"configMapRef": object{"name": "golden", "key": "golden.json"}, "format": "Auto"},
		"search": object{
			"body":    object{"query": object{"match": object{"name": "{{query}}"}}},
			"idField": "_id"},
		"metrics":   list{object{"name": "ndcg@10", "min": "0.80", "relevantFrom": int64(1), "gain": "Exponential"}},
		"judgments": object{"at": int64(10), "requireWhy": false},
		"promotion": object{
			"policy": "Manual", "lock": "DuringSwap", "createAlias": false, "minDocsRatio": "0.95", "minHealth": "Yellow",
			"onDrift": "Report", "approvalSeconds": int64(86400)},
		"evaluation": object{
			"repeats": int64(2), "maxErrors": int64(0), "settleSeconds": int64(30), "pollSeconds": int64(60),
			"timeoutSeconds": int64(600), "retries": int64(2), "maxConcurrentSearches": int64(4)},
		"suspend": false,
	}
	for _, row := range []struct {
		name string
		edit edit
	}{
		{"the parents left out", with()},
		{"the parents empty", with(
			set("judgments", object{}), set("promotion", object{}), set("evaluation", object{}))},
		{"the parents null", with(
			set("judgments", nil), set("promotion", nil), set("evaluation", nil), set("suspend", nil))},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			gate := makeGate(row.edit)
			g.Expect(c.Create(t.Context(), gate, client.DryRunAll)).To(Succeed())
			g.Expect(gate.Object["spec"]).To(Equal(any(want)))
		})
	}
}

// A gate from a file must be judged as the same gate in a cluster is.
func TestSetDefaultsDoesWhatTheAPIServerDoes(t *testing.T) {
	c := newClient(t)
	for _, row := range accepted() {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			local := typed(t, makeGate(row.edit))

			gate := makeGate(row.edit)
			g.Expect(c.Create(t.Context(), gate, client.DryRunAll)).To(Succeed())
			remote := &v1alpha1.RelevanceGate{}
			g.Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(gate.Object, remote)).To(Succeed())

			g.Expect(local.Spec).To(Equal(remote.Spec))
			g.Expect(local.Status).To(Equal(remote.Status))
		})
	}
}

// A client that writes the Go type must get the same defaults as one that writes YAML, and keep a zero that it means.
func TestAGateWrittenInGoGetsTheDefaults(t *testing.T) {
	c := newClient(t)
	g := NewWithT(t)
	gate := typed(t, makeGate())
	want := gate.DeepCopy().Spec
	gate.Spec.Judgments, gate.Spec.Promotion, gate.Spec.Evaluation = v1alpha1.Judgments{}, v1alpha1.Promotion{}, v1alpha1.Evaluation{}
	g.Expect(c.Create(t.Context(), gate, client.DryRunAll)).To(Succeed())
	g.Expect(gate.Spec).To(Equal(want))

	none := int32(0)
	gate = typed(t, makeGate())
	gate.Spec.Evaluation.SettleSeconds, gate.Spec.Evaluation.Retries = &none, &none
	g.Expect(c.Create(t.Context(), gate, client.DryRunAll)).To(Succeed())
	g.Expect(*gate.Spec.Evaluation.SettleSeconds).To(BeZero())
	g.Expect(*gate.Spec.Evaluation.Retries).To(BeZero())
}

func TestAGateThatNoControllerHasSeenIsInProgress(t *testing.T) {
	c := newClient(t)
	g := NewWithT(t)
	gate := makeGate()
	gate.SetNamespace(makeNamespace(t, c))
	// Nobody can open a gate by writing a status along with it.
	gate.Object["status"] = object{"observedGeneration": int64(1), "verdict": "Passed"}
	g.Expect(c.Create(t.Context(), gate)).To(Succeed())

	for _, read := range []func() *unstructured.Unstructured{
		func() *unstructured.Unstructured { return gate },
		func() *unstructured.Unstructured {
			stored := makeGate()
			g.Expect(c.Get(t.Context(), client.ObjectKeyFromObject(gate), stored)).To(Succeed())
			return stored
		},
	} {
		g.Expect(read().Object["status"]).To(Equal(any(object{"observedGeneration": int64(-1)})))
		result, err := status.Compute(read())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(result.Status).To(Equal(status.InProgressStatus))
	}
}
