package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// TestArticleSets reads the golden sets that were published with the article.
func TestArticleSets(t *testing.T) {
	const variable = "RELEVANCE_GATE_TEST_DATA"
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("%s is not set; with it this test shows that the golden sets of the article are read as they are", variable)
	}
	for _, name := range []string{"golden-es.json", "golden-en.json"} {
		raw, err := os.ReadFile(filepath.Join(folder, "tendero", name))
		if err != nil {
			t.Fatal(err)
		}
		set, err := Parse(name, raw, Options{MaxGrade: 3, RequireWhy: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Validate(name, 1); err != nil {
			t.Error(err)
		}
		if len(set.Queries) != 22 || set.JudgmentCount() < 22 {
			t.Errorf("%s: %d queries with %d judgments, want 22 queries", name, len(set.Queries), set.JudgmentCount())
		}
	}
}
