package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// KeyInput is all that decides the result of an evaluation. Limits are not in
// it: a change of min or maxDrop gives a new verdict from the stored numbers.
type KeyInput struct {
	ClusterUUID          string
	CandidateFingerprint string
	// LiveUUID is empty when there is no live index.
	LiveUUID string

	GoldenDigest string
	MaxGrade     int
	Search       Search
	Metrics      []relevance.Metric
	// Confidence and Segments are the plan's.
	Confidence map[string]int64
	Segments   []Segment
	// JudgedAt is the depth of the judged rate; 0 = DefaultJudgedAt.
	JudgedAt    int
	Regressions *Regressions
	Repeats     int
}

// Key is the evaluation key: two evaluations with the same key have the same
// result.
func Key(in KeyInput) string { return digest(KeyParts(in)) }

// KeyParts is what the evaluation key is the SHA-256 of, once it is written as
// canonical JSON: sorted keys, no spaces.
func KeyParts(in KeyInput) map[string]any {
	var live *string
	if in.LiveUUID != "" {
		live = &in.LiveUUID
	}
	return map[string]any{
		"inputs":    in.inputs(),
		"cluster":   in.ClusterUUID,
		"candidate": in.CandidateFingerprint,
		"live":      live,
	}
}

// InputsDigest is the evaluation key without cluster, candidate and live
// index: what matters at rest, when the alias points at the candidate.
func InputsDigest(in KeyInput) string {
	return digest(in.inputs())
}

// SearchDigest identifies how the indices are searched.
func SearchDigest(s Search) string {
	return digest(s.identity())
}

func (in KeyInput) inputs() map[string]any {
	metrics := make([]map[string]any, 0, len(in.Metrics))
	for _, m := range in.Metrics {
		metric := map[string]any{"name": m.Name, "gain": m.Gain, "relevantFrom": m.RelevantFrom}
		if confidence, asked := in.Confidence[m.Name]; asked {
			metric["confidence"] = confidence
		}
		metrics = append(metrics, metric)
	}
	plan := Plan{JudgedAt: in.JudgedAt}
	inputs := map[string]any{
		"schema":      SchemaNumber,
		"golden":      in.GoldenDigest,
		"maxGrade":    in.MaxGrade,
		"search":      in.Search.identity(),
		"metrics":     metrics,
		"judgedAt":    plan.judgedAt(),
		"regressions": in.Regressions,
		"repeats":     in.Repeats,
	}
	// What a gate does not ask for is not there at all, so that its key stays the
	// one that it had before there was anything to ask for.
	if len(in.Segments) > 0 {
		inputs["segments"] = in.Segments
	}
	return inputs
}

// identity has the defaults applied, so that writing a default out changes no
// digest.
func (s Search) identity() map[string]any {
	return map[string]any{"body": s.Body, "liveBody": s.liveBody(), "idField": s.idField()}
}

// digest is the SHA-256 of the canonical JSON of value.
func digest(value any) string {
	canonical, err := canonicalJSON(value)
	if err != nil {
		// Only a search body that is not JSON gets here, and CheckBody
		// refuses it. Its own digest keeps the function total.
		canonical = []byte(fmt.Sprintf("not JSON: %#v", value))
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// canonicalJSON writes objects with sorted keys, without spaces, and numbers
// as they were written.
func canonicalJSON(value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := decodeNumbers(raw, &tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}
