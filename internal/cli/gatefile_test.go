package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// goodGate is valid; tests replace a line of it.
const goodGate = `apiVersion: relevancegate.dev/v1alpha1
kind: RelevanceGate
metadata: {name: products-es, namespace: shop}
spec:
  engine:
    url: https://search.shop.svc:9200
  alias: products
  candidate:
    index: products-v2
  goldenSet:
    configMapRef: {name: golden-es, key: es.json}
  search:
    body:
      query: {multi_match: {query: "{{query}}", fields: ["name^3", "brand^2"]}}
  metrics:
    - {name: ndcg@10, min: "0.80", maxDrop: "0.02"}
    - {name: recall@50, relevantFrom: 2}
  evaluation:
    repeats: 3
`

// writeFile writes a file called name and returns its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readGate reads a gate with one text replaced.
func readGate(t *testing.T, text string) (*spec, error) {
	t.Helper()
	file, err := readGateFile(writeFile(t, "gate.yaml", text), nil)
	if err != nil {
		return nil, err
	}
	return file.readSpec()
}

func replaced(t *testing.T, from, to string) string {
	t.Helper()
	if strings.Count(goodGate, from) != 1 {
		t.Fatalf("%q is not once in the gate", from)
	}
	return strings.Replace(goodGate, from, to, 1)
}

func TestGateIsReadWithItsDefaults(t *testing.T) {
	gate, err := readGate(t, goodGate)
	if err != nil {
		t.Fatal(err)
	}
	plan := gate.plan
	if gate.alias != "products" || gate.candidate != "products-v2" || plan.URL != "https://search.shop.svc:9200" {
		t.Errorf("got %+v, %+v", gate, plan)
	}
	if plan.Repeats != 3 || plan.MaxConcurrentSearches != 4 || plan.JudgedAt != 10 || plan.Search.IDField != "_id" || plan.GoldenFormat != "Auto" {
		t.Errorf("the plan is %+v", plan)
	}
	if m := plan.Metrics; m[0].K != 10 || m[0].RelevantFrom != 1 || m[0].Gain != "Exponential" || m[1].RelevantFrom != 2 {
		t.Errorf("the metrics are %+v", m)
	}
	want := []evaluate.MetricLimit{{Metric: "ndcg@10", Min: "0.80", MaxDrop: "0.02"}, {Metric: "recall@50"}}
	if got := gate.limits.Metrics; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("the limits are %+v", got)
	}
}

func TestConfidenceAndSegmentsAreRead(t *testing.T) {
	text := replaced(t, `min: "0.80"`, `min: "0.80", confidence: "0.95"`) +
		"  segments: {limits: [{segment: head, metric: recall@50, min: \"0.7\"}, {segment: head, metric: ndcg@10, min: \"0.85\"}]}\n"
	gate, err := readGate(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if got := gate.plan.Confidence; len(got) != 1 || got["ndcg@10"] != 950_000 {
		t.Errorf("the confidence is %v", got)
	}
	if got := gate.plan.Segments; len(got) != 2 || got[0] != (evaluate.Segment{Segment: "head", Metric: "recall@50"}) || got[1] != (evaluate.Segment{Segment: "head", Metric: "ndcg@10"}) {
		t.Errorf("the segments are %v", got)
	}
	if got := gate.limits; got.MinQueries != 5 || len(got.Segments) != 2 || got.Segments[1] != (evaluate.SegmentLimit{Segment: "head", Metric: "ndcg@10", Min: "0.85"}) || got.Metrics[0].Confidence != "0.95" {
		t.Errorf("the limits are %+v", got)
	}

	// Segments may be the only limit.
	alone := strings.Replace(replaced(t, `, min: "0.80", maxDrop: "0.02"`, ``), "  evaluation:\n", "  segments: {minQueries: 2, limits: [{segment: head, metric: ndcg@10, min: \"0.85\"}]}\n  evaluation:\n", 1)
	if gate, err := readGate(t, alone); err != nil || gate.limits.MinQueries != 2 {
		t.Errorf("got %+v, %v", gate, err)
	}
}

func TestGateMayStandAmongOtherObjects(t *testing.T) {
	for name, text := range map[string]string{
		"before and behind": "apiVersion: v1\nkind: ConfigMap\ndata: {kind: RelevanceGate}\n---\n" + goodGate + "---\n# nothing\n---\nkind: Other\n",
		"an empty first":    "---\n" + goodGate,
		"as from kubectl":   goodGate + "status: {verdict: Passed, unknownField: 1}\n",
		"as JSON":           `{"apiVersion":"relevancegate.dev/v1alpha1","kind":"RelevanceGate","spec":{"alias":"a","engine":{},"candidate":{"index":"b"},"goldenSet":{},"search":{"body":{"q":"{{query}}"}},"metrics":[{"name":"nonempty","min":"1"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readGate(t, text); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestABadGateGetsOneSentence(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"an unquoted limit": {
			replaced(t, `min: "0.80"`, `min: 0.8`),
			`gate.yaml: line 16: spec.metrics[0].min is the number 0.8; write it in quotes: "0.8"`},
		"an unknown field": {
			replaced(t, `repeats: 3`, `repeat: 3`),
			`gate.yaml: line 19: spec.evaluation.repeat is an unknown field; did you mean repeats?`},
		"an unknown field on the top": {
			goodGate + "specs: {}\n",
			`gate.yaml: line 20: specs is an unknown field; did you mean spec?`},
		"an unknown metric": {
			replaced(t, `name: ndcg@10`, `name: ndgc@10`),
			`ndcg@10`},
		"a metric twice": {
			replaced(t, `name: recall@50, relevantFrom: 2`, `name: ndcg@10`),
			`gate.yaml: line 17: spec.metrics[1].name is ndcg@10, and so is spec.metrics[0]; name each metric once`},
		"a metric without its cut": {
			replaced(t, `name: recall@50`, `name: recall`),
			`gate.yaml: line 17: spec.metrics[1]: `},
		"a limit on a metric that can have none": {
			replaced(t, `name: ndcg@10`, `name: dcg@10`),
			`gate.yaml: line 16: spec.metrics[0].min is wrong: metric "dcg@10" can have no limit, as it is not normalised: put the limit on ndcg@10`},
		"a drop of a metric where less is better": {
			replaced(t, `name: recall@50, relevantFrom: 2`, `name: unjudgedRate@5, maxDrop: "0.1"`),
			`gate.yaml: line 17: spec.metrics[1].maxDrop is wrong: metric "unjudgedRate@5" can have no limit, as less of it is better: put the limit on judged@5`},
		"err without a scale": {
			replaced(t, `name: recall@50`, `name: err@10`),
			`gate.yaml: line 17: spec.metrics[1]: metric "err@10" needs the highest grade of the scale, from 1 to 30, and it is not declared; set spec.goldenSet.maxGrade`},
		"regressions by a metric that can have no limit": {
			replaced(t, `name: recall@50, relevantFrom: 2`, `name: dcg@10`) + "  regressions: {metric: dcg@10, drop: \"0.05\"}\n",
			`gate.yaml: line 20: spec.regressions.metric is wrong: metric "dcg@10" can have no limit`},
		"a limit above 1": {
			replaced(t, `min: "0.80"`, `min: "80"`),
			`gate.yaml: line 16: spec.metrics[0].min is wrong: "80" is not a fraction`},
		"an empty limit": {
			replaced(t, `min: "0.80"`, `min: ""`),
			`gate.yaml: line 16: spec.metrics[0].min is wrong`},
		"no limit at all": {
			replaced(t, `, min: "0.80", maxDrop: "0.02"`, ``),
			`gate.yaml: line 15: spec.metrics has no limit`},
		"less confidence than a coin gives": {
			replaced(t, `min: "0.80"`, `min: "0.80", confidence: "0.4"`),
			`gate.yaml: line 16: spec.metrics[0].confidence is 0.4; it must be from 0.5 to 0.999`},
		"no doubt at all": {
			replaced(t, `min: "0.80"`, `min: "0.80", confidence: "1"`),
			`gate.yaml: line 16: spec.metrics[0].confidence is 1; it must be from 0.5 to 0.999`},
		"a percentage as confidence": {
			replaced(t, `min: "0.80"`, `min: "0.80", confidence: "95"`),
			`gate.yaml: line 16: spec.metrics[0].confidence is wrong: "95" is not a fraction`},
		"an empty confidence": {
			replaced(t, `min: "0.80"`, `min: "0.80", confidence: ""`),
			`gate.yaml: line 16: spec.metrics[0].confidence is wrong`},
		"segments without limits": {
			goodGate + "  segments: {}\n",
			`gate.yaml: line 20: spec.segments has no limits; name a segment, a metric and its min`},
		"segments with no limit": {
			goodGate + "  segments: {limits: []}\n",
			`gate.yaml: line 20: spec.segments has no limits`},
		"more segments than are reported": {
			goodGate + "  segments: {limits: [" + strings.Repeat("{segment: a, metric: ndcg@10, min: \"0.5\"}, ", 11) + "]}\n",
			`gate.yaml: line 20: spec.segments.limits has 11 entries, the limit is 10`},
		"a segment without a name": {
			goodGate + "  segments: {limits: [{metric: ndcg@10, min: \"0.5\"}]}\n",
			`gate.yaml: line 20: spec.segments.limits[0] names no segment`},
		"a segment by another metric": {
			goodGate + "  segments: {limits: [{segment: a, metric: ndcg@5, min: \"0.5\"}]}\n",
			`gate.yaml: line 20: spec.segments.limits[0].metric is "ndcg@5"; it must be the name of one of spec.metrics`},
		"a segment's limit twice": {
			goodGate + "  segments: {limits: [{segment: a, metric: ndcg@10, min: \"0.5\"}, {segment: a, metric: ndcg@10, min: \"0.6\"}]}\n",
			`gate.yaml: line 20: spec.segments.limits[1] is for ndcg@10 of "a", and so is spec.segments.limits[0]; write one limit for both`},
		"a segment's limit without a min": {
			goodGate + "  segments: {limits: [{segment: a, metric: ndcg@10}]}\n",
			`gate.yaml: line 20: spec.segments.limits[0].min is wrong: "" is not a fraction`},
		"a maxDrop of a segment": {
			goodGate + "  segments: {limits: [{segment: a, metric: ndcg@10, maxDrop: \"0.5\"}]}\n",
			`gate.yaml: line 20: spec.segments.limits[0].maxDrop is an unknown field`},
		"no query in a segment": {
			goodGate + "  segments: {minQueries: 0, limits: [{segment: a, metric: ndcg@10, min: \"0.5\"}]}\n",
			`gate.yaml: line 20: spec.segments.minQueries is 0; it must be from 1 to 1000000`},
		"a stored template": {
			replaced(t, "body:\n      query: {multi_match: {query: \"{{query}}\", fields: [\"name^3\", \"brand^2\"]}}", `storedTemplate: {id: x}`),
			`gate.yaml: line 12: spec.search has no body; bodyConfigMapRef and storedTemplate are not supported yet`},
		"no search": {
			replaced(t, "  search:\n    body:\n      query: {multi_match: {query: \"{{query}}\", fields: [\"name^3\", \"brand^2\"]}}\n", ""),
			`gate.yaml: line 4: spec.search is missing`},
		"no spec": {
			"apiVersion: relevancegate.dev/v1alpha1\nkind: RelevanceGate\n",
			`gate.yaml: line 1: spec is missing`},
		"a body that is refused": {
			replaced(t, `query: {multi_match`, "timeout: 1s\n      query: {multi_match"),
			`gate.yaml: line 13: spec.search.body is refused: the search body must not have timeout`},
		"a body without the query": {
			replaced(t, `{{query}}`, `shoes`),
			`gate.yaml: line 13: spec.search.body is refused: the search body has no "{{query}}"`},
		"a placeholder without quotes": {
			replaced(t, `"{{query}}"`, `{{query}}`),
			`gate.yaml: line 14: a placeholder must be in quotes: "{{query}}"`},
		"a live body that is refused": {
			replaced(t, "    body:\n", "    live: {body: {from: 3}}\n    body:\n"),
			`gate.yaml: line 13: spec.search.live.body is refused: `},
		"repeats of 0": {
			replaced(t, `repeats: 3`, `repeats: 0`),
			`gate.yaml: line 19: spec.evaluation.repeats is 0; it must be from 1 to 10`},
		"repeats as a text": {
			replaced(t, `repeats: 3`, `repeats: "3"`),
			`gate.yaml: line 19: spec.evaluation.repeats is the text "3"; it must be a number`},
		"a fraction of repeats": {
			replaced(t, `repeats: 3`, `repeats: 2.5`),
			`gate.yaml: line 19: spec.evaluation.repeats is 2.5; it must be a whole number`},
		"a threshold above the scale": {
			replaced(t, "  goldenSet:\n", "  goldenSet:\n    maxGrade: 1\n"),
			`gate.yaml: line 18: spec.metrics[1].relevantFrom is 2; it must be from 1 to 1`},
		"a word that YAML takes for false": {
			goodGate + "  promotion: {policy: Off}\n",
			`gate.yaml: line 20: spec.promotion.policy is read as false; write it in quotes`},
		"regressions by another metric": {
			goodGate + "  regressions: {metric: ndcg@5, drop: \"0.05\"}\n",
			`gate.yaml: line 20: spec.regressions.metric is "ndcg@5"; it must be the name of one of spec.metrics`},
		"regressions without a drop": {
			goodGate + "  regressions: {metric: ndcg@10}\n",
			`gate.yaml: line 20: spec.regressions.drop is wrong`},
		"a format of later": {
			replaced(t, "  goldenSet:\n", "  goldenSet:\n    format: XML\n"),
			`gate.yaml: line 11: spec.goldenSet.format is wrong: the format "XML" is not known; use Auto, Gate, Article, Short, Quepid, TREC, RankEval, RRE, CSV or JSONL`},
		"a format in lower case": {
			replaced(t, "  goldenSet:\n", "  goldenSet:\n    format: jsonl\n"),
			`gate.yaml: line 11: spec.goldenSet.format is wrong: jsonl is written JSONL`},
		"a list in place of an object": {
			replaced(t, "  goldenSet:\n    configMapRef: {name: golden-es, key: es.json}", "  goldenSet: []"),
			`gate.yaml: line 10: spec.goldenSet is a list; it must be an object`},
		"a field twice": {
			replaced(t, "  alias: products\n", "  alias: products\n  alias: other\n"),
			`gate.yaml: line `},
		"no YAML": {
			"a: [1\nb: 2\n",
			`gate.yaml: line `},
		"no gate": {
			"kind: ConfigMap\n",
			`gate.yaml: there is no RelevanceGate in it`},
		"an empty file": {
			"",
			`gate.yaml: there is no RelevanceGate in it`},
		"two gates": {
			goodGate + "---\n" + goodGate,
			`gate.yaml: lines 1 and 21 each begin a RelevanceGate; a file must hold exactly one`},
		"another version": {
			replaced(t, "v1alpha1", "v1"),
			`gate.yaml: line 1: apiVersion is relevancegate.dev/v1, want relevancegate.dev/v1alpha1`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readGate(t, test.text)
			if err == nil {
				t.Fatal("the gate was accepted")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}
