package evaluate

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// Progress is told how many of the searches are done and what is going on. It
// is never called by two goroutines at once.
type Progress func(done, total int, what string)

// Run measures the candidate and the live index with the golden set, whose
// digest the caller has compared with the plan's. An error is a *Failure: there
// is no measurement. A query that could not be measured is no error of Run; it
// is counted in the report.
func Run(ctx context.Context, c *engine.Client, set *golden.Set, p *Plan, progress Progress) (*Report, error) {
	start := time.Now()
	run, err := newRun(c, set, p, progress)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{
		run.identify,
		run.search,
		run.identifyAgain,
		run.score,
	} {
		if err := step(ctx); err != nil {
			return nil, failureOf(ctx, err)
		}
	}
	run.report.TookSeconds = time.Since(start).Seconds()
	return run.report, nil
}

// run is one evaluation on its way.
type run struct {
	client   *engine.Client
	set      *golden.Set
	plan     *Plan
	progress *counter
	metrics  []relevance.Metric
	size     int // how many hits a search asks for
	// worstMetric is the position of the metric that says which queries are
	// worst, and drop the loss in millionths from which on one is a regression.
	worstMetric int
	drop        int64
	// arms are the indices to search: the candidate, then the live index, as
	// far as there are.
	arms   []*arm
	errors []error // by query; nil = it counts
	worst  worstQueries
	// unseen are judged ids that no ranking of the candidate has shown yet;
	// nil when they are too many to look up.
	unseen      map[string]struct{}
	unseenMutex sync.Mutex
	report      *Report
}

// arm is one index with everything that its searches returned.
type arm struct {
	index       *Index
	result      *IndexResult
	isCandidate bool
	template    *template
	// values hold, for each repeat, the scores of query q in metric m at
	// position q*len(metrics)+m.
	values [][]float64
	// rankings are those of the first repeat, by query.
	rankings []Ranking
	counts   []rankingCounts
}

func newRun(c *engine.Client, set *golden.Set, p *Plan, progress Progress) (*run, error) {
	r := &run{client: c, set: set, plan: p, errors: make([]error, len(set.Queries))}
	if err := r.chooseMetrics(); err != nil {
		return nil, NewFailure(ReasonInvalidPlan, err)
	}
	depth := depthOf(r.metrics, p.judgedAt(), set)
	r.size = sizeOf(depth)
	body, dropped, err := newTemplate(p.Search.Body)
	if err != nil {
		return nil, NewFailure(ReasonInvalidSearch, err)
	}
	r.report = &Report{
		EvaluationKey: p.EvaluationKey,
		GoldenDigest:  p.GoldenDigest,
		GoldenContent: set.Digest(),
		Metrics:       r.metrics,
		Depth:         depth,
		WorstMetric:   r.metrics[r.worstMetric].Name,
		DroppedFields: dropped,
		Confidence:    p.Confidence,
	}
	if slices.ContainsFunc(r.metrics, looksUncut) {
		r.report.UncutDepth = UncutDepth
	}
	if p.Candidate != nil {
		r.addArm(p.Candidate, body, max(1, p.Repeats))
	}
	if p.Live != nil {
		liveBody := body
		if len(p.Search.LiveBody) > 0 {
			if liveBody, _, err = newTemplate(p.Search.LiveBody); err != nil {
				return nil, NewFailure(ReasonInvalidSearch, fmt.Errorf("search.live: %w", err))
			}
		}
		r.addArm(p.Live, liveBody, max(1, p.Repeats))
	}
	if len(r.arms) == 0 {
		return nil, NewFailure(ReasonInvalidPlan, fmt.Errorf("the plan names neither a candidate nor a live index"))
	}
	if p.Candidate != nil {
		r.unseen = set.JudgedIDs(maxLookups)
	}
	r.progress = newCounter(progress, len(set.Queries)*len(r.arms)*max(1, p.Repeats))
	return r, nil
}

// chooseMetrics adds the noresults that negatives imply, and finds the metric
// that tells which queries are worst.
func (r *run) chooseMetrics() error {
	if len(r.plan.Metrics) == 0 {
		return fmt.Errorf("the plan has no metrics")
	}
	r.metrics = WithImpliedMetrics(r.plan.Metrics, r.set)
	for i, metric := range r.metrics {
		if tellsWorst(metric) {
			r.worstMetric = i
			break
		}
	}
	for _, segment := range r.plan.Segments {
		if r.metricCalled(segment.Metric) < 0 {
			return fmt.Errorf("segment %s: metric %s is not one of the metrics", segment.Segment, segment.Metric)
		}
	}
	if r.plan.Regressions == nil {
		return nil
	}
	for i, metric := range r.metrics {
		if metric.Name == r.plan.Regressions.Metric {
			r.worstMetric, r.drop = i, r.plan.Regressions.Drop
			return metric.LimitProblem()
		}
	}
	return fmt.Errorf("regressions.metric %s is not one of the metrics", r.plan.Regressions.Metric)
}

// tellsWorst says that a low value of the metric is a bad answer, and that its
// values can be compared between queries.
func tellsWorst(metric relevance.Metric) bool {
	switch metric.Kind {
	case relevance.NonEmpty, relevance.NoResults, relevance.Judged:
		return false
	}
	return metric.LimitProblem() == nil
}

// noResults is the metric that negatives imply.
var noResults = relevance.Metric{
	Name:         string(relevance.NoResults),
	Kind:         relevance.NoResults,
	Gain:         relevance.Exponential,
	RelevantFrom: 1,
}

// WithImpliedMetrics are the metrics, and last noresults if the golden set has
// negatives and no metric counts them yet.
func WithImpliedMetrics(metrics []relevance.Metric, set *golden.Set) []relevance.Metric {
	for _, metric := range metrics {
		if metric.Kind == relevance.NoResults {
			return metrics
		}
	}
	for _, query := range set.Queries {
		if query.ExpectNoResults {
			return append(metrics[:len(metrics):len(metrics)], noResults)
		}
	}
	return metrics
}

func (r *run) addArm(index *Index, body *template, repeats int) {
	a := &arm{
		index:       index,
		isCandidate: index == r.plan.Candidate,
		template:    body,
		rankings:    make([]Ranking, len(r.set.Queries)),
		counts:      make([]rankingCounts, len(r.set.Queries)),
	}
	for range repeats {
		a.values = append(a.values, make([]float64, len(r.set.Queries)*len(r.metrics)))
	}
	r.arms = append(r.arms, a)
}

// valuesOf are the scores of one query in one repeat, one a metric.
func (r *run) valuesOf(a *arm, repeat, query int) []float64 {
	from := query * len(r.metrics)
	return a.values[repeat][from : from+len(r.metrics) : from+len(r.metrics)]
}
