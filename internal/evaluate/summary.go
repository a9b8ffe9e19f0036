package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// SummarySchema names the form of the summary.
const SummarySchema = "relevancegate.dev/summary/v1"

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
	Schema        string       `json:"schema"`
	EvaluationKey string       `json:"key"`
	GoldenDigest  string       `json:"golden"`
	Engine        string       `json:"engine"`
	Candidate     *IndexResult `json:"candidate"`
	Live          *IndexResult `json:"live"`
	// WorstCut says that fewer of the worst queries are listed, or with
	// shorter ids, than were found.
	WorstCut    bool                `json:"worstCut"`
	Measurement verdict.Measurement `json:"measurement"`
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
		Measurement:   r.Measurement,
	}
}

// Encode writes the summary in fewer than MaxSummary bytes: long query ids are
// cut, then the least bad of the worst queries are left out until it fits.
func (s Summary) Encode() ([]byte, error) {
	worst := make([]verdict.Regression, len(s.Measurement.Worst))
	copy(worst, s.Measurement.Worst)
	for i := range worst {
		if short := cutText(worst[i].Query, maxWorstID); short != worst[i].Query {
			worst[i].Query, s.WorstCut = short, true
		}
	}
	for {
		s.Measurement.Worst = worst
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if len(raw) < MaxSummary {
			return raw, nil
		}
		if len(worst) == 0 {
			return nil, fmt.Errorf("the summary has %d bytes without any query, the limit is %d", len(raw), MaxSummary-1)
		}
		worst, s.WorstCut = worst[:len(worst)-1], true
	}
}

// DecodeSummary reads a summary strictly. A cut text, an unknown field, a
// trailing byte, another evaluation key or another golden set is an error:
// then there is no result of this attempt.
func DecodeSummary(raw []byte, key, goldenDigest string) (*Summary, error) {
	if len(raw) >= MaxSummary {
		return nil, fmt.Errorf("the summary has %d bytes, the limit is %d", len(raw), MaxSummary-1)
	}
	var summary Summary
	if err := decodeStrict(raw, &summary); err != nil {
		return nil, fmt.Errorf("the summary is not readable: %w", err)
	}
	switch {
	case summary.Schema != SummarySchema:
		return nil, fmt.Errorf("the summary's schema is %q, want %q", summary.Schema, SummarySchema)
	case summary.EvaluationKey != key:
		return nil, errors.New("the summary is of another evaluation key")
	case summary.GoldenDigest != goldenDigest:
		return nil, errors.New("the summary is of another golden set")
	case summary.Candidate == nil && summary.Live == nil:
		return nil, errors.New("the summary names no index")
	case len(summary.Measurement.Scores) == 0:
		return nil, errors.New("the summary has no scores")
	}
	return &summary, nil
}

// cutText returns at most limit bytes of text and no half character.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
