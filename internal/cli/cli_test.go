package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/relevance-gate/relevance-gate/internal/report"
)

// TestMain clears what a developer's shell may set. With asCommand it is the command
// line itself, for tests that need one as a process.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(Main())
	}
	for _, name := range []string{"URL", "USERNAME", "PASSWORD", "API_KEY"} {
		_ = os.Unsetenv("ELASTICSEARCH_" + name) // It cannot fail for these names.
	}
	code := m.Run()
	stopAPIServer()
	os.Exit(code)
}

// ran is what came of a command line.
type ran struct {
	code        int
	out, errOut string
}

func runCLI(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errOut bytes.Buffer
	code := Run(t.Context(), args, strings.NewReader(""), &out, &errOut)
	return ran{code, out.String(), errOut.String()}
}

// document is what -o json prints, as far as the tests look at it.
type document struct {
	Verdict *string
	Reason  string
	Message string
	Scores  []struct {
		Metric                          string
		Candidate, Live, Delta, Verdict *string
	}
	Queries []struct {
		ID              string
		Candidate, Live map[string]*string
		Error           *string
	}
}

// runJSON runs evaluate with -o json and holds what it prints against the
// schema.
func runJSON(t *testing.T, args ...string) (document, ran) {
	t.Helper()
	result := runCLI(t, append([]string{"evaluate", "-o", "json"}, args...)...)
	var value any
	if err := json.Unmarshal([]byte(result.out), &value); err != nil {
		t.Fatalf("not one JSON document: %v\n%s\n%s", err, result.out, result.errOut)
	}
	raw, err := os.ReadFile("../../docs/evaluation.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("evaluation", tree); err != nil {
		t.Fatal(err)
	}
	if err := compiler.MustCompile("evaluation").Validate(value); err != nil {
		t.Errorf("the document does not fit its schema: %v", err)
	}
	var doc document
	if err := json.Unmarshal([]byte(result.out), &doc); err != nil {
		t.Fatal(err)
	}
	return doc, result
}

func text(value *string) string {
	if value == nil {
		return "null"
	}
	return *value
}

func TestVersion(t *testing.T) {
	result := runCLI(t, "version")
	if result.code != 0 || !strings.HasPrefix(result.out, "relevance-gate dev, commit ") || strings.Count(result.out, "\n") != 1 {
		t.Errorf("got %+v", result)
	}
}

func TestWrongUsage(t *testing.T) {
	gate := writeFile(t, "gate.yaml", goodGate)
	for name, args := range map[string][]string{
		"an unknown command":   {"evaluat"},
		"an unknown flag":      {"evaluate", "--gate", gate},
		"no gate":              {"evaluate", "--golden-set", gate},
		"no golden set":        {"evaluate", "-f", gate},
		"an argument too many": {"evaluate", "-f", gate, "--golden-set", gate, "more"},
		"an unknown output":    {"evaluate", "-f", gate, "--golden-set", gate, "-o", "yaml"},
		"measure without plan": {"measure"},
	} {
		t.Run(name, func(t *testing.T) {
			result := runCLI(t, args...)
			if result.code != 3 || result.out != "" || strings.Count(result.errOut, "\n") != 1 {
				t.Errorf("got %+v, want exit code 3 and one line", result)
			}
		})
	}
	for name, args := range map[string][]string{
		"an unknown flag": {"--gate", gate},
		"no gate":         {"--golden-set", gate},
		"a missing file":  {"-f", "nowhere.yaml", "--golden-set", gate},
	} {
		t.Run(name+" as JSON", func(t *testing.T) {
			doc, result := runJSON(t, args...)
			if result.code != 3 || doc.Verdict != nil || doc.Message == "" {
				t.Errorf("got %+v, %+v", doc, result)
			}
		})
	}
}

func TestAskedOutput(t *testing.T) {
	for line, want := range map[string]report.Format{
		"-o json": "json", "-ojson": "json", "-o=json": "json", "--output json": "json", "--output=json": "json", "-x -o junit": "junit",
		"": "", "json": "", "-o text": "text", "-o": "", "--outputjson": "", "-f json": "", "-o yaml": "", "-o yaml -o csv": "csv",
	} {
		if got := askedOutput(strings.Fields(line)); got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}
