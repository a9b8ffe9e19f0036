package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// answers are what an index returns: by query id, the documents in one text, each
// with its score, as "a=3 b=2", or without one.
// "!" is an error, and a query that is not listed returns nothing.
type answers map[string]string

// makeQuery judges documents as "a:3 b:1".
func makeQuery(id string, weight float64, judgments string) golden.Query {
	query := golden.Query{ID: id, Text: "text of " + id, Weight: weight}
	for _, text := range strings.Fields(judgments) {
		doc, grade, _ := strings.Cut(text, ":")
		query.Judgments = append(query.Judgments, golden.Judgment{DocID: doc, Grade: float64(grade[0] - '0')})
	}
	return query
}

func makeNegative(id string) golden.Query {
	return golden.Query{ID: id, Text: "text of " + id, Weight: 1, ExpectNoResults: true}
}

func makePlan(t *testing.T, repeats int, metrics ...string) *Plan {
	t.Helper()
	plan := &Plan{
		Candidate: &Index{Name: "new"},
		Live:      &Index{Name: "old"},
		Search:    Search{Body: json.RawMessage(`{"query": {"match": {"a": "{{query}}"}}}`)},
		Repeats:   repeats,
	}
	for _, name := range metrics {
		metric, err := relevance.ParseMetric(name, relevance.Exponential, 1)
		if err != nil {
			t.Fatal(err)
		}
		plan.Metrics = append(plan.Metrics, metric)
	}
	return plan
}

// measured runs all that comes after the searches. candidate and live have one
// entry a repeat.
func measured(t *testing.T, plan *Plan, queries []golden.Query, candidate, live []answers) *Report {
	t.Helper()
	r, err := newRun(nil, &golden.Set{Queries: queries}, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	for repeat := range max(1, plan.Repeats) {
		for _, a := range r.arms {
			given := live
			if a.isCandidate {
				given = candidate
			}
			if err := r.rank(a, repeat, 0, given[repeat].results(queries)); err != nil {
				t.Fatal(err)
			}
		}
		if repeat == 0 {
			r.worst.add(r, 0, len(queries))
		}
	}
	if err := r.score(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.report
}

func (a answers) results(queries []golden.Query) []engine.SearchResult {
	var results []engine.SearchResult
	for _, query := range queries {
		var result engine.SearchResult
		if a[query.ID] == "!" {
			result.Err = errors.New("shards failed")
		} else {
			for _, id := range strings.Fields(a[query.ID]) {
				id, text, _ := strings.Cut(id, "=")
				score, err := strconv.ParseFloat(text, 64)
				if err != nil {
					score = math.NaN()
				}
				result.Hits = append(result.Hits, engine.Hit{ID: id, Score: score})
			}
		}
		results = append(results, result)
	}
	return results
}

func once(a answers) []answers { return []answers{a} }

// scoresOf shows the scores as "metric=candidate/live".
func scoresOf(r *Report) string {
	text := func(value *int64) string {
		if value == nil {
			return "-"
		}
		return relevance.Format(*value)
	}
	var all []string
	for _, score := range r.Measurement.Scores {
		all = append(all, fmt.Sprintf("%s=%s/%s", score.Metric, text(score.Candidate), text(score.Live)))
	}
	return strings.Join(all, " ")
}

func wantScores(t *testing.T, r *Report, want string) {
	t.Helper()
	if got := scoresOf(r); got != want {
		t.Errorf("scores are %s, want %s", got, want)
	}
}

func TestDuplicateHitsCountOnce(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1 b:1 c:1 d:1")}
	report := measured(t, makePlan(t, 1, "recall@3", "precision@4"), queries,
		once(answers{"q1": "a a x b a c"}), once(answers{"q1": "a"}))
	// The ranking is a x b c: two of the first three, three of the first four.
	wantScores(t, report, "recall@3=0.500000/0.250000 precision@4=0.750000/0.250000")
	if report.DuplicateHits != 2 {
		t.Errorf("%d duplicates, want 2", report.DuplicateHits)
	}
}

func TestAQueryInErrorLeavesBothMeans(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 1, "b:1"), makeQuery("q3", 1, "c:1")}
	right := answers{"q1": "a", "q2": "x", "q3": "c"}
	for name, test := range map[string]struct{ candidate, live []answers }{
		"on the candidate":    {[]answers{{"q1": "a", "q2": "!", "q3": "c"}, right}, []answers{right, right}},
		"on the live index":   {[]answers{right, right}, []answers{{"q1": "a", "q2": "!", "q3": "c"}, right}},
		"in the second round": {[]answers{right, {"q1": "a", "q2": "!", "q3": "c"}}, []answers{right, right}},
	} {
		t.Run(name, func(t *testing.T) {
			report := measured(t, makePlan(t, 2, "recall@5", "nonempty"), queries, test.candidate, test.live)
			wantScores(t, report, "recall@5=1.000000/1.000000 nonempty=1.000000/1.000000")
			m := report.Measurement
			if m.Errors != 1 || m.Queries != 3 || !m.Deterministic {
				t.Errorf("got %+v", m)
			}
			if query := report.Queries[1]; query.Error == "" || query.Candidate != nil || query.Live != nil {
				t.Errorf("the query in error is reported as %+v", query)
			}
		})
	}
}

func TestAnEmptyResultScoresZeroAndStaysInTheMean(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 3, "b:1")}
	report := measured(t, makePlan(t, 1, "recall@5", "nonempty"), queries,
		once(answers{"q1": "a"}), once(answers{"q1": "a", "q2": "b"}))
	wantScores(t, report, "recall@5=0.250000/1.000000 nonempty=0.250000/1.000000")
	if m := report.Measurement; m.EmptyCandidate != 1 || m.EmptyLive != 0 {
		t.Errorf("%d and %d empty results, want 1 and 0", m.EmptyCandidate, m.EmptyLive)
	}
}

func TestNegativesImplyNoResults(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeNegative("n1"), makeNegative("n2")}
	report := measured(t, makePlan(t, 1, "recall@5", "nonempty"), queries,
		once(answers{"q1": "a", "n1": "a"}), once(answers{"q1": "a"}))
	wantScores(t, report, "recall@5=1.000000/1.000000 nonempty=1.000000/1.000000 noresults=0.500000/1.000000")
	m := report.Measurement
	if m.NegativesFailed != 1 || m.EmptyCandidate != 0 || m.HitsCandidate != 1 {
		t.Errorf("got %+v", m)
	}
	if value := report.Queries[1].Candidate.Value(0); value != nil {
		t.Errorf("a negative has recall %v", *value)
	}
	if value := report.Queries[0].Candidate.Value(2); value != nil {
		t.Errorf("a query that should find something has noresults %v", *value)
	}

	listed := measured(t, makePlan(t, 1, "noresults", "recall@5"), queries,
		once(answers{"q1": "a", "n1": "a"}), once(answers{"q1": "a"}))
	wantScores(t, listed, "noresults=0.500000/1.000000 recall@5=1.000000/1.000000")
}

func TestAMetricThatAppliesToNoQueryHasNoScore(t *testing.T) {
	report := measured(t, makePlan(t, 1, "recall@5"), []golden.Query{makeNegative("n1")}, once(nil), once(nil))
	wantScores(t, report, "recall@5=-/- noresults=1.000000/1.000000")
}

func TestMeansAreTakenInTheOrderOfIDs(t *testing.T) {
	queries := []golden.Query{makeQuery("q2", 1, "a:1"), makeQuery("q10", 1, "a:1"), makeQuery("q1", 1, "a:1")}
	r, err := newRun(nil, &golden.Set{Queries: queries}, makePlan(t, 1, "recall@5"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.countedQueries(); !slices.Equal(got, []int{2, 1, 0}) {
		t.Errorf("the order is %v", got)
	}
}

func TestTheOrderOfTheFileChangesNoDigit(t *testing.T) {
	var queries []golden.Query
	found := answers{}
	for i := range 100 {
		id := fmt.Sprintf("q%d", i)
		queries = append(queries, makeQuery(id, 1+float64(i)/7, "a:3 b:2 c:1"))
		found[id] = []string{"x a b", "b x c", "c b a", "x x c"}[i%4]
	}
	plan := makePlan(t, 1, "ndcg@10", "recall@2")
	forwards := measured(t, plan, queries, once(found), once(found))
	backwards := slices.Clone(queries)
	slices.Reverse(backwards)
	other := measured(t, plan, backwards, once(found), once(found))
	if !reflect.DeepEqual(forwards.Measurement, other.Measurement) {
		t.Errorf("%+v\n%+v", forwards.Measurement, other.Measurement)
	}
}

func TestRepeatsThatDifferAreFound(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 1, "b:1")}
	first := answers{"q1": "a", "q2": "x"}
	for name, test := range map[string]struct {
		repeats       []answers
		deterministic bool
		noise         int64
		difference    string
	}{
		"the same":                     {[]answers{first, first, first}, true, 0, ""},
		"another order, same score":    {[]answers{first, {"q1": "a x", "q2": "y"}, first}, true, 0, ""},
		"one query differs":            {[]answers{first, first, {"q1": "x", "q2": "x"}}, false, 500_000, "query q1: recall@5 1, then 0 in repeat 3"},
		"differences that cancel out":  {[]answers{first, {"q1": "x", "q2": "b"}, first}, false, 0, "query q1: recall@5 1, then 0 in repeat 2"},
		"a difference in another mean": {[]answers{first, {"q1": "a"}, first}, false, 500_000, "query q2: nonempty 1, then 0 in repeat 2"},
		"a query in error":             {[]answers{first, {"q1": "!", "q2": "b"}, first}, false, 1_000_000, "query q2: recall@5 0, then 1 in repeat 2"},
	} {
		t.Run(name, func(t *testing.T) {
			report := measured(t, makePlan(t, 3, "recall@5", "nonempty"), queries, test.repeats, []answers{first, first, first})
			m := report.Measurement
			if m.Deterministic != test.deterministic || m.Noise != test.noise || m.FirstDifference != test.difference {
				t.Errorf("deterministic %t, noise %d, %s; want %t, %d, %s",
					m.Deterministic, m.Noise, m.FirstDifference, test.deterministic, test.noise, test.difference)
			}
			if m.Errors == 0 {
				wantScores(t, report, "recall@5=0.500000/0.500000 nonempty=1.000000/1.000000")
			}
		})
	}
}

func TestTheLiveIndexMayMoveWhileItIsMeasured(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 1, "b:1")}
	half, all, none := answers{"q1": "a", "q2": "x"}, answers{"q1": "a", "q2": "b"}, answers{"q1": "x", "q2": "x"}
	report := measured(t, makePlan(t, 3, "recall@5"), queries, []answers{half, half, half}, []answers{half, all, none})
	m := report.Measurement
	if !m.Deterministic || m.LiveNoise != 500_000 {
		t.Errorf("got %+v", m)
	}
	if want := "query q1: recall@5 1, then 0 in repeat 3"; report.LiveDifference != want {
		t.Errorf("the live index's first difference is %q, want %q", report.LiveDifference, want)
	}
	score := m.Scores[0]
	if *score.Live != 500_000 || score.LiveHigh == nil || *score.LiveHigh != 1_000_000 {
		t.Errorf("live is %v, its highest %v", *score.Live, score.LiveHigh)
	}

	down := measured(t, makePlan(t, 2, "recall@5"), queries, []answers{half, half}, []answers{half, none})
	if score := down.Measurement.Scores[0]; score.LiveHigh != nil {
		t.Errorf("the highest repeat is %d, want none as it is the first", *score.LiveHigh)
	}
}

func TestJudgedRateIsOverQueriesWithHits(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 1, "b:1 c:0"), makeQuery("q3", 1, "d:1")}
	plan := makePlan(t, 1, "recall@5")
	plan.JudgedAt = 2
	report := measured(t, plan, queries, once(answers{"q1": "x a a", "q2": "b c x y"}), once(nil))
	m := report.Measurement
	// One of two, two of two, and q3 without hits.
	if m.JudgedCandidate == nil || *m.JudgedCandidate != 750_000 {
		t.Errorf("the judged rate is %v, want 0.75", m.JudgedCandidate)
	}
	if m.JudgedLive != nil {
		t.Errorf("live returned nothing, but has the judged rate %d", *m.JudgedLive)
	}
	if m.HitsCandidate != 6 || m.JudgedHitsCandidate != 3 || m.HitsLive != 0 || m.JudgedHitsLive != 0 {
		t.Errorf("got %+v", m)
	}
}

func TestRegressions(t *testing.T) {
	var queries []golden.Query
	candidate, live := answers{}, answers{}
	for i, found := range []string{"a b", "a", "", "a b", "a", ""} {
		id := fmt.Sprintf("q%d", i)
		queries = append(queries, makeQuery(id, float64(i), "a:1 b:1"))
		candidate[id], live[id] = found, "a b"
	}
	queries[0].Weight = 1
	plan := makePlan(t, 1, "nonempty", "recall@5")
	heavy := 4.0
	plan.Regressions = &Regressions{Metric: "recall@5", Drop: 500_000, ProtectWeightFrom: &heavy}
	m := measured(t, plan, queries, once(candidate), once(live)).Measurement
	want := []verdict.Regression{
		{Query: "q2", Live: 1_000_000, Candidate: 0, Weight: 2},
		{Query: "q5", Live: 1_000_000, Candidate: 0, Weight: 5},
		{Query: "q1", Live: 1_000_000, Candidate: 500_000, Weight: 1},
		{Query: "q4", Live: 1_000_000, Candidate: 500_000, Weight: 4},
	}
	if !reflect.DeepEqual(m.Worst, want) || m.RegressionCount != 4 || m.ProtectedRegressions != 2 {
		t.Errorf("%d regressions, %d protected: %+v", m.RegressionCount, m.ProtectedRegressions, m.Worst)
	}

	// Of queries in error nobody knows; those that are heavy enough are counted.
	candidate["q1"], candidate["q5"] = "!", "!"
	if m := measured(t, plan, queries, once(candidate), once(live)).Measurement; m.Errors != 2 || m.ProtectedErrors != 1 || m.ProtectedRegressions != 1 {
		t.Errorf("%d errors, %d protected; %d protected regressions", m.Errors, m.ProtectedErrors, m.ProtectedRegressions)
	}
	candidate["q1"], candidate["q5"] = "a", ""

	plan.Regressions.Drop = 500_001
	if m := measured(t, plan, queries, once(candidate), once(live)).Measurement; m.RegressionCount != 2 {
		t.Errorf("%d regressions, want the 2 that lost more than half", m.RegressionCount)
	}
	plan.Regressions.Drop = 0
	if m := measured(t, plan, queries, once(live), once(live)).Measurement; m.RegressionCount != 0 {
		t.Errorf("%d regressions of an index against itself", m.RegressionCount)
	}
}

func TestOfVeryManyQueriesOnlyTheWorstKeepTheirHits(t *testing.T) {
	for count, all := range map[int]bool{30: true, maxQueriesWithHits: true, maxQueriesWithHits + 1: false} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			var queries []golden.Query
			candidate, live := answers{}, answers{}
			for i := range count {
				id := fmt.Sprintf("q%05d", i)
				queries = append(queries, makeQuery(id, 1, "a:1"))
				live[id] = "a"
				candidate[id] = "a"
				if i%2 == 1 {
					candidate[id] = "x a"
				}
			}
			candidate["q00020"] = "x y"
			report := measured(t, makePlan(t, 1, "ndcg@10"), queries, once(candidate), once(live))
			if !slices.Equal(report.Worst, []int{20, 1, 3, 5, 7, 9, 11, 13, 15, 17}) {
				t.Errorf("the worst are %v", report.Worst)
			}
			for i, query := range report.Queries {
				if kept := query.Candidate.Hits != nil; kept != (all || slices.Contains(report.Worst, i)) {
					t.Fatalf("query %d keeps its hits: %t", i, kept)
				}
			}
			if hits := report.Queries[1].Candidate.Hits; len(hits) != 2 || hits[0].Grade != relevance.Unjudged || hits[1].Grade != 1 {
				t.Errorf("the hits are %+v", hits)
			}
		})
	}
}

func TestTheWorstComeFirst(t *testing.T) {
	queries := []golden.Query{
		makeQuery("same", 1, "a:1"), makeQuery("lost", 1, "a:1"), makeNegative("found"), makeQuery("failed", 1, "a:1"),
		makeNegative("empty"), makeQuery("low", 1, "a:1"), makeQuery("gained", 1, "a:1"), makeQuery("lost more", 1, "a:1"),
	}
	candidate := answers{"same": "a", "lost": "x a", "found": "x", "failed": "!", "low": "x x2 a", "gained": "a", "lost more": "x"}
	live := answers{"same": "a", "lost": "a", "failed": "a", "low": "x x2 a", "gained": "x a", "lost more": "a"}
	for name, test := range map[string]struct {
		live []answers
		want string
	}{
		"against live": {once(live), "failed, found, lost more, lost, low, same, empty, gained"},
		"alone":        {nil, "failed, found, lost more, low, lost, same, empty, gained"},
	} {
		t.Run(name, func(t *testing.T) {
			plan := makePlan(t, 1, "recall@5", "ndcg@10")
			plan.Regressions = &Regressions{Metric: "ndcg@10"}
			if test.live == nil {
				plan.Live = nil
			}
			report := measured(t, plan, queries, once(candidate), test.live)
			var ids []string
			for _, position := range report.WorstFirst() {
				ids = append(ids, report.Queries[position].ID)
			}
			if got := strings.Join(ids, ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestTheLiveIndexAlone(t *testing.T) {
	plan := makePlan(t, 1, "recall@5")
	plan.Candidate = nil
	queries := []golden.Query{makeQuery("q1", 1, "a:1 b:1"), makeNegative("n1")}
	report := measured(t, plan, queries, nil, once(answers{"q1": "a", "n1": "a"}))
	wantScores(t, report, "recall@5=-/0.500000 noresults=-/0.000000")
	m := report.Measurement
	if m.NegativesFailed != 1 || m.RegressionCount != 0 || !m.Deterministic || len(report.Worst) != 1 {
		t.Errorf("got %+v, worst %v", m, report.Worst)
	}
}

func TestPlansThatContradictThemselvesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"no metrics":                       func(p *Plan) { p.Metrics = nil },
		"no index":                         func(p *Plan) { p.Candidate, p.Live = nil, nil },
		"regressions by an unknown metric": func(p *Plan) { p.Regressions = &Regressions{Metric: "ndcg@5"} },
		"regressions by a metric that is not normalised": func(p *Plan) {
			p.Metrics = append(p.Metrics, relevance.Metric{Name: "dcg@5", Kind: relevance.DCG, K: 5, Gain: relevance.Linear})
			p.Regressions = &Regressions{Metric: "dcg@5"}
		},
		"no query in the body":           func(p *Plan) { p.Search.Body = json.RawMessage(`{}`) },
		"no query in the live body":      func(p *Plan) { p.Search.LiveBody = json.RawMessage(`{}`) },
		"a segment by an unknown metric": func(p *Plan) { p.Segments = []Segment{{"head", "ndcg@5"}} },
	} {
		plan := makePlan(t, 1, "recall@5")
		change(plan)
		var failure *Failure
		_, err := newRun(nil, &golden.Set{Queries: []golden.Query{makeQuery("q1", 1, "a:1")}}, plan, nil)
		if !errors.As(err, &failure) {
			t.Errorf("%s: got %v, want a failure", name, err)
		}
	}
}
