package golden

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentedExamples reads the example of every format in docs/golden-sets.md.
func TestDocumentedExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/golden-sets.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```(?:json)?\n(.*?)```")
	formats, _, _ := strings.Cut(string(page), "\n## Converting")
	var shown []Format
	for _, section := range strings.Split(formats, "\n### ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		example := block.FindStringSubmatch(text)
		if example == nil {
			t.Errorf("%s has no example", name)
			continue
		}
		shown = append(shown, Format(name))
		if got, err := detect("f", []byte(example[1])); got != Format(name) || err != nil {
			t.Errorf("the example of %s is detected as %s, %v", name, got, err)
		}
		if _, err := Parse("f", []byte(example[1]), Options{}); err != nil {
			t.Errorf("the example of %s: %v", name, err)
		}
	}
	for _, format := range readable[1:] {
		if !slices.Contains(shown, format) {
			t.Errorf("%s is not documented", format)
		}
	}
	for _, w := range writers {
		if name := map[Format]string{FormatQuepidCSV: "quepid-csv", FormatRankEval: "rank-eval"}[w.format]; !strings.Contains(string(page), "`"+name+"`") && name != "" ||
			name == "" && !strings.Contains(string(page), "`"+strings.ToLower(string(w.format))+"`") {
			t.Errorf("--to %s is not documented", w.format)
		}
	}
}

// TestDocumentedColumns makes sure that every name of a column is in docs/golden-sets.md.
func TestDocumentedColumns(t *testing.T) {
	page, err := os.ReadFile("../docs/golden-sets.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| what | names |")
	table, _, _ = strings.Cut(table, "\n\n")
	names := plainName(table)
	for name := range columnNames {
		if !strings.Contains(names, name) {
			t.Errorf("the column %s is not documented", name)
		}
	}
}
