package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// said shows the limits as "name Verdict", and the evidence only where it is not Passed.
func said(all []LimitVerdict) string {
	var parts []string
	for _, v := range all {
		if v.Kind != Evidence || v.Verdict != Passed {
			parts = append(parts, v.Name+" "+string(v.Verdict))
		}
	}
	return strings.Join(parts, ", ")
}

func TestEachLimitHasItsOwnVerdict(t *testing.T) {
	regressions := func(n int) func(*Limits) { return func(l *Limits) { l.MaxRegressions = &n } }
	worse := func(regressions, protected int) func(*Measurement) {
		return func(m *Measurement) { m.RegressionCount, m.ProtectedRegressions = regressions, protected }
	}
	for title, row := range map[string]struct {
		m    Measurement
		l    Limits
		want string
	}{
		"both hold":                        {measured(s("a", 800_000, 810_000)), limits(both("a", 800_000, 10_000)), "a min Passed, a maxDrop Passed"},
		"min alone is missed":              {measured(s("a", 799_999, 800_000)), limits(both("a", 800_000, 10_000)), "a min Failed, a maxDrop Passed"},
		"maxDrop alone is missed":          {measured(s("a", 800_000, 810_001)), limits(both("a", 800_000, 10_000)), "a min Passed, a maxDrop Failed"},
		"a metric without a limit":         {measured(s("a", 0, 1), s("b", 1, 1)), limits(Limit{Metric: "a"}, minimum("b", 1)), "b min Passed"},
		"no limit at all":                  {measured(s("a", 0, 1)), limits(Limit{Metric: "a"}), "evidence Inconclusive"},
		"a score is missing":               {measured(Score{Metric: "a"}, s("b", 1, 1)), limits(minimum("a", 1), minimum("b", 1)), "a min Inconclusive, b min Passed"},
		"no live index, rightly":           {alone("a", 800_000), but(limits(both("a", 800_000, 0)), func(l *Limits) { l.CreateAlias = true }), "a min Passed, a maxDrop NotApplicable"},
		"no live index, though one is due": {alone("a", 800_000), limits(both("a", 800_000, 0)), "evidence Inconclusive, a min Passed, a maxDrop Inconclusive"},
		"too many errors":                  {with(measured(s("a", 1, 1)), func(m *Measurement) { m.Errors = 1 }), limits(minimum("a", 1)), "evidence Inconclusive, a min Passed"},
		"nothing judged":                   {with(measured(s("a", 1, 1)), func(m *Measurement) { m.JudgedHitsCandidate = 0 }), limits(minimum("a", 1)), "evidence Inconclusive, a min Passed"},
		"regressions hold":                 {with(measured(s("a", 1, 1)), worse(2, 0)), but(limits(minimum("a", 1)), regressions(2)), "a min Passed, regressions maxQueries Passed"},
		"too many regressions":             {with(measured(s("a", 1, 1)), worse(3, 0)), but(limits(minimum("a", 1)), regressions(2)), "a min Passed, regressions maxQueries Failed"},
		"a protected query":                {with(measured(s("a", 1, 1)), worse(1, 1)), but(limits(minimum("a", 1)), regressions(2)), "a min Passed, regressions maxQueries Passed, regressions protectWeightFrom Failed"},
		"protected alone, none got worse":  {with(measured(s("a", 1, 1)), worse(9, 0)), but(limits(minimum("a", 1)), regressions(math.MaxInt)), "a min Passed, regressions protectWeightFrom Passed"},
		"a segment is missed": {with(measured(s("a", 800_000, 800_000)), func(m *Measurement) {
			m.Segments = []SegmentScore{{Segment: "head", Metric: "a", Queries: 5, Candidate: n[int64](700_000)}}
		}), but(limits(minimum("a", 800_000)), func(l *Limits) {
			l.Segments, l.MinQueries = []SegmentLimit{{Segment: "head", Metric: "a", Min: 700_001}}, 5
		}), "a min Passed, a of segment head Failed"},
		"a segment of too few queries": {with(measured(s("a", 800_000, 800_000)), func(m *Measurement) {
			m.Segments = []SegmentScore{{Segment: "head", Metric: "a", Queries: 4, Candidate: n[int64](900_000)}}
		}), but(limits(minimum("a", 800_000)), func(l *Limits) {
			l.Segments, l.MinQueries = []SegmentLimit{{Segment: "head", Metric: "a", Min: 700_001}}, 5
		}), "a min Passed, a of segment head Inconclusive"},
		"the live index alone, regressions": {liveAlone("a", 1), but(limits(minimum("a", 1)), func(l *Limits) { l.LiveOnly, l.MaxRegressions = true, n(0) }), "a min Passed, regressions maxQueries NotApplicable"},
	} {
		t.Run(title, func(t *testing.T) {
			all := Each(row.m, row.l)
			if got := said(all); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			for _, v := range all {
				if blocks := v.Verdict == Failed || v.Verdict == Inconclusive; blocks != (v.Reason != "") {
					t.Errorf("%s is %s with the reason %q", v.Name, v.Verdict, v.Reason)
				}
				if v.Message == "" {
					t.Errorf("%s has no message", v.Name)
				}
			}
		})
	}
}

// The verdicts of the limits add up to the gate's.
func TestEachAddsUpToTheVerdict(t *testing.T) {
	zero, one := 0, 1
	protected := math.MaxInt
	for _, candidate := range []*int64{nil, n[int64](0), n[int64](500_000)} {
		for _, live := range []*int64{nil, n[int64](400_000), n[int64](600_000)} {
			for _, limit := range []Limit{{Metric: "a"}, minimum("a", 500_000), drop("a", 50_000), both("a", 400_000, 50_000)} {
				for _, most := range []*int{nil, &zero, &one, &protected} {
					for _, errors := range []int{0, 1} {
						for _, flags := range [][2]bool{{}, {true, false}, {false, true}} {
							m := with(measured(Score{Metric: "a", Candidate: candidate, Live: live}), func(m *Measurement) {
								m.Errors, m.RegressionCount, m.ProtectedRegressions = errors, 1, most0(most)
								if live == nil {
									m.JudgedLive, m.HitsLive, m.JudgedHitsLive = nil, 0, 0
								}
							})
							l := Limits{Metrics: []Limit{limit}, MaxRegressions: most, CreateAlias: flags[0], LiveOnly: flags[1]}
							checkAddsUp(t, m, l)
							l.Segments, l.MinQueries = []SegmentLimit{{Segment: "head", Metric: "a", Min: 500_000}}, 5
							for _, queries := range []int{4, 5} {
								m.Segments = []SegmentScore{{Segment: "head", Metric: "a", Queries: queries, Candidate: candidate, Live: live}}
								checkAddsUp(t, m, l)
							}
						}
					}
				}
			}
		}
	}
}

// most0 is 1 where protected queries alone are limited.
func most0(most *int) int {
	if most != nil && *most == math.MaxInt {
		return 1
	}
	return 0
}

func checkAddsUp(t *testing.T, m Measurement, l Limits) {
	t.Helper()
	all := Each(m, l)
	want := Passed
	for _, v := range all[1:] {
		if v.Verdict == Failed {
			want = Failed
		}
		if v.Verdict == Inconclusive && want == Passed {
			want = Inconclusive
		}
	}
	if all[0].Kind != Evidence || all[0].Verdict != Passed {
		want = Inconclusive
	}
	if got := Decide(m, l); got.Verdict != want {
		t.Errorf("%s is %s (%s), but each: %s", fmt.Sprintf("%+v under %+v", m.Scores, l), got.Verdict, got.Message, said(all))
	}
}
