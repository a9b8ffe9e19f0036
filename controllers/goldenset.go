package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// goldenFacts are what the manager keeps of a golden set. The queries are
// read by the evaluation pod: the manager would hold every set in memory.
type goldenFacts struct {
	source    string  // names the whole in messages
	shards    []shard // in the order in which they are merged
	digest    string
	queries   int
	judgments int
	// validFor and versions say for which demands and which ConfigMaps the facts
	// hold, so that an unchanged set is parsed once.
	validFor string
	versions string
	// problem is what is wrong with the set. It is kept too: a set that cannot
	// be used must not be parsed at every poll.
	problem error
}

// shard is one file of a golden set: a key of a ConfigMap.
type shard struct{ configMap, key string }

// name is what messages call a shard of that namespace.
func (s shard) name(namespace string) string {
	return fmt.Sprintf("ConfigMap %s/%s, key %s", namespace, s.configMap, s.key)
}

const (
	// maxGoldenBytes is how much of a golden set the manager reads, and unpacks. A
	// ConfigMap of 1 MiB can unpack to 256 MiB, which is all the memory that the
	// manager has; within this bound the worst one takes less than 200 MiB while it is
	// parsed.
	maxGoldenBytes = 16 << 20
	// maxShards is in how many files a golden set may be. Each is a call to the API
	// server when one of them changes.
	maxShards = 100
)

// resolveGoldenSet reads the golden set if it, or what is asked of it, has
// changed since it was last read.
func (r *Reconciler) resolveGoldenSet(ctx context.Context, s *scope) error {
	configMaps, err := goldenConfigMaps(ctx, r, s.gate)
	if err != nil {
		return err
	}
	if len(configMaps) == 0 {
		return goldenSetMissing(s.gate)
	}
	demands, err := goldenDemands(&s.gate.Spec, &s.inputs)
	if err != nil {
		return err
	}
	facts := s.mem.golden
	if facts.validFor != demands || facts.versions != versionsOf(configMaps) {
		if facts, err = r.readGoldenSet(ctx, s, configMaps); err != nil {
			return err
		}
		facts.validFor = demands
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

// goldenConfigMaps are the ConfigMaps that hold the gate's golden set, without
// their content, in the order of their names; none where there is none.
func goldenConfigMaps(ctx context.Context, reader client.Reader, gate *v1alpha1.RelevanceGate) ([]metav1.PartialObjectMetadata, error) {
	if ref := gate.Spec.GoldenSet.ConfigMapRef; ref != nil {
		meta := configMapMeta()
		name := types.NamespacedName{Namespace: gate.Namespace, Name: ref.Name}
		err := reader.Get(ctx, name, meta)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
		}
		return []metav1.PartialObjectMetadata{*meta}, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(gate.Spec.GoldenSet.ConfigMapSelector)
	if err != nil {
		return nil, stalled(v1alpha1.ReasonInvalidSpec, "spec.goldenSet.configMapSelector: %s", err)
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	if err := reader.List(ctx, list, client.InNamespace(gate.Namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return nil, fmt.Errorf("listing the ConfigMaps of the golden set: %w", err)
	}
	shards := slices.DeleteFunc(list.Items, func(meta metav1.PartialObjectMetadata) bool { return madeByUs(&meta) })
	slices.SortFunc(shards, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
	return shards, nil
}

// madeByUs tells whether a ConfigMap is a plan or a report: each evaluation makes
// new ones, which must not be taken for golden sets.
func madeByUs(configMap client.Object) bool {
	return configMap.GetLabels()[v1alpha1.LabelGateUID] != ""
}

// selectsGoldenSet tells whether the ConfigMap holds the gate's golden set, or a
// part of it.
func selectsGoldenSet(gate *v1alpha1.RelevanceGate, configMap client.Object) bool {
	set := gate.Spec.GoldenSet
	if set.ConfigMapRef != nil {
		return set.ConfigMapRef.Name == configMap.GetName()
	}
	selector, err := metav1.LabelSelectorAsSelector(set.ConfigMapSelector)
	return err == nil && selector.Matches(labels.Set(configMap.GetLabels())) && !madeByUs(configMap)
}

// goldenSetMissing says what to create. A selection is waited for, as shards may
// come one after the other.
func goldenSetMissing(gate *v1alpha1.RelevanceGate) error {
	if ref := gate.Spec.GoldenSet.ConfigMapRef; ref != nil {
		return stalled(v1alpha1.ReasonGoldenSetNotFound, "ConfigMap %s/%s does not exist; create it with the golden set under the key %s",
			gate.Namespace, ref.Name, ref.Key)
	}
	return waiting(v1alpha1.ReasonGoldenSetNotFound, 0, "no ConfigMap of the namespace %s is selected by %s (spec.goldenSet.configMapSelector); label those that hold the golden set",
		gate.Namespace, selectorText(gate))
}

func selectorText(gate *v1alpha1.RelevanceGate) string {
	return metav1.FormatLabelSelector(gate.Spec.GoldenSet.ConfigMapSelector)
}

// versionsOf changes whenever one of the ConfigMaps does, and when one comes or
// goes.
func versionsOf(configMaps []metav1.PartialObjectMetadata) string {
	var versions []string
	for _, configMap := range configMaps {
		versions = append(versions, configMap.Name+"@"+configMap.ResourceVersion)
	}
	return strings.Join(versions, " ")
}

// configMapMeta is a ConfigMap without its content, for reading.
func configMapMeta() *metav1.PartialObjectMetadata {
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	return meta
}

// goldenDemands are the parts of the spec by which a golden set is right or
// wrong.
func goldenDemands(spec *v1alpha1.RelevanceGateSpec, in *inputs) (string, error) {
	set := spec.GoldenSet
	set.Digest = "" // It is held against the set that was read.
	raw, err := json.Marshal(set)
	if err != nil {
		return "", fmt.Errorf("writing spec.goldenSet: %w", err)
	}
	return fmt.Sprintf("%s %t %v %q", raw, spec.Judgments.RequireWhy, in.metrics, in.segments), nil
}

// readGoldenSet reads the ConfigMaps and asks of the set what the evaluation pod
// will ask of it. What is wrong with the set is part of the facts; an error is
// that it could not be read.
func (r *Reconciler) readGoldenSet(ctx context.Context, s *scope, configMaps []metav1.PartialObjectMetadata) (goldenFacts, error) {
	r.memory.parsing.Lock()
	defer r.memory.parsing.Unlock()
	facts := goldenFacts{source: goldenSource(s.gate), versions: versionsOf(configMaps)}
	if len(configMaps) > maxShards {
		facts.problem = tooManyShards(s.gate, len(configMaps), "ConfigMaps")
		return facts, nil
	}
	var files []golden.Source
	size := 0
	for i := range configMaps {
		configMap := &corev1.ConfigMap{}
		name := client.ObjectKeyFromObject(&configMaps[i])
		if err := r.Live.Get(ctx, name, configMap); err != nil {
			return facts, fmt.Errorf("reading ConfigMap %s: %w", name, err)
		}
		configMaps[i].ResourceVersion = configMap.ResourceVersion // It may be newer than the cache knows.
		keys, err := shardKeys(configMap, s.gate.Spec.GoldenSet.ConfigMapRef)
		if err != nil {
			facts.problem = err
			break
		}
		for _, key := range keys {
			part := shard{configMap.Name, key}
			raw := contentOf(configMap, key)
			size += len(raw)
			facts.shards, files = append(facts.shards, part), append(files, golden.Source{Name: part.name(s.gate.Namespace), Raw: raw})
		}
		if size > maxGoldenBytes {
			facts.problem = stalled(v1alpha1.ReasonGoldenSetTooLarge, "%s is larger than %d MiB, which is what the manager reads; split it among gates, or use fewer queries",
				facts.source, maxGoldenBytes>>20)
			break
		}
	}
	facts.versions = versionsOf(configMaps)
	if len(files) > maxShards {
		facts.problem = tooManyShards(s.gate, len(files), "files")
	}
	if facts.problem == nil {
		facts.problem = facts.parse(files, &s.gate.Spec, &s.inputs)
	}
	return facts, nil
}

// goldenSource names the golden set in messages.
func goldenSource(gate *v1alpha1.RelevanceGate) string {
	if ref := gate.Spec.GoldenSet.ConfigMapRef; ref != nil {
		return shard{ref.Name, ref.Key}.name(gate.Namespace)
	}
	return fmt.Sprintf("the golden set of the ConfigMaps %s in %s", selectorText(gate), gate.Namespace)
}

func tooManyShards(gate *v1alpha1.RelevanceGate, found int, what string) error {
	return stalled(v1alpha1.ReasonGoldenSetTooLarge, "%s is in %d %s, and at most %d are read (spec.goldenSet.configMapSelector); put more queries into each, or select fewer",
		goldenSource(gate), found, what, maxShards)
}

// shardKeys are the keys of a ConfigMap that hold a part of the golden set, in
// their order: the one that a reference names, or all of one that was selected.
func shardKeys(configMap *corev1.ConfigMap, ref *v1alpha1.ConfigMapKeyRef) ([]string, error) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(configMap.Data)), maps.Keys(configMap.BinaryData))
	slices.Sort(keys)
	switch {
	case ref == nil && len(keys) == 0:
		return nil, stalled(v1alpha1.ReasonInvalidGoldenSet, "ConfigMap %s/%s is selected by spec.goldenSet.configMapSelector and has no key; put a part of the golden set into it, or take its label off",
			configMap.Namespace, configMap.Name)
	case ref == nil:
		return keys, nil
	case !slices.Contains(keys, ref.Key):
		found := "none"
		if len(keys) > 0 {
			found = strings.Join(keys, ", ")
		}
		return nil, stalled(v1alpha1.ReasonGoldenSetNotFound, "ConfigMap %s/%s has no key %s; it has %s",
			configMap.Namespace, configMap.Name, ref.Key, found)
	}
	return []string{ref.Key}, nil
}

// contentOf is what a ConfigMap holds under a key that it has.
func contentOf(configMap *corev1.ConfigMap, key string) []byte {
	if text, found := configMap.Data[key]; found {
		return []byte(text)
	}
	return configMap.BinaryData[key]
}

// parse fills the facts, or says what is wrong with the set.
func (f *goldenFacts) parse(files []golden.Source, spec *v1alpha1.RelevanceGateSpec, in *inputs) error {
	plan := &evaluate.Plan{
		GoldenSource: f.source, GoldenFormat: string(spec.GoldenSet.Format), MaxGoldenBytes: maxGoldenBytes,
		RequireWhy: spec.Judgments.RequireWhy, Metrics: in.metrics, Segments: in.segments,
	}
	if spec.GoldenSet.MaxGrade != nil {
		plan.MaxGrade = int(*spec.GoldenSet.MaxGrade)
	}
	set, err := evaluate.ParseGoldenSet(plan, files)
	if errors.Is(err, golden.ErrTooLarge) {
		return stalled(v1alpha1.ReasonGoldenSetTooLarge, "%s", err)
	}
	if err == nil {
		f.digest, err = golden.DigestFiles(files)
	}
	if err != nil {
		return stalled(v1alpha1.ReasonInvalidGoldenSet, "%s", err)
	}
	f.queries, f.judgments = len(set.Queries), set.JudgmentCount()
	return nil
}
