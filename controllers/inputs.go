package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robfig/cron/v3"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// inputs are what the gate names, resolved and found right.
type inputs struct {
	golden      goldenFacts
	search      evaluate.Search
	metrics     []relevance.Metric // the spec's
	confidence  map[string]int64   // by metric, in millionths
	segments    []evaluate.Segment
	regressions *evaluate.Regressions
	schedule    cron.Schedule // nil without one
}

// goldenFacts are what the manager keeps of a golden set. The queries are
// read by the evaluation pod: the manager would hold every set in memory.
type goldenFacts struct {
	source    string // names the object in messages
	digest    string
	queries   int
	judgments int
	// validFor and resourceVersion say for which ConfigMap and which demands
	// the facts hold, so that an unchanged set is parsed once.
	validFor        string
	resourceVersion string
	// problem is what is wrong with the set. It is kept too: a set that cannot
	// be used must not be parsed at every poll.
	problem error
}

// maxGoldenBytes is how much of a golden set the manager unpacks. A ConfigMap of
// 1 MiB can unpack to 256 MiB, which is all the memory that the manager has; within
// this bound the worst one takes less than 200 MiB while it is parsed.
const maxGoldenBytes = 16 << 20

// resolveInputs reads what the gate names. Whatever is wrong with it is the
// user's to change, so it stalls the gate.
func (r *Reconciler) resolveInputs(ctx context.Context, s *scope) error {
	spec := &s.gate.Spec
	var err error
	if s.inputs.metrics, err = metricsOf(spec); err != nil {
		return stalled(v1alpha1.ReasonInvalidMetric, "%s", err)
	}
	if s.inputs.confidence, err = confidenceOf(spec.Metrics); err != nil {
		return stalled(v1alpha1.ReasonInvalidMetric, "%s", err)
	}
	s.inputs.segments = segmentsOf(spec.Segments)
	if s.inputs.regressions, err = regressionsOf(spec.Regressions); err != nil {
		return stalled(v1alpha1.ReasonInvalidMetric, "%s", err)
	}
	if s.inputs.search, err = searchOf(&spec.Search); err != nil {
		return stalled(v1alpha1.ReasonInvalidSearch, "%s", err)
	}
	if s.inputs.schedule, err = parseSchedule(spec.Schedule); err != nil {
		return stalled(v1alpha1.ReasonInvalidSpec, "%s", err)
	}
	return r.resolveGoldenSet(ctx, s)
}

func metricsOf(spec *v1alpha1.RelevanceGateSpec) ([]relevance.Metric, error) {
	var metrics []relevance.Metric
	for i, line := range spec.Metrics {
		metric, err := relevance.ParseMetric(line.Name, relevance.Gain(line.Gain), float64(line.RelevantFrom))
		if err == nil {
			metric, err = metric.WithMaxGrade(int(ptr.Deref(spec.GoldenSet.MaxGrade, 0)))
		}
		if err != nil {
			return nil, fmt.Errorf("spec.metrics[%d]: %w", i, err)
		}
		metrics = append(metrics, metric)
	}
	return metrics, nil
}

func confidenceOf(metrics []v1alpha1.Metric) (map[string]int64, error) {
	confidence := map[string]int64{}
	for i, line := range metrics {
		if line.Confidence == "" {
			continue
		}
		millionths, err := line.Confidence.Millionths()
		if err != nil {
			return nil, fmt.Errorf("spec.metrics[%d].confidence: %w", i, err)
		}
		confidence[line.Name] = millionths
	}
	return confidence, nil
}

func segmentsOf(spec *v1alpha1.Segments) []evaluate.Segment {
	if spec == nil {
		return nil
	}
	var segments []evaluate.Segment
	for _, limit := range spec.Limits {
		segments = append(segments, evaluate.Segment{Segment: limit.Segment, Metric: limit.Metric})
	}
	return segments
}

func regressionsOf(spec *v1alpha1.Regressions) (*evaluate.Regressions, error) {
	if spec == nil {
		return nil, nil
	}
	drop, err := spec.Drop.Millionths()
	if err != nil {
		return nil, fmt.Errorf("spec.regressions.drop: %w", err)
	}
	regressions := &evaluate.Regressions{Metric: spec.Metric, Drop: drop}
	if spec.ProtectWeightFrom != nil {
		weight := float64(*spec.ProtectWeightFrom)
		regressions.ProtectWeightFrom = &weight
	}
	return regressions, nil
}

func searchOf(spec *v1alpha1.Search) (evaluate.Search, error) {
	search := evaluate.Search{IDField: spec.IDField}
	if spec.Body == nil {
		return search, fmt.Errorf("spec.search.body is missing; write the search there")
	}
	search.Body = spec.Body.Raw
	if _, err := evaluate.CheckBody(search.Body); err != nil {
		return search, fmt.Errorf("spec.search.body: %w", err)
	}
	if spec.Live != nil && spec.Live.Body != nil {
		search.LiveBody = spec.Live.Body.Raw
		if _, err := evaluate.CheckBody(search.LiveBody); err != nil {
			return search, fmt.Errorf("spec.search.live.body: %w", err)
		}
	}
	return search, nil
}

// resolveGoldenSet reads the ConfigMap if it, or what is asked of it, has
// changed since it was last read.
func (r *Reconciler) resolveGoldenSet(ctx context.Context, s *scope) error {
	ref := s.gate.Spec.GoldenSet.ConfigMapRef
	if ref == nil {
		return stalled(v1alpha1.ReasonGoldenSetNotFound, "spec.goldenSet.configMapRef is missing; name the ConfigMap with the golden set")
	}
	name := types.NamespacedName{Namespace: s.gate.Namespace, Name: ref.Name}
	meta := configMapMeta()
	err := r.Get(ctx, name, meta)
	if apierrors.IsNotFound(err) {
		return stalled(v1alpha1.ReasonGoldenSetNotFound, "ConfigMap %s does not exist; create it with the golden set under the key %s", name, ref.Key)
	}
	if err != nil {
		return fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}

	demands := goldenDemands(&s.gate.Spec, &s.inputs)
	facts := s.mem.golden
	if facts.validFor != demands || facts.resourceVersion != meta.ResourceVersion {
		configMap := &corev1.ConfigMap{}
		if err := r.Live.Get(ctx, name, configMap); err != nil {
			return fmt.Errorf("reading ConfigMap %s: %w", name, err)
		}
		r.memory.parsing.Lock()
		facts, err = parseGoldenSet(configMap, &s.gate.Spec, &s.inputs)
		r.memory.parsing.Unlock()
		facts.validFor, facts.resourceVersion, facts.problem = demands, configMap.ResourceVersion, err
		s.mem.golden = facts
	}
	if facts.problem != nil {
		return facts.problem
	}
	s.inputs.golden = facts
	if pin := s.gate.Spec.GoldenSet.Digest; pin != "" && pin != facts.digest {
		return waiting(v1alpha1.ReasonGoldenDigestMismatch, 0,
			"%s has the digest %s, but spec.goldenSet.digest pins %s; change the one or the other", facts.source, facts.digest, pin)
	}
	return nil
}

// configMapMeta is a ConfigMap without its content, for reading.
func configMapMeta() *metav1.PartialObjectMetadata {
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	return meta
}

// goldenDemands are the parts of the spec by which a golden set is right or
// wrong.
func goldenDemands(spec *v1alpha1.RelevanceGateSpec, in *inputs) string {
	set := spec.GoldenSet
	maxGrade := int32(0)
	if set.MaxGrade != nil {
		maxGrade = *set.MaxGrade
	}
	return fmt.Sprintf("%s/%s %s %d %t %v %q", set.ConfigMapRef.Name, set.ConfigMapRef.Key, set.Format, maxGrade, spec.Judgments.RequireWhy,
		in.metrics, in.segments)
}

// parseGoldenSet asks of the set what the evaluation pod will ask of it.
func parseGoldenSet(configMap *corev1.ConfigMap, spec *v1alpha1.RelevanceGateSpec, in *inputs) (goldenFacts, error) {
	ref := spec.GoldenSet.ConfigMapRef
	source := fmt.Sprintf("ConfigMap %s/%s, key %s", configMap.Namespace, configMap.Name, ref.Key)
	raw, ok := configMap.BinaryData[ref.Key]
	if text, found := configMap.Data[ref.Key]; found {
		raw, ok = []byte(text), true
	}
	if !ok {
		return goldenFacts{}, stalled(v1alpha1.ReasonGoldenSetNotFound, "ConfigMap %s/%s has no key %s; it has %s",
			configMap.Namespace, configMap.Name, ref.Key, keysOf(configMap))
	}
	plan := &evaluate.Plan{
		GoldenSource: source, GoldenFormat: string(spec.GoldenSet.Format), MaxGoldenBytes: maxGoldenBytes,
		RequireWhy: spec.Judgments.RequireWhy, Metrics: in.metrics, Segments: in.segments,
	}
	if spec.GoldenSet.MaxGrade != nil {
		plan.MaxGrade = int(*spec.GoldenSet.MaxGrade)
	}
	set, err := evaluate.ParseGoldenSet(plan, []golden.Source{{Name: source, Raw: raw}})
	if errors.Is(err, golden.ErrTooLarge) {
		return goldenFacts{}, stalled(v1alpha1.ReasonGoldenSetTooLarge, "%s", err)
	}
	if err != nil {
		return goldenFacts{}, stalled(v1alpha1.ReasonInvalidGoldenSet, "%s", err)
	}
	digest, err := golden.Digest(raw)
	if err != nil {
		return goldenFacts{}, stalled(v1alpha1.ReasonInvalidGoldenSet, "%s: %s", source, err)
	}
	return goldenFacts{
		source:    source,
		digest:    digest,
		queries:   len(set.Queries),
		judgments: set.JudgmentCount(),
	}, nil
}

func keysOf(configMap *corev1.ConfigMap) string {
	var keys []string
	for key := range configMap.Data {
		keys = append(keys, key)
	}
	for key := range configMap.BinaryData {
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return "none"
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}
