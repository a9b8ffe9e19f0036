package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

func pointer[T any](value T) *T { return &value }

// makeReport has a query that lost, one in error and a negative.
func makeReport() *evaluate.Report {
	hits := []evaluate.RankedHit{{ID: "a", Grade: 3}, {ID: "b\x1b[2J", Grade: relevance.Unjudged}}
	return &evaluate.Report{
		EvaluationKey: "sha256:" + strings.Repeat("e", 64),
		GoldenDigest:  "sha256:" + strings.Repeat("0", 64),
		GoldenContent: "content-sha256:" + strings.Repeat("c", 64),
		Engine:        engine.Info{Distribution: "Elasticsearch", Version: "7.17.29"},
		Candidate:     &evaluate.IndexResult{Name: "products-v2", Docs: 10},
		Live:          &evaluate.IndexResult{Name: "products-v1", Docs: 9},
		Metrics: []relevance.Metric{
			{Name: "recall@50", Kind: relevance.Recall, K: 50, Gain: relevance.Exponential, RelevantFrom: 1},
			{Name: "ndcg@10", Kind: relevance.NDCG, K: 10, Gain: relevance.Exponential, RelevantFrom: 1},
			{Name: "noresults", Kind: relevance.NoResults, Gain: relevance.Exponential, RelevantFrom: 1},
		},
		Measurement: verdict.Measurement{
			Queries: 3, Judgments: 4, Errors: 1, Deterministic: true,
			Scores: []verdict.Score{
				{Metric: "recall@50", Candidate: pointer(int64(500_000)), Live: pointer(int64(750_000))},
				{Metric: "ndcg@10", Candidate: pointer(int64(799_996)), Live: pointer(int64(799_996))},
				{Metric: "noresults", Candidate: pointer(int64(1_000_000)), Live: pointer(int64(1_000_000))},
			},
			JudgedCandidate: pointer(int64(612_345)), EmptyLive: 1, RegressionCount: 1,
		},
		Queries: []evaluate.QueryResult{
			{
				ID: "q2", Query: `red "shoes" <b>`, Segments: []string{"head"}, Weight: 2.5,
				Candidate: &evaluate.Ranking{Values: []float64{0.5, 0.12345650000001, evaluate.NoValue}, Hits: hits, Returned: 7},
				Live:      &evaluate.Ranking{Values: []float64{1, 1, evaluate.NoValue}},
			},
			{ID: "q1", Query: "blue", Weight: 1, Error: "searching products-v2: 1 of 5 shards failed"},
			{
				ID: "n1", Query: "nothing", Weight: 1, Negative: true,
				Candidate: &evaluate.Ranking{Values: []float64{evaluate.NoValue, evaluate.NoValue, 1}},
				Live:      &evaluate.Ranking{Values: []float64{evaluate.NoValue, evaluate.NoValue, 1}},
			},
		},
		WorstMetric:   "recall@50",
		Depth:         51,
		Worst:         []int{0},
		DroppedFields: []string{"aggs", "size"},
	}
}

func makeOutcome() (verdict.Outcome, verdict.Limits) {
	return verdict.Outcome{
			Verdict: verdict.Failed, Reason: "BelowThreshold", Message: "ndcg@10 0.799996 is below min 0.800000",
			Scores: []verdict.ScoreVerdict{
				{Metric: "recall@50", Verdict: verdict.Reported},
				{Metric: "ndcg@10", Verdict: verdict.Failed},
				{Metric: "noresults", Verdict: verdict.Passed},
			},
		}, verdict.Limits{Metrics: []verdict.Limit{
			{Metric: "recall@50"},
			{Metric: "ndcg@10", Min: pointer(int64(800_000)), MaxDrop: pointer(int64(20_000))},
			{Metric: "noresults", Min: pointer(int64(1_000_000))},
		}}
}

func TestDocumentIsAsPromised(t *testing.T) {
	outcome, limits := makeOutcome()
	var out bytes.Buffer
	if err := WriteVerdict(&out, makeReport(), outcome, limits); err != nil {
		t.Fatal(err)
	}
	metric := func(name, kind string, k int) string {
		return fmt.Sprintf(`{"name":%q,"kind":%q,"k":%d,"gain":"Exponential","relevantFrom":1}`, name, kind, k)
	}
	want := `{"schema":"relevancegate.dev/evaluation/v1","verdict":"Failed","reason":"BelowThreshold","message":"ndcg@10 0.799996 is below min 0.800000",` +
		`"measured":{"evaluationKey":"sha256:` + strings.Repeat("e", 64) + `","engine":"Elasticsearch 7.17.29","goldenSet":{"digest":"sha256:` + strings.Repeat("0", 64) + `","contentDigest":"content-sha256:` + strings.Repeat("c", 64) + `","queries":3,"judgments":4},` +
		`"candidate":{"name":"products-v2","uuid":"","docs":10},"live":{"name":"products-v1","uuid":"","docs":9},` +
		`"metrics":[` + metric("recall@50", "recall", 50) + "," + metric("ndcg@10", "ndcg", 10) + "," + metric("noresults", "noresults", 0) + `],"worstMetric":"recall@50","keptHits":10},` +
		`"evidence":{"errors":1,"judged":{"candidate":"0.612345","live":null},"emptyResults":{"candidate":0,"live":1},"negativesFailed":0,"missingDocs":null,"duplicateHits":0,` +
		`"noise":{"candidate":"0.000000","live":"0.000000"},"regressions":{"count":1,"protected":0},"depth":51,"droppedFields":["aggs","size"]},"scores":[` +
		`{"metric":"recall@50","candidate":"0.500000","live":"0.750000","delta":"-0.250000","verdict":"Reported"},` +
		`{"metric":"ndcg@10","candidate":"0.799996","live":"0.799996","delta":"0.000000","verdict":"Failed","min":"0.800000","maxDrop":"0.020000"},` +
		`{"metric":"noresults","candidate":"1.000000","live":"1.000000","delta":"0.000000","verdict":"Passed","min":"1.000000"}],"queries":[
{"id":"q2","query":"red \"shoes\" \u003cb\u003e","segments":["head"],"weight":2.5,"candidate":{"ndcg@10":"0.123457","noresults":null,"recall@50":"0.500000"},"live":{"ndcg@10":"1.000000","noresults":null,"recall@50":"1.000000"},"candidateHits":[{"id":"a","grade":3},{"id":"b\u001b[2J","grade":null}],"liveHits":[],"error":null},
{"id":"q1","query":"blue","weight":1,"candidate":{"ndcg@10":null,"noresults":null,"recall@50":null},"live":{"ndcg@10":null,"noresults":null,"recall@50":null},"error":"searching products-v2: 1 of 5 shards failed"},
{"id":"n1","query":"nothing","weight":1,"candidate":{"ndcg@10":null,"noresults":"1.000000","recall@50":null},"live":{"ndcg@10":null,"noresults":"1.000000","recall@50":null},"candidateHits":[],"liveHits":[],"error":null}]}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	checkSchema(t, out.Bytes())
}

func TestEveryDocumentFitsTheSchema(t *testing.T) {
	outcome, limits := makeOutcome()
	live := makeReport()
	live.Candidate = nil
	for i := range live.Queries {
		live.Queries[i].Candidate = nil
	}
	for i := range live.Measurement.Scores {
		live.Measurement.Scores[i].Candidate = nil
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"measurement": func(out *bytes.Buffer) error { return WriteMeasurement(out, makeReport()) },
		"live alone":  func(out *bytes.Buffer) error { return WriteVerdict(out, live, outcome, limits) },
		"no queries": func(out *bytes.Buffer) error {
			empty := makeReport()
			empty.Queries = nil
			return WriteMeasurement(out, empty)
		},
		"usage": func(out *bytes.Buffer) error {
			return WriteProblem(out, FormatJSON, Problem{Reason: "Usage", Message: "unknown flag: --x"})
		},
		"no engine": func(out *bytes.Buffer) error {
			return WriteProblem(out, FormatJSON, Problem{Verdict: pointer(verdict.Inconclusive), Reason: "EngineUnavailable", Message: "x"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			checkSchema(t, out.Bytes())
		})
	}
}

func TestSchemaRefusesWhatIsNotPromised(t *testing.T) {
	for name, document := range map[string]string{
		"a number as a value": `{"schema":"relevancegate.dev/evaluation/v1","verdict":null,"reason":"X","message":"m","measured":null,"queries":[],"scores":[{"metric":"m","candidate":0.5,"live":null,"delta":null,"verdict":null}]}`,
		"4 decimals":          `{"schema":"relevancegate.dev/evaluation/v1","verdict":null,"reason":"X","message":"m","measured":null,"queries":[],"scores":[{"metric":"m","candidate":"0.5000","live":null,"delta":null,"verdict":null}]}`,
		"another field":       `{"schema":"relevancegate.dev/evaluation/v1","verdict":null,"reason":"X","message":"m","measured":null,"queries":[],"scores":[],"more":1}`,
		"a lacking field":     `{"schema":"relevancegate.dev/evaluation/v1","verdict":null,"reason":"X","message":"m","measured":null,"queries":[]}`,
	} {
		if validate(t, []byte(document)) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestText(t *testing.T) {
	outcome, limits := makeOutcome()
	var out bytes.Buffer
	if err := Text(&out, makeReport(), &outcome, limits, Style{}); err != nil {
		t.Fatal(err)
	}
	want := `candidate: products-v2 (10 documents), live: products-v1 (9 documents), on Elasticsearch 7.17.29
golden set: 3 queries, 4 judgments
  bytes    sha256:` + strings.Repeat("0", 64) + `
  content  content-sha256:` + strings.Repeat("c", 64) + `

METRIC     CANDIDATE  LIVE      DELTA     LIMIT                  VERDICT
recall@50  0.5000     0.7500    -0.2500   -                      Reported
ndcg@10    0.799996   0.799996  0.000000  min 0.8, maxDrop 0.02  Failed
noresults  1.0000     1.0000    0.0000    min 1                  Passed

worst queries by recall@50:
  q2  "red \"shoes\" <b>"
    candidate  0.5000  a (3), "b\x1b[2J" (?), …
    live       1.0000  nothing

queries in error: 1 of 3
  q1: searching products-v2: 1 of 5 shards failed

judged rate: candidate 0.6123, live -
empty results: candidate 0, live 1
regressions by recall@50: 1
dropped from the search body: aggs, size

Failed: ndcg@10 0.799996 is below min 0.800000
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestTextWithoutLimitsHasNoVerdict(t *testing.T) {
	var out bytes.Buffer
	if err := Text(&out, makeReport(), nil, verdict.Limits{}, Style{}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "Failed") || !strings.Contains(text, "recall@50  0.5000") {
		t.Errorf("got\n%s", text)
	}
}

func TestDecimalsNeverContradictTheVerdict(t *testing.T) {
	for name, test := range map[string]struct {
		candidate, live int64
		min, maxDrop    *int64
		want            string
	}{
		"plain":                         {812_345, 700_000, pointer(int64(800_000)), nil, "0.8123 0.7000 +0.1123"},
		"rounds up to its min":          {799_960, 700_000, pointer(int64(800_000)), nil, "0.799960 0.700000 +0.099960"},
		"equal to its min":              {800_000, 700_000, pointer(int64(800_000)), nil, "0.8000 0.7000 +0.1000"},
		"rounds down below its min":     {800_040, 700_000, pointer(int64(800_040)), nil, "0.800040 0.700000 +0.100040"},
		"drop rounds into its maxDrop":  {679_980, 700_000, nil, pointer(int64(20_000)), "0.679980 0.700000 -0.020020"},
		"drop rounds out of it":         {679_940, 700_000, nil, pointer(int64(20_060)), "0.679940 0.700000 -0.020060"},
		"a difference that rounds away": {700_010, 700_000, nil, nil, "0.700010 0.700000 +0.000010"},
		"half to even":                  {700_050, 700_150, nil, nil, "0.7000 0.7002 -0.0001"},
	} {
		t.Run(name, func(t *testing.T) {
			score := verdict.Score{Candidate: &test.candidate, Live: &test.live}
			as := decimalsFor(score, verdict.Limit{Min: test.min, MaxDrop: test.maxDrop})
			got := strings.Join([]string{as(score.Candidate), as(score.Live), signed(as, deltaOf(score))}, " ")
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func checkSchema(t *testing.T, document []byte) {
	t.Helper()
	if err := validate(t, document); err != nil {
		t.Errorf("the document does not fit its schema: %v\n%s", err, document)
	}
}

func validate(t *testing.T, document []byte) error {
	t.Helper()
	return validateAgainst(t, "evaluation", document)
}

func validateAgainst(t *testing.T, name string, document []byte) error {
	t.Helper()
	raw, err := os.ReadFile("../../docs/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, tree); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}
