package treceval

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzScore makes sure that no text makes anything panic, that what is wrong is told by one line with the file's name,
// and that what is accepted is scored as a slow and simple reader would do it.
func FuzzScore(f *testing.F) {
	for _, seed := range [][2]string{
		{"q 0 a 0\nq 0 b 1\n", "q Q0 b 1 1.0 t\nq Q0 a 2 1.0 t\n"},
		{"q1 0 d1 2\r\nq2\t0\td2\t-1\r\n", "q2 Q0 d2 1 -1.5e3 t\n\n q1  Q0 d1 2 .5 t and more"},
		{"\ufeffq 0 a 2.5\n", "q Q0 a 1 123456789012345678 t\nr Q0 a 1 0 t\n"},
		{packed("q 0 a 1\n"), packed("q Q0 a 1 1 t\n")},
		{"q 0 a x\n", "q Q0 a 1 nan t\n"}, {"q\x000 a 1", "\x1f\x8b"}, {"", "\n"},
	} {
		f.Add(seed[0], seed[1])
	}
	if folder := os.Getenv(dataVariable); folder != "" {
		f.Add(head(f, filepath.Join(folder, "trec_eval", "qrels.rel_level")), head(f, filepath.Join(folder, "trec_eval", "results.trunc")))
	}
	measures, _, err := ParseMeasures([]string{"P_1", "num_ret", "num_rel"}, 1, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, qrelsText, runText string) {
		qrels, err := Read("qrels", strings.NewReader(qrelsText))
		if err != nil {
			checkMessage(t, err, "qrels")
			return
		}
		run, err := Read("run", strings.NewReader(runText))
		if err != nil {
			checkMessage(t, err, "run")
			return
		}
		r, err := Score(t.Context(), qrels, run, measures, Options{RelevantFrom: 1})
		var wrong *Error
		if errors.As(err, &wrong) {
			checkMessage(t, err, wrong.File)
			return
		}
		if err != nil {
			return
		}
		for _, q := range r.Queries {
			if want := slowly(qrels, run, q.ID); !slices.Equal(q.Scores, want) {
				t.Errorf("query %q scores %v, want %v", q.ID, q.Scores, want)
			}
		}
	})
}

// head is the beginning of a file.
func head(f *testing.F, name string) string {
	f.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	return string(raw[:2000])
}

func checkMessage(t *testing.T, err error, file string) {
	t.Helper()
	if !strings.HasPrefix(err.Error(), file+":") || strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("the message is %q", err)
	}
}

// slowly computes P_1, num_ret and num_rel of a query.
func slowly(qrels, run *Source, query string) []float64 {
	rows := func(s *Source) (rows [][]string) {
		for _, b := range s.blocks {
			for line := range strings.SplitSeq(b.text, "\n") {
				columns := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\v\f\r", r) })
				if len(columns) > 0 && columns[0] == query {
					rows = append(rows, columns)
				}
			}
		}
		return rows
	}
	relevant := map[string]bool{}
	for _, row := range rows(qrels) {
		if grade, _ := number(row[3]); grade >= 1 {
			relevant[row[2]] = true
		}
	}
	first, best := 0.0, math.Inf(-1)
	bestID := ""
	hits := rows(run)
	for _, row := range hits {
		score, _ := number(row[4])
		if score > best || score == best && row[2] > bestID {
			best, bestID = score, row[2]
		}
	}
	if relevant[bestID] {
		first = 1
	}
	return []float64{first, float64(len(hits)), float64(len(relevant))}
}
