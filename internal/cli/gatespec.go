package cli

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/gatelimits"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// spec is what evaluate uses of a gate.
type spec struct {
	alias     string
	candidate string // empty if the gate has a pattern
	pattern   string
	plan      *evaluate.Plan // without indices and golden set
	limits    evaluate.LimitValues
}

// readSpec holds the gate against the rules that matter for evaluating, which
// the API server would hold it against too, and applies the defaults. A field
// that has no meaning here, such as promotion, is not looked at.
func (f *gateFile) readSpec() (*spec, error) {
	for _, check := range []func() error{
		f.checkRequired,
		f.checkUnsupported,
		f.checkRanges,
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	f.gate.SetDefaults()
	gate := &f.gate.Spec
	plan := &evaluate.Plan{
		Schema:                evaluate.PlanSchema,
		URL:                   gate.Engine.URL,
		Distribution:          string(gate.Engine.Distribution),
		GoldenFormat:          string(gate.GoldenSet.Format),
		RequireWhy:            gate.Judgments.RequireWhy,
		JudgedAt:              int(gate.Judgments.At),
		Repeats:               int(gate.Evaluation.Repeats),
		MaxConcurrentSearches: int(gate.Evaluation.MaxConcurrentSearches),
		Preference:            "relevance-gate-" + gate.Alias,
	}
	if gate.GoldenSet.MaxGrade != nil {
		plan.MaxGrade = int(*gate.GoldenSet.MaxGrade)
	}
	for _, fill := range []func(*evaluate.Plan) error{f.fillSearch, f.fillMetrics, f.fillRegressions, f.fillSegments} {
		if err := fill(plan); err != nil {
			return nil, err
		}
	}
	if err := f.checkLimits(); err != nil {
		return nil, err
	}
	return &spec{alias: gate.Alias, candidate: gate.Candidate.Index, pattern: gate.Candidate.Pattern, plan: plan, limits: gatelimits.Of(gate)}, nil
}

func (f *gateFile) checkRequired() error {
	for _, path := range []string{"spec", "spec.alias", "spec.engine", "spec.candidate", "spec.search", "spec.search.body", "spec.metrics"} {
		if !f.has(path) {
			if path == "spec.search.body" && (f.has("spec.search.bodyConfigMapRef") || f.has("spec.search.storedTemplate")) {
				return f.errorf("spec.search", "has no body; bodyConfigMapRef and storedTemplate are not supported yet")
			}
			return fmt.Errorf("%s: line %d: %s is missing", f.name, f.line(path), path)
		}
	}
	switch metrics := len(f.gate.Spec.Metrics); {
	case f.gate.Spec.Alias == "":
		return f.errorf("spec.alias", "is empty")
	case metrics == 0:
		return f.errorf("spec.metrics", "is empty; name at least one, such as ndcg@10")
	case metrics > maxMetrics:
		return f.errorf("spec.metrics", "has %d entries, the limit is %d", metrics, maxMetrics)
	}
	return nil
}

// maxMetrics is the most metrics that a gate may have.
const maxMetrics = 20

// checkUnsupported refuses what would be a limit, or change a score, and is not
// there yet: to leave it out silently could let a bad index pass.
func (f *gateFile) checkUnsupported() error {
	for _, path := range []string{"spec.search.bodyConfigMapRef", "spec.search.storedTemplate"} {
		if f.has(path) {
			return f.errorf(path, "is not supported yet")
		}
	}
	if format := string(f.gate.Spec.GoldenSet.Format); format != "" {
		known, err := golden.ReadFormat(format)
		if err == nil && string(known) != format {
			err = fmt.Errorf("%s is written %s", format, known)
		}
		if err != nil {
			return f.errorf("spec.goldenSet.format", "is wrong: %w", err)
		}
	}
	switch distribution := f.gate.Spec.Engine.Distribution; distribution {
	case "", v1alpha1.DistributionElasticsearch, v1alpha1.DistributionOpenSearch:
	default:
		return f.errorf("spec.engine.distribution", "is %s; it must be Elasticsearch or OpenSearch", distribution)
	}
	return nil
}

// intRange is a whole number in the gate, and the range that it must be in.
type intRange struct {
	path      string
	value     int32
	low, high int32
}

// checkRanges runs before the defaults, which cannot tell a 0 from a field that
// is not there.
func (f *gateFile) checkRanges() error {
	gate := &f.gate.Spec
	maxGrade := int32(30)
	ranges := []intRange{
		{"spec.judgments.at", gate.Judgments.At, 1, 1000},
		{"spec.evaluation.repeats", gate.Evaluation.Repeats, 1, 10},
		{"spec.evaluation.maxErrors", gate.Evaluation.MaxErrors, 0, 1_000_000},
		{"spec.evaluation.maxConcurrentSearches", gate.Evaluation.MaxConcurrentSearches, 1, 256},
	}
	if gate.GoldenSet.MaxGrade != nil {
		ranges = append(ranges, intRange{"spec.goldenSet.maxGrade", *gate.GoldenSet.MaxGrade, 1, 30})
		maxGrade = *gate.GoldenSet.MaxGrade
	}
	if r := gate.Regressions; r != nil && r.MaxQueries != nil {
		ranges = append(ranges, intRange{"spec.regressions.maxQueries", *r.MaxQueries, 0, 1_000_000_000})
	}
	if s := gate.Segments; s != nil {
		ranges = append(ranges, intRange{"spec.segments.minQueries", s.MinQueries, 1, 1_000_000})
	}
	for i, metric := range gate.Metrics {
		ranges = append(ranges, intRange{fmt.Sprintf("spec.metrics[%d].relevantFrom", i), metric.RelevantFrom, 1, maxGrade})
	}
	for _, r := range ranges {
		if f.has(r.path) && (r.value < r.low || r.value > r.high) {
			return f.errorf(r.path, "is %d; it must be from %d to %d", r.value, r.low, r.high)
		}
	}
	return nil
}

func (f *gateFile) fillSearch(plan *evaluate.Plan) error {
	search := &f.gate.Spec.Search
	plan.Search.IDField = search.IDField
	plan.Search.Body = json.RawMessage(search.Body.Raw)
	if _, err := evaluate.CheckBody(plan.Search.Body); err != nil {
		return f.errorf("spec.search.body", "is refused: %w", err)
	}
	if search.Live == nil {
		return nil
	}
	if search.Live.Body == nil {
		return f.errorf("spec.search.live", "has no body")
	}
	plan.Search.LiveBody = json.RawMessage(search.Live.Body.Raw)
	if _, err := evaluate.CheckBody(plan.Search.LiveBody); err != nil {
		return f.errorf("spec.search.live.body", "is refused: %w", err)
	}
	return nil
}

func (f *gateFile) fillMetrics(plan *evaluate.Plan) error {
	first := map[string]int{}
	for i, m := range f.gate.Spec.Metrics {
		path := fmt.Sprintf("spec.metrics[%d]", i)
		metric, err := relevance.ParseMetric(m.Name, relevance.Gain(m.Gain), float64(m.RelevantFrom))
		if err != nil {
			return fmt.Errorf("%s: line %d: %s: %w", f.name, f.line(path+".name"), path, err)
		}
		if metric, err = metric.WithMaxGrade(plan.MaxGrade); err != nil {
			return fmt.Errorf("%s: line %d: %s: %w; set spec.goldenSet.maxGrade", f.name, f.line(path+".name"), path, err)
		}
		for _, limit := range []string{path + ".min", path + ".maxDrop"} {
			if err := metric.LimitProblem(); f.has(limit) && err != nil {
				return f.errorf(limit, "is wrong: %w", err)
			}
		}
		if earlier, twice := first[m.Name]; twice {
			return f.errorf(path+".name", "is %s, and so is spec.metrics[%d]; name each metric once", m.Name, earlier)
		}
		first[m.Name] = i
		plan.Metrics = append(plan.Metrics, metric)
		if err := f.fillConfidence(plan, path+".confidence", m); err != nil {
			return err
		}
	}
	return nil
}

// The least and the most confidence that a metric can ask for, in millionths.
const leastConfidence, mostConfidence = 500_000, 999_000

func (f *gateFile) fillConfidence(plan *evaluate.Plan, path string, m v1alpha1.Metric) error {
	if !f.has(path) {
		return nil
	}
	confidence, err := m.Confidence.Millionths()
	if err != nil {
		return f.errorf(path, "is wrong: %w", err)
	}
	if confidence < leastConfidence || confidence > mostConfidence {
		return f.errorf(path, "is %s; it must be from 0.5 to 0.999", m.Confidence)
	}
	if plan.Confidence == nil {
		plan.Confidence = map[string]int64{}
	}
	plan.Confidence[m.Name] = confidence
	return nil
}

func (f *gateFile) fillRegressions(plan *evaluate.Plan) error {
	regressions := f.gate.Spec.Regressions
	if regressions == nil {
		return nil
	}
	drop, err := regressions.Drop.Millionths()
	if err != nil {
		return f.errorf("spec.regressions.drop", "is wrong: %w", err)
	}
	plan.Regressions = &evaluate.Regressions{Metric: regressions.Metric, Drop: drop}
	if regressions.ProtectWeightFrom != nil {
		weight := float64(*regressions.ProtectWeightFrom)
		plan.Regressions.ProtectWeightFrom = &weight
	}
	return f.checkMeasured(plan, "spec.regressions.metric", regressions.Metric)
}

// checkMeasured accepts the name of a metric that the plan measures.
func (f *gateFile) checkMeasured(plan *evaluate.Plan, path, name string) error {
	for _, metric := range plan.Metrics {
		if metric.Name != name {
			continue
		}
		if err := metric.LimitProblem(); err != nil {
			return f.errorf(path, "is wrong: %w", err)
		}
		return nil
	}
	return f.errorf(path, "is %q; it must be the name of one of spec.metrics", name)
}

// maxSegmentLimits is the most limits of segments that a gate may have.
const maxSegmentLimits = 10

func (f *gateFile) fillSegments(plan *evaluate.Plan) error {
	segments := f.gate.Spec.Segments
	if segments == nil {
		return nil
	}
	switch limits := len(segments.Limits); {
	case limits == 0:
		return f.errorf("spec.segments", "has no limits; name a segment, a metric and its min")
	case limits > maxSegmentLimits:
		return f.errorf("spec.segments.limits", "has %d entries, the limit is %d", limits, maxSegmentLimits)
	}
	first := map[evaluate.Segment]int{}
	for i, limit := range segments.Limits {
		path := fmt.Sprintf("spec.segments.limits[%d]", i)
		if limit.Segment == "" {
			return f.errorf(path, "names no segment")
		}
		if err := f.checkMeasured(plan, path+".metric", limit.Metric); err != nil {
			return err
		}
		segment := evaluate.Segment{Segment: limit.Segment, Metric: limit.Metric}
		if earlier, twice := first[segment]; twice {
			return f.errorf(path, "is for %s of %q, and so is spec.segments.limits[%d]; write one limit for both", limit.Metric, limit.Segment, earlier)
		}
		first[segment] = i
		plan.Segments = append(plan.Segments, segment)
	}
	return nil
}

// checkLimits refuses a gate without any, as it would say nothing about what is
// good enough.
func (f *gateFile) checkLimits() error {
	gate := &f.gate.Spec
	if err := f.checkFraction("spec.judgments.minJudged", gate.Judgments.MinJudged); err != nil {
		return err
	}
	limited := gate.Segments != nil || gate.Regressions != nil && gate.Regressions.MaxQueries != nil
	for i, metric := range gate.Metrics {
		limited = limited || metric.Min != "" || metric.MaxDrop != ""
		path := fmt.Sprintf("spec.metrics[%d]", i)
		if err := cmp.Or(f.checkFraction(path+".min", metric.Min), f.checkFraction(path+".maxDrop", metric.MaxDrop)); err != nil {
			return err
		}
	}
	if gate.Segments != nil {
		for i, limit := range gate.Segments.Limits {
			if _, err := limit.Min.Millionths(); err != nil {
				return f.errorf(fmt.Sprintf("spec.segments.limits[%d].min", i), "is wrong: %w", err)
			}
		}
	}
	if !limited {
		return f.errorf("spec.metrics", "has no limit: set min or maxDrop on at least one, or spec.regressions.maxQueries, or spec.segments")
	}
	return nil
}

// checkFraction accepts a field that is not there.
func (f *gateFile) checkFraction(path string, fraction v1alpha1.Fraction) error {
	if _, err := fraction.Millionths(); f.has(path) && err != nil {
		return f.errorf(path, "is wrong: %w", err)
	}
	return nil
}
