package gateserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const (
	gatePath = "/v1/gates/shop/products-es/status"

	testKey    = "sha256:4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"
	testDigest = "sha256:dbc1b4c900ffe48d575b5da5c638040125f65db0fe3e24494b76ea986457d986"
)

// makeGate makes a gate in generation 3 that has passed and was promoted.
func makeGate(change ...func(*v1alpha1.RelevanceGate)) *v1alpha1.RelevanceGate {
	gate := &v1alpha1.RelevanceGate{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "products-es", Generation: 3},
		Spec: v1alpha1.RelevanceGateSpec{
			Alias:     "products",
			Candidate: v1alpha1.Candidate{Index: "products-v2"},
		},
		Status: v1alpha1.RelevanceGateStatus{
			ObservedGeneration: 3,
			Verdict:            v1alpha1.VerdictPassed,
			Reason:             v1alpha1.ReasonThresholdsMet,
			Evaluation: &v1alpha1.EvaluationStatus{
				Key:       testKey,
				Candidate: &v1alpha1.CandidateStatus{Index: "products-v2"},
				GoldenSet: &v1alpha1.GoldenSetStatus{Digest: testDigest},
			},
			Scores: []v1alpha1.Score{
				{Metric: "ndcg@10", Candidate: "0.873400", Live: "0.861000", Delta: "0.012400", Verdict: v1alpha1.ScorePassed},
				{Metric: "precision@5", Candidate: "0.400000"},
			},
		},
	}
	set(gate, v1alpha1.ConditionEvaluated, metav1.ConditionTrue, v1alpha1.ReasonThresholdsMet)
	set(gate, v1alpha1.ConditionPassed, metav1.ConditionTrue, v1alpha1.ReasonThresholdsMet)
	set(gate, v1alpha1.ConditionPromoted, metav1.ConditionTrue, v1alpha1.ReasonPromoted)
	set(gate, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonPromoted)
	for _, c := range change {
		c(gate)
	}
	return gate
}

// set gives a gate a condition for its present generation.
func set(gate *v1alpha1.RelevanceGate, condition string, status metav1.ConditionStatus, reason string) {
	remaining := []metav1.Condition{{
		Type: condition, Status: status, Reason: reason, ObservedGeneration: gate.Generation,
		LastTransitionTime: metav1.NewTime(time.Unix(1_800_000_000, 0)),
	}}
	for _, c := range gate.Status.Conditions {
		if c.Type != condition {
			remaining = append(remaining, c)
		}
	}
	gate.Status.Conditions = remaining
}

func verdict(verdict v1alpha1.Verdict, reason string) func(*v1alpha1.RelevanceGate) {
	return func(gate *v1alpha1.RelevanceGate) {
		gate.Status.Verdict, gate.Status.Reason = verdict, reason
	}
}

func condition(name string, status metav1.ConditionStatus, reason string) func(*v1alpha1.RelevanceGate) {
	return func(gate *v1alpha1.RelevanceGate) { set(gate, name, status, reason) }
}

func noEvaluation(gate *v1alpha1.RelevanceGate) {
	gate.Status.Evaluation, gate.Status.Scores = nil, nil
}

func makeReader(t *testing.T, gates ...*v1alpha1.RelevanceGate) client.Reader {
	t.Helper()
	return makeFake(t, gates...).Build()
}

func makeFake(t *testing.T, gates ...*v1alpha1.RelevanceGate) *fake.ClientBuilder {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme)
	for _, gate := range gates {
		builder = builder.WithObjects(gate)
	}
	return builder
}

func request(t *testing.T, reader client.Reader, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	Handler(reader).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, target, nil))
	return recorder
}

// get asks for a status and checks what holds for every answer: 200, JSON, the closed set of fields, and nothing that
// would pass for an open gate while the verdict is Pending.
func get(t *testing.T, reader client.Reader, target string) answer {
	t.Helper()
	g := NewWithT(t)
	response := request(t, reader, http.MethodGet, target)
	g.Expect(response.Code).To(Equal(http.StatusOK), response.Body.String())
	g.Expect(response.Header().Get("Content-Type")).To(Equal("application/json"))
	g.Expect(response.Header().Get("Cache-Control")).To(Equal("no-store"))

	var fields map[string]json.RawMessage
	g.Expect(json.Unmarshal(response.Body.Bytes(), &fields)).To(Succeed())
	g.Expect(keys(fields)).To(ConsistOf(
		"verdict", "reason", "ready", "promoted", "candidate", "evaluationKey", "goldenDigest", "scores"))
	var scores []map[string]json.RawMessage
	g.Expect(json.Unmarshal(fields["scores"], &scores)).To(Succeed())
	g.Expect(string(fields["scores"])).NotTo(Equal("null"))
	for _, score := range scores {
		g.Expect(keys(score)).To(ConsistOf("metric", "candidate", "live", "delta", "verdict"))
	}

	var a answer
	g.Expect(json.Unmarshal(response.Body.Bytes(), &a)).To(Succeed())
	g.Expect(a.Reason).NotTo(BeEmpty())
	if a.Verdict == v1alpha1.VerdictPending {
		g.Expect(a.Ready).To(BeFalse())
		g.Expect(a.Promoted).To(BeFalse())
		g.Expect(a.Scores).To(BeEmpty())
	}
	return a
}

func keys(m map[string]json.RawMessage) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return names
}

func TestStatusMirrorsTheGate(t *testing.T) {
	for _, test := range []struct {
		name         string
		gate         *v1alpha1.RelevanceGate
		wantVerdict  v1alpha1.Verdict
		wantReason   string
		wantReady    bool
		wantPromoted bool
		wantScores   int
	}{
		{
			name:        "passed and promoted is open",
			gate:        makeGate(),
			wantVerdict: v1alpha1.VerdictPassed, wantReason: v1alpha1.ReasonThresholdsMet,
			wantReady: true, wantPromoted: true, wantScores: 2,
		},
		{
			name: "passed with policy Off is ready and never promoted",
			gate: makeGate(func(gate *v1alpha1.RelevanceGate) {
				gate.Status.Conditions = nil
				set(gate, v1alpha1.ConditionEvaluated, metav1.ConditionTrue, v1alpha1.ReasonThresholdsMet)
				set(gate, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonThresholdsMet)
			}),
			wantVerdict: v1alpha1.VerdictPassed, wantReason: v1alpha1.ReasonThresholdsMet, wantReady: true, wantScores: 2,
		},
		{
			name: "passed and not read back yet is neither ready nor promoted",
			gate: makeGate(
				condition(v1alpha1.ConditionPromoted, metav1.ConditionFalse, v1alpha1.ReasonPromoting),
				condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonPromoting)),
			wantVerdict: v1alpha1.VerdictPassed, wantReason: v1alpha1.ReasonThresholdsMet, wantScores: 2,
		},
		{
			name: "failed is Failed with its scores",
			gate: makeGate(verdict(v1alpha1.VerdictFailed, v1alpha1.ReasonBelowThreshold),
				condition(v1alpha1.ConditionPromoted, metav1.ConditionFalse, v1alpha1.ReasonBelowThreshold),
				condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonBelowThreshold)),
			wantVerdict: v1alpha1.VerdictFailed, wantReason: v1alpha1.ReasonBelowThreshold, wantScores: 2,
		},
		{
			name: "promoted before and now below a limit is Failed, promoted and not ready",
			gate: makeGate(verdict(v1alpha1.VerdictFailed, v1alpha1.ReasonLiveBelowThreshold),
				condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonLiveBelowThreshold)),
			wantVerdict: v1alpha1.VerdictFailed, wantReason: v1alpha1.ReasonLiveBelowThreshold,
			wantPromoted: true, wantScores: 2,
		},
		{
			name: "thin evidence is Inconclusive",
			gate: makeGate(verdict(v1alpha1.VerdictInconclusive, v1alpha1.ReasonTooFewJudged),
				condition(v1alpha1.ConditionPromoted, metav1.ConditionFalse, v1alpha1.ReasonTooFewJudged),
				condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonTooFewJudged)),
			wantVerdict: v1alpha1.VerdictInconclusive, wantReason: v1alpha1.ReasonTooFewJudged, wantScores: 2,
		},
		{
			name: "a golden set that cannot be read is Inconclusive, since waiting does not help",
			gate: makeGate(noEvaluation, verdict(v1alpha1.VerdictInconclusive, v1alpha1.ReasonInvalidGoldenSet),
				condition(v1alpha1.ConditionEvaluated, metav1.ConditionFalse, v1alpha1.ReasonInvalidGoldenSet),
				condition(v1alpha1.ConditionPromoted, metav1.ConditionFalse, v1alpha1.ReasonInvalidGoldenSet),
				condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonInvalidGoldenSet),
				condition(v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalidGoldenSet)),
			wantVerdict: v1alpha1.VerdictInconclusive, wantReason: v1alpha1.ReasonInvalidGoldenSet,
		},
		{
			name: "an Inconclusive that is measured again is Pending",
			gate: makeGate(verdict(v1alpha1.VerdictInconclusive, v1alpha1.ReasonTooFewJudged),
				condition(v1alpha1.ConditionEvaluated, metav1.ConditionFalse, v1alpha1.ReasonEvaluating)),
			wantVerdict: v1alpha1.VerdictPending, wantReason: v1alpha1.ReasonEvaluating,
		},
		{
			name: "a running evaluation is Pending",
			gate: makeGate(verdict(v1alpha1.VerdictPending, v1alpha1.ReasonEvaluating),
				condition(v1alpha1.ConditionEvaluated, metav1.ConditionFalse, v1alpha1.ReasonEvaluating),
				condition(v1alpha1.ConditionReady, metav1.ConditionUnknown, v1alpha1.ReasonEvaluating)),
			wantVerdict: v1alpha1.VerdictPending, wantReason: v1alpha1.ReasonEvaluating,
		},
		{
			name: "an engine that does not answer is Pending",
			gate: makeGate(verdict(v1alpha1.VerdictPending, v1alpha1.ReasonEngineUnavailable),
				condition(v1alpha1.ConditionEvaluated, metav1.ConditionFalse, v1alpha1.ReasonEvaluationError)),
			wantVerdict: v1alpha1.VerdictPending, wantReason: v1alpha1.ReasonEngineUnavailable,
		},
		{
			name: "a Passed whose golden set has changed is Pending",
			gate: makeGate(
				condition(v1alpha1.ConditionEvaluated, metav1.ConditionFalse, v1alpha1.ReasonGoldenSetChanged)),
			wantVerdict: v1alpha1.VerdictPending, wantReason: v1alpha1.ReasonGoldenSetChanged,
		},
		{
			name:        "a Passed of which nobody knows whether it was evaluated is Pending",
			gate:        makeGate(condition(v1alpha1.ConditionEvaluated, metav1.ConditionUnknown, "")),
			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonNotEvaluated,
		},
		{
			name:        "a Passed without conditions is Pending",
			gate:        makeGate(func(gate *v1alpha1.RelevanceGate) { gate.Status.Conditions = nil }),
			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonNotEvaluated,
		},
		{
			name:        "a Passed without an evaluation is Pending",
			gate:        makeGate(noEvaluation),
			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonNotEvaluated,
		},
		{
			name: "a spec newer than the status is Pending",
			gate: makeGate(func(gate *v1alpha1.RelevanceGate) { gate.Generation = 4 }),

			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonGenerationNotEvaluated,
		},
		{
			name: "conditions older than the status are Pending",
			gate: makeGate(func(gate *v1alpha1.RelevanceGate) {
				gate.Generation, gate.Status.ObservedGeneration = 4, 4
			}),
			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonGenerationNotEvaluated,
		},
		{
			name: "Ready and Promoted of an older generation do not count",
			gate: makeGate(func(gate *v1alpha1.RelevanceGate) {
				gate.Generation, gate.Status.ObservedGeneration = 4, 4
				set(gate, v1alpha1.ConditionEvaluated, metav1.ConditionTrue, v1alpha1.ReasonThresholdsMet)
			}),
			wantVerdict: v1alpha1.VerdictPassed, wantReason: v1alpha1.ReasonThresholdsMet, wantScores: 2,
		},
		{
			name: "a gate that no controller has seen is Pending",
			gate: &v1alpha1.RelevanceGate{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "products-es", Generation: 1},
				Status:     v1alpha1.RelevanceGateStatus{ObservedGeneration: -1},
			},
			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonGenerationNotEvaluated,
		},
		{
			name: "a gate that is being deleted is Pending",
			gate: makeGate(func(gate *v1alpha1.RelevanceGate) {
				now := metav1.Now()
				gate.DeletionTimestamp, gate.Finalizers = &now, []string{"example.org/keeps-it"}
			}),
			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonGateDeleted,
		},
		{
			name:        "a verdict of a later version is Pending",
			gate:        makeGate(verdict("Postponed", "Postponed")),
			wantVerdict: v1alpha1.VerdictPending, wantReason: reasonUnknownVerdict,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			a := get(t, makeReader(t, test.gate), gatePath)
			g.Expect(a.Verdict).To(Equal(test.wantVerdict))
			g.Expect(a.Reason).To(Equal(test.wantReason))
			g.Expect(a.Ready).To(Equal(test.wantReady))
			g.Expect(a.Promoted).To(Equal(test.wantPromoted))
			g.Expect(a.Scores).To(HaveLen(test.wantScores))
		})
	}
}

func TestStatusIsExactlyThis(t *testing.T) {
	g := NewWithT(t)
	g.Expect(request(t, makeReader(t, makeGate()), http.MethodGet, gatePath).Body.String()).To(Equal(`{` +
		`"verdict":"Passed","reason":"ThresholdsMet","ready":true,"promoted":true,"candidate":"products-v2",` +
		`"evaluationKey":"` + testKey + `","goldenDigest":"` + testDigest + `","scores":[` +
		`{"metric":"ndcg@10","candidate":"0.873400","live":"0.861000","delta":"0.012400","verdict":"Passed"},` +
		`{"metric":"precision@5","candidate":"0.400000","live":null,"delta":null,"verdict":null}]}` + "\n"))
	g.Expect(request(t, makeReader(t), http.MethodGet, gatePath).Body.String()).To(Equal(`{` +
		`"verdict":"Pending","reason":"GateNotFound","ready":false,"promoted":false,"candidate":"",` +
		`"evaluationKey":"","goldenDigest":"","scores":[]}` + "\n"))
}

func TestPins(t *testing.T) {
	const passed, pendingVerdict, inconclusive = v1alpha1.VerdictPassed, v1alpha1.VerdictPending, v1alpha1.VerdictInconclusive
	byPattern := func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Candidate = v1alpha1.Candidate{Pattern: "products-*"}
	}
	waiting := func(gate *v1alpha1.RelevanceGate) {
		noEvaluation(gate)
		verdict(pendingVerdict, v1alpha1.ReasonCandidateMissing)(gate)
		set(gate, v1alpha1.ConditionEvaluated, metav1.ConditionFalse, v1alpha1.ReasonCandidateMissing)
	}
	invalid := func(gate *v1alpha1.RelevanceGate) {
		noEvaluation(gate)
		verdict(inconclusive, v1alpha1.ReasonInvalidGoldenSet)(gate)
		set(gate, v1alpha1.ConditionEvaluated, metav1.ConditionFalse, v1alpha1.ReasonInvalidGoldenSet)
		set(gate, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalidGoldenSet)
	}
	// The golden set has changed since the promotion, so the live index alone was measured, and is below a limit.
	liveBelow := func(gate *v1alpha1.RelevanceGate) {
		verdict(v1alpha1.VerdictFailed, v1alpha1.ReasonLiveBelowThreshold)(gate)
		set(gate, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonLiveBelowThreshold)
		gate.Status.Evaluation.Candidate = nil
		gate.Status.Evaluation.Live = &v1alpha1.LiveStatus{Index: "products-v2", UUID: "u2"}
		gate.Status.Alias = &v1alpha1.AliasStatus{PromotedTo: &v1alpha1.IndexRef{Index: "products-v2", UUID: "u2"}}
	}
	for _, test := range []struct {
		name        string
		gate        *v1alpha1.RelevanceGate
		query       string
		wantVerdict v1alpha1.Verdict
		wantReason  string
	}{
		{"all pins match", makeGate(), "candidate=products-v2&evaluationKey=" + testKey + "&goldenDigest=" + testDigest,
			passed, v1alpha1.ReasonThresholdsMet},
		{"the candidate differs", makeGate(), "candidate=products-v3", pendingVerdict, reasonCandidatePinMismatch},
		{"the evaluation key differs", makeGate(), "evaluationKey=sha256:0", pendingVerdict, reasonEvaluationKeyPinMismatch},
		{"the golden set differs", makeGate(), "goldenDigest=sha256:0", pendingVerdict, reasonGoldenDigestPinMismatch},
		{"one of several pins differs", makeGate(), "candidate=products-v2&goldenDigest=sha256:0",
			pendingVerdict, reasonGoldenDigestPinMismatch},
		{"a pin given twice must match twice", makeGate(), "candidate=products-v2&candidate=products-v3",
			pendingVerdict, reasonCandidatePinMismatch},
		{"a pin is not a prefix", makeGate(), "candidate=products", pendingVerdict, reasonCandidatePinMismatch},
		{"a pin whose value got lost matches nothing", makeGate(), "candidate=", pendingVerdict, reasonCandidatePinMismatch},
		{"a key whose value got lost matches nothing", makeGate(), "evaluationKey", pendingVerdict, reasonEvaluationKeyPinMismatch},
		{"a lost value matches nothing of a gate without evaluation either", makeGate(waiting), "goldenDigest=",
			pendingVerdict, reasonGoldenDigestPinMismatch},
		{"a misspelt pin is not ignored", makeGate(), "candiate=products-v3", pendingVerdict, reasonInvalidQuery},
		{"a query that cannot be parsed is not ignored", makeGate(), "candidate=products-v2;x", pendingVerdict, reasonInvalidQuery},
		{"the spec names another candidate than was evaluated, and the old one is pinned", makeGate(func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Candidate.Index = "products-v3"
		}), "candidate=products-v2", pendingVerdict, reasonCandidatePinMismatch},
		{"the spec names another candidate than was evaluated, and the new one is pinned", makeGate(func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Candidate.Index = "products-v3"
		}), "candidate=products-v3", pendingVerdict, reasonCandidatePinMismatch},
		{"a candidate found by pattern matches", makeGate(byPattern), "candidate=products-v2", passed, v1alpha1.ReasonThresholdsMet},
		{"another candidate found by pattern differs", makeGate(byPattern), "candidate=products-v3",
			pendingVerdict, reasonCandidatePinMismatch},
		{"the pattern itself is not a candidate", makeGate(byPattern), "candidate=products-*",
			pendingVerdict, reasonCandidatePinMismatch},
		{"an evaluation that does not say its candidate matches no pin", makeGate(func(gate *v1alpha1.RelevanceGate) {
			gate.Status.Evaluation.Candidate = nil
		}), "candidate=products-v2", pendingVerdict, reasonCandidatePinMismatch},
		{"a promoted candidate that was measured again as the live index matches", makeGate(liveBelow), "candidate=products-v2",
			v1alpha1.VerdictFailed, v1alpha1.ReasonLiveBelowThreshold},
		{"so does one that a pattern found", makeGate(liveBelow, byPattern), "candidate=products-v2",
			v1alpha1.VerdictFailed, v1alpha1.ReasonLiveBelowThreshold},
		{"another candidate than the live index differs", makeGate(liveBelow), "candidate=products-v3",
			pendingVerdict, reasonCandidatePinMismatch},
		{"a live index that is not the spec's candidate is not a candidate", makeGate(liveBelow, func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Candidate.Index = "products-v3"
		}), "candidate=products-v3", pendingVerdict, reasonCandidatePinMismatch},
		{"a live index of the candidate's name that this gate has not promoted is not one either", makeGate(liveBelow, func(gate *v1alpha1.RelevanceGate) {
			gate.Status.Alias.PromotedTo.UUID = "u1"
		}), "candidate=products-v2", pendingVerdict, reasonCandidatePinMismatch},
		{"a live index without a promotion is not one either", makeGate(liveBelow, func(gate *v1alpha1.RelevanceGate) {
			gate.Status.Alias = nil
		}), "candidate=products-v2", pendingVerdict, reasonCandidatePinMismatch},
		{"an evaluation that does not say its golden set matches no pin", makeGate(func(gate *v1alpha1.RelevanceGate) {
			gate.Status.Evaluation.GoldenSet = nil
		}), "goldenDigest=" + testDigest, pendingVerdict, reasonGoldenDigestPinMismatch},
		{"a gate that waits for the pinned candidate says so", makeGate(waiting), "candidate=products-v2&evaluationKey=" + testKey,
			pendingVerdict, v1alpha1.ReasonCandidateMissing},
		{"a gate that waits for another candidate says that", makeGate(waiting), "candidate=products-v3",
			pendingVerdict, reasonCandidatePinMismatch},
		{"invalid inputs of the pinned candidate are Inconclusive", makeGate(invalid), "candidate=products-v2",
			inconclusive, v1alpha1.ReasonInvalidGoldenSet},
		{"invalid inputs match no key", makeGate(invalid), "evaluationKey=" + testKey,
			pendingVerdict, reasonEvaluationKeyPinMismatch},
		{"a stale generation is told before the pins", makeGate(func(gate *v1alpha1.RelevanceGate) { gate.Generation = 4 }),
			"candidate=products-v3", pendingVerdict, reasonGenerationNotEvaluated},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			a := get(t, makeReader(t, test.gate), gatePath+"?"+test.query)
			g.Expect(a.Verdict).To(Equal(test.wantVerdict))
			g.Expect(a.Reason).To(Equal(test.wantReason))
		})
	}
}

func TestAMismatchNamesWhatTheGateIsAbout(t *testing.T) {
	g := NewWithT(t)
	a := get(t, makeReader(t, makeGate()), gatePath+"?candidate=products-v3")
	g.Expect(a.Candidate).To(Equal("products-v2"))
	g.Expect(a.EvaluationKey).To(Equal(testKey))
	g.Expect(a.GoldenDigest).To(Equal(testDigest))
}

func TestAStaleGenerationNamesNothing(t *testing.T) {
	g := NewWithT(t)
	a := get(t, makeReader(t, makeGate(func(gate *v1alpha1.RelevanceGate) { gate.Generation = 4 })), gatePath)
	g.Expect(a).To(Equal(pending(reasonGenerationNotEvaluated)))
}

func TestUnknownGateIsPending(t *testing.T) {
	for _, target := range []string{
		"/v1/gates/shop/products-fr/status",
		"/v1/gates/other/products-es/status",
		"/v1/gates/shop/..%2Fproducts-es/status",
	} {
		g := NewWithT(t)
		g.Expect(get(t, makeReader(t, makeGate()), target)).To(Equal(pending(reasonGateNotFound)), target)
	}
}

func TestAReaderThatFailsIsPendingAndKeepsItsErrorToItself(t *testing.T) {
	g := NewWithT(t)
	failing := makeFake(t, makeGate()).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("the cache says hunter2")
		},
	}).Build()
	g.Expect(get(t, failing, gatePath)).To(Equal(pending(reasonGateUnreadable)))
}

func TestAReadHasADeadline(t *testing.T) {
	g := NewWithT(t)
	var bounded bool
	reader := makeFake(t).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, _ client.WithWatch, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
			_, bounded = ctx.Deadline()
			return context.DeadlineExceeded
		},
	}).Build()
	g.Expect(get(t, reader, gatePath).Reason).To(Equal(reasonGateUnreadable))
	g.Expect(bounded).To(BeTrue())
}

func TestOtherMethodsAndPaths(t *testing.T) {
	reader := makeReader(t, makeGate())
	for _, test := range []struct {
		method, target string
		want           int
	}{
		{http.MethodPost, gatePath, http.StatusMethodNotAllowed},
		{http.MethodPut, gatePath, http.StatusMethodNotAllowed},
		{http.MethodPatch, gatePath, http.StatusMethodNotAllowed},
		{http.MethodDelete, gatePath, http.StatusMethodNotAllowed},
		{http.MethodHead, gatePath, http.StatusOK},
		{http.MethodGet, "/", http.StatusNotFound},
		{http.MethodGet, "/v1/gates", http.StatusNotFound},
		{http.MethodGet, "/v1/gates/shop/products-es", http.StatusNotFound},
		{http.MethodGet, gatePath + "/", http.StatusNotFound},
		{http.MethodGet, "/v2/gates/shop/products-es/status", http.StatusNotFound},
	} {
		t.Run(test.method+" "+test.target, func(t *testing.T) {
			NewWithT(t).Expect(request(t, reader, test.method, test.target).Code).To(Equal(test.want))
		})
	}
}

func TestNothingButVerdictScoresAndDigestsLeaves(t *testing.T) {
	const secret = "hunter2"
	planted := func(gate *v1alpha1.RelevanceGate) {
		gate.Annotations = map[string]string{v1alpha1.AnnotationApprove: secret, "example.org/password": secret}
		gate.Labels = map[string]string{"example.org/token": secret}
		gate.Spec.Alias = secret
		gate.Spec.Engine.URL = "https://user:" + secret + "@search.shop.svc:9200"
		gate.Spec.Search.Body = &runtime.RawExtension{Raw: []byte(`{"query":{"match":{"name":"` + secret + `"}}}`)}
		status := &gate.Status
		status.Message = secret
		status.LastHandledReconcileAt = secret
		status.Evaluation.Job = secret
		status.Evaluation.InputsDigest = secret
		status.Evaluation.SearchDigest = secret
		status.Regressions = &v1alpha1.RegressionsStatus{Worst: []v1alpha1.Regression{{Query: secret}}}
		status.Segments = []v1alpha1.SegmentScore{{Segment: secret, Metric: secret}}
		status.Alias = &v1alpha1.AliasStatus{Index: secret}
		status.Approval = &v1alpha1.ApprovalStatus{EvaluationKey: secret}
		status.Failure = &v1alpha1.FailureStatus{Reason: secret, Message: secret}
		status.History = []v1alpha1.HistoryEntry{{Key: secret, Reason: secret}}
		for i := range status.Conditions {
			status.Conditions[i].Message = secret
		}
	}
	reader := makeReader(t, makeGate(planted))
	for _, query := range []string{
		"", "?candidate=products-v2", "?candidate=" + secret, "?evaluationKey=" + secret, "?goldenDigest=" + secret, "?" + secret,
	} {
		t.Run(query, func(t *testing.T) {
			response := request(t, reader, http.MethodGet, gatePath+query)
			NewWithT(t).Expect(response.Body.String()).NotTo(ContainSubstring(secret))
			get(t, reader, gatePath+query)
		})
	}
}

func TestServerServesWithoutTheLeaseAndEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	server := &Server{Listener: listener, Reader: makeReader(t, makeGate())}
	g.Expect(server.NeedLeaderElection()).To(BeFalse())

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+gatePath, nil)
	g.Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(req)
	g.Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(response.StatusCode).To(Equal(http.StatusOK))
	g.Expect(strings.HasPrefix(string(body), `{"verdict":"Passed"`)).To(BeTrue(), string(body))

	cancel()
	g.Eventually(ended).WithTimeout(10 * time.Second).Should(Receive(BeNil()))
}

func TestAServerThatCannotListenSaysSo(t *testing.T) {
	g := NewWithT(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	server := &Server{BindAddress: listener.Addr().String(), Reader: makeReader(t)}
	g.Expect(server.Start(t.Context())).NotTo(Succeed())
}
