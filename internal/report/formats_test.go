package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// makeResult is a gate that misses one of its limits.
func makeResult() Result {
	r := makeReport()
	r.Measurement.JudgedCandidate = pointer(int64(612_345))
	r.TookSeconds = 1.25
	_, limits := makeOutcome()
	limits.MaxErrors = 1
	return Result{
		Gate: "products-es", Report: r, Limits: limits, Outcome: verdict.Decide(r.Measurement, limits),
		At: time.Date(2026, 3, 1, 12, 30, 0, 0, time.FixedZone("", 3600)),
		Place: func(limit verdict.LimitVerdict) Place {
			return Place{"search/gate,1.yaml", 10 + limit.Position}
		},
	}
}

// passing is one that holds them all.
func passing() Result {
	r := makeResult()
	r.Limits.Metrics[1].Min = pointer(int64(700_000))
	r.Outcome = verdict.Decide(r.Report.Measurement, r.Limits)
	return r
}

// inconclusive has too many errors.
func inconclusive() Result {
	r := makeResult()
	r.Limits.MaxErrors = 0
	r.Outcome = verdict.Decide(r.Report.Measurement, r.Limits)
	return r
}

func render(t *testing.T, format Format, r Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, format, r, Style{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func renderProblem(t *testing.T, format Format, p Problem) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteProblem(&out, format, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFormatsAreFoundByName(t *testing.T) {
	for _, w := range writers {
		if got, err := ParseFormat(string(w.format)); err != nil || got != w.format {
			t.Errorf("%s: got %s, %v", w.format, got, err)
		}
	}
	for _, name := range []string{"", "yaml", "Text"} {
		if _, err := ParseFormat(name); err == nil || !strings.Contains(err.Error(), "csv or github") {
			t.Errorf("%q: got %v", name, err)
		}
	}
	if err := Write(io.Discard, "yaml", makeResult(), Style{}); err == nil {
		t.Error("an unknown format was written")
	}
}

func TestCSV(t *testing.T) {
	want := "id,query,segments,weight,error," +
		"recall@50 candidate,recall@50 live,recall@50 delta,ndcg@10 candidate,ndcg@10 live,ndcg@10 delta,noresults candidate,noresults live,noresults delta\n" +
		"q2,\"red \"\"shoes\"\" <b>\",head,2.5,,0.500000,1.000000,-0.500000,0.123457,1.000000,-0.876543,,,\n" +
		"q1,blue,,1,searching products-v2: 1 of 5 shards failed,,,,,,,,,\n" +
		"n1,nothing,,1,,,,,,,,1.000000,1.000000,0.000000\n"
	got := render(t, FormatCSV, makeResult())
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if rows, err := csv.NewReader(strings.NewReader(got)).ReadAll(); err != nil || len(rows) != 4 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if got := renderProblem(t, FormatCSV, Problem{Message: "x"}); got != "" {
		t.Errorf("a problem is %q", got)
	}
}

func TestGitHubAnnotations(t *testing.T) {
	for title, test := range map[string]struct{ got, want string }{
		"failed": {render(t, FormatGitHub, makeResult()),
			"::error file=search/gate%2C1.yaml,line=11,title=relevance gate products-es%3A Failed%2C ndcg@10 min::ndcg@10 0.799996 is below its min 0.800000 (live 0.799996)\n"},
		"passed": {render(t, FormatGitHub, passing()),
			"::notice file=search/gate%2C1.yaml,line=10,title=relevance gate products-es%3A Passed::" + passing().Outcome.Message + "\n"},
		"inconclusive": {render(t, FormatGitHub, inconclusive()),
			"::error file=search/gate%2C1.yaml,line=10,title=relevance gate products-es%3A Inconclusive%2C evidence::" + inconclusive().Outcome.Message + "\n"},
		"a problem": {renderProblem(t, FormatGitHub, Problem{Gate: "products-es", Verdict: pointer(verdict.Inconclusive), Reason: "EngineUnavailable", Message: "50% is\nnot there"}),
			"::error title=relevance gate products-es%3A Inconclusive::50%25 is%0Anot there\n"},
		"a mistake": {renderProblem(t, FormatGitHub, Problem{Reason: "Usage", Message: "unknown flag: --x"}),
			"::error title=relevance gate%3A not evaluated::unknown flag: --x\n"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got\n%swant\n%s", title, test.got, test.want)
		}
	}
	regressed := passing()
	regressed.Limits.MaxRegressions = pointer(0)
	regressed.Outcome = verdict.Decide(regressed.Report.Measurement, regressed.Limits)
	regressed.QueryPlace = func(query int) Place { return Place{"golden.json", 20 + query} }
	regressed.Report.Worst = []int{0, 2} // Of which one query got worse.
	want := "::error file=search/gate%2C1.yaml,line=10,title=relevance gate products-es%3A Failed%2C regressions maxQueries::1 query got worse, and none may\n" +
		"::warning file=golden.json,line=20,title=relevance gate products-es%3A query q2 got worse::" +
		"recall@50 is 0.500000 for the candidate and 1.000000 for the live index; the candidate found a (3), \"b\\x1b[2J\" (?), …\n"
	if got := render(t, FormatGitHub, regressed); got != want {
		t.Errorf("regressions: got\n%swant\n%s", got, want)
	}
	regressed.QueryPlace = nil
	if got := render(t, FormatGitHub, regressed); strings.Contains(got, "::warning") {
		t.Errorf("without the lines of the golden set: %s", got)
	}
	without := makeResult()
	without.Place = nil
	if got := render(t, FormatGitHub, without); !strings.HasPrefix(got, "::error title=") {
		t.Errorf("without a place: %s", got)
	}
}

// element is any XML element.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Elements []element  `xml:",any"`
}

func (e element) attr(name string) string {
	for _, attr := range e.Attrs {
		if attr.Name.Local == name {
			return attr.Value
		}
	}
	return ""
}

// What Ant's schema asks of an element, and what both it and Jenkins's allow.
var junitSchema = map[string]struct{ required, allowed, children string }{
	"testsuites": {"", "", "testsuite"},
	"testsuite": {"name id package tests failures errors time timestamp hostname", "",
		"properties testcase system-out system-err"},
	"properties": {"", "", "property"},
	"property":   {"name value", "", ""},
	"testcase":   {"name classname time", "", "skipped error failure"},
	"skipped":    {"", "message", ""},
	"error":      {"type", "message", ""},
	"failure":    {"type", "message", ""},
	"system-out": {"", "", ""},
	"system-err": {"", "", ""},
}

func checkJUnit(t *testing.T, e element) {
	t.Helper()
	name := e.XMLName.Local
	rule, known := junitSchema[name]
	if !known {
		t.Fatalf("there is no element %s", name)
	}
	for _, want := range strings.Fields(rule.required) {
		if e.attr(want) == "" {
			t.Errorf("%s has no %s", name, want)
		}
	}
	for _, attr := range e.Attrs {
		if !slices.Contains(strings.Fields(rule.required+" "+rule.allowed), attr.Name.Local) {
			t.Errorf("%s has an attribute %s", name, attr.Name.Local)
		}
	}
	if name == "properties" && len(e.Elements) == 0 {
		t.Error("there is no property")
	}
	order := strings.Fields(rule.children)
	last := 0
	for _, child := range e.Elements {
		at := slices.Index(order, child.XMLName.Local)
		if at < last {
			t.Errorf("%s: %s is not in its place", name, child.XMLName.Local)
		}
		last = at
		checkJUnit(t, child)
	}
	if name != "testsuite" {
		return
	}
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`).MatchString(e.attr("timestamp")) {
		t.Errorf("the timestamp is %s", e.attr("timestamp"))
	}
	counts := map[string]int{}
	for _, child := range e.Elements {
		if child.XMLName.Local == "testcase" {
			counts["tests"]++
			for _, result := range child.Elements {
				counts[result.XMLName.Local]++
			}
		}
	}
	for attr, of := range map[string]string{"tests": "tests", "failures": "failure", "errors": "error"} {
		if e.attr(attr) != fmt.Sprint(counts[of]) {
			t.Errorf("%s=%s, but there are %d", attr, e.attr(attr), counts[of])
		}
	}
}

// cases shows the test cases as "name", with what is wrong behind it.
func cases(t *testing.T, report string) string {
	t.Helper()
	var root element
	if err := xml.Unmarshal([]byte(report), &root); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	checkJUnit(t, root)
	var all []string
	for _, child := range root.Elements[0].Elements {
		if child.XMLName.Local != "testcase" {
			continue
		}
		text := child.attr("name")
		for _, result := range child.Elements {
			text += fmt.Sprintf(" %s %s: %s", result.XMLName.Local, result.attr("type"), result.attr("message"))
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

func TestJUnit(t *testing.T) {
	live := passing()
	live.Limits.LiveOnly = true
	live.Limits.MaxRegressions = pointer(1)
	live.Report.Measurement.EmptyLive = 0
	live.Outcome = verdict.Decide(live.Report.Measurement, live.Limits)
	for title, test := range map[string]struct{ report, want string }{
		"failed": {render(t, FormatJUnit, makeResult()), `evidence
ndcg@10 min failure BelowThreshold: ndcg@10 0.799996 is below its min 0.800000 (live 0.799996)
ndcg@10 maxDrop
noresults min`},
		"passed": {render(t, FormatJUnit, passing()), `evidence
ndcg@10 min
ndcg@10 maxDrop
noresults min`},
		"inconclusive": {render(t, FormatJUnit, inconclusive()), `evidence error TooManyErrors: 1 of 3 queries ended in an error; none may (maxErrors); besides, ndcg@10 0.799996 is below its min 0.800000 (live 0.799996)
ndcg@10 min skipped : not judged, as the evidence is not valid; ndcg@10 0.799996 is below its min 0.800000 (live 0.799996)
ndcg@10 maxDrop skipped : not judged, as the evidence is not valid; ndcg@10 0.799996 holds maxDrop 0.020000 (live 0.799996)
noresults min skipped : not judged, as the evidence is not valid; noresults 1.000000 holds min 1.000000 (live 1.000000)`},
		"the live index alone": {render(t, FormatJUnit, live), `evidence
ndcg@10 min
ndcg@10 maxDrop skipped : ndcg@10 0.799996 has nothing to be compared with (maxDrop 0.020000)
noresults min
regressions maxQueries skipped : there is no live index that a query could get worse against`},
		"a problem": {renderProblem(t, FormatJUnit, Problem{Gate: "products-es", Reason: "EngineUnavailable", Message: "it is <not> there"}),
			"evidence error EngineUnavailable: it is <not> there"},
		"a mistake": {renderProblem(t, FormatJUnit, Problem{Reason: "Usage", Message: "unknown flag"}), "evidence error Usage: unknown flag"},
	} {
		t.Run(title, func(t *testing.T) {
			if got := cases(t, test.report); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestJUnitSaysWhatWasMeasured(t *testing.T) {
	r := makeResult()
	r.Report.WorstMetric = "ndcg@10"
	got := render(t, FormatJUnit, r)
	for _, want := range []string{
		`<property name="golden set content digest" value="content-sha256:cc`, `<property name="recall@50 delta" value="-0.250000">`, `timestamp="2026-03-01T11:30:00"`, `time="1.250"`,
		"worst queries by ndcg@10", "red \\&#34;shoes\\&#34; &lt;b&gt;", `classname="products-es"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	if got := render(t, FormatJUnit, makeResult()); strings.Contains(got, "worst queries") {
		t.Error("the failure of ndcg@10 lists the worst queries by another metric")
	}
	if strings.Contains(got, "\x1b") {
		t.Error("a control character got into the XML")
	}
}

func TestMarkdown(t *testing.T) {
	want := "### ❌ Relevance gate `products-es`: Failed\n\n" +
		"ndcg@10 0.799996 is below its min 0.800000 (live 0.799996)\n\n" +
		"| metric | candidate | live | delta | limit | verdict |\n| --- | ---: | ---: | ---: | --- | --- |\n" +
		"| `recall@50` | 0.5000 | 0.7500 | -0.2500 | - | Reported |\n" +
		"| `ndcg@10` | 0.799996 | 0.799996 | 0.000000 | min 0.8, maxDrop 0.02 | ❌ Failed |\n" +
		"| `noresults` | 1.0000 | 1.0000 | 0.0000 | min 1 | ✅ Passed |\n\n" +
		"candidate `products-v2` (10 documents), live `products-v1` (9 documents), on Elasticsearch 7.17.29; 3 queries, 4 judgments\n\n" +
		"<details><summary>Worst queries by recall@50</summary>\n\n" +
		"| query | candidate | live | candidate found | live found |\n| --- | ---: | ---: | --- | --- |\n" +
		"| `q2` `red \"shoes\" <b>` | 0.5000 | 1.0000 | `a` (3), `\"b\\x1b[2J\"` (?), … | nothing |\n\n" +
		"Each document with its grade; `?` is not judged.\n\n</details>\n\n" +
		"<details><summary>Queries in error: 1 of 3</summary>\n\n" +
		"- `q1: searching products-v2: 1 of 5 shards failed`\n\n</details>\n\n" +
		"<details><summary>How good the evidence is</summary>\n\n" +
		"- golden set: the digest of its bytes is `sha256:" + strings.Repeat("0", 64) + "`, and of its content `content-sha256:" + strings.Repeat("c", 64) + "`\n" +
		"- judged rate: candidate 0.6123, live -\n- empty results: candidate 0, live 1\n- regressions by recall@50: 1\n- dropped from the search body: aggs, size\n\n</details>\n"
	if got := render(t, FormatMarkdown, makeResult()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := render(t, FormatMarkdown, passing()); !strings.HasPrefix(got, "### ✅ Relevance gate `products-es`: Passed\n\n") {
		t.Errorf("got\n%s", got)
	}
	if got := render(t, FormatMarkdown, inconclusive()); !strings.HasPrefix(got, "### ⚠️ Relevance gate `products-es`: Inconclusive\n\n") {
		t.Errorf("got\n%s", got)
	}
	problem := renderProblem(t, FormatMarkdown, Problem{Gate: "a", Reason: "InvalidGate", Message: "a.yaml: line 3: <x> of @team #5"})
	if want := "### ❌ Relevance gate `a`: not evaluated\n\nInvalidGate: a.yaml: line 3: &lt;x&gt; of @<!-- -->team #<!-- -->5\n"; problem != want {
		t.Errorf("got\n%s\nwant\n%s", problem, want)
	}
}

func TestWhateverIsSearchedStaysText(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                  "`plain`",
		"a|b":                    "`a\\|b`",
		"a`b":                    "``a`b``",
		"`a``":                   "``` `a`` ```",
		"@team <img> #12":        "`@team <img> #12`",
		"two\nlines":             "`\"two\\nlines\"`",
		strings.Repeat("x", 100): "`" + strings.Repeat("x", 79) + "…`",
	} {
		if got := code(text, 80); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestALargeMarkdownFitsIntoAComment(t *testing.T) {
	r := makeResult()
	long := strings.Repeat("|", 1000)
	r.Report.Queries, r.Report.Worst, r.Report.Measurement.Errors = nil, nil, 100
	for i := range 100 {
		hits := slices.Repeat([]evaluate.RankedHit{{ID: long, Grade: 3}}, 10)
		ranking := &evaluate.Ranking{Values: []float64{0.5, 0.5, 0.5}, Hits: hits, Returned: 10}
		r.Report.Queries = append(r.Report.Queries, evaluate.QueryResult{ID: long, Query: long, Candidate: ranking, Live: ranking, Error: long})
		if i < 10 {
			r.Report.Worst = append(r.Report.Worst, i)
		}
	}
	if got := render(t, FormatMarkdown, r); len(got) > 65_536 {
		t.Errorf("it has %d bytes", len(got))
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	r := makeResult()
	r.Report.Candidate.Name = "products-" + strings.Repeat("v2-", 10)
	r.Report.Queries[0].Query = strings.Repeat("赤い靴 ", 40)
	r.Report.Queries[1].Error = strings.Repeat("one of many shards failed; ", 10)
	r.Report.DroppedFields = strings.Fields(strings.Repeat("highlight ", 20))
	for width := range 200 {
		if width < 65 {
			continue // Below, the table itself has no room.
		}
		var out bytes.Buffer
		if err := Write(&out, FormatText, r, Style{Width: width, Colour: true}); err != nil {
			t.Fatal(err)
		}
		if widest := widest(out.String()); widest > width {
			t.Fatalf("a line takes %d of %d columns:\n%s", widest, width, &out)
		}
		if !strings.Contains(out.String(), "\x1b[31mFailed\x1b[0m: ndcg@10 0.799996") {
			t.Fatalf("the verdict is not red:\n%s", &out)
		}
	}
}

func TestANarrowTerminalStacksLimits(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, FormatText, makeResult(), Style{Width: 70}); err != nil {
		t.Fatal(err)
	}
	want := `METRIC     CANDIDATE  LIVE      DELTA     LIMIT         VERDICT
recall@50  0.5000     0.7500    -0.2500   -             Reported
ndcg@10    0.799996   0.799996  0.000000  min 0.8       Failed
                                          maxDrop 0.02
noresults  1.0000     1.0000    0.0000    min 1         Passed
`
	if !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestWidths(t *testing.T) {
	for text, want := range map[string]int{"": 0, "shoe": 4, "靴": 2, "cafe\u0301": 4, "ｓ": 2, "…": 1} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
	style := Style{Width: 6}
	for text, want := range map[string]string{"靴靴靴": "靴靴靴", "靴靴靴靴": "靴靴…", "1234567": "12345…"} {
		if got := style.cut(text); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}

// A verdict beside a maxDrop that was held against nothing must not look like one that was.
func TestLiveAloneSaysWhatIsHeldAgainstNothing(t *testing.T) {
	const line = "the live index was measured alone: maxDrop and regressions have nothing to be held against"
	r := makeReport()
	if slices.Contains(evidenceLines(r), line) {
		t.Errorf("both were measured, but it says that %s", line)
	}
	r.Candidate = nil
	if got := evidenceLines(r); got[0] != line {
		t.Errorf("got %q, want first %s", got, line)
	}
}
