package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// fullStatus returns a status with every field filled to its limit or near it.
func fullStatus() v1alpha1.RelevanceGateStatus {
	when := metav1.NewTime(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
	count := func(n int64) *int64 { return &n }
	decimal := v1alpha1.DecimalOf(-999_999_999_999_999_999)
	digest := "sha256:" + strings.Repeat("0a", 32)
	index, uuid := strings.Repeat("i", 255), strings.Repeat("u", 22)
	ref := &v1alpha1.IndexRef{Index: index, UUID: uuid}

	approval := &v1alpha1.ApprovalStatus{EvaluationKey: digest, By: strings.Repeat("b", 64), At: &when, Generation: 1,
		Request: strings.Repeat("r", 128), Void: "it was used"}

	answer := &v1alpha1.RequestStatus{Value: strings.Repeat("v", 1024), Reason: v1alpha1.ReasonRequestRefused,
		Message: strings.Repeat("m", 1024), At: &when}

	var scores []v1alpha1.Score
	for i := range 21 {
		scores = append(scores, v1alpha1.Score{
			Metric: fmt.Sprintf("ndcg@%d", i), Candidate: decimal, Live: decimal, LiveHigh: decimal, Delta: decimal,
			Queries: 130_000, CandidateLow: decimal, CandidateHigh: decimal, DeltaLow: decimal, DeltaHigh: decimal,
			Min: decimal, MaxDrop: decimal, Verdict: v1alpha1.ScoreNotApplicable,
		})
	}
	status := v1alpha1.RelevanceGateStatus{
		ObservedGeneration: 1,
		Verdict:            v1alpha1.VerdictInconclusive,
		Reason:             v1alpha1.ReasonNotDeterministic,
		Message:            strings.Repeat("m", 32768),
		Evaluation: &v1alpha1.EvaluationStatus{
			Key: digest, InputsDigest: digest, Job: strings.Repeat("j", 63), Attempt: 3, StartedAt: &when, CompletedAt: &when,
			Engine:       &v1alpha1.EngineStatus{ClusterUUID: uuid, Distribution: v1alpha1.DistributionOpenSearch, Version: "2.19.0"},
			Candidate:    &v1alpha1.CandidateStatus{Index: index, UUID: uuid, Fingerprint: digest, Docs: count(0)},
			Live:         &v1alpha1.LiveStatus{Index: index, UUID: uuid, Docs: count(0)},
			GoldenSet:    &v1alpha1.GoldenSetStatus{Digest: digest, Queries: 130_000, Judgments: 2_600_000},
			SearchDigest: digest, MissingDocs: count(0), Depth: 10_000,
			Bootstrap: &v1alpha1.BootstrapStatus{Method: v1alpha1.BootstrapPercentile, Resamples: 10_000, Seed: "18446744073709551615"},
		},
		NDCG: "0.873400", Recall: "0.000000",
		Scores: scores,
		Segments: []v1alpha1.SegmentScore{{
			Segment: "head", Metric: "ndcg@10", Queries: 50, Candidate: decimal, Live: decimal, Lows: []v1alpha1.Decimal{decimal, decimal},
			Min: decimal, Verdict: v1alpha1.ScoreFailed}},
		Judged:          &v1alpha1.SideDecimals{Candidate: "1.000000", Live: "0.500000"},
		Hits:            &v1alpha1.HitsStatus{Candidate: 0, Live: count(0), JudgedCandidate: 0, JudgedLive: count(0)},
		EmptyResults:    &v1alpha1.SideCounts{Candidate: 0, Live: count(0)},
		NegativesFailed: count(0), Errors: count(0), FirstError: "query q1: searching products-v2: it has no id",
		Determinism: v1alpha1.NotDeterministic, FirstDifference: strings.Repeat("d", 1024), CandidateChanged: true, Noise: "0.000001", LiveNoise: "0.000000",
		Regressions: &v1alpha1.RegressionsStatus{Count: 10, Protected: 1},
		Lock: &v1alpha1.LockStatus{Index: index, UUID: uuid, Since: &when,
			Before: v1alpha1.IndexBlocks{Write: true, ReadOnly: false, Hidden: true}},
		Requests:   &v1alpha1.RequestsStatus{Rollback: answer, AcceptDrift: answer, Unlock: answer},
		Unlocked:   uuid,
		Drift:      &v1alpha1.DriftStatus{Reverts: slices.Repeat([]v1alpha1.RevertStatus{{At: &when, From: ref, Message: strings.Repeat("m", 1024)}}, 3)},
		Promotion:  &v1alpha1.PromotionStatus{Kind: v1alpha1.MoveRollback, Request: digest, EvaluationKey: digest, From: ref, To: ref, Lock: v1alpha1.LockDuringSwap, Step: v1alpha1.StepSwapping, StartedAt: &when},
		Approval:   approval,
		RolledBack: []string{uuid, uuid},
		OnceLive:   []string{uuid},
		Alias: &v1alpha1.AliasStatus{Index: index, UUID: uuid, PromotedAt: &when, PromotedTo: ref, PromotedFrom: ref, EvaluationKey: digest,
			RollbackLoss: strings.Repeat("l", 1024)},
		Failure: &v1alpha1.FailureStatus{Count: 2, Reason: v1alpha1.ReasonResultLost, Message: strings.Repeat("m", 32768),
			Generation: 1, NextAttemptAt: &when},
		LastHandledReconcileAt: strings.Repeat("x", 1024),
	}
	for range 10 {
		status.Regressions.Worst = append(status.Regressions.Worst, v1alpha1.Regression{
			Query: strings.Repeat("q", 256), Live: decimal, Candidate: decimal, Delta: decimal, Weight: decimal})
		status.History = append(status.History, v1alpha1.HistoryEntry{
			Key: digest, Verdict: v1alpha1.VerdictPassed, Reason: v1alpha1.ReasonThresholdsMet,
			Candidate: ref, Live: ref, Fingerprint: digest, GoldenDigest: digest, SearchDigest: digest, Scores: scores,
			Limits:   slices.Repeat([]v1alpha1.HistoryLimit{{Name: strings.Repeat("n", 50), Value: "0.800000"}}, 100),
			Changes:  []v1alpha1.HistoryChange{{Reason: v1alpha1.ReasonLimitLowered, Message: strings.Repeat("m", 1024)}},
			Approval: approval, At: &when, Generation: 1})
	}
	for _, kind := range v1alpha1.ConditionTypes() {
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: kind, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonEvaluating,
			Message: strings.Repeat("m", 32768), ObservedGeneration: 1, LastTransitionTime: when})
	}
	return status
}

func TestAFullStatusIsStoredAsItIs(t *testing.T) {
	c := newClient(t)
	g := NewWithT(t)
	gate := typed(t, makeGate())
	gate.Namespace = makeNamespace(t, c)
	g.Expect(c.Create(t.Context(), gate)).To(Succeed())

	want := fullStatus()
	assertFilled(t, reflect.ValueOf(want), "status")
	before := gate.DeepCopy()
	gate.Status = *want.DeepCopy()
	g.Expect(c.Status().Patch(t.Context(), gate, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))).To(Succeed())

	stored := &v1alpha1.RelevanceGate{}
	g.Expect(c.Get(t.Context(), client.ObjectKeyFromObject(gate), stored)).To(Succeed())
	// Compared as JSON: a time comes back in the local zone.
	g.Expect(asJSON(t, stored.Status)).To(MatchJSON(asJSON(t, want)))
	g.Expect(len(asJSON(t, stored.Status))).To(BeNumerically("<", 500_000), "etcd takes 1.5 MB")
}

// assertFilled fails for every field that a test that claims to fill all of them has left out.
func assertFilled(t *testing.T, value reflect.Value, path string) {
	t.Helper()
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			t.Errorf("%s is not filled", path)
			return
		}
		if value.Type() != reflect.TypeFor[*metav1.Time]() {
			assertFilled(t, value.Elem(), path)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type() != reflect.TypeFor[metav1.Condition]() {
				assertFilled(t, value.Field(i), path+"."+value.Type().Field(i).Name)
			}
		}
	case reflect.Slice:
		if value.Len() == 0 {
			t.Errorf("%s is not filled", path)
			return
		}
		assertFilled(t, value.Index(0), path+"[]")
	case reflect.String:
		if value.Len() == 0 {
			t.Errorf("%s is not filled", path)
		}
	}
}

func asJSON(t *testing.T, value any) []byte {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestAZeroThatWasCountedIsShown(t *testing.T) {
	g := NewWithT(t)
	none := int64(0)
	g.Expect(asJSON(t, v1alpha1.RelevanceGateStatus{
		ObservedGeneration: 1,
		Hits:               &v1alpha1.HitsStatus{},
		EmptyResults:       &v1alpha1.SideCounts{},
		Errors:             &none,
		Regressions:        &v1alpha1.RegressionsStatus{},
	})).To(MatchJSON(`{
		"observedGeneration": 1,
		"hits": {"candidate": 0, "judgedCandidate": 0},
		"emptyResults": {"candidate": 0},
		"errors": 0,
		"regressions": {"count": 0, "protected": 0}
	}`))
}

func TestAWrongStatusIsRefused(t *testing.T) {
	c := newClient(t)
	gate := makeGate()
	gate.SetNamespace(makeNamespace(t, c))
	NewWithT(t).Expect(c.Create(t.Context(), gate)).To(Succeed())

	const notDecimal = ` in body should match '^-?[0-9]{1,12}\.[0-9]{6}$'`
	for _, row := range []struct {
		name  string
		field []string
		value any
		cause string
	}{
		{"an unknown verdict", []string{"verdict"}, "Warning",
			`status.verdict: Unsupported value: "Warning": supported values: "Passed", "Failed", "Inconclusive", "Pending"`},
		{"a score with fewer decimals", []string{"ndcg"}, "0.85", "status.ndcg: ndcg" + notDecimal},
		{"a score that is no number", []string{"recall"}, "NaN", "status.recall: recall" + notDecimal},
		{"a score that is not quoted", []string{"noise"}, 0.5, `status.noise: noise in body must be of type string: "number"`},
		{"an unknown step", []string{"promotion", "step"}, "Done",
			`status.promotion.step: Unsupported value: "Done": supported values: "Recorded", "Blocked", "Swapping", "ReadBack", "Undoing"`},
		{"a depth that no engine has", []string{"evaluation", "depth"}, int64(10_001),
			"status.evaluation.depth: evaluation.depth in body should be less than or equal to 10000"},
		{"a seed that is no number", []string{"evaluation", "bootstrap"}, object{"method": "Percentile", "resamples": int64(1), "seed": "-1"},
			"status.evaluation.bootstrap.seed: evaluation.bootstrap.seed in body should match '^[0-9]{1,20}$'"},
		{"another method", []string{"evaluation", "bootstrap"}, object{"method": "BCa", "resamples": int64(1), "seed": "1"},
			`status.evaluation.bootstrap.method: Unsupported value: "BCa": supported values: "Percentile"`},
		{"more history than is kept", []string{"history"}, make(list, 11), "status.history: Too many: 11: must have at most 10 items"},
		{"one metric twice", []string{"scores"}, list{object{"metric": "ndcg@10"}, object{"metric": "ndcg@10"}},
			`status.scores[1]: Duplicate value: {"metric":"ndcg@10"}`},
		{"a reason that is no word", []string{"conditions"}, list{object{"type": "Ready", "status": "True", "reason": "it is",
			"message": "", "lastTransitionTime": "2026-01-31T12:00:00Z"}},
			"status.conditions[0].reason: conditions[0].reason in body should match '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			wrong := gate.DeepCopy()
			if entries, ok := row.value.(list); ok && len(entries) == 11 {
				for i := range entries {
					entries[i] = object{}
				}
			}
			g.Expect(unstructured.SetNestedField(wrong.Object, row.value, append([]string{"status"}, row.field...)...)).To(Succeed())
			g.Expect(causes(t, c.Status().Update(t.Context(), wrong))).To(Equal([]string{row.cause}))
		})
	}
}

func TestKubectlShowsTheColumns(t *testing.T) {
	c := newClient(t)
	g := NewWithT(t)
	gate := typed(t, makeGate())
	gate.Namespace = makeNamespace(t, c)
	g.Expect(c.Create(t.Context(), gate)).To(Succeed())
	before := gate.DeepCopy()
	gate.Status = v1alpha1.RelevanceGateStatus{
		ObservedGeneration: 1, Verdict: v1alpha1.VerdictPassed, Message: "all limits hold", NDCG: "0.873400", Recall: "0.912000",
		Evaluation: &v1alpha1.EvaluationStatus{Candidate: &v1alpha1.CandidateStatus{Index: "products-v2"}},
		Alias:      &v1alpha1.AliasStatus{Index: "products-v1"},
	}
	g.Expect(c.Status().Patch(t.Context(), gate, client.MergeFrom(before))).To(Succeed())

	table := readTable(t, gate.Namespace)
	var narrow, wide []string
	for _, column := range table.ColumnDefinitions {
		wide = append(wide, strings.ToUpper(column.Name))
		if column.Priority == 0 {
			narrow = append(narrow, strings.ToUpper(column.Name))
		}
	}
	g.Expect(strings.Join(narrow, " ")).To(Equal("NAME ALIAS CANDIDATE VERDICT NDCG RECALL LIVE AGE"))
	g.Expect(strings.Join(wide, " ")).To(Equal("NAME ALIAS CANDIDATE VERDICT NDCG RECALL LIVE AGE MESSAGE"))
	g.Expect(table.Rows).To(HaveLen(1))
	cells := table.Rows[0].Cells
	g.Expect(cells[:7]).To(Equal([]any{"gate", "products", "products-v2", "Passed", "0.873400", "0.912000", "products-v1"}))
	g.Expect(cells[8]).To(Equal("all limits hold"))
}

// readTable reads the gates of a namespace in the form that kubectl get prints.
func readTable(t *testing.T, namespace string) *metav1.Table {
	t.Helper()
	config := rest.CopyConfig(server)
	config.GroupVersion, config.APIPath = &v1alpha1.GroupVersion, "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(newClient(t).Scheme()).WithoutConversion()
	raw, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	content, err := raw.Get().Namespace(namespace).Resource("relevancegates").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(t.Context()).Raw()
	if err != nil {
		t.Fatal(err)
	}
	table := &metav1.Table{}
	if err := json.Unmarshal(content, table); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTheKindIsFoundByItsNames(t *testing.T) {
	newClient(t)
	g := NewWithT(t)
	found, err := discovery.NewDiscoveryClientForConfigOrDie(server).ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
	g.Expect(err).NotTo(HaveOccurred())
	for _, resource := range found.APIResources {
		if resource.Name != "relevancegates" {
			continue
		}
		g.Expect(resource.Kind).To(Equal(v1alpha1.Kind))
		g.Expect(resource.Namespaced).To(BeTrue())
		g.Expect(resource.ShortNames).To(Equal([]string{"rgate"}))
		g.Expect(resource.Categories).To(Equal([]string{"all", "search"}))
		return
	}
	t.Errorf("relevancegates is not among %v", found.APIResources)
}

func TestTheGoTypesAndTheCRDHaveTheSameFields(t *testing.T) {
	g := NewWithT(t)
	schema := readCRD(t).Spec.Versions[0].Schema.OpenAPIV3Schema
	known := map[string]bool{}
	walk(schema, "", func(path string, _ *apiextensionsv1.JSONSchemaProps) { known[path] = true })

	var flat func(value any, path string)
	flat = func(value any, path string) {
		switch value := value.(type) {
		case map[string]any:
			for name := range value {
				field := strings.TrimPrefix(path+"."+name, ".")
				g.Expect(known).To(HaveKey(field))
				flat(value[name], field)
			}
		case []any:
			for _, entry := range value {
				flat(entry, path+"[]")
			}
		}
	}
	var written map[string]any
	g.Expect(json.Unmarshal(asJSON(t, fullStatus()), &written)).To(Succeed())
	flat(written, "status")
}
