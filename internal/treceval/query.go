package treceval

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

const (
	qrelsColumns = "4 columns (query, iteration, document, grade)"
	runColumns   = "6 columns (query, Q0, document, rank, score, run name)"
)

// document is what is known of a document for the query at hand.
type document struct {
	grade float64 // relevance.Unjudged without a judgment
	hit   bool
}

// hit is a line of a run.
type hit struct {
	id           string
	score, grade float64
}

// reader reads one query after the other. It keeps its memory, so what it read of a query holds until the next one.
type reader struct {
	Options
	qrels, run *Source
	highest    gradeLimit

	documents map[string]document
	hits      []hit
	ranks     []float64 // grades of the hits, best hit first, as relevance.Metric.Score takes them
	judged    []float64 // grades of the judgments
	notes     Notes
}

// read reads the judgments and the hits of a query, either of which may be missing, and ranks the hits.
func (r *reader) read(query string) error {
	clear(r.documents)
	r.hits, r.ranks, r.judged = r.hits[:0], r.ranks[:0], r.judged[:0]
	if err := r.readJudgments(query); err != nil {
		return err
	}
	if err := r.readHits(query); err != nil {
		return err
	}
	r.rank()
	return nil
}

func (r *reader) readJudgments(query string) error {
	return r.qrels.eachLine(query, 5, func(at int, line string, columns []string) error {
		if len(columns) != 4 {
			return r.qrels.wrongColumns(at, line, qrelsColumns)
		}
		if columns[1] == "Q0" {
			r.notes.Q0Judgments++
		}
		id, text := columns[2], columns[3]
		if _, ok := r.documents[id]; ok {
			return r.qrels.twice(query, id, at, line)
		}
		grade, ok := number(text)
		if !ok || grade > float64(r.highest.grade) {
			return r.qrels.wrong(at+columnAt(line, 3), fmt.Sprintf("%.40q", text), "a grade: a number up to "+r.highest.String())
		}
		if r.AsTrecEval && grade != whole(text) {
			return r.qrels.wrong(at+columnAt(line, 3), fmt.Sprintf("%.40q", text),
				fmt.Sprintf("a whole number, since trec_eval would read %.0f (another output than trec takes fractions)", whole(text)))
		}
		if grade < 0 {
			r.notes.NegativeGrades++
			r.documents[id] = document{grade: relevance.Unjudged}
			return nil
		}
		r.documents[id] = document{grade: grade}
		r.judged = append(r.judged, grade)
		return nil
	})
}

func (r *reader) readHits(query string) error {
	return r.run.eachLine(query, 7, func(at int, line string, columns []string) error {
		if len(columns) < 6 {
			return r.run.wrongColumns(at, line, runColumns)
		}
		if len(columns) > 6 {
			r.notes.LongLines++
		}
		id, text := columns[2], columns[4]
		score, ok := number(text)
		if !ok {
			return r.run.wrong(at+columnAt(line, 4), fmt.Sprintf("%.40q", text), "a score: a finite number")
		}
		if r.AsTrecEval {
			score = float64(float32(score))
		}
		known, ok := r.documents[id]
		if known.hit {
			return r.run.twice(query, id, at, line)
		}
		if !ok {
			known.grade = relevance.Unjudged
		}
		known.hit = true
		r.documents[id] = known
		r.hits = append(r.hits, hit{id, score, known.grade})
		return nil
	})
}

// rank orders the hits by trec_eval's rule, takes away what the options leave out, and fills ranks. The rank column
// plays no part.
func (r *reader) rank() {
	if !slices.IsSortedFunc(r.hits, byRank) {
		slices.SortFunc(r.hits, byRank)
	}
	kept := r.hits
	if r.Depth > 0 {
		kept = kept[:min(r.Depth, len(kept))]
	}
	for _, h := range kept {
		if h.grade != relevance.Unjudged || !r.JudgedOnly {
			r.ranks = append(r.ranks, h.grade)
		}
	}
}

// byRank puts the higher score first and, of equal ones, the id that is greater byte by byte.
func byRank(a, b hit) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return cmp.Compare(b.id, a.id)
}

// gradeLimit is the highest grade that is taken, and which measure takes no higher one, if any.
type gradeLimit struct {
	grade   int
	measure string
}

// highestGrade is that of the scale if it is declared, not 0, else what all measures take.
func highestGrade(measures []Measure, declared int) gradeLimit {
	if declared > 0 {
		return gradeLimit{grade: declared}
	}
	limit := gradeLimit{grade: relevance.MaxLinearGrade}
	for _, m := range measures {
		if highest := m.metric.HighestGrade(); highest < limit.grade {
			limit = gradeLimit{highest, m.Name}
		}
	}
	return limit
}

func (l gradeLimit) String() string {
	if l.measure == "" {
		return strconv.Itoa(l.grade)
	}
	return fmt.Sprintf("%d, since %s raises 2 to it", l.grade, l.measure)
}
