package v1alpha1

// SetDefaults fills in what the API server fills in, for gates that never went through one: those that are read from a
// file. The API server is the authority; a test holds the two together.
func (g *RelevanceGate) SetDefaults() {
	s := &g.Spec
	setDefault(&s.GoldenSet.Format, FormatAuto)
	setDefault(&s.Search.IDField, "_id")
	for i := range s.Metrics {
		setDefault(&s.Metrics[i].RelevantFrom, 1)
		setDefault(&s.Metrics[i].Gain, GainExponential)
	}
	setDefault(&s.Judgments.At, 10)
	if s.Segments != nil {
		setDefault(&s.Segments.MinQueries, 5)
	}
	setDefault(&s.Promotion.Policy, PolicyManual)
	setDefault(&s.Promotion.Lock, LockDuringSwap)
	setDefault(&s.Promotion.MinDocsRatio, "0.95")
	setDefault(&s.Promotion.MinHealth, HealthYellow)
	setDefault(&s.Promotion.OnDrift, OnDriftReport)
	setDefault(&s.Promotion.ApprovalSeconds, 86400)
	setDefault(&s.Evaluation.Repeats, 2)
	setDefaultPointer(&s.Evaluation.SettleSeconds, 30)
	setDefault(&s.Evaluation.PollSeconds, 60)
	setDefault(&s.Evaluation.TimeoutSeconds, 600)
	setDefaultPointer(&s.Evaluation.Retries, 2)
	setDefault(&s.Evaluation.MaxConcurrentSearches, 4)
	if g.Status.ObservedGeneration == 0 {
		g.Status.ObservedGeneration = -1
	}
}

func setDefault[T comparable](field *T, value T) {
	var unset T
	if *field == unset {
		*field = value
	}
}

func setDefaultPointer[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
