package sentence

import "testing"

func TestOr(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := Or(names); got != want {
			t.Errorf("Or(%v) = %q, want %q", names, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, row := range []struct {
		text  string
		limit int
		want  string
	}{
		{"shoe", 4, "shoe"},
		{"shoe", 3, "sho"},
		{"shoe", 0, ""},
		{"café", 4, "caf"},
		{"é", 1, ""},
	} {
		if got := Cut(row.text, row.limit); got != row.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", row.text, row.limit, got, row.want)
		}
	}
}
