package lint

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedRules makes sure that docs/golden-sets.md has a row for every rule, with its level.
func TestDocumentedRules(t *testing.T) {
	page, err := os.ReadFile("../../docs/golden-sets.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range Rules {
		if row := "| `" + rule.Name + "` | " + string(rule.Level) + " | "; !strings.Contains(string(page), row) {
			t.Errorf("no row %s", row)
		}
	}
}
