package golden

import (
	"maps"
	"testing"
)

func TestReadGrades(t *testing.T) {
	for text, want := range map[string]map[string]float64{
		"E=1,S=0.1,C=.01,I=0":              {"E": 1, "S": .1, "C": .01, "I": 0},
		"Exact match = 2 , a=b=1,=0,E=1e1": {"Exact match": 2, "a=b": 1, "": 0, "E": 10},
	} {
		if got, err := ReadGrades(text); err != nil || !maps.Equal(got, want) {
			t.Errorf("ReadGrades(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"E":       `"E" is no word with its grade; write WORD=GRADE, parted by commas, such as Exact=2,Partial=1,Irrelevant=0`,
		"E=1,":    `"" is no word with its grade; write WORD=GRADE, parted by commas, such as Exact=2,Partial=1,Irrelevant=0`,
		"E=x":     `the grade "x" of "E" is no number from 0 to 30; write one`,
		"E=31":    `the grade "31" of "E" is no number from 0 to 30; write one`,
		"E=-1":    `the grade "-1" of "E" is no number from 0 to 30; write one`,
		"E=NaN":   `the grade "NaN" of "E" is no number from 0 to 30; write one`,
		"E=1,E=1": `"E" has two grades; keep one of them`,
	} {
		if got, err := ReadGrades(text); err == nil || err.Error() != want {
			t.Errorf("ReadGrades(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
}
