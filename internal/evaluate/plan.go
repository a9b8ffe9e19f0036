// Package evaluate measures a candidate index and the live index with a
// golden set: one ranking per query and index feeds every metric. It knows
// nothing of Kubernetes, so a laptop, CI and the cluster run the same code.
package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// SchemaNumber is the version of the measurement itself. It is part of the
// evaluation key: raise it when the same inputs would give other scores.
const SchemaNumber = 1

// PlanSchema names the form of plan.json.
const PlanSchema = "relevancegate.dev/plan/v1"

// DefaultJudgedAt is the depth of the judged rate when the gate names none.
const DefaultJudgedAt = 10

// Plan is all that decides a measurement. The controller writes it for the
// Job; the CLI builds it from a gate file.
type Plan struct {
	Schema        string `json:"schema"`
	EvaluationKey string `json:"evaluationKey"`

	// URL and Distribution say where the engine is and which one it is
	// (empty: found out). Credentials are never part of a plan.
	URL          string `json:"url"`
	Distribution string `json:"distribution,omitempty"`

	// Candidate is nil when only the live index is measured (at rest). The
	// live index is neither refreshed nor fingerprinted.
	Candidate *Index `json:"candidate,omitempty"`
	// Live is nil when the alias points nowhere yet.
	Live *Index `json:"live,omitempty"`

	GoldenDigest string `json:"goldenDigest"`
	GoldenFormat string `json:"goldenFormat,omitempty"`
	// GoldenSource names the golden set in messages.
	GoldenSource string `json:"goldenSource,omitempty"`
	// GoldenFiles names the files of a golden set that is in several, in the order
	// in which they are merged; GoldenPath says where each is mounted. None: it is
	// the one file GoldenSource, mounted as golden.
	GoldenFiles []string `json:"goldenFiles,omitempty"`
	// MaxGrade is the highest grade of the scale; 0 = not declared.
	MaxGrade   int  `json:"maxGrade,omitempty"`
	RequireWhy bool `json:"requireWhy,omitempty"`
	// MaxGoldenBytes bounds what the reader of this plan unpacks; 0 = what a
	// golden set may have at most.
	MaxGoldenBytes int64 `json:"-"`
	// GoldenPlaces keeps the lines that queries and judgments stand in.
	GoldenPlaces bool `json:"-"`

	Search  Search             `json:"search"`
	Metrics []relevance.Metric `json:"metrics"`
	// Confidence is, by the name of a metric, how sure its limits must hold, in
	// millionths; a metric that is not in it has no interval.
	Confidence map[string]int64 `json:"confidence,omitempty"`
	// Segments are the parts of the golden set that have limits, each with the
	// metric that the limit is for.
	Segments []Segment `json:"segments,omitempty"`
	// JudgedAt is the depth at which the judged rate is taken; 0 =
	// DefaultJudgedAt.
	JudgedAt    int          `json:"judgedAt,omitempty"`
	Regressions *Regressions `json:"regressions,omitempty"`

	Repeats               int    `json:"repeats"`
	MaxConcurrentSearches int    `json:"maxConcurrentSearches"`
	Preference            string `json:"preference,omitempty"`
	// TimeoutSeconds bounds the whole measurement; 0 = no bound.
	TimeoutSeconds int `json:"timeoutSeconds,omitempty"`
}

// Index is one of the two sides of a measurement.
type Index struct {
	Name string `json:"name"`
	// UUID, when set, must be that of the index found under Name.
	UUID string `json:"uuid,omitempty"`
	// Fingerprint, when set, is the digest that the candidate's content must
	// still have. It is not asked for the live index.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Search says how the indices are searched.
type Search struct {
	Body json.RawMessage `json:"body"`
	// LiveBody is set when the live index is searched differently.
	LiveBody json.RawMessage `json:"liveBody,omitempty"`
	// IDField is the field that the judgments name; empty = _id.
	IDField string `json:"idField,omitempty"`
}

// Segment is a part of the golden set, by the label that its queries carry, and
// one of the plan's metrics.
type Segment struct {
	Segment string `json:"segment"`
	Metric  string `json:"metric"`
}

// Regressions says when a single query counts as regressed.
type Regressions struct {
	Metric string `json:"metric"`
	// Drop is the loss, in millionths, from which on a query has regressed.
	Drop int64 `json:"drop"`
	// ProtectWeightFrom marks the queries of that weight or more as
	// protected; nil protects none.
	ProtectWeightFrom *float64 `json:"protectWeightFrom,omitempty"`
}

// GoldenPath is where a file of a golden set that is in several is mounted, in the
// plan's folder.
func GoldenPath(file int) string { return fmt.Sprintf("golden/%04d", file) }

// LoadPlan reads what is mounted into the evaluation pod: DIR/plan.json,
// DIR/golden, DIR/credentials/{username,password,api-key,token} and DIR/ca.crt,
// of which the last two may be missing. The golden set comes back as it is on
// disk; the caller compares its digest with the plan's.
func LoadPlan(dir string) (*Plan, engine.Config, []golden.Source, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		return nil, engine.Config{}, nil, err
	}
	plan, err := decodePlan(raw)
	if err != nil {
		return nil, engine.Config{}, nil, fmt.Errorf("%s: %w", filepath.Join(dir, "plan.json"), err)
	}
	files, err := plan.readGolden(dir)
	if err != nil {
		return nil, engine.Config{}, nil, err
	}
	config := engine.Config{URL: plan.URL, Distribution: plan.Distribution}
	for name, target := range map[string]*string{
		"username": &config.Username,
		"password": &config.Password,
		"api-key":  &config.APIKey,
		"token":    &config.Token,
	} {
		value, err := readOptional(filepath.Join(dir, "credentials", name))
		if err != nil {
			return nil, engine.Config{}, nil, err
		}
		*target = strings.TrimRight(string(value), "\r\n")
	}
	if config.CACert, err = readOptional(filepath.Join(dir, "ca.crt")); err != nil {
		return nil, engine.Config{}, nil, err
	}
	return plan, config, files, nil
}

// readGolden reads the files of the golden set, in their order.
func (p *Plan) readGolden(dir string) ([]golden.Source, error) {
	if len(p.GoldenFiles) == 0 {
		raw, err := os.ReadFile(filepath.Join(dir, "golden"))
		return []golden.Source{{Name: p.GoldenSource, Raw: raw}}, err
	}
	var files []golden.Source
	for i, name := range p.GoldenFiles {
		raw, err := os.ReadFile(filepath.Join(dir, GoldenPath(i)))
		if err != nil {
			return nil, err
		}
		files = append(files, golden.Source{Name: name, Raw: raw})
	}
	return files, nil
}

// decodePlan is strict: a field that this binary does not know could decide
// the result, so a plan of a newer controller is refused.
func decodePlan(raw []byte) (*Plan, error) {
	var plan Plan
	if err := decodeStrict(raw, &plan); err != nil {
		return nil, err
	}
	if plan.Schema != PlanSchema {
		return nil, fmt.Errorf("schema is %q, want %q", plan.Schema, PlanSchema)
	}
	return &plan, nil
}

// decodeStrict refuses unknown fields and anything behind the document.
func decodeStrict(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decodeOnly(decoder, into)
}

// decodeNumbers keeps numbers as they were written and refuses anything behind
// the document.
func decodeNumbers(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decodeOnly(decoder, into)
}

func decodeOnly(decoder *json.Decoder, into any) error {
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON document")
	}
	return nil
}

// readOptional is os.ReadFile for a file that may be missing.
func readOptional(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// idField is the field that names a document, with the default applied.
func (s Search) idField() string {
	if s.IDField == "" {
		return "_id"
	}
	return s.IDField
}

// liveBody is the body that the live index is searched with.
func (s Search) liveBody() json.RawMessage {
	if len(s.LiveBody) > 0 {
		return s.LiveBody
	}
	return s.Body
}

// judgedAt is the depth of the judged rate, with the default applied.
func (p *Plan) judgedAt() int {
	if p.JudgedAt == 0 {
		return DefaultJudgedAt
	}
	return p.JudgedAt
}
