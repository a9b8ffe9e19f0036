package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// maxHistory is how many verdicts the status keeps.
const maxHistory = 10

// remember puts the verdict at the head of the history, unless it is the same as
// the last one and was held against the same limits.
func (r *Reconciler) remember(ctx context.Context, s *scope) error {
	status := &s.gate.Status
	limits := limitsOf(&s.gate.Spec)
	entry := s.historyEntry(limits)
	if len(status.History) > 0 {
		latest := status.History[0]
		if latest.Key == entry.Key && latest.Verdict == entry.Verdict && latest.Reason == entry.Reason && slices.Equal(latest.Limits, entry.Limits) {
			return nil
		}
		var err error
		if entry.Changes, err = r.changesSince(ctx, s, latest, limits); err != nil {
			return err
		}
	}
	history := append([]v1alpha1.HistoryEntry{entry}, status.History...)
	status.History = history[:min(len(history), maxHistory)]
	return nil
}

func (s *scope) historyEntry(limits []limit) v1alpha1.HistoryEntry {
	evaluation := s.gate.Status.Evaluation
	entry := v1alpha1.HistoryEntry{
		Key:          evaluation.Key,
		Verdict:      v1alpha1.Verdict(s.outcome.Verdict),
		Reason:       s.outcome.Reason,
		SearchDigest: evaluation.SearchDigest,
		Scores:       slices.Clone(s.gate.Status.Scores),
		At:           ptr.To(metav1.NewTime(s.now)),
		Generation:   s.gate.Generation,
	}
	if candidate := evaluation.Candidate; candidate != nil {
		entry.Candidate = &v1alpha1.IndexRef{Index: candidate.Index, UUID: candidate.UUID}
		entry.Fingerprint = candidate.Fingerprint
	}
	if live := evaluation.Live; live != nil {
		entry.Live = &v1alpha1.IndexRef{Index: live.Index, UUID: live.UUID}
	}
	if set := evaluation.GoldenSet; set != nil {
		entry.GoldenDigest = set.Digest
	}
	for _, l := range limits {
		entry.Limits = append(entry.Limits, v1alpha1.HistoryLimit{Name: l.name, Value: l.value})
	}
	return entry
}

// A limit is one number of the spec that a verdict is held against.
type limit struct {
	name  string
	value string
	// most: a higher value is looser. Of the others a lower one is.
	most bool
}

// limitsOf are all limits of a gate, in the order of its spec.
func limitsOf(spec *v1alpha1.RelevanceGateSpec) []limit {
	var limits []limit
	add := func(name, value string, most bool) {
		limits = append(limits, limit{name: name, value: value, most: most})
	}
	fraction := func(name string, value v1alpha1.Fraction, most bool) {
		if millionths, err := value.Millionths(); err == nil { // and else there is none
			add(name, string(v1alpha1.DecimalOf(millionths)), most)
		}
	}
	for _, metric := range spec.Metrics {
		if metric.Min == "" && metric.MaxDrop == "" {
			continue
		}
		fraction("min of "+metric.Name, metric.Min, false)
		fraction("maxDrop of "+metric.Name, metric.MaxDrop, true)
		fraction("confidence of "+metric.Name, metric.Confidence, false)
		add("relevantFrom of "+metric.Name, strconv.Itoa(int(metric.RelevantFrom)), false)
	}
	if regressions := spec.Regressions; regressions != nil && (regressions.MaxQueries != nil || regressions.ProtectWeightFrom != nil) {
		fraction("regressions.drop", regressions.Drop, true)
		if regressions.MaxQueries != nil {
			add("regressions.maxQueries", strconv.Itoa(int(*regressions.MaxQueries)), true)
		}
		if regressions.ProtectWeightFrom != nil {
			add("regressions.protectWeightFrom", strconv.FormatInt(*regressions.ProtectWeightFrom, 10), true)
		}
	}
	if segments := spec.Segments; segments != nil {
		add("segments.minQueries", strconv.Itoa(int(segments.MinQueries)), false)
		for _, l := range segments.Limits {
			fraction(fmt.Sprintf("min of %s in the segment %s", l.Metric, l.Segment), l.Min, false)
		}
	}
	fraction("judgments.minJudged", spec.Judgments.MinJudged, false)
	add("evaluation.maxErrors", strconv.Itoa(int(spec.Evaluation.MaxErrors)), true)
	return limits
}

// changesSince says how the bar moved since an earlier verdict: which limits are
// looser, and which golden set took the place of which. A stricter limit is seen in
// the limits of both.
func (r *Reconciler) changesSince(ctx context.Context, s *scope, earlier v1alpha1.HistoryEntry, now []limit) ([]v1alpha1.HistoryChange, error) {
	var changes []v1alpha1.HistoryChange
	if lowered := loosened(earlier.Limits, now); len(lowered) > 0 {
		changes = append(changes, v1alpha1.HistoryChange{
			Reason:  v1alpha1.ReasonLimitLowered,
			Message: cutMessage(strings.Join(lowered, "; ") + lastWriter("the spec", s.gate.ManagedFields, "f:spec")),
		})
	}
	evaluation := s.gate.Status.Evaluation
	if was := earlier.GoldenDigest; was != "" && evaluation.GoldenSet != nil && was != evaluation.GoldenSet.Digest {
		writer, err := r.goldenSetWriter(ctx, s)
		if err != nil {
			return nil, err
		}
		changes = append(changes, v1alpha1.HistoryChange{
			Reason:  v1alpha1.ReasonJudgmentsChanged,
			Message: cutMessage(fmt.Sprintf("the golden set went from %s to %s", was, evaluation.GoldenSet.Digest) + writer),
		})
	}
	return changes, nil
}

// loosened says which of the earlier limits hold less back now.
func loosened(earlier []v1alpha1.HistoryLimit, now []limit) []string {
	var lines []string
	for _, was := range earlier {
		i := slices.IndexFunc(now, func(l limit) bool { return l.name == was.Name })
		switch {
		case i < 0:
			lines = append(lines, fmt.Sprintf("%s, %s, was taken away", was.Name, was.Value))
		case looser(was.Value, now[i]):
			lines = append(lines, fmt.Sprintf("%s went from %s to %s", was.Name, was.Value, now[i].value))
		}
	}
	return lines
}

func looser(was string, now limit) bool {
	before, err := strconv.ParseFloat(was, 64)
	if err != nil {
		return false
	}
	after, err := strconv.ParseFloat(now.value, 64)
	if err != nil {
		return false
	}
	return now.most && after > before || !now.most && after < before
}

// goldenSetWriter says who wrote the gate's golden set last.
func (r *Reconciler) goldenSetWriter(ctx context.Context, s *scope) (string, error) {
	ref := s.gate.Spec.GoldenSet.ConfigMapRef
	if ref == nil {
		return "", nil
	}
	set := configMapMeta()
	if err := r.Get(ctx, types.NamespacedName{Namespace: s.gate.Namespace, Name: ref.Name}, set); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("reading who wrote ConfigMap %s/%s: %w", s.gate.Namespace, ref.Name, err)
	}
	return lastWriter("it", set.ManagedFields, "f:data", "f:binaryData"), nil
}

// lastWriter says which field manager wrote one of the parts last. That is the
// program, as it calls itself; the API server's audit log knows the user.
func lastWriter(what string, managers []metav1.ManagedFieldsEntry, parts ...string) string {
	name := ""
	var last *metav1.Time
	for _, entry := range managers {
		var fields map[string]json.RawMessage
		if entry.Subresource != "" || entry.Time == nil || entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		owns := slices.ContainsFunc(parts, func(part string) bool { return fields[part] != nil })
		if owns && (last == nil || !entry.Time.Before(last)) {
			name, last = entry.Manager, entry.Time
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; %s was last written by the field manager %s", what, name)
}
