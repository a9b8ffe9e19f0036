package golden

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// ReadGrades reads what grades words stand for, as in "Exact=2,Partial=1,Irrelevant=0". The error is one sentence.
func ReadGrades(text string) (map[string]float64, error) {
	grades := map[string]float64{}
	for pair := range strings.SplitSeq(text, ",") {
		at := strings.LastIndexByte(pair, '=')
		if at < 0 {
			return nil, fmt.Errorf("%s is no word with its grade; write WORD=GRADE, parted by commas, such as Exact=2,Partial=1,Irrelevant=0", quote(pair))
		}
		word, written := strings.TrimSpace(pair[:at]), strings.TrimSpace(pair[at+1:])
		grade, err := parseNumber(written)
		if err != nil || !(grade >= 0 && grade <= highestGrade) {
			return nil, fmt.Errorf("the grade %s of %s is no number from 0 to %d; write one", quote(written), quote(word), highestGrade)
		}
		if _, twice := grades[word]; twice {
			return nil, fmt.Errorf("%s has two grades; keep one of them", quote(word))
		}
		grades[word] = grade
	}
	return grades, nil
}

// readWritten reads a grade that is a number, or a word with a declared grade.
func (b *builder) readWritten(written string) (float64, bool) {
	if grade, ok := b.grades[written]; ok {
		return grade, true
	}
	grade, err := parseNumber(written)
	return grade, err == nil && !math.IsInf(grade, 0)
}

// noGrade says what is wrong with a grade that readWritten does not read.
func (b *builder) noGrade(written string) string {
	isWord := strings.IndexFunc(written, unicode.IsLetter) == 0 && !strings.EqualFold(written, "nan")
	switch {
	case b.grades != nil:
		return fmt.Sprintf("the grade %s is neither a number nor one of the words %s; give it a grade, or write %s",
			quote(written), strings.Join(slices.Sorted(maps.Keys(b.grades)), ", "), b.rightGrades)
	case isWord:
		return fmt.Sprintf("the grade %s is a word; write %s, or give each word its grade with relevance-gate convert --grades, such as Exact=2,Partial=1,Irrelevant=0",
			quote(written), b.rightGrades)
	}
	return fmt.Sprintf("the grade %s is no number; write %s", quote(written), b.rightGrades)
}
