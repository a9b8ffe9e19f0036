package nearest

import "testing"

func TestWord(t *testing.T) {
	for _, row := range []struct {
		name, word string
		known      []string
		want       string
	}{
		{"two swapped letters are one slip", "ndgc", []string{"recall", "ndcg"}, "ndcg"},
		{"a missing letter is found", "recal", []string{"recall", "ndcg"}, "recall"},
		{"case does not matter", "EXTERNALID", []string{"externalId"}, "externalId"},
		{"the closest word wins over the first", "grades", []string{"grad", "grade"}, "grade"},
		{"a short word forgives one letter", "ids", []string{"id"}, "id"},
		{"a word like no other gets no suggestion", "rating", []string{"id", "grade", "why"}, ""},
		{"an endless word gets no suggestion", string(make([]byte, 1000)), []string{"id"}, ""},
		{"nothing known, nothing near", "id", nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, ok := Word(row.word, row.known)
			if got != row.want || ok != (row.want != "") {
				t.Errorf("Word(%q) = %q, %v; want %q", row.word, got, ok, row.want)
			}
		})
	}
}
