package v1alpha1

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	upperCase     = regexp.MustCompile(`\p{Lu}`)
	notOneName    = regexp.MustCompile(`[\s[:cntrl:]\\/*?"<>|,#:]`)
	badStart      = regexp.MustCompile(`^([-_+]|[.]{1,2}$)`)
	urlWithUser   = regexp.MustCompile(`^[^/?#]*//[^/?#]*@`)
	notOneField   = regexp.MustCompile(`[\s*?,]`)
	metricPattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.-]*(@[0-9]+)?$`)
	withoutLimit  = regexp.MustCompile(`^(dcg|unjudgedRate)@`)
)

// Validate returns a message for every rule of the spec that the gate breaks and that a schema alone does not express,
// unsupported fields among them. It repeats the CEL rules on the types, for gates that never went through an API server
// with the present CRD: those that are read from a file, and those that an older CRD let in. A test holds the two
// together. The gate must carry its defaults.
func (g *RelevanceGate) Validate() []string {
	r := &rules{}
	r.must(len([]rune(g.Name)) <= 200, "the name of a gate must be at most 200 characters long")
	s := &g.Spec
	r.spec(s)
	r.engine(&s.Engine)
	r.indexName(s.Alias, "spec.alias", "one name")
	r.candidate(&s.Candidate)
	r.goldenSet(&s.GoldenSet)
	r.search(&s.Search)
	for i := range s.Metrics {
		r.metric(&s.Metrics[i])
	}
	r.must(s.Promotion.MaxContentDrift == "", "spec.promotion.maxContentDrift is not supported yet")
	r.must(s.Evaluation.Resources == nil || s.Evaluation.Resources.Claims == nil,
		"spec.evaluation.resources.claims is not supported yet")
	return r.broken
}

// rules collects the messages of the rules that are broken.
type rules struct {
	broken []string
}

func (r *rules) must(holds bool, message string) {
	if !holds {
		r.broken = append(r.broken, message)
	}
}

func (r *rules) spec(s *RelevanceGateSpec) {
	limited := func(m Metric) bool { return m.Min != "" || m.MaxDrop != "" }
	r.must(slices.ContainsFunc(s.Metrics, limited) || (s.Regressions != nil && s.Regressions.MaxQueries != nil) || s.Segments != nil,
		"a gate needs a limit: set min or maxDrop on at least one of spec.metrics, or spec.regressions.maxQueries, or spec.segments")

	regressing := func(m Metric) bool { return m.Name == s.Regressions.Metric }
	r.must(s.Regressions == nil || slices.ContainsFunc(s.Metrics, regressing),
		"spec.regressions.metric must be the name of one of spec.metrics")
	r.must(s.Regressions == nil || !withoutLimit.MatchString(s.Regressions.Metric),
		"spec.regressions.metric cannot be dcg or unjudgedRate: name ndcg or judged")

	scaled := func(m Metric) bool { return m.Name == "err" || strings.HasPrefix(m.Name, "err@") }
	r.must(s.GoldenSet.MaxGrade != nil || !slices.ContainsFunc(s.Metrics, scaled),
		"the metric err needs spec.goldenSet.maxGrade: its value depends on the highest grade of the scale")

	outOfScale := func(m Metric) bool { return m.RelevantFrom > *s.GoldenSet.MaxGrade }
	r.must(s.GoldenSet.MaxGrade == nil || !slices.ContainsFunc(s.Metrics, outOfScale),
		"relevantFrom in spec.metrics must not be above spec.goldenSet.maxGrade")

	r.must(s.Promotion.Lock != LockUntilPassed || s.Candidate.ReadyWhen != nil,
		"spec.promotion.lock UntilPassed needs spec.candidate.readyWhen: an index that is still being filled must not be locked")
	r.must(s.Candidate.Index == "" || s.Candidate.Index != s.Alias,
		"spec.candidate.index must be an index, not the alias of the gate")
	r.segments(s)
}

func (r *rules) engine(e *Engine) {
	r.must((e.URL != "") != (e.ElasticsearchRef != nil),
		"exactly one of spec.engine.url and spec.engine.elasticsearchRef must be set")
	r.must(e.ElasticsearchRef == nil, "spec.engine.elasticsearchRef is not supported yet")
	if e.URL == "" {
		return
	}
	u, err := url.ParseRequestURI(e.URL)
	r.must(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "",
		"spec.engine.url must be an http or https address, such as https://search.shop.svc:9200")
	r.must(!urlWithUser.MatchString(e.URL),
		"spec.engine.url must not contain credentials: name a Secret in spec.engine.credentialsSecretRef")
	r.must(!strings.ContainsAny(e.URL, "?#"), "spec.engine.url must not have a query or a fragment")
}

// indexName holds a name to the rules of the engines; what says in a message what the name stands for.
func (r *rules) indexName(name, field, what string) {
	r.must(!upperCase.MatchString(name), field+" must be lower case")
	r.must(!notOneName.MatchString(name), field+" must be "+what+`, without spaces, wildcards or any of \ / " < > | , # :`)
	r.must(!badStart.MatchString(name), field+" must not begin with - _ or +, and must not be . or ..")
	r.must(len(name) <= 255, field+" must be at most 255 bytes long")
}

func (r *rules) candidate(c *Candidate) {
	r.must((c.Index != "") != (c.Pattern != ""),
		"exactly one of spec.candidate.index and spec.candidate.pattern must be set")
	if c.Pattern != "" {
		r.must(strings.Contains(c.Pattern, "*"), "spec.candidate.pattern must contain a *: name a single index in spec.candidate.index")
		r.must(!upperCase.MatchString(c.Pattern), "spec.candidate.pattern must be lower case")
		r.must(!notOneName.MatchString(strings.ReplaceAll(c.Pattern, "*", "")),
			`spec.candidate.pattern must be one pattern, without spaces or any of \ / ? " < > | , # :`)
		r.must(!badStart.MatchString(c.Pattern), "spec.candidate.pattern must not begin with - _ or +")
	}
	r.indexName(c.Index, "spec.candidate.index", "the name of one index")
	r.must(c.ReadyWhen == nil || (c.ReadyWhen.MinDocs != nil) != (c.ReadyWhen.Meta != nil),
		"exactly one of spec.candidate.readyWhen.minDocs and spec.candidate.readyWhen.meta must be set")
}

func (r *rules) goldenSet(g *GoldenSet) {
	r.must((g.ConfigMapRef != nil) != (g.ConfigMapSelector != nil),
		"exactly one of spec.goldenSet.configMapRef and spec.goldenSet.configMapSelector must be set")
	r.must(g.ConfigMapSelector == nil || len(g.ConfigMapSelector.MatchLabels)+len(g.ConfigMapSelector.MatchExpressions) > 0,
		"spec.goldenSet.configMapSelector must name a label: an empty one would select every ConfigMap of the namespace")
}

func (r *rules) search(s *Search) {
	set := 0
	for _, is := range []bool{s.Body != nil, s.BodyConfigMapRef != nil, s.StoredTemplate != nil} {
		if is {
			set++
		}
	}
	r.must(set == 1,
		"exactly one of spec.search.body, spec.search.bodyConfigMapRef and spec.search.storedTemplate must be set")
	r.must(s.BodyConfigMapRef == nil, "spec.search.bodyConfigMapRef is not supported yet")
	r.must(s.StoredTemplate == nil, "spec.search.storedTemplate is not supported yet")
	r.must(!notOneField.MatchString(s.IDField),
		"spec.search.idField must be the name of one field, without spaces, wildcards or commas")
}

func (r *rules) metric(m *Metric) {
	r.must(metricPattern.MatchString(m.Name),
		"the name of a metric must be a word and, where the metric has a cut, @ and a number: ndcg@10")
	r.must(!withoutLimit.MatchString(m.Name) || (m.Min == "" && m.MaxDrop == ""),
		"dcg and unjudgedRate can have no limit, as dcg is not normalised and less of unjudgedRate is better: put it on ndcg or judged")
	confidence, err := m.Confidence.Millionths()
	r.must(m.Confidence == "" || err == nil && confidence >= million/2 && confidence <= million-million/1000,
		"the confidence of a metric must be from 0.5 to 0.999")
}

func (r *rules) segments(s *RelevanceGateSpec) {
	if s.Segments == nil {
		return
	}
	unmeasured := func(l SegmentLimit) bool {
		return !slices.ContainsFunc(s.Metrics, func(m Metric) bool { return m.Name == l.Metric })
	}
	r.must(!slices.ContainsFunc(s.Segments.Limits, unmeasured),
		"the metric of each of spec.segments.limits must be the name of one of spec.metrics")
	r.must(!slices.ContainsFunc(s.Segments.Limits, func(l SegmentLimit) bool { return withoutLimit.MatchString(l.Metric) }),
		"a segment can have no limit on dcg or unjudgedRate: name ndcg or judged")
}
