package evaluate

import (
	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// ParseGoldenSet reads a golden set as the plan says, without the reasons of its
// judgments, and makes sure that every metric of the plan is defined for its
// queries, and that every segment of the plan has any. A set may be in several
// files, such as topics and qrels. An error is a *Failure.
func ParseGoldenSet(p *Plan, files []golden.Source) (*golden.Set, error) {
	set, err := golden.ParseFiles(files, golden.Options{
		Format:     golden.Format(p.GoldenFormat),
		MaxGrade:   p.MaxGrade,
		RequireWhy: p.RequireWhy,
		MaxBytes:   p.MaxGoldenBytes,
		Places:     p.GoldenPlaces,
	})
	if err == nil {
		err = set.Validate(p.GoldenSource, highestThreshold(p.Metrics))
	}
	if err == nil {
		err = p.checkSegments(set)
	}
	if err != nil {
		return nil, NewFailure(ReasonInvalidGoldenSet, err)
	}
	forgetReasons(set)
	return set, nil
}

// forgetReasons drops what no measurement looks at: of millions of judgments it is
// most of the memory.
func forgetReasons(set *golden.Set) {
	for _, query := range set.Queries {
		for i, judgment := range query.Judgments {
			query.Judgments[i] = golden.Judgment{DocID: judgment.DocID, Grade: judgment.Grade}
		}
	}
}

// highestThreshold is the highest grade from which on a document is relevant to
// some metric; graded ones such as NDCG know no threshold.
func highestThreshold(metrics []relevance.Metric) float64 {
	highest := 0.0
	for _, metric := range metrics {
		if metric.UsesRelevantFrom() {
			highest = max(highest, metric.RelevantFrom)
		}
	}
	return highest
}
