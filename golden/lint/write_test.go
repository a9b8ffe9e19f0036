package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
)

// found are two findings to write.
func found() []Finding {
	return []Finding{
		{Rule: RuleOneGrade, Level: LevelWarning, Place: golden.Place{File: "sets/a b,1:2%.json", Line: 3}, Query: "q", Message: `query "q" is <odd>`},
		{Rule: RuleTiedJudgments, Level: LevelNote, Place: golden.Place{File: "f", Line: 1}, Message: "100 % tied"},
	}
}

func TestText(t *testing.T) {
	set := mustRead(t, good)
	const two = `sets/a b,1:2%.json:3: warning: query "q" is <odd> (one-grade; silence it by --ignore one-grade:q)
f:1: note: 100 % tied (tied-judgments; silence it by --ignore tied-judgments)
2 findings in 2 queries with 4 judgments
`
	for want, findings := range map[string][]Finding{
		two: found(),
		"f:1: note: 100 % tied (tied-judgments; silence it by --ignore tied-judgments)\n1 finding in 2 queries with 4 judgments\n": found()[1:],
		"no findings in 2 queries with 4 judgments\n": nil,
	} {
		var out bytes.Buffer
		if err := Text(&out, set, findings); err != nil || out.String() != want {
			t.Errorf("Text: %v\n%s, want\n%s", err, out.String(), want)
		}
	}
}

func TestGitHub(t *testing.T) {
	const want = `::warning file=sets/a b%2C1%3A2%25.json,line=3,title=one-grade::query "q" is <odd> (silence it by --ignore one-grade:q)
::notice file=f,line=1,title=tied-judgments::100 %25 tied (silence it by --ignore tied-judgments)
`
	var out bytes.Buffer
	if err := GitHub(&out, found()); err != nil || out.String() != want {
		t.Errorf("GitHub: %v\n%s, want\n%s", err, out.String(), want)
	}
}

func TestJSON(t *testing.T) {
	set := mustRead(t, "\xef\xbb\xbf"+good)
	want := `{
  "schema": "relevancegate.dev/lint/v1",
  "content": "` + set.Digest() + `",
  "queries": 2,
  "judgments": 4,
  "notes": [
    "f: it begins with a byte order mark, which is passed over"
  ],
  "findings": [
    {
      "rule": "one-grade",
      "level": "warning",
      "query": "q",
      "message": "query \"q\" is <odd>",
      "file": "sets/a b,1:2%.json",
      "line": 3,
      "silence": "--ignore one-grade:q"
    }
  ]
}
`
	var out bytes.Buffer
	if err := JSON(&out, set, found()[:1]); err != nil || out.String() != want {
		t.Errorf("JSON: %v\n%s, want\n%s", err, out.String(), want)
	}
	out.Reset()
	if err := JSON(&out, mustRead(t, good), nil); err != nil || !strings.Contains(out.String(), "\"notes\": [],\n  \"findings\": []\n") {
		t.Errorf("JSON of nothing: %v\n%s", err, out.String())
	}
}

// TestSARIF holds the log against what SARIF 2.1.0 demands of a log, a run, a rule and a result.
func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := SARIF(&out, found()); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	at := func(value any, path ...any) any {
		for _, step := range path {
			switch step := step.(type) {
			case string:
				object, _ := value.(map[string]any)
				value = object[step]
			case int:
				list, _ := value.([]any)
				if step >= len(list) {
					return nil
				}
				value = list[step]
			}
		}
		return value
	}
	first := []any{"runs", 0, "results", 0}
	for _, row := range []struct {
		path []any
		want any
	}{
		{[]any{"version"}, "2.1.0"},
		{[]any{"runs", 0, "tool", "driver", "name"}, "relevance-gate lint"},
		{append(first, "ruleId"), "one-grade"},
		{append(first, "level"), "warning"},
		{append(first, "message", "text"), `query "q" is <odd> (silence it by --ignore one-grade:q)`},
		{append(first, "locations", 0, "physicalLocation", "artifactLocation", "uri"), "sets/a%20b,1:2%25.json"},
		{append(first, "locations", 0, "physicalLocation", "region", "startLine"), 3.0},
		{[]any{"runs", 0, "results", 1, "level"}, "note"},
	} {
		if got := at(log, row.path...); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%v is %v, want %v", row.path, got, row.want)
		}
	}
	rules, _ := at(log, "runs", 0, "tool", "driver", "rules").([]any)
	if len(rules) != len(Rules) {
		t.Errorf("%d rules of %d", len(rules), len(Rules))
	}
	for i, f := range found() {
		index, _ := at(log, "runs", 0, "results", i, "ruleIndex").(float64)
		if id := at(rules, int(index), "id"); id != f.Rule {
			t.Errorf("result %d has the rule %v, want %s", i, id, f.Rule)
		}
	}
	out.Reset()
	if err := SARIF(&out, nil); err != nil || !strings.Contains(out.String(), `"results": []`) {
		t.Errorf("SARIF of nothing: %v\n%s", err, out.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestWritersSayWhatIsBroken(t *testing.T) {
	set := mustRead(t, good)
	for name, err := range map[string]error{
		"Text": Text(brokenWriter{}, set, nil), "JSON": JSON(brokenWriter{}, set, nil),
		"GitHub": GitHub(brokenWriter{}, found()), "SARIF": SARIF(brokenWriter{}, nil),
	} {
		if err == nil {
			t.Errorf("%s says nothing", name)
		}
	}
}
