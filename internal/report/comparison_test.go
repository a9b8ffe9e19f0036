package report

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/compare"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// stored is the document of a report, as it comes back from a file.
func stored(t *testing.T, name string, r *evaluate.Report) Stored {
	t.Helper()
	var out bytes.Buffer
	if err := WriteMeasurement(&out, r); err != nil {
		t.Fatal(err)
	}
	doc, err := ReadDocument(name, &out)
	if err != nil {
		t.Fatal(err)
	}
	return Stored{name, doc}
}

// makePair is a report, and one of the index that followed: q2 lost, q3 gained, q1 is
// in error.
func makePair(t *testing.T) (before, after Stored) {
	t.Helper()
	ranking := func(recall, ndcg float64, hits ...evaluate.RankedHit) *evaluate.Ranking {
		return &evaluate.Ranking{Values: []float64{recall, ndcg, evaluate.NoValue}, Hits: hits, Returned: len(hits)}
	}
	old, next := makeReport(), makeReport()
	old.WorstMetric, next.WorstMetric = "ndcg@10", "ndcg@10"
	next.Candidate = &evaluate.IndexResult{Name: "products-v3", Docs: 11}
	a, b, c := evaluate.RankedHit{ID: "a", Grade: 3}, evaluate.RankedHit{ID: "b", Grade: relevance.Unjudged}, evaluate.RankedHit{ID: "c", Grade: 0.5}
	old.Queries[0].Candidate, next.Queries[0].Candidate = ranking(1, 1, a, b), ranking(0.5, 0.25, b, c)
	gained := evaluate.QueryResult{ID: "q3", Query: "green", Segments: []string{"head"}, Weight: 1, Live: ranking(0, 0)}
	gained.Candidate = ranking(0.5, 0.5, c)
	old.Queries = append(old.Queries, gained)
	gained.Candidate = ranking(0.5, 0.75, c)
	next.Queries = append(next.Queries, gained)
	old.Measurement.Queries, next.Measurement.Queries = 4, 4
	return stored(t, "old.json", old), stored(t, "new.json", next)
}

func compared(t *testing.T, before, after Stored) *compare.Comparison {
	t.Helper()
	in, err := InputOf(before, after)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compare.Compare(in, 10)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func renderComparison(t *testing.T, format Format, c *compare.Comparison, style Style) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteComparison(&out, format, c, style); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestComparisonAsText(t *testing.T) {
	before, after := makePair(t)
	want := `before: products-v2 (old.json), after: products-v3 (new.json)
queries compared: 3, left out as they are in error: 1

METRIC     BEFORE  AFTER   DELTA    95 % INTERVAL       P       WIN/TIE/LOSS
recall@50  0.8571  0.5000  -0.3571  -0.5000 to 0.0000   1.0000  0/1/1
ndcg@10    0.8571  0.3929  -0.4643  -0.7500 to +0.2500  1.0000  1/0/1
noresults  1.0000  1.0000  0.0000   -                   1.0000  0/1/0

segments by ndcg@10:
SEGMENT  BEFORE  AFTER   DELTA    95 % INTERVAL       P       WIN/TIE/LOSS
head     0.8571  0.3929  -0.4643  -0.7500 to +0.2500  1.0000  1/0/1

worst queries by ndcg@10:
  1.0000 → 0.2500  q2  "red \"shoes\" <b>"
    1 → -  a (3)
    2 → 1  b (?)
    - → 2  c (0.5)

best queries by ndcg@10:
  0.5000 → 0.7500  q3  "green"

2 queries are too few to tell any difference of ndcg@10 from none.
`
	got := renderComparison(t, FormatText, compared(t, before, after), Style{})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, width := range []int{80, 100} {
		if got := renderComparison(t, FormatText, compared(t, before, after), Style{Width: width}); widest(got) > width {
			t.Errorf("it takes %d columns of %d:\n%s", widest(got), width, got)
		}
	}
}

func TestBCaIntervalsBearTheirName(t *testing.T) {
	before, after := makePair(t)
	c := compared(t, before, after)
	c.Method = compare.BCa
	for format, want := range map[Format]string{FormatText: "  95 % BCA INTERVAL  ", FormatMarkdown: "| 95 % BCa interval |", FormatJSON: `"method": "bca"`} {
		if got := renderComparison(t, format, c, Style{}); !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}

func TestComparisonAsMarkdown(t *testing.T) {
	before, after := makePair(t)
	got := renderComparison(t, FormatMarkdown, compared(t, before, after), Style{})
	for _, want := range []string{
		"### Relevance: `products-v3 (new.json)` against `products-v2 (old.json)`\n\nqueries compared: 3, left out as they are in error: 1\n\n" +
			"| metric | before | after | delta | 95 % interval | p | win/tie/loss |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
		"| `ndcg@10` | 0.8571 | 0.3929 | -0.4643 | -0.7500 to +0.2500 | 1.0000 | 1/0/1 |\n",
		"<details><summary>Segments by ndcg@10</summary>\n\n| segment |",
		"| `q2` `red \"shoes\" <b>` | 1.0000 | 0.2500 | `a` (3) 1 → -, `b` (?) 2 → 1, `c` (0.5) - → 2 |\n",
		"| `q3` `green` | 0.5000 | 0.7500 |  |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no\n%s\nin\n%s", want, got)
		}
	}
}

func TestComparisonAsCSV(t *testing.T) {
	before, after := makePair(t)
	rows, err := csv.NewReader(strings.NewReader(renderComparison(t, FormatCSV, compared(t, before, after), Style{}))).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if got := strings.Join(rows[0], ","); got != "id,query,segments,weight,error,recall@50 before,recall@50 after,recall@50 delta,ndcg@10 before,ndcg@10 after,ndcg@10 delta,noresults before,noresults after,noresults delta" {
		t.Errorf("got %s", got)
	}
	for _, want := range []string{
		"q2|red \"shoes\" <b>|head|2.5||1.000000|0.500000|-0.500000|1.000000|0.250000|-0.750000|||",
		"q1|blue||1|old.json: searching products-v2: 1 of 5 shards failed|||||||||",
	} {
		if !slices.ContainsFunc(rows, func(row []string) bool { return strings.Join(row, "|") == want }) {
			t.Errorf("there is no row %s in %q", want, rows)
		}
	}
}

func TestComparisonAsJSON(t *testing.T) {
	before, after := makePair(t)
	got := renderComparison(t, FormatJSON, compared(t, before, after), Style{})
	checkSchemaOf(t, "comparison", []byte(got))
	var doc comparisonDocument
	if err := json.Unmarshal([]byte(got), &doc); err != nil {
		t.Fatal(err)
	}
	moved := doc.Worst[0].Moved[0]
	if doc.Schema != ComparisonSchema || doc.By != "ndcg@10" || *doc.Metrics[1].Delta != "-0.464286" || moved.ID != "a" || *moved.Before != 1 || moved.After != nil {
		t.Errorf("got %s", got)
	}
	if err := WriteComparison(&bytes.Buffer{}, FormatJUnit, compared(t, before, after), Style{}); err == nil {
		t.Error("a comparison was written as JUnit")
	}
}

func TestAQueryWithoutATextHasItsID(t *testing.T) {
	c := &compare.Comparison{By: "map", Worst: []compare.QueryChange{{Query: compare.Query{ID: "301"}, ValueBefore: 500_000}}}
	for format, want := range map[Format]string{FormatText: "  0.5000 → 0.0000  301\n", FormatMarkdown: "| `301` | 0.5000 | 0.0000 |  |\n"} {
		if got := renderComparison(t, format, c, Style{}); !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

func TestWhatCanBeTold(t *testing.T) {
	c := &compare.Comparison{By: "ndcg@10", Changes: []compare.Change{{Metric: "map"}, {Metric: "ndcg@10", Queries: 50, Detectable: pointer(int64(31_250))}}}
	if got := detectableLine(c); got != "The smallest difference of ndcg@10 that 50 queries like these can tell from none is 0.0312." {
		t.Errorf("got %s", got)
	}
	c.Changes[1].Detectable = nil
	if got := detectableLine(c); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestTheMeansOfReportsAreTheirScores(t *testing.T) {
	r := makeReport()
	r.Queries = slices.Delete(r.Queries, 1, 2) // the one in error
	r.Measurement.Queries = 2
	r.Measurement.Scores[1].Candidate = pointer(int64(123_456))
	one := stored(t, "old.json", r)
	c := compared(t, one, one)
	if change := c.Changes[1]; *change.Before != 123_456 || *change.Delta != 0 {
		t.Errorf("got %+v", change)
	}
}

func TestALiveIndexAloneIsComparedToo(t *testing.T) {
	before, after := makePair(t)
	after.Measured.Live, after.Measured.Candidate = after.Measured.Candidate, nil
	for i := range after.Queries {
		q := &after.Queries[i]
		q.Live, q.LiveHits, q.Candidate, q.CandidateHits = q.Candidate, q.CandidateHits, nil, nil
	}
	if c := compared(t, before, after); c.After != "products-v3 (new.json)" || *c.Changes[1].After != 392_857 || len(c.Worst[0].Moved) != 3 {
		t.Errorf("got %+v", c)
	}
}

func TestQueriesThatWereLeftOut(t *testing.T) {
	before, after := makePair(t)
	before.Queries = before.Queries[:2]
	got := renderComparison(t, FormatText, compared(t, before, after), Style{})
	if !strings.Contains(got, "not listed in both reports: 2; so nothing is said of how sure the differences are") || strings.Contains(got, " to ") {
		t.Errorf("got\n%s", got)
	}
}

func TestReportsThatAreNotComparable(t *testing.T) {
	for name, test := range map[string]struct {
		change func(before, after *Document)
		want   string
	}{
		"another golden set": {func(_, after *Document) {
			after.Measured.GoldenSet.Digest, after.Measured.GoldenSet.ContentDigest = "sha256:1", "content-sha256:1"
		},
			"the reports are of different golden sets and so not comparable: old.json of sha256:0"},
		"other bytes, and no content digest, as in older reports": {func(before, after *Document) {
			before.Measured.GoldenSet.ContentDigest = ""
			after.Measured.GoldenSet.Digest, after.Measured.GoldenSet.ContentDigest = "sha256:1", ""
		},
			"the reports are of different golden sets and so not comparable: old.json of sha256:0"},
		"another gain": {func(_, after *Document) { after.Measured.Metrics[1].Gain = relevance.Linear },
			"ndcg@10 is not the same metric in both reports and so not comparable: {"},
		"another threshold": {func(before, _ *Document) { before.Measured.Metrics[0].RelevantFrom = 2 },
			"recall@50 is not the same metric in both reports"},
		"no common metric": {func(before, _ *Document) { before.Measured.Metrics = nil }, "old.json and new.json have no metric in common"},
		"a value that is none": {func(before, _ *Document) { before.Queries[0].Candidate["ndcg@10"] = pointer("high") },
			`ndcg@10 is "high"; it must be a text with 6 decimals`},
		"a score that is none": {func(_, after *Document) { after.Scores[0].Candidate = pointer("1") },
			`new.json: recall@50 is "1"; it must be a text with 6 decimals`},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := makePair(t)
			before.Measured.Metrics, after.Measured.Metrics = slices.Clone(before.Measured.Metrics), slices.Clone(after.Measured.Metrics)
			test.change(before.Document, after.Document)
			if _, err := InputOf(before, after); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestTheSameGoldenSetInAnotherFormatIsComparable(t *testing.T) {
	before, after := makePair(t)
	after.Measured.GoldenSet.Digest = "sha256:1"
	if _, err := InputOf(before, after); err != nil {
		t.Error(err)
	}
}

func TestAMetricThatOneReportLacksIsSaid(t *testing.T) {
	before, after := makePair(t)
	before.Measured.Metrics = before.Measured.Metrics[1:]
	after.Measured.Metrics = after.Measured.Metrics[:2]
	c := compared(t, before, after)
	if got := strings.Join(c.Notes, " "); got != "noresults is in old.json alone. recall@50 is in new.json alone." || len(c.Changes) != 1 || c.By != "ndcg@10" {
		t.Errorf("got %s, %+v", got, c.Changes)
	}
}

func TestReadDocument(t *testing.T) {
	document := makeDocument(t, 3)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(document); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"plain": string(document), "gzipped": packed.String()} {
		if doc, err := ReadDocument("a", strings.NewReader(text)); err != nil || len(doc.Queries) != 3 {
			t.Errorf("%s: got %v, %v", name, doc, err)
		}
	}
	var problem bytes.Buffer
	if err := WriteProblem(&problem, FormatJSON, Problem{Reason: "InvalidGate", Message: "line 3 is wrong"}); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ text, want string }{
		"empty":          {"", "a is no report"},
		"no JSON":        {"<html>", "a is no report"},
		"cut":            {string(document[:100]), "a is no report"},
		"two":            {string(document) + string(document), "a: something follows"},
		"another schema": {`{"schema":"relevancegate.dev/evaluation/v9"}`, `its schema is "relevancegate.dev/evaluation/v9"`},
		"no measurement": {problem.String(), "a holds no measurement, as the evaluation did not come about: InvalidGate: line 3 is wrong"},
		"a cut archive":  {packed.String()[:packed.Len()-20], "a"},
	} {
		if _, err := ReadDocument("a", strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func TestARankIsShown(t *testing.T) {
	for want, rank := range map[string][2]int{"3": {3, 0}, "-": {0, 0}, ">10": {0, 10}} {
		if got := rankText(rank[0], rank[1]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func checkSchemaOf(t *testing.T, name string, document []byte) {
	t.Helper()
	if err := validateAgainst(t, name, document); err != nil {
		t.Errorf("the document does not fit its schema: %v\n%s", err, document)
	}
}
