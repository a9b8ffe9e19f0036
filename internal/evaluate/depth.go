package evaluate

import (
	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// UncutDepth is how many hits a metric without a cut-off looks at, such as map
// or mrr. It does not depend on the other metrics of the gate, so that adding
// recall@500 leaves map as it is. r-precision looks at as many hits as the query
// has relevant documents.
const UncutDepth = 100

// looksUncut says that the metric looks at UncutDepth hits.
func looksUncut(metric relevance.Metric) bool {
	switch metric.Kind {
	case relevance.NonEmpty, relevance.NoResults, relevance.RPrecision:
		return false
	}
	return metric.K == 0
}

// cutOf is the last rank that a metric looks at for a query with these judged
// grades; 0 if the order plays no part.
func cutOf(metric relevance.Metric, judged []float64) int {
	switch {
	case looksUncut(metric):
		return UncutDepth
	case metric.Kind == relevance.RPrecision:
		relevant := 0
		for _, grade := range judged {
			if grade >= metric.RelevantFrom {
				relevant++
			}
		}
		return relevant
	}
	return metric.K
}

// sizeOf is how many hits are asked for to look at so many: one more, so that a
// tie at the cut shows, but no more than an engine gives.
func sizeOf(depth int) int { return min(depth+1, relevance.MaxK) }

// depthOf is how many hits of a ranking are looked at: the deepest look of any
// metric and of the judged rate, but no more than an engine gives.
func depthOf(metrics []relevance.Metric, judgedAt int, set *golden.Set) int {
	depth := judgedAt
	for _, metric := range metrics {
		depth = max(depth, cutOf(metric, nil))
		if metric.Kind == relevance.RPrecision {
			for _, query := range set.Queries {
				depth = max(depth, cutOf(metric, gradesOf(query)))
			}
		}
	}
	return min(depth, relevance.MaxK)
}

func gradesOf(query golden.Query) []float64 {
	grades := make([]float64, 0, len(query.Judgments))
	for _, judgment := range query.Judgments {
		grades = append(grades, judgment.Grade)
	}
	return grades
}
