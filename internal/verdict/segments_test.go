package verdict

import (
	"reflect"
	"testing"
)

// segment is a segment's score of ndcg@10 over 50 queries; live is 0.9.
func segment(name string, candidate int64, lows ...int64) SegmentScore {
	return SegmentScore{Segment: name, Metric: "ndcg@10", Queries: 50, Candidate: n(candidate), Live: n[int64](900_000), Lows: lows}
}

// least asks for 0.8 of each of these segments.
func least(names ...string) Limits {
	l := Limits{MinQueries: 5}
	for _, name := range names {
		l.Segments = append(l.Segments, SegmentLimit{Segment: name, Metric: "ndcg@10", Min: 800_000})
	}
	return l
}

// surely asks for it at confidence 0.95.
func surely(names ...string) Limits {
	l := least(names...)
	for i := range l.Segments {
		l.Segments[i].Confidence = n[int64](950_000)
	}
	return l
}

func TestSegments(t *testing.T) {
	of := func(segments ...SegmentScore) Measurement {
		return with(measured(s("ndcg@10", 900_000, 900_000)), func(m *Measurement) { m.Segments = segments })
	}
	thin := func(queries int) SegmentScore {
		s := segment("head", 100_000)
		s.Queries = queries
		return s
	}
	for _, row := range []struct {
		name        string
		measurement Measurement
		limits      Limits
		verdict     Verdict
		reason      string
		message     string
	}{
		{"a segment that equals its min passes", of(segment("head", 800_000)), least("head"), Passed, ReasonThresholdsMet,
			`ndcg@10 of segment "head" 0.800000 holds min 0.800000 (live 0.900000)`},
		{"a segment a millionth below its min fails", of(segment("head", 799_999)), least("head"), Failed, ReasonBelowThreshold,
			`ndcg@10 of segment "head" 0.799999 is below its min 0.800000 (live 0.900000)`},
		{"a good mean hides no bad segment", of(segment("head", 900_000), segment("tail", 500_000)), but(least("head", "tail"), func(l *Limits) { l.Metrics = []Limit{minimum("ndcg@10", 850_000)} }), Failed, ReasonBelowThreshold,
			`ndcg@10 of segment "tail" 0.500000 is below its min 0.800000 (live 0.900000)`},
		{"the widest miss comes first, of metrics and segments", of(segment("head", 799_000), segment("tail", 500_000)), but(least("head", "tail"), func(l *Limits) { l.Metrics = []Limit{minimum("ndcg@10", 910_000)} }), Failed, ReasonBelowThreshold,
			`ndcg@10 of segment "tail" 0.500000 is below its min 0.800000 (live 0.900000); ndcg@10 0.900000 is below its min 0.910000 (live 0.900000); ndcg@10 of segment "head" 0.799000 is below its min 0.800000 (live 0.900000)`},
		{"segments without a limit do not matter", of(segment("head", 800_000), segment("tail", 0)), least("head"), Passed, ReasonThresholdsMet,
			`ndcg@10 of segment "head" 0.800000 holds min 0.800000 (live 0.900000)`},

		{"as many queries as are asked for", of(thin(5)), least("head"), Failed, ReasonBelowThreshold,
			`ndcg@10 of segment "head" 0.100000 is below its min 0.800000 (live 0.900000)`},
		{"a query too few says nothing", of(thin(4)), least("head"), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "head" counts 4 queries, and at least 5 are asked for (segments.minQueries): it takes 1 more`},
		{"one query", of(thin(1)), least("head"), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "head" counts 1 query, and at least 5 are asked for (segments.minQueries): it takes 4 more`},
		{"a segment that was not measured", of(segment("tail", 900_000)), least("head"), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "head" counts 0 queries, and at least 5 are asked for (segments.minQueries): it takes 5 more`},
		{"a segment measured by another metric", of(segment("head", 900_000)), but(least("head"), func(l *Limits) { l.Segments[0].Metric = "recall@50" }), Inconclusive, ReasonTooFewQueries,
			`recall@50 of segment "head" counts 0 queries, and at least 5 are asked for (segments.minQueries): it takes 5 more`},
		{"a segment whose score got lost", of(SegmentScore{Segment: "head", Metric: "ndcg@10", Queries: 50}), least("head"), Inconclusive, ReasonMissingScore,
			`ndcg@10 of segment "head" has no score for the candidate`},

		{"the live index alone is held against the segment's min", with(liveAlone("ndcg@10", 900_000), func(m *Measurement) {
			m.Segments = []SegmentScore{{Segment: "head", Metric: "ndcg@10", Queries: 9, Live: n[int64](700_000)}}
		}),
			but(least("head"), func(l *Limits) { l.LiveOnly = true }), Failed, ReasonBelowThreshold, `ndcg@10 of segment "head" 0.700000 is below its min 0.800000`},
		{"a segment's min guards the making of the alias", with(alone("ndcg@10", 900_000), func(m *Measurement) {
			m.Segments = []SegmentScore{{Segment: "head", Metric: "ndcg@10", Queries: 9, Candidate: n[int64](850_000)}}
		}),
			but(least("head"), func(l *Limits) { l.CreateAlias, l.Metrics = true, []Limit{drop("ndcg@10", 0)} }), Passed, ReasonThresholdsMet, `ndcg@10 of segment "head" 0.850000 holds min 0.800000`},

		// Confidence.
		{"one segment alone shares nothing", of(segment("head", 900_000, 800_000)), surely("head"), Passed, ReasonThresholdsMet,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000)`},
		{"its near end below its min", of(segment("head", 900_000, 700_000)), surely("head"), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000, but its interval at confidence 0.950000 begins at 0.700000: 50 queries are too few, about 150 more like them would do`},
		{"two segments: one is sure when it is shared, and leaves all to the other", of(segment("head", 900_000, 850_000, 800_000), segment("tail", 900_000, 800_000, 700_000)), surely("head", "tail"), Passed, ReasonThresholdsMet,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000); ndcg@10 of segment "tail" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000)`},
		{"in any order", of(segment("tail", 900_000, 800_000, 700_000), segment("head", 900_000, 850_000, 800_000)), surely("tail", "head"), Passed, ReasonThresholdsMet,
			`ndcg@10 of segment "tail" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000); ndcg@10 of segment "head" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000)`},
		{"two segments that are sure only if nothing is shared", of(segment("head", 900_000, 800_000, 799_999), segment("tail", 900_000, 850_000, 700_000)), surely("head", "tail"), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000, but its interval at confidence 0.950000 shared among 2 segments begins at 0.799999: 50 queries are too few, about 1 more like them would do; ` +
				`ndcg@10 of segment "tail" 0.900000 holds min 0.800000, but its interval at confidence 0.950000 shared among 2 segments begins at 0.700000: 50 queries are too few, about 150 more like them would do`},
		{"three segments, settled one after the other", of(segment("a", 900_000, 850_000, 820_000, 800_000), segment("b", 900_000, 820_000, 800_000, 700_000), segment("c", 900_000, 800_000, 700_000, 600_000)), surely("a", "b", "c"), Passed, ReasonThresholdsMet,
			`ndcg@10 of segment "a" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000); ndcg@10 of segment "b" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000); ndcg@10 of segment "c" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000)`},
		{"a segment that fails is told alone, though it shares", of(segment("head", 900_000, 850_000, 700_000), segment("tail", 500_000, 400_000, 300_000)), surely("head", "tail"), Failed, ReasonBelowThreshold,
			`ndcg@10 of segment "tail" 0.500000 is below its min 0.800000 (live 0.900000)`},
		{"segments of two metrics share nothing", of(segment("head", 900_000, 800_000, 0), SegmentScore{Segment: "tail", Metric: "recall@50", Queries: 50, Candidate: n[int64](900_000), Lows: []int64{800_000, 0}}),
			but(surely("head", "tail"), func(l *Limits) { l.Segments[1].Metric = "recall@50" }), Passed, ReasonThresholdsMet,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000 at confidence 0.950000 (live 0.900000); recall@50 of segment "tail" 0.900000 holds min 0.800000 at confidence 0.950000`},
		{"a segment of too few queries shares nothing", of(segment("head", 900_000, 800_000, 0), SegmentScore{Segment: "tail", Metric: "ndcg@10", Queries: 4, Candidate: n[int64](900_000), Lows: []int64{0, 0}}), surely("head", "tail"), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "tail" counts 4 queries, and at least 5 are asked for (segments.minQueries): it takes 1 more`},
		{"a segment whose queries score alike", of(segment("head", 900_000, 900_000)), surely("head"), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000, but all of its 50 queries score alike, which says nothing of how sure that is; add queries that differ, or ask for no confidence`},
		{"a segment of one query", of(SegmentScore{Segment: "head", Metric: "ndcg@10", Queries: 1, Candidate: n[int64](900_000)}), but(surely("head"), func(l *Limits) { l.MinQueries = 1 }), Inconclusive, ReasonTooFewQueries,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000, but 1 query has no interval (confidence); it takes 2 at least, and better 50`},
		{"low ends that got lost", of(segment("head", 900_000)), surely("head"), Inconclusive, ReasonMissingScore,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000, but its interval is missing (confidence)`},
		{"fewer low ends than segments that share", of(segment("head", 900_000, 850_000), segment("tail", 900_000, 850_000, 700_000)), surely("head", "tail"), Inconclusive, ReasonMissingScore,
			`ndcg@10 of segment "head" 0.900000 holds min 0.800000, but its interval is missing (confidence); ` +
				`ndcg@10 of segment "tail" 0.900000 holds min 0.800000, but its interval at confidence 0.950000 shared among 2 segments begins at 0.700000: 50 queries are too few, about 150 more like them would do`},
	} {
		t.Run(row.name, func(t *testing.T) {
			for range 5 { // the order of a map must not show
				got := Decide(row.measurement, row.limits)
				if got.Verdict != row.verdict || got.Reason != row.reason || got.Message != row.message {
					t.Fatalf("%s/%s: %s\nwant %s/%s: %s", got.Verdict, got.Reason, got.Message, row.verdict, row.reason, row.message)
				}
			}
		})
	}
}

func TestSegmentVerdicts(t *testing.T) {
	m := with(measured(s("ndcg@10", 900_000, 900_000)), func(m *Measurement) {
		m.Segments = []SegmentScore{segment("tail", 500_000), segment("head", 900_000)}
	})
	want := []SegmentVerdict{
		{"head", "ndcg@10", Passed, `ndcg@10 of segment "head" 0.900000 holds min 0.800000 (live 0.900000)`},
		{"tail", "ndcg@10", Failed, `ndcg@10 of segment "tail" 0.500000 is below its min 0.800000 (live 0.900000)`},
		{"none", "ndcg@10", Inconclusive, `ndcg@10 of segment "none" counts 0 queries, and at least 5 are asked for (segments.minQueries): it takes 5 more`},
	}
	got := Decide(m, least("head", "tail", "none"))
	if !reflect.DeepEqual(got.Segments, want) {
		t.Errorf("segments\n%+v, want\n%+v", got.Segments, want)
	}
	if len(got.Scores) != 1 || got.Scores[0].Verdict != Reported {
		t.Errorf("scores %+v", got.Scores)
	}
}
