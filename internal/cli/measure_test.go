package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// makePlan measures the candidate alone with the golden set of the shoes.
func makePlan(t *testing.T, url, candidate string) *evaluate.Plan {
	t.Helper()
	metric, err := relevance.ParseMetric("recall@5", relevance.Exponential, 1)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := golden.Digest([]byte(shoesGolden))
	if err != nil {
		t.Fatal(err)
	}
	return &evaluate.Plan{
		Schema:                evaluate.PlanSchema,
		EvaluationKey:         "sha256:key",
		URL:                   url,
		Candidate:             &evaluate.Index{Name: candidate},
		GoldenDigest:          digest,
		GoldenSource:          "ConfigMap shop/golden",
		Search:                evaluate.Search{Body: json.RawMessage(`{"query": {"match": {"name": "{{query}}"}}}`)},
		Metrics:               []relevance.Metric{metric},
		Repeats:               2,
		MaxConcurrentSearches: 4,
	}
}

// runMeasure writes the plan's folder and runs measure on it. A golden set of
// several files is mounted as one. summary is what is in the termination file.
func runMeasure(ctx context.Context, t *testing.T, plan any, goldenSet ...string) (result ran, summary []byte) {
	t.Helper()
	raw, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(writeFile(t, "plan.json", string(raw)))
	for i, text := range goldenSet {
		path := filepath.Join(dir, "golden")
		if len(goldenSet) > 1 {
			path = filepath.Join(dir, evaluate.GoldenPath(i))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "termination-log")
	var out, errOut strings.Builder
	code := Run(ctx, []string{"measure", "--plan", dir, "--summary", file}, nil, &out, &errOut)
	if summary, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	return ran{code, out.String(), errOut.String()}, summary
}

// wantFailure wants exit code 1 and this reason in the termination file.
func wantFailure(t *testing.T, result ran, summary []byte, reason string) (message string) {
	t.Helper()
	failure, err := evaluate.DecodeFailure(summary)
	if err != nil {
		t.Fatalf("%v: %s", err, summary)
	}
	if result.code != 1 || failure.Reason != reason {
		t.Errorf("got code %d, %s: %s; want %s", result.code, failure.Reason, failure.Message, reason)
	}
	return failure.Message
}

func TestMeasureHandsOverSummaryAndReport(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		candidate, live := loadShoes(t, url, "shoes", "bananas", "socks"), loadShoes(t, url, "shoes", "shoes", "shoes")
		plan := makePlan(t, url, candidate)
		plan.Live = &evaluate.Index{Name: live, UUID: testengine.UUID(t, url, live)}
		result, raw := runMeasure(t.Context(), t, plan, shoesGolden)
		if result.code != 0 {
			t.Fatalf("got %+v", result)
		}
		summary, err := evaluate.DecodeSummary(raw, plan)
		if err != nil {
			t.Fatal(err)
		}
		m := summary.Measurement
		if m.Queries != 3 || m.Errors != 0 || !m.Deterministic || m.CandidateChanged || *m.Scores[0].Candidate != 750_000 || *m.Scores[0].Live != 500_000 || m.MissingDocs != 1 {
			t.Errorf("the measurement is %+v", m)
		}
		if c := summary.Candidate; c.Name != candidate || c.UUID != testengine.UUID(t, url, candidate) || c.Docs != 3 || !strings.HasPrefix(c.Fingerprint, "sha256:") {
			t.Errorf("the candidate is %+v", c)
		}
		if l := summary.Live; l.Name != live || l.Docs != 3 || l.Fingerprint != "" {
			t.Errorf("the live index is %+v", l)
		}

		document, err := io.ReadAll(evaluate.NewFrameReader(strings.NewReader(result.out), plan.EvaluationKey))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(document), `"reason":"Measured"`) || !strings.Contains(string(document), `"id":"q1"`) {
			t.Errorf("the report is %s", document)
		}
		if !strings.Contains(result.out, "recall@5") {
			t.Errorf("there is no table in %s", result.out)
		}

		// What was measured is what the next plan may ask for, until it changes.
		plan.Candidate.Fingerprint, plan.Candidate.UUID = summary.Candidate.Fingerprint, summary.Candidate.UUID
		if again, _ := runMeasure(t.Context(), t, plan, shoesGolden); again.code != 0 {
			t.Errorf("the same content: %+v", again)
		}
		testengine.Put(t, url, candidate, "d", `{"name": "more"}`)
		changed, raw := runMeasure(t.Context(), t, plan, shoesGolden)
		wantFailure(t, changed, raw, "CandidateChanged")
		plan.Candidate.Fingerprint, plan.Candidate.UUID = "", "another"
		changed, raw = runMeasure(t.Context(), t, plan, shoesGolden)
		wantFailure(t, changed, raw, "CandidateChanged")
		plan.Candidate, plan.Live.UUID = nil, "another"
		changed, raw = runMeasure(t.Context(), t, plan, shoesGolden)
		wantFailure(t, changed, raw, "LiveChanged")
	})
}

// The live index is what shops search: its refresh interval is its owner's.
func TestTheLiveIndexIsNotRefreshed(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		candidate, live := loadShoes(t, url, "shoes", "shoes", "socks"), loadShoes(t, url, "shoes", "shoes", "shoes")
		for _, index := range []string{candidate, live} {
			testengine.Do(t, "PUT", url+"/"+index+"/_settings", `{"index.refresh_interval": "-1"}`)
			testengine.Do(t, "PUT", url+"/"+index+"/_doc/d", `{"name": "late"}`)
		}
		plan := makePlan(t, url, candidate)
		plan.Live = &evaluate.Index{Name: live}
		_, raw := runMeasure(t.Context(), t, plan, shoesGolden)
		summary, err := evaluate.DecodeSummary(raw, plan)
		if err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if summary.Candidate.Docs != 4 || summary.Live.Docs != 3 {
			t.Errorf("the candidate has %d documents, live %d; want 4 and 3", summary.Candidate.Docs, summary.Live.Docs)
		}
	})
}

func TestAFailureHoldsNoQueryText(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		plan := makePlan(t, url, loadShoes(t, url, "shoes", "shoes", "socks"))
		plan.Search.Body = json.RawMessage(`{"query": {"range": {"name": {"boost": "{{query}}"}}}}`)
		result, raw := runMeasure(t.Context(), t, plan, shoesGolden)
		message := wantFailure(t, result, raw, "SearchRejected")
		if !strings.Contains(message, "query q1") || !strings.Contains(message, "_exception") {
			t.Errorf("the message is %q", message)
		}
		if strings.Contains(string(raw), "shoes\"") || strings.Contains(message, "For input string") {
			t.Errorf("the failure repeats a query: %s", raw)
		}
		if !strings.Contains(result.errOut, `"shoes"`) {
			t.Errorf("the log does not say what the engine said: %s", result.errOut)
		}
	})
}

func TestMeasureSaysWhyItCouldNot(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	plan := func(change func(*evaluate.Plan)) *evaluate.Plan {
		plan := makePlan(t, server.URL, "new")
		change(plan)
		return plan
	}
	for name, test := range map[string]struct {
		plan   any
		golden string
		reason string
	}{
		"wrong credentials":              {plan(func(*evaluate.Plan) {}), shoesGolden, "Unauthorized"},
		"no engine":                      {plan(func(p *evaluate.Plan) { p.URL = "http://127.0.0.1:1" }), shoesGolden, "EngineUnavailable"},
		"no address":                     {plan(func(p *evaluate.Plan) { p.URL = "" }), shoesGolden, "InvalidPlan"},
		"another golden set":             {plan(func(*evaluate.Plan) {}), shoesGolden + " ", "GoldenSetChanged"},
		"a golden set that does not fit": {plan(func(p *evaluate.Plan) { p.Metrics[0].RelevantFrom = 4 }), shoesGolden, "InvalidGoldenSet"},
		"another schema":                 {plan(func(p *evaluate.Plan) { p.Schema = "relevancegate.dev/plan/v2" }), shoesGolden, "InvalidPlan"},
		"an unknown field":               {map[string]any{"schema": evaluate.PlanSchema, "more": 1}, shoesGolden, "InvalidPlan"},
		"no metrics":                     {plan(func(p *evaluate.Plan) { p.Metrics = nil }), shoesGolden, "InvalidPlan"},
		"a refused body":                 {plan(func(p *evaluate.Plan) { p.Search.Body = json.RawMessage(`{}`) }), shoesGolden, "InvalidSearch"},
	} {
		t.Run(name, func(t *testing.T) {
			result, summary := runMeasure(t.Context(), t, test.plan, test.golden)
			wantFailure(t, result, summary, test.reason)
			if result.out != "" || !strings.HasPrefix(result.errOut, "Error: ") {
				t.Errorf("got %+v", result)
			}
		})
	}
}

// shoesShards are the golden set of the shoes in two files.
var shoesShards = []string{
	`{"schema": "relevancegate.dev/golden/v1", "queries": [{"id": "q1", "query": "shoes", "judgments": [{"id": "a", "grade": 3}]}]}`,
	`{"schema": "relevancegate.dev/golden/v1", "queries": [
	{"id": "q2", "query": "socks", "judgments": [{"id": "c", "grade": 3}, {"id": "gone", "grade": 1}]},
	{"id": "n1", "query": "bananas", "expectNoResults": true}]}`,
}

func TestMeasureMergesShards(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		plan := makePlan(t, url, loadShoes(t, url, "shoes", "bananas", "socks"))
		plan.GoldenFiles = []string{"ConfigMap shop/golden-1, key a.json", "ConfigMap shop/golden-2, key b.json"}
		var err error
		if plan.GoldenDigest, err = golden.DigestFiles([]golden.Source{{Raw: []byte(shoesShards[0])}, {Raw: []byte(shoesShards[1])}}); err != nil {
			t.Fatal(err)
		}
		result, raw := runMeasure(t.Context(), t, plan, shoesShards...)
		summary, err := evaluate.DecodeSummary(raw, plan)
		if err != nil {
			t.Fatalf("%v: %+v", err, result)
		}
		if m := summary.Measurement; m.Queries != 3 || m.Judgments != 3 || *m.Scores[0].Candidate != 750_000 {
			t.Errorf("the measurement is %+v", m)
		}

		// Another order, and a shard that has changed, are another golden set.
		changed, raw := runMeasure(t.Context(), t, plan, shoesShards[1], shoesShards[0])
		wantFailure(t, changed, raw, "GoldenSetChanged")
		changed, raw = runMeasure(t.Context(), t, plan, shoesShards[0], shoesShards[1]+" ")
		wantFailure(t, changed, raw, "GoldenSetChanged")
	})
}

func TestWhatIsWrongWithAShardNamesIt(t *testing.T) {
	plan := makePlan(t, "http://127.0.0.1:1", "new")
	plan.GoldenFiles = []string{"ConfigMap shop/golden-1, key a.json", "ConfigMap shop/golden-2, key b.json"}
	var err error
	if plan.GoldenDigest, err = golden.DigestFiles([]golden.Source{{Raw: []byte(shoesShards[0])}, {Raw: []byte(shoesShards[0])}}); err != nil {
		t.Fatal(err)
	}
	result, raw := runMeasure(t.Context(), t, plan, shoesShards[0], shoesShards[0])
	if message := wantFailure(t, result, raw, "InvalidGoldenSet"); !strings.HasPrefix(message, plan.GoldenFiles[1]) {
		t.Errorf("got %s", message)
	}
	plan.GoldenFiles = append(plan.GoldenFiles, "ConfigMap shop/golden-3, key c.json")
	result, raw = runMeasure(t.Context(), t, plan, shoesShards[0], shoesShards[0])
	wantFailure(t, result, raw, "InvalidPlan")
}

func TestMeasureEndsInTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // An engine that never answers.
	}))
	defer server.Close()
	plan := makePlan(t, server.URL, "new")

	plan.TimeoutSeconds = 1
	result, summary := runMeasure(t.Context(), t, plan, shoesGolden)
	wantFailure(t, result, summary, "TimedOut")

	plan.TimeoutSeconds = 600
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	time.AfterFunc(100*time.Millisecond, cancel)
	result, summary = runMeasure(ctx, t, plan, shoesGolden)
	wantFailure(t, result, summary, "Interrupted")
}

func TestCredentialsComeFromTheirFolder(t *testing.T) {
	var user, password string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	raw, err := json.Marshal(makePlan(t, server.URL, "new"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(writeFile(t, "plan.json", string(raw)))
	for name, value := range map[string]string{"golden": shoesGolden, "credentials/username": "gate\n", "credentials/password": "hunter2\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "termination-log")
	result := runCLI(t, "measure", "--plan", dir, "--summary", file)
	if result.code != 1 || user != "gate" || password != "hunter2" {
		t.Errorf("sent %q, %q: %+v", user, password, result)
	}
	summary, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(summary)+result.out+result.errOut, "hunter2") {
		t.Error("the password is repeated")
	}
}
