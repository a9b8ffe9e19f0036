package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/sentence"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// SummarySchema names the form of the summary.
const SummarySchema = "relevancegate.dev/summary/v2"

// MaxSummary is one byte more than a summary may have. The kubelet shares
// 12 KiB among the containers of a pod, so four containers leave 3 KiB each.
const MaxSummary = 3072

// maxWorstID is the longest query id, in bytes, that a summary carries.
const maxWorstID = 32

// maxFirstError bounds the one error, in bytes, that a summary carries.
const maxFirstError = 300

// maxFirstDifference bounds the one difference, in bytes, that a summary carries.
const maxFirstDifference = 200

// Summary is what the evaluation pod hands to the controller in its
// termination message: all the numbers that a verdict needs, no texts.
type Summary struct {
	Schema        string `json:"schema"`
	EvaluationKey string `json:"key"`
	GoldenDigest  string `json:"golden"`
	// Engine and the names and fingerprint of the indices are empty where there
	// was no room for them.
	Engine    string       `json:"engine"`
	Candidate *IndexResult `json:"candidate"`
	Live      *IndexResult `json:"live"`
	// Depth is the report's; 0 in what older pods hand over.
	Depth int `json:"depth"`
	// WorstCut says that fewer of the worst queries are listed, or with
	// shorter ids, than were found.
	WorstCut    bool                `json:"worstCut"`
	Measurement verdict.Measurement `json:"-"`
}

// Summary takes from the report what the controller stores.
func (r *Report) Summary(p *Plan) Summary {
	return Summary{
		Schema:        SummarySchema,
		EvaluationKey: p.EvaluationKey,
		GoldenDigest:  p.GoldenDigest,
		Engine:        r.EngineName(),
		Candidate:     r.Candidate,
		Live:          r.Live,
		Depth:         r.Depth,
		Measurement:   r.Measurement,
	}
}

// wireSummary is how a summary travels: its scores are rows of numbers in the
// order of the plan, whose names the reader knows. Only so do 20 metrics with
// intervals and 10 limits of segments fit.
type wireSummary struct {
	Summary
	Measurement wireMeasurement `json:"measurement"`
}

type wireMeasurement struct {
	verdict.Measurement
	Scores   []row `json:"scores"`
	Segments []row `json:"segments,omitempty"`
}

// Encode writes the summary in fewer than MaxSummary bytes. Long query ids are
// cut. If it does not fit, it is left out what the plan says too, then the least
// bad of the worst queries, then more and more of the first error.
func (s Summary) Encode() ([]byte, error) {
	worst := make([]verdict.Regression, len(s.Measurement.Worst))
	copy(worst, s.Measurement.Worst)
	for i := range worst {
		if short := sentence.Cut(worst[i].Query, maxWorstID); short != worst[i].Query {
			worst[i].Query, s.WorstCut = short, true
		}
	}
	s.Measurement.Worst = worst
	for {
		raw, err := json.Marshal(s.wire())
		if err != nil {
			return nil, err
		}
		if len(raw) < MaxSummary {
			return raw, nil
		}
		if !s.shorten() {
			return nil, fmt.Errorf("the summary has %d bytes without any query, the limit is %d", len(raw), MaxSummary-1)
		}
	}
}

func (s Summary) wire() wireSummary {
	out := wireSummary{Summary: s, Measurement: wireMeasurement{Measurement: s.Measurement}}
	for _, score := range s.Measurement.Scores {
		out.Measurement.Scores = append(out.Measurement.Scores, rowOfScore(score))
	}
	for _, segment := range s.Measurement.Segments {
		out.Measurement.Segments = append(out.Measurement.Segments, rowOfSegment(segment))
	}
	return out
}

// shorten leaves out what is missed least, and says whether there was anything.
func (s *Summary) shorten() bool {
	m := &s.Measurement
	switch {
	case s.Engine != "":
		s.Engine, s.Candidate, s.Live = "", s.Candidate.nameless(), s.Live.nameless()
	case len(m.Worst) > 0:
		m.Worst, s.WorstCut = m.Worst[:len(m.Worst)-1], true
	case m.FirstError != "":
		m.FirstError = sentence.Cut(m.FirstError, len(m.FirstError)/2)
	case m.FirstDifference != "":
		m.FirstDifference = sentence.Cut(m.FirstDifference, len(m.FirstDifference)/2)
	default:
		return false
	}
	return true
}

// nameless is the index without what the plan says of it.
func (r *IndexResult) nameless() *IndexResult {
	if r == nil {
		return nil
	}
	return &IndexResult{UUID: r.UUID, Docs: r.Docs}
}

// DecodeSummary reads the summary of a plan strictly. A cut text, an unknown
// field, a trailing byte, another evaluation key, another golden set, or other
// scores than the plan asks for is an error: then there is no result of this
// attempt.
func DecodeSummary(raw []byte, p *Plan) (*Summary, error) {
	if len(raw) >= MaxSummary {
		return nil, fmt.Errorf("the summary has %d bytes, the limit is %d", len(raw), MaxSummary-1)
	}
	var wire wireSummary
	if err := decodeStrict(raw, &wire); err != nil {
		return nil, fmt.Errorf("the summary is not readable: %w", err)
	}
	summary := wire.Summary
	switch {
	case summary.Schema != SummarySchema:
		return nil, fmt.Errorf("the summary's schema is %q, want %q", summary.Schema, SummarySchema)
	case summary.EvaluationKey != p.EvaluationKey:
		return nil, errors.New("the summary is of another evaluation key")
	case summary.GoldenDigest != p.GoldenDigest:
		return nil, errors.New("the summary is of another golden set")
	case summary.Depth < 0 || summary.Depth > relevance.MaxK:
		return nil, fmt.Errorf("the summary's depth is %d, which is no number of hits", summary.Depth)
	case summary.Candidate == nil && summary.Live == nil:
		return nil, errors.New("the summary names no index")
	}
	summary.Measurement = wire.Measurement.Measurement
	if err := wire.Measurement.name(p, &summary.Measurement); err != nil {
		return nil, err
	}
	return &summary, nil
}

// name reads the rows, and gives them the names that the plan has for them. A
// row more than the plan has metrics is the noresults that negatives imply.
func (w wireMeasurement) name(p *Plan, m *verdict.Measurement) error {
	names := metricNames(p.Metrics)
	if len(w.Scores) == len(names)+1 {
		names = append(names, string(relevance.NoResults))
	}
	if len(w.Scores) != len(names) || len(w.Segments) != len(p.Segments) {
		return fmt.Errorf("the summary has %d scores and %d of segments, but the plan has %d metrics and %d segments",
			len(w.Scores), len(w.Segments), len(p.Metrics), len(p.Segments))
	}
	for i, row := range w.Scores {
		score, err := row.score(names[i])
		if err != nil {
			return err
		}
		m.Scores = append(m.Scores, score)
	}
	for i, row := range w.Segments {
		score, err := row.segment(p.Segments[i])
		if err != nil {
			return err
		}
		m.Segments = append(m.Segments, score)
	}
	return nil
}

func metricNames(metrics []relevance.Metric) []string {
	var names []string
	for _, metric := range metrics {
		names = append(names, metric.Name)
	}
	return names
}
