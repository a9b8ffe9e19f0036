package report

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// Statistics are what a score has beside its means, each where there is one.
type Statistics struct {
	// Confidence is that of the intervals, and Queries how many they are from. The
	// candidate's is the live index's where that was measured alone.
	Confidence    *string `json:"confidence,omitempty"`
	Queries       int     `json:"queries,omitempty"`
	CandidateLow  *string `json:"candidateLow,omitempty"`
	CandidateHigh *string `json:"candidateHigh,omitempty"`
	DeltaLow      *string `json:"deltaLow,omitempty"`
	DeltaHigh     *string `json:"deltaHigh,omitempty"`
	// The means as they would be if all queries had the same weight; absent where
	// all have.
	CandidateUnweighted *string `json:"candidateUnweighted,omitempty"`
	LiveUnweighted      *string `json:"liveUnweighted,omitempty"`
}

// Draws says how the intervals were found. The seed is a text, as many programs
// read numbers with 53 bits.
type Draws struct {
	Resamples int    `json:"resamples"`
	Seed      string `json:"seed"`
}

// Segment is the mean of one metric over the queries of a segment.
type Segment struct {
	Segment   string  `json:"segment"`
	Metric    string  `json:"metric"`
	Queries   int     `json:"queries"`
	Candidate *string `json:"candidate"`
	Live      *string `json:"live"`
	// Lows are low ends of the candidate's interval: the first at the metric's
	// confidence, the others when what may go wrong is shared among 2, 3, ...
	// segments.
	Lows    []*string        `json:"lows,omitempty"`
	Verdict *verdict.Verdict `json:"verdict"`
	Min     *string          `json:"min,omitempty"` // the limit that it was held against
}

// addStatistics completes a document that has its scores. The outcome is nil where
// the limits are not known.
func (d *Document) addStatistics(r *evaluate.Report, outcome *verdict.Outcome) {
	for i, score := range r.Measurement.Scores {
		d.Scores[i].Statistics = statisticsOf(r, i, score)
	}
	for i, s := range r.Measurement.Segments {
		segment := Segment{
			Segment: s.Segment, Metric: s.Metric, Queries: s.Queries, Candidate: decimal(s.Candidate), Live: decimal(s.Live),
		}
		for _, low := range s.Lows {
			segment.Lows = append(segment.Lows, decimal(&low))
		}
		if outcome != nil {
			segment.Verdict = &outcome.Segments[i].Verdict
		}
		d.Segments = append(d.Segments, segment)
	}
	if r.Draws != nil {
		d.Draws = &Draws{Resamples: r.Draws.Resamples, Seed: strconv.FormatUint(r.Draws.Seed, 10)}
	}
}

func statisticsOf(r *evaluate.Report, i int, score verdict.Score) Statistics {
	s := Statistics{Queries: score.Queries}
	if confidence, asked := r.Confidence[score.Metric]; asked {
		s.Confidence = decimal(&confidence)
	}
	if interval := score.Interval; interval != nil {
		s.CandidateLow, s.CandidateHigh = decimal(&interval.Low), decimal(&interval.High)
	}
	if interval := score.DeltaInterval; interval != nil {
		s.DeltaLow, s.DeltaHigh = decimal(&interval.Low), decimal(&interval.High)
	}
	if r.Unweighted != nil {
		s.CandidateUnweighted, s.LiveUnweighted = decimal(r.Unweighted[i].Candidate), decimal(r.Unweighted[i].Live)
	}
	return s
}

// writeStatistics writes the tables of what was asked for beside the scores.
func writeStatistics(out io.Writer, r *evaluate.Report, outcome *verdict.Outcome, limits verdict.Limits) {
	writeIntervals(out, r)
	writeSegments(out, r, outcome, limits)
	writeUnweighted(out, r)
}

func writeIntervals(out io.Writer, r *evaluate.Report) {
	if r.Draws == nil {
		return
	}
	fmt.Fprintf(out, "\nintervals, %s:\n", drawsText(r.Draws))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "METRIC\tCONFIDENCE\tQUERIES\tCANDIDATE\tDELTA")
	for _, score := range r.Measurement.Scores {
		if confidence, asked := r.Confidence[score.Metric]; asked {
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", score.Metric, short(confidence), score.Queries,
				intervalText(score.Interval), intervalText(score.DeltaInterval))
		}
	}
	table.Flush() //nolint:errcheck // out is a bufio.Writer, whose Flush tells.
}

// drawsText says all that another program needs to find the same intervals.
func drawsText(d *evaluate.Draws) string {
	return fmt.Sprintf("from %d bootstrap resamples with the seed %d (percentile method)", d.Resamples, d.Seed)
}

func intervalText(interval *verdict.Interval) string {
	if interval == nil {
		return "-"
	}
	return six(&interval.Low) + " to " + six(&interval.High)
}

func writeSegments(out io.Writer, r *evaluate.Report, outcome *verdict.Outcome, limits verdict.Limits) {
	if len(r.Measurement.Segments) == 0 {
		return
	}
	fmt.Fprintln(out, "\nsegments:")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SEGMENT\tMETRIC\tQUERIES\tCANDIDATE\tLIVE\tLIMIT\tVERDICT")
	for i, s := range r.Measurement.Segments {
		var limit verdict.Limit
		judged := ""
		if outcome != nil {
			limit, judged = verdict.Limit{Min: &limits.Segments[i].Min}, string(outcome.Segments[i].Verdict)
		}
		show := decimalsFor(verdict.Score{Candidate: s.Candidate, Live: s.Live}, limit)
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", printable(s.Segment), s.Metric, s.Queries,
			show(s.Candidate), show(s.Live), limitText(limit), judged)
	}
	table.Flush() //nolint:errcheck // out is a bufio.Writer, whose Flush tells.
}

func writeUnweighted(out io.Writer, r *evaluate.Report) {
	if r.Unweighted == nil {
		return
	}
	fmt.Fprintln(out, "\nwithout the queries' weights:")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "METRIC\tCANDIDATE\tLIVE")
	for i, means := range r.Unweighted {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Metrics[i].Name, four(means.Candidate), four(means.Live))
	}
	table.Flush() //nolint:errcheck // out is a bufio.Writer, whose Flush tells.
}
