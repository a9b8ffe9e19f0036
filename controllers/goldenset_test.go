package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/golden"
)

// The golden set of the worlds in two shards.
const (
	shoesShard = `{"schema": "relevancegate.dev/golden/v1", "name": "shoes", "queries": [
	{"id": "shoes", "query": "` + plantedQuery + ` shoe", "judgments": [{"id": "d1", "grade": 3}, {"id": "d2", "grade": 1}]}]}`
	hatsShard = `{"schema": "relevancegate.dev/golden/v1", "name": "hats", "queries": [
	{"id": "hats", "query": "hat", "judgments": [{"id": "d3", "grade": 3}]},
	{"id": "scarves", "query": "scarf", "judgments": [{"id": "d4", "grade": 2}]}]}`
)

var shardLabels = map[string]string{"golden": "es"}

// shard writes a part of a golden set into a labelled ConfigMap.
func (w *world) shard(name string, data map[string]string) *corev1.ConfigMap {
	w.t.Helper()
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
	_, err := ctrl.CreateOrUpdate(w.t.Context(), w.k, configMap, func() error {
		configMap.Labels, configMap.Data = shardLabels, data
		return nil
	})
	must(w.t, err)
	return configMap
}

func bySelector(gate *v1alpha1.RelevanceGate) {
	gate.Spec.GoldenSet.ConfigMapRef = nil
	gate.Spec.GoldenSet.ConfigMapSelector = &metav1.LabelSelector{MatchLabels: shardLabels}
}

// expectGolden wants the status to name these files, in this order.
func (w *world) expectGolden(queries int64, texts ...string) {
	w.t.Helper()
	var files []golden.Source
	for _, text := range texts {
		files = append(files, golden.Source{Raw: []byte(text)})
	}
	digest, err := golden.DigestFiles(files)
	must(w.t, err)
	if set := w.read().Status.Evaluation.GoldenSet; set.Digest != digest || set.Queries != queries {
		w.t.Errorf("the golden set is %+v, want %d queries and %s", set, queries, digest)
	}
}

func TestShardsAreMergedInTheOrderOfTheirNames(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.shard("part-2", map[string]string{"b.json": hatsShard})
	w.shard("part-1", map[string]string{"a.json": shoesShard})
	w.golden("part-0", "not selected, as it has no label")
	w.gate(bySelector)
	w.measured()
	w.expect(statePromoted)
	w.expectGolden(3, shoesShard, hatsShard)
}

func TestTheKeysOfAShardAreMergedInTheirOrder(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.shard("part", map[string]string{"2.json": shoesShard, "1.json": hatsShard})
	w.gate(bySelector)
	w.measured()
	w.expect(statePromoted)
	w.expectGolden(3, hatsShard, shoesShard)
}

func TestAShardThatComesDuringThePassMovesNothing(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.shard("part-1", map[string]string{"a.json": shoesShard})
	w.gate(bySelector)
	w.pass()
	w.runJob()
	w.proxy.before("PUT /"+w.candidate+"/_block/write", func() { w.shard("part-2", map[string]string{"b.json": hatsShard}) })
	if due := w.pass(); due != conflictRetry {
		t.Errorf("the next pass is due in %s", due)
	}
	w.expectAlias(w.live)
	w.expectBlocks(w.candidate, "")
	w.pass()
	w.expect(stateMeasures)
}

func TestAChangedSelectionIsMeasured(t *testing.T) {
	more := strings.NewReplacer(`"id": "hats"`, `"id": "caps"`, `"hat"`, `"red hat"`, `"id": "scarves"`, `"id": "shawls"`, `"scarf"`, `"green scarf"`).Replace(hatsShard)
	for title, row := range map[string]struct {
		change  func(w *world)
		queries int64
		files   []string
	}{
		"a shard is changed": {func(w *world) { w.shard("part-2", map[string]string{"b.json": more}) }, 3, []string{shoesShard, more}},
		"a shard is added":   {func(w *world) { w.shard("part-3", map[string]string{"c.json": more}) }, 5, []string{shoesShard, hatsShard, more}},
		"a key is added":     {func(w *world) { w.shard("part-1", map[string]string{"a.json": shoesShard, "c.json": more}) }, 5, []string{shoesShard, more, hatsShard}},
		"a shard is deleted": {func(w *world) { w.delete(w.shard("part-2", nil)) }, 1, []string{shoesShard}},
		"a label is taken off": {func(w *world) {
			configMap := w.shard("part-2", map[string]string{"b.json": hatsShard})
			configMap.Labels = nil
			must(t, w.k.Update(t.Context(), configMap))
		}, 1, []string{shoesShard}},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, badDocs)
			w.shard("part-1", map[string]string{"a.json": shoesShard})
			w.shard("part-2", map[string]string{"b.json": hatsShard})
			w.gate(bySelector)
			w.measured()
			w.expect(stateFailed)
			row.change(w)
			w.pass()
			w.expect(stateMeasures)
			w.expectJobs(2)
			w.expectGolden(row.queries, row.files...)
		})
	}
}

func TestSelectionsThatCannotBeUsed(t *testing.T) {
	keys := map[string]string{}
	for i := range maxShards + 1 {
		keys[fmt.Sprintf("%03d.json", i)] = shoesShard
	}
	for title, row := range map[string]struct {
		prepare func(w *world)
		want    string
		message []string
	}{
		"nothing is selected": {func(*world) {}, waits("GoldenSetNotFound"), []string{"no ConfigMap of the namespace ", " is selected by golden=es (spec.goldenSet.configMapSelector); label those that hold the golden set"}},
		"an empty shard": {func(w *world) {
			w.shard("part-1", map[string]string{"a.json": shoesShard})
			w.shard("part-2", nil)
		}, stalls("InvalidGoldenSet"), []string{"/part-2 is selected by spec.goldenSet.configMapSelector and has no key"}},
		"a shard that is broken": {func(w *world) {
			w.shard("part-1", map[string]string{"a.json": shoesShard})
			w.shard("part-2", map[string]string{"b.json": "{"})
		}, stalls("InvalidGoldenSet"), []string{"ConfigMap ", "/part-2, key b.json: line 1"}},
		"a query twice": {func(w *world) {
			w.shard("part-1", map[string]string{"a.json": shoesShard})
			w.shard("part-2", map[string]string{"b.json": shoesShard})
		}, stalls("InvalidGoldenSet"), []string{"/part-2, key b.json: ", `"shoes"`}},
		"more files than are read": {func(w *world) { w.shard("part-1", keys) }, stalls("GoldenSetTooLarge"),
			[]string{"the golden set of the ConfigMaps golden=es in ", " is in 101 files, and at most 100 are read"}},
		"more bytes than are read": {func(w *world) {
			for i := range 17 {
				w.shard(fmt.Sprintf("part-%02d", i), map[string]string{"a.json": strings.Repeat(" ", 1_000_000)})
			}
		}, stalls("GoldenSetTooLarge"), []string{"is larger than 16 MiB"}},
	} {
		t.Run(title, func(t *testing.T) {
			w := onFake(t, goodDocs)
			row.prepare(w)
			w.gate(bySelector)
			w.pass()
			w.expect(row.want)
			w.expectMessage(row.message...)
			w.expectJobs(0)
		})
	}
}

func TestMoreConfigMapsThanAreReadAreNotRead(t *testing.T) {
	gate := makeGate("products", bySelector)
	r := &Reconciler{memory: newMemory()} // It would panic if it read any.
	facts, err := r.readGoldenSet(t.Context(), &scope{gate: gate}, make([]metav1.PartialObjectMetadata, maxShards+1))
	if err != nil || facts.problem == nil || !strings.Contains(facts.problem.Error(), "is in 101 ConfigMaps, and at most 100 are read") {
		t.Errorf("got %v, %v", facts.problem, err)
	}
}

func TestAnUnchangedSelectionIsReadOnce(t *testing.T) {
	w := onFake(t, goodDocs)
	reads := 0
	w.r.Live = readerFunc(func(object client.Object) {
		if _, ok := object.(*corev1.ConfigMap); ok {
			reads++
		}
	}, w.r.Live)
	w.shard("part-1", map[string]string{"a.json": shoesShard})
	w.shard("part-2", map[string]string{"b.json": hatsShard})
	w.gate(bySelector)
	w.pass()
	w.pass()
	w.expect(stateMeasures)
	if reads != 2 {
		t.Errorf("the two shards were read %d times", reads)
	}
}

func TestAShardLeadsToItsGate(t *testing.T) {
	w := onFake(t, goodDocs)
	w.gate(bySelector)
	if found := w.r.gatesOfConfigMap(t.Context(), w.shard("part-1", nil)); !slices.Equal(found, []ctrl.Request{w.request("gate")}) {
		t.Errorf("a shard leads to %v", found)
	}
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "golden"}}
	if found := w.r.gatesOfConfigMap(t.Context(), other); len(found) > 0 {
		t.Errorf("a ConfigMap without the label leads to %v", found)
	}
}

func TestPlansAndReportsAreNoShards(t *testing.T) {
	gate := makeGate("products", bySelector)
	plan := buildPlanConfigMap(gate, "plan", nil)
	gate.Spec.GoldenSet.ConfigMapSelector.MatchLabels = map[string]string{v1alpha1.LabelName: v1alpha1.AppName}
	if selectsGoldenSet(gate, plan) {
		t.Error("a plan counts as a part of the golden set")
	}
	plan.Labels = map[string]string{v1alpha1.LabelName: v1alpha1.AppName}
	if !selectsGoldenSet(gate, plan) {
		t.Error("a ConfigMap of somebody else with that label does not")
	}
	gate.Spec.GoldenSet.ConfigMapSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "golden", Operator: "Like"}}
	if selectsGoldenSet(gate, plan) {
		t.Error("an unknown operator selects something")
	}
	if _, err := goldenConfigMaps(t.Context(), nil, gate); err == nil || !strings.Contains(err.Error(), `spec.goldenSet.configMapSelector: "Like" is not a valid label selector operator`) {
		t.Errorf("got %v", err)
	}
}

func TestShardsAreMountedInTheirOrder(t *testing.T) {
	var got []string
	for _, source := range buildJob(makeGate("products", bySelector), "name", "image", []shard{{"a", "2.json"}, {"b", "1.json"}}).
		Spec.Template.Spec.Volumes[0].Projected.Sources {
		for _, item := range source.ConfigMap.Items {
			got = append(got, source.ConfigMap.Name+"/"+item.Key+" "+item.Path)
		}
	}
	if want := []string{"name/plan.json plan.json", "a/2.json golden/0000", "b/1.json golden/0001"}; !slices.Equal(got, want) {
		t.Errorf("the pod gets %v, want %v", got, want)
	}
}
