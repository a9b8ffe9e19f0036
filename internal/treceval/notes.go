package treceval

import (
	"fmt"
	"math"
)

// Notes tell what was read in another sense than somebody may have meant, or left out.
type Notes struct {
	// MissingQueries have judgments and no hits, UnjudgedQueries hits and no judgments; both in ascending order.
	MissingQueries, UnjudgedQueries []string
	// WithoutRelevant counts queries without a relevant judgment.
	WithoutRelevant int
	// NegativeGrades counts judgments with a grade below 0.
	NegativeGrades int
	// Q0Judgments counts judgments whose second column is that of runs.
	Q0Judgments int
	// LongLines counts hits with more than six columns.
	LongLines int
	// JudgedHits counts the hits that have a judgment, among the queries that count.
	JudgedHits int

	aboveZero int // judgments with a grade above 0, among the queries that count
}

// add adds what another worker counted.
func (n *Notes) add(other Notes) {
	n.WithoutRelevant += other.WithoutRelevant
	n.NegativeGrades += other.NegativeGrades
	n.Q0Judgments += other.Q0Judgments
	n.LongLines += other.LongLines
	n.JudgedHits += other.JudgedHits
	n.aboveZero += other.aboveZero
}

// count counts a query that counts in the means.
func (n *Notes) count(r *reader) {
	if count(r.judged, r.RelevantFrom, inf) == 0 {
		n.WithoutRelevant++
	}
	n.JudgedHits += count(r.ranks, 0, inf)
	n.aboveZero += count(r.judged, math.SmallestNonzeroFloat64, inf)
}

// Lines are the notes as sentences. complete says that missing queries count.
func (n Notes) Lines(complete bool) []string {
	var lines []string
	note := func(number int, what, so string) {
		if number > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d; %s", what, number, so))
		}
	}
	missing := "they are not counted; with -c they count as queries that found nothing"
	if complete {
		missing = "they count as queries that found nothing"
	}
	note(len(n.MissingQueries), "judged queries without hits, such as "+example(n.MissingQueries), missing)
	note(len(n.UnjudgedQueries), "queries without judgments, such as "+example(n.UnjudgedQueries), "they are not counted")
	note(n.WithoutRelevant, "queries without a relevant document", "they score 0")
	note(n.NegativeGrades, "judgments with a grade below 0", "they count as no judgment")
	note(n.Q0Judgments, "judgments with Q0 for the iteration, as in a run", "their last column counts as the grade")
	note(n.LongLines, "hits with more than 6 columns", "what follows the run name is ignored")
	if n.JudgedHits == 0 {
		lines = append(lines, "no hit is judged: do both files name documents alike?")
	}
	return lines
}

// example names the first of some queries.
func example(queries []string) string {
	if len(queries) == 0 {
		return ""
	}
	return fmt.Sprintf("%.80q", queries[0])
}
