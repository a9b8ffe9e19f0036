package verdict

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// n is a number that is there.
func n[T int | int64](value T) *T { return &value }

// s is a score on both sides.
func s(metric string, candidate, live int64) Score {
	return Score{Metric: metric, Candidate: n(candidate), Live: n(live)}
}

// measured is valid evidence with these scores.
func measured(scores ...Score) Measurement {
	return Measurement{
		Queries: 22, Judgments: 40, Deterministic: true, Scores: scores,
		JudgedCandidate: n[int64](700_000), JudgedLive: n[int64](800_000),
		HitsCandidate: 100, HitsLive: 100, JudgedHitsCandidate: 70, JudgedHitsLive: 80,
	}
}

// with changes a measurement.
func with(m Measurement, change func(*Measurement)) Measurement {
	change(&m)
	return m
}

// alone is a measurement without a live index.
func alone(metric string, candidate int64) Measurement {
	return with(measured(Score{Metric: metric, Candidate: n(candidate)}), func(m *Measurement) {
		m.JudgedLive, m.HitsLive, m.JudgedHitsLive = nil, 0, 0
	})
}

// liveAlone is a measurement of the live index alone.
func liveAlone(metric string, live int64) Measurement {
	return with(measured(Score{Metric: metric, Live: n(live)}), func(m *Measurement) {
		m.Deterministic, m.JudgedCandidate, m.HitsCandidate, m.JudgedHitsCandidate = false, nil, 0, 0
	})
}

func minimum(metric string, least int64) Limit { return Limit{Metric: metric, Min: n(least)} }
func drop(metric string, most int64) Limit     { return Limit{Metric: metric, MaxDrop: n(most)} }
func both(metric string, least, most int64) Limit {
	return Limit{Metric: metric, Min: n(least), MaxDrop: n(most)}
}
func limits(metrics ...Limit) Limits { return Limits{Metrics: metrics} }

// but changes limits.
func but(l Limits, change func(*Limits)) Limits {
	change(&l)
	return l
}

func TestDecide(t *testing.T) {
	const ndcg, recall, nonempty, noresults = "ndcg@10", "recall@50", "nonempty", "noresults"
	good := measured(s(ndcg, 861_000, 860_000), s(recall, 841_000, 841_000))
	bad := measured(s(ndcg, 712_000, 861_000), s(recall, 841_000, 841_000))
	usual := limits(both(ndcg, 850_000, 20_000), minimum(recall, 830_000))
	regressions := func(most int) Limits { return but(usual, func(l *Limits) { l.MaxRegressions = n(most) }) }
	minJudged := func(share int64) Limits { return but(usual, func(l *Limits) { l.MinJudged = n(share) }) }
	const (
		goodMessage = "ndcg@10 0.861000 holds min 0.850000 and maxDrop 0.020000 (live 0.860000); recall@50 0.841000 holds min 0.830000 (live 0.841000)"
		badMessage  = "ndcg@10 0.712000 is below its min 0.850000 (live 0.861000)"
	)

	for _, row := range []struct {
		name        string
		measurement Measurement
		limits      Limits
		verdict     Verdict
		reason      string
		message     string
	}{
		// Limits on valid evidence.
		{"all limits hold", good, usual, Passed, ReasonThresholdsMet, goodMessage},
		{"a score that equals its min passes", measured(s(ndcg, 850_000, 900_000)), limits(minimum(ndcg, 850_000)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.850000 holds min 0.850000 (live 0.900000)"},
		{"a score a millionth below its min fails", measured(s(ndcg, 849_999, 900_000)), limits(minimum(ndcg, 850_000)), Failed, ReasonBelowThreshold,
			"ndcg@10 0.849999 is below its min 0.850000 (live 0.900000)"},
		{"a drop that equals maxDrop passes", measured(s(ndcg, 840_000, 860_000)), limits(drop(ndcg, 20_000)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.840000 holds maxDrop 0.020000 (live 0.860000)"},
		{"a drop a millionth wider than maxDrop fails", measured(s(ndcg, 839_999, 860_000)), limits(drop(ndcg, 20_000)), Failed, ReasonBelowThreshold,
			"ndcg@10 0.839999 is 0.020001 below live 0.860000, more than its maxDrop 0.020000"},
		{"a maxDrop of 0 allows no drop", measured(s(ndcg, 859_999, 860_000)), limits(drop(ndcg, 0)), Failed, ReasonBelowThreshold,
			"ndcg@10 0.859999 is 0.000001 below live 0.860000, more than its maxDrop 0.000000"},
		{"equal scores pass a maxDrop of 0", measured(s(ndcg, 860_000, 860_000)), limits(drop(ndcg, 0)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds maxDrop 0.000000 (live 0.860000)"},
		{"a missed min is told before a missed maxDrop", bad, usual, Failed, ReasonBelowThreshold, badMessage},
		{"a min that holds saves no maxDrop that does not", measured(s(ndcg, 855_000, 900_000)), limits(both(ndcg, 850_000, 20_000)), Failed, ReasonBelowThreshold,
			"ndcg@10 0.855000 is 0.045000 below live 0.900000, more than its maxDrop 0.020000"},
		{"a min of 0 is a limit", measured(s(ndcg, 0, 0)), limits(minimum(ndcg, 0)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.000000 holds min 0.000000 (live 0.000000)"},
		{"the drop is counted from the live index's highest repeat",
			measured(Score{Metric: ndcg, Candidate: n[int64](840_000), Live: n[int64](855_000), LiveHigh: n[int64](861_000)}), limits(drop(ndcg, 20_000)), Failed, ReasonBelowThreshold,
			"ndcg@10 0.840000 is 0.021000 below the live index's highest 0.861000, more than its maxDrop 0.020000"},
		{"a highest repeat below live does not soften maxDrop",
			measured(Score{Metric: ndcg, Candidate: n[int64](840_000), Live: n[int64](861_000), LiveHigh: n[int64](840_000)}), limits(drop(ndcg, 20_000)), Failed, ReasonBelowThreshold,
			"ndcg@10 0.840000 is 0.021000 below live 0.861000, more than its maxDrop 0.020000"},
		{"the highest repeat does not matter to min",
			measured(Score{Metric: ndcg, Candidate: n[int64](850_000), Live: n[int64](855_000), LiveHigh: n[int64](990_000)}), limits(minimum(ndcg, 850_000)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.850000 holds min 0.850000 (live 0.855000)"},
		{"the widest miss comes first", measured(s(ndcg, 840_000, 860_000), s(recall, 100_000, 860_000)),
			limits(minimum(ndcg, 850_000), minimum(recall, 830_000)), Failed, ReasonBelowThreshold,
			"recall@50 0.100000 is below its min 0.830000 (live 0.860000); ndcg@10 0.840000 is below its min 0.850000 (live 0.860000)"},
		{"more than three misses are counted", measured(s("a@1", 0, 0), s("b@1", 0, 0), s("c@1", 0, 0), s("d@1", 0, 0), s("e@1", 0, 0)),
			limits(minimum("a@1", 1), minimum("b@1", 1), minimum("c@1", 1), minimum("d@1", 1), minimum("e@1", 1)), Failed, ReasonBelowThreshold,
			"a@1 0.000000 is below its min 0.000001 (live 0.000000); b@1 0.000000 is below its min 0.000001 (live 0.000000); c@1 0.000000 is below its min 0.000001 (live 0.000000); and 2 more"},
		{"an index that returns nothing fails by its scores", with(measured(s(ndcg, 0, 860_000)), func(m *Measurement) {
			m.HitsCandidate, m.JudgedHitsCandidate, m.JudgedCandidate, m.EmptyCandidate = 0, 0, nil, 22
		}), but(limits(minimum(ndcg, 850_000)), func(l *Limits) { l.MinJudged = n[int64](600_000) }), Failed, ReasonBelowThreshold,
			"ndcg@10 0.000000 is below its min 0.850000 (live 0.860000)"},
		{"a negative that finds something fails by noresults", measured(s(ndcg, 900_000, 900_000), s(noresults, 500_000, 1_000_000)),
			limits(minimum(ndcg, 850_000), minimum(noresults, 1_000_000)), Failed, ReasonBelowThreshold,
			"noresults 0.500000 is below its min 1.000000 (live 1.000000)"},
		{"metrics without a limit do not matter", measured(s(ndcg, 861_000, 860_000), s("precision@5", 0, 900_000)),
			limits(minimum(ndcg, 850_000), Limit{Metric: "precision@5"}), Passed, ReasonThresholdsMet,
			"ndcg@10 0.861000 holds min 0.850000 (live 0.860000)"},

		// Regressions.
		{"as many regressions as may be", with(good, func(m *Measurement) { m.RegressionCount = 2 }), regressions(2), Passed, ReasonThresholdsMet,
			goodMessage + "; 2 queries got worse, and at most 2 may (maxQueries)"},
		{"a regression too many", with(good, func(m *Measurement) { m.RegressionCount = 3 }), regressions(2), Failed, ReasonTooManyRegressions,
			"3 queries got worse, and at most 2 may (maxQueries)"},
		{"one regression where none may be", with(good, func(m *Measurement) { m.RegressionCount = 1 }), regressions(0), Failed, ReasonTooManyRegressions,
			"1 query got worse, and none may (maxQueries)"},
		{"regressions without a limit are reported only", with(good, func(m *Measurement) { m.RegressionCount = 9 }), usual, Passed, ReasonThresholdsMet, goodMessage},
		{"a protected query may not regress, however many may", with(good, func(m *Measurement) { m.RegressionCount, m.ProtectedRegressions = 1, 1 }),
			regressions(math.MaxInt), Failed, ReasonTooManyRegressions, "1 protected query got worse, and none may (protectWeightFrom)"},
		{"a missed score gives the reason before regressions do", with(bad, func(m *Measurement) { m.RegressionCount = 3 }), regressions(2), Failed, ReasonBelowThreshold,
			badMessage + "; 3 queries got worse, and at most 2 may (maxQueries)"},
		{"regressions are a limit of their own", with(good, func(m *Measurement) { m.RegressionCount = 2 }), Limits{MaxRegressions: n(2)}, Passed, ReasonThresholdsMet,
			"2 queries got worse, and at most 2 may (maxQueries)"},
		{"too many and a protected one are both told", with(good, func(m *Measurement) { m.RegressionCount, m.ProtectedRegressions = 9, 1 }),
			regressions(2), Failed, ReasonTooManyRegressions, "9 queries got worse, and at most 2 may (maxQueries); 1 protected query got worse, and none may (protectWeightFrom)"},
		{"protected queries may be the only limit", good, Limits{MaxRegressions: n(math.MaxInt)}, Passed, ReasonThresholdsMet, "no protected query got worse"},

		// Evidence.
		{"an error too many", with(good, func(m *Measurement) { m.Errors = 1 }), usual, Inconclusive, ReasonTooManyErrors,
			"1 of 22 queries ended in an error; none may (maxErrors)"},
		{"the first error is told", with(good, func(m *Measurement) { m.Errors, m.FirstError = 2, "query q1: searching v2: it has no id" }), usual, Inconclusive, ReasonTooManyErrors,
			"2 of 22 queries ended in an error; none may (maxErrors); the first: query q1: searching v2: it has no id"},
		{"as many errors as may be", with(good, func(m *Measurement) { m.Errors = 2 }), but(usual, func(l *Limits) { l.MaxErrors = 2 }), Passed, ReasonThresholdsMet, goodMessage},
		{"a protected query in error, however many may be", with(good, func(m *Measurement) { m.Errors, m.ProtectedErrors, m.FirstError = 2, 1, "query q1: no" }),
			but(regressions(math.MaxInt), func(l *Limits) { l.MaxErrors = 2 }), Inconclusive, ReasonTooManyErrors,
			"1 protected query ended in an error, and none may, as it could have got worse (protectWeightFrom); the first: query q1: no"},
		{"a protected query in error has nothing to be compared with", with(liveAlone(ndcg, 850_000), func(m *Measurement) { m.Errors, m.ProtectedErrors = 1, 1 }),
			but(limits(minimum(ndcg, 850_000)), func(l *Limits) { l.MaxErrors, l.LiveOnly, l.MaxRegressions = 1, true, n(0) }), Passed, ReasonThresholdsMet, "ndcg@10 0.850000 holds min 0.850000"},
		{"a candidate that changed", with(good, func(m *Measurement) { m.CandidateChanged = true }), usual, Inconclusive, ReasonCandidateChanged,
			"the candidate's content changed while it was measured"},
		{"repeats that differ", with(good, func(m *Measurement) { m.Deterministic, m.Noise = false, 12_345 }), usual, Inconclusive, ReasonNotDeterministic,
			"the candidate's repeats gave different scores, by up to 0.012345"},
		{"repeats that differ in a query that is known",
			with(good, func(m *Measurement) {
				m.Deterministic, m.Noise, m.FirstDifference = false, 12_345, "query q7: ndcg@10 0.5, then 0.25 in repeat 2"
			}), usual, Inconclusive, ReasonNotDeterministic,
			"the candidate's repeats gave different scores, by up to 0.012345; the first: query q7: ndcg@10 0.5, then 0.25 in repeat 2"},
		{"a noisy live index is no reason", with(good, func(m *Measurement) { m.LiveNoise = 12_345 }), usual, Passed, ReasonThresholdsMet, goodMessage},
		{"hits but none judged on either side", with(good, func(m *Measurement) { m.JudgedHitsCandidate, m.JudgedHitsLive = 0, 0 }), usual, Inconclusive, ReasonNothingJudged,
			"none of the 200 hits has a judgment: is idField the field that the golden set names documents by?"},
		{"hits but none judged and no live index", with(alone(ndcg, 900_000), func(m *Measurement) { m.JudgedHitsCandidate = 0 }), limits(minimum(ndcg, 850_000)), Inconclusive, ReasonNothingJudged,
			"none of the 100 hits has a judgment: is idField the field that the golden set names documents by?"},
		{"a candidate with judged hits nowhere fails by its scores", with(measured(s(ndcg, 0, 900_000)), func(m *Measurement) { m.JudgedHitsCandidate, m.JudgedCandidate = 0, n[int64](0) }),
			limits(minimum(ndcg, 850_000)), Failed, ReasonBelowThreshold, "ndcg@10 0.000000 is below its min 0.850000 (live 0.900000)"},
		{"a candidate with judged hits nowhere never passes", with(measured(s(nonempty, 1_000_000, 900_000)), func(m *Measurement) { m.JudgedHitsCandidate, m.JudgedCandidate = 0, n[int64](0) }),
			limits(minimum(nonempty, 950_000)), Inconclusive, ReasonNothingJudged, "none of the 100 hits of the candidate has a judgment"},
		{"too few judged hits", good, minJudged(700_001), Inconclusive, ReasonTooFewJudged,
			"the share of judged hits 0.700000 is below minJudged 0.700001"},
		{"just enough judged hits", good, minJudged(700_000), Passed, ReasonThresholdsMet, goodMessage},
		{"the live index's share of judged hits does not matter", with(good, func(m *Measurement) { m.JudgedLive = n[int64](0) }), minJudged(700_000), Passed, ReasonThresholdsMet, goodMessage},
		{"a share of judged hits that got lost", with(good, func(m *Measurement) { m.JudgedCandidate = nil }), minJudged(1), Inconclusive, ReasonTooFewJudged,
			"the share of judged hits is unknown; at least 0.000001 is asked for (minJudged)"},
		{"nothing returned has no share of judged hits", with(measured(s(noresults, 1_000_000, 1_000_000)), func(m *Measurement) {
			m.HitsCandidate, m.JudgedHitsCandidate, m.JudgedCandidate = 0, 0, nil
		}), but(limits(minimum(noresults, 1_000_000)), func(l *Limits) { l.MinJudged = n[int64](1) }), Inconclusive, ReasonTooFewJudged,
			"the candidate returned nothing, so no share of judged hits reaches minJudged 0.000001"},
		{"nothing returned and nothing expected", with(measured(s(noresults, 1_000_000, 1_000_000)), func(m *Measurement) {
			m.HitsCandidate, m.JudgedHitsCandidate, m.JudgedCandidate, m.HitsLive, m.JudgedHitsLive, m.JudgedLive = 0, 0, nil, 0, 0, nil
		}), limits(minimum(noresults, 1_000_000)), Passed, ReasonThresholdsMet, "noresults 1.000000 holds min 1.000000 (live 1.000000)"},
		{"both return nothing and only a drop is limited", with(measured(s(ndcg, 0, 0)), func(m *Measurement) {
			m.HitsCandidate, m.JudgedHitsCandidate, m.JudgedCandidate, m.HitsLive, m.JudgedHitsLive, m.JudgedLive = 0, 0, nil, 0, 0, nil
			m.EmptyCandidate, m.EmptyLive = 3, 3
		}), limits(drop(ndcg, 20_000)), Inconclusive, ReasonNothingJudged,
			"the candidate returned nothing for any query: does the search name fields that it has?"},
		{"both return nothing and only regressions are limited", with(measured(s(ndcg, 0, 0)), func(m *Measurement) {
			m.HitsCandidate, m.JudgedHitsCandidate, m.JudgedCandidate, m.HitsLive, m.JudgedHitsLive, m.JudgedLive = 0, 0, nil, 0, 0, nil
			m.EmptyCandidate, m.EmptyLive = 3, 3
		}), but(limits(Limit{Metric: ndcg}), func(l *Limits) { l.MaxRegressions = n(0) }), Inconclusive, ReasonNothingJudged,
			"the candidate returned nothing for any query: does the search name fields that it has?"},
		{"every query is in error, as many as may be, and only regressions are limited", with(measured(Score{Metric: ndcg}), func(m *Measurement) {
			m.HitsCandidate, m.JudgedHitsCandidate, m.JudgedCandidate, m.HitsLive, m.JudgedHitsLive, m.JudgedLive = 0, 0, nil, 0, 0, nil
			m.Errors = m.Queries
		}), but(limits(Limit{Metric: ndcg}), func(l *Limits) { l.MaxErrors, l.MaxRegressions = 1_000_000, n(0) }), Inconclusive, ReasonMissingScore,
			"no query counts for any score"},

		// No live index.
		{"a maxDrop without a live index", alone(ndcg, 900_000), limits(both(ndcg, 850_000, 20_000)), Inconclusive, ReasonNoLiveIndex,
			"a limit compares with the live index, and the alias points to none"},
		{"a limit on regressions without a live index", alone(ndcg, 900_000), but(limits(minimum(ndcg, 850_000)), func(l *Limits) { l.MaxRegressions = n(2) }), Inconclusive, ReasonNoLiveIndex,
			"a limit compares with the live index, and the alias points to none"},
		{"only a min without a live index", alone(ndcg, 900_000), limits(minimum(ndcg, 850_000)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.900000 holds min 0.850000"},
		{"a min guards the making of the alias", alone(ndcg, 900_000), but(limits(both(ndcg, 850_000, 20_000)), func(l *Limits) { l.CreateAlias, l.MaxRegressions = true, n(0) }), Passed, ReasonThresholdsMet,
			"ndcg@10 0.900000 holds min 0.850000"},
		{"a min fails the making of the alias", alone(ndcg, 800_000), but(limits(both(ndcg, 850_000, 20_000)), func(l *Limits) { l.CreateAlias = true }), Failed, ReasonBelowThreshold,
			"ndcg@10 0.800000 is below its min 0.850000"},
		{"the making of the alias without a min", alone(ndcg, 900_000), but(limits(drop(ndcg, 20_000)), func(l *Limits) { l.CreateAlias = true }), Inconclusive, ReasonNoLiveIndex,
			"a limit compares with the live index, and the alias points to none"},
		{"createAlias softens nothing where a live index is", bad, but(usual, func(l *Limits) { l.CreateAlias = true }), Failed, ReasonBelowThreshold, badMessage},
		{"a live index that lost its scores is not no live index", with(alone(ndcg, 900_000), func(m *Measurement) { m.HitsLive = 1 }),
			but(limits(both(ndcg, 850_000, 20_000)), func(l *Limits) { l.CreateAlias = true }), Inconclusive, ReasonMissingScore, "ndcg@10 has no score for the live index to be compared with"},

		// Missing scores.
		{"no score of the candidate for a min", measured(Score{Metric: ndcg, Live: n[int64](900_000)}), limits(minimum(ndcg, 0)), Inconclusive, ReasonMissingScore,
			"ndcg@10 has no score for the candidate"},
		{"no score of the candidate for a maxDrop", measured(Score{Metric: ndcg, Live: n[int64](900_000)}), limits(drop(ndcg, 1_000_000)), Inconclusive, ReasonMissingScore,
			"ndcg@10 has no score for the candidate"},
		{"no live score for a maxDrop", measured(Score{Metric: ndcg, Candidate: n[int64](900_000)}, s(recall, 900_000, 900_000)), limits(both(ndcg, 0, 1_000_000), minimum(recall, 0)), Inconclusive, ReasonMissingScore,
			"ndcg@10 has no score for the live index to be compared with"},
		{"no live score where only a min is asked", measured(Score{Metric: ndcg, Candidate: n[int64](900_000)}, s(recall, 900_000, 900_000)), limits(minimum(ndcg, 850_000), drop(recall, 0)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.900000 holds min 0.850000; recall@50 0.900000 holds maxDrop 0.000000 (live 0.900000)"},
		{"a limit on a metric that was not measured", good, limits(minimum(ndcg, 850_000), minimum(nonempty, 0)), Inconclusive, ReasonMissingScore,
			"nonempty has no score for the candidate"},
		{"no scores at all", measured(), usual, Inconclusive, ReasonMissingScore,
			"ndcg@10 has no score for the candidate; recall@50 has no score for the candidate"},
		{"no score where none is asked", measured(s(ndcg, 861_000, 860_000), Score{Metric: recall}), limits(minimum(ndcg, 850_000), Limit{Metric: recall}), Passed, ReasonThresholdsMet,
			"ndcg@10 0.861000 holds min 0.850000 (live 0.860000)"},
		{"the zero measurement", Measurement{}, usual, Inconclusive, ReasonNotDeterministic, "the candidate's repeats gave different scores, by up to 0.000000"},

		// No limits.
		{"no limits", good, Limits{}, Inconclusive, ReasonNoLimits, "no limit is set, so nothing says what is good enough; set min or maxDrop of a metric"},
		{"metrics without limits", good, limits(Limit{Metric: ndcg}, Limit{Metric: recall}), Inconclusive, ReasonNoLimits, "no limit is set, so nothing says what is good enough; set min or maxDrop of a metric"},
		{"minJudged alone is no limit", good, Limits{MinJudged: n[int64](0)}, Inconclusive, ReasonNoLimits, "no limit is set, so nothing says what is good enough; set min or maxDrop of a metric"},

		// The live index alone.
		{"the live index alone holds its min", liveAlone(ndcg, 850_000), but(usual, func(l *Limits) { l.LiveOnly, l.Metrics = true, l.Metrics[:1] }), Passed, ReasonThresholdsMet,
			"ndcg@10 0.850000 holds min 0.850000"},
		{"the live index alone is below its min", liveAlone(ndcg, 849_999), but(usual, func(l *Limits) { l.LiveOnly, l.Metrics = true, l.Metrics[:1] }), Failed, ReasonBelowThreshold,
			"ndcg@10 0.849999 is below its min 0.850000"},
		{"the live index alone has no regressions", with(liveAlone(ndcg, 850_000), func(m *Measurement) { m.RegressionCount, m.ProtectedRegressions = 9, 9 }),
			but(limits(minimum(ndcg, 850_000)), func(l *Limits) { l.LiveOnly, l.MaxRegressions = true, n(0) }), Passed, ReasonThresholdsMet,
			"ndcg@10 0.850000 holds min 0.850000"},
		{"the live index alone with limits that compare", liveAlone(ndcg, 850_000), but(limits(drop(ndcg, 20_000)), func(l *Limits) { l.LiveOnly = true }), Inconclusive, ReasonNoLimits,
			"the live index was measured alone, and no metric has a min to hold it against"},
		{"the live index alone without its score", liveAlone(recall, 850_000), but(limits(minimum(ndcg, 0)), func(l *Limits) { l.LiveOnly = true }), Inconclusive, ReasonMissingScore,
			"ndcg@10 has no score for the live index"},
		{"the live index alone with too few judged hits", liveAlone(ndcg, 850_000), but(limits(minimum(ndcg, 0)), func(l *Limits) { l.LiveOnly, l.MinJudged = true, n[int64](900_000) }), Inconclusive, ReasonTooFewJudged,
			"the share of judged hits 0.800000 is below minJudged 0.900000"},
		{"the live index alone with an error", with(liveAlone(ndcg, 850_000), func(m *Measurement) { m.Errors = 1 }), but(limits(minimum(ndcg, 0)), func(l *Limits) { l.LiveOnly = true }), Inconclusive, ReasonTooManyErrors,
			"1 of 22 queries ended in an error; none may (maxErrors)"},

		// Failed beats Inconclusive among limits, and invalid evidence beats both.
		{"a missed limit beats a missing score", measured(s(ndcg, 712_000, 861_000), Score{Metric: recall}), usual, Failed, ReasonBelowThreshold, badMessage},
		{"too many regressions beat a missing score", with(measured(s(ndcg, 861_000, 861_000), Score{Metric: recall}), func(m *Measurement) { m.RegressionCount = 3 }), regressions(2), Failed, ReasonTooManyRegressions,
			"3 queries got worse, and at most 2 may (maxQueries)"},
		{"invalid evidence beats a missed limit, and the message tells it", with(bad, func(m *Measurement) { m.Errors = 3 }), usual, Inconclusive, ReasonTooManyErrors,
			"3 of 22 queries ended in an error; none may (maxErrors); besides, " + badMessage},
		{"too few judged hits beat a missed limit", bad, minJudged(900_000), Inconclusive, ReasonTooFewJudged,
			"the share of judged hits 0.700000 is below minJudged 0.900000; besides, " + badMessage},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := Decide(row.measurement, row.limits)
			if got.Verdict != row.verdict || got.Reason != row.reason || got.Message != row.message {
				t.Errorf("%s/%s: %s\nwant %s/%s: %s", got.Verdict, got.Reason, got.Message, row.verdict, row.reason, row.message)
			}
			if again := Decide(row.measurement, row.limits); !reflect.DeepEqual(again, got) {
				t.Error("a second call says something else")
			}
		})
	}
}

// TestEvidenceInOrder takes away one reason after the other from a measurement that has them all.
func TestEvidenceInOrder(t *testing.T) {
	m := with(alone("ndcg@10", 100_000), func(m *Measurement) {
		m.Errors, m.CandidateChanged, m.Deterministic, m.JudgedHitsCandidate = 1, true, false, 0
	})
	l := but(limits(both("ndcg@10", 850_000, 20_000), minimum("recall@50", 0)), func(l *Limits) { l.MinJudged = n[int64](900_000) })
	for _, step := range []struct {
		reason string
		mend   func()
	}{
		{ReasonTooManyErrors, func() { m.Errors = 0 }},
		{ReasonCandidateChanged, func() { m.CandidateChanged = false }},
		{ReasonNotDeterministic, func() { m.Deterministic = true }},
		{ReasonNothingJudged, func() { m.JudgedHitsCandidate = 70 }},
		{ReasonTooFewJudged, func() { l.MinJudged = n[int64](600_000) }},
		{ReasonNoLiveIndex, func() { m.Scores[0].Live, m.HitsLive = n[int64](90_000), 100 }},
		{ReasonBelowThreshold, func() { m.Scores[0].Candidate, m.RegressionCount, l.MaxRegressions = n[int64](900_000), 1, n(0) }},
		{ReasonTooManyRegressions, func() { m.RegressionCount = 0 }},
		{ReasonMissingScore, func() { m.Scores = append(m.Scores, s("recall@50", 900_000, 900_000)) }},
		{ReasonThresholdsMet, func() { l = Limits{} }},
		{ReasonNoLimits, func() {}},
	} {
		got := Decide(m, l)
		if got.Reason != step.reason {
			t.Fatalf("%s/%s: %s\nwant %s", got.Verdict, got.Reason, got.Message, step.reason)
		}
		want := Inconclusive
		switch step.reason {
		case ReasonThresholdsMet:
			want = Passed
		case ReasonBelowThreshold, ReasonTooManyRegressions:
			want = Failed
		}
		if got.Verdict != want {
			t.Errorf("%s is %s, want %s", got.Reason, got.Verdict, want)
		}
		step.mend()
	}
}

func TestScoreVerdicts(t *testing.T) {
	m := measured(s("ndcg@10", 712_000, 861_000), s("recall@50", 841_000, 840_000), s("precision@5", 400_000, 500_000),
		Score{Metric: "nonempty"}, s("noresults", 1_000_000, 1_000_000))
	l := limits(both("ndcg@10", 850_000, 20_000), both("recall@50", 830_000, 0), Limit{Metric: "precision@5"}, minimum("nonempty", 0))
	want := []ScoreVerdict{
		{"ndcg@10", Failed, n[int64](-149_000), "ndcg@10 0.712000 is below its min 0.850000 (live 0.861000)"},
		{"recall@50", Passed, n[int64](1_000), "recall@50 0.841000 holds min 0.830000 and maxDrop 0.000000 (live 0.840000)"},
		{"precision@5", Reported, n[int64](-100_000), "precision@5 0.400000 (live 0.500000)"},
		{"nonempty", Inconclusive, nil, "nonempty has no score for the candidate"},
		{"noresults", Reported, n[int64](0), "noresults 1.000000 (live 1.000000)"},
	}
	if got := Decide(m, l).Scores; !reflect.DeepEqual(got, want) {
		t.Errorf("scores\n%+v, want\n%+v", got, want)
	}

	l.LiveOnly, l.Metrics = true, []Limit{drop("ndcg@10", 0)}
	got := Decide(liveAlone("ndcg@10", 850_000), l).Scores
	want = []ScoreVerdict{{"ndcg@10", NotApplicable, nil, "ndcg@10 0.850000 has nothing to be compared with (maxDrop 0.000000)"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the live index alone\n%+v, want\n%+v", got, want)
	}

	l = but(limits(drop("ndcg@10", 0), minimum("recall@50", 0)), func(l *Limits) { l.CreateAlias = true })
	first := alone("ndcg@10", 850_000)
	first.Scores = append(first.Scores, Score{Metric: "recall@50", Candidate: n[int64](1)})
	if got := Decide(first, l); got.Verdict != Passed || got.Scores[0].Verdict != NotApplicable || got.Scores[1].Verdict != Passed {
		t.Errorf("the first promotion: %+v", got)
	}
	l.CreateAlias = false
	if got := Decide(first, l); got.Verdict != Inconclusive || got.Scores[0].Verdict != Inconclusive {
		t.Errorf("no live index: %+v", got)
	}
}

// TestNothingMissingPasses takes away or spoils one thing at a time from a measurement that passes.
func TestNothingMissingPasses(t *testing.T) {
	l := but(limits(at(both("ndcg@10", 850_000, 20_000), 950_000)), func(l *Limits) {
		l.MinJudged, l.MaxRegressions, l.MinQueries = n[int64](600_000), n(0), 5
		l.Segments = surely("head").Segments
	})
	whole := func() Measurement {
		m := measured(sure("ndcg@10", 860_000, 860_000, Interval{850_000, 870_000}, Interval{-10_000, 10_000}))
		m.Segments = []SegmentScore{segment("head", 900_000, 850_000)}
		return m
	}
	if got := Decide(whole(), l); got.Verdict != Passed {
		t.Fatalf("%+v", got)
	}
	for name, spoil := range map[string]func(*Measurement){
		"errors":             func(m *Measurement) { m.Errors = 1 },
		"changed":            func(m *Measurement) { m.CandidateChanged = true },
		"differing repeats":  func(m *Measurement) { m.Deterministic = false },
		"no scores":          func(m *Measurement) { m.Scores = nil },
		"no candidate score": func(m *Measurement) { m.Scores[0].Candidate = nil },
		"no live score":      func(m *Measurement) { m.Scores[0].Live = nil },
		"another metric":     func(m *Measurement) { m.Scores[0].Metric = "ndcg@5" },
		"no judged share":    func(m *Measurement) { m.JudgedCandidate = nil },
		"no judged hit":      func(m *Measurement) { m.JudgedHitsCandidate = 0 },
		"no hit":             func(m *Measurement) { m.HitsCandidate, m.JudgedHitsCandidate, m.JudgedCandidate = 0, 0, nil },
		"a regression":       func(m *Measurement) { m.RegressionCount = 1 },
		"a protected one":    func(m *Measurement) { m.ProtectedRegressions = 1 },
		"no interval":        func(m *Measurement) { m.Scores[0].Interval = nil },
		"no delta interval":  func(m *Measurement) { m.Scores[0].DeltaInterval = nil },
		"no number of them":  func(m *Measurement) { m.Scores[0].Queries, m.Scores[0].Interval = 0, nil },
		"no width":           func(m *Measurement) { m.Scores[0].Interval.Low = m.Scores[0].Interval.High },
		"no segments":        func(m *Measurement) { m.Segments = nil },
		"no segment score":   func(m *Measurement) { m.Segments[0].Candidate = nil },
		"no low ends":        func(m *Measurement) { m.Segments[0].Lows = nil },
		"few queries in it":  func(m *Measurement) { m.Segments[0].Queries = 4 },
	} {
		m := whole()
		spoil(&m)
		if got := Decide(m, l); got.Verdict == Passed || strings.TrimSpace(got.Message) == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestMeasurementSurvivesJSON(t *testing.T) {
	want := with(measured(), func(m *Measurement) {
		m.Errors, m.FirstError, m.CandidateChanged, m.Noise, m.LiveNoise = 1, "query q1: no", true, 4, 5
		m.EmptyCandidate, m.EmptyLive, m.NegativesFailed, m.MissingDocs, m.RegressionCount, m.ProtectedRegressions = 6, 7, 8, 9, 10, 11
		m.ProtectedErrors = 12
		m.Worst = []Regression{{"q", 1_000_000, 0, 1.5}}
	})
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Measurement
	if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s is read back as\n%+v, %v; want\n%+v", raw, got, err, want)
	}
	if text := string(raw); !strings.Contains(text, `"worst":[{"q":"q","l":1000000,"c":0,"w":1.5}]`) {
		t.Errorf("JSON is %s", text)
	}
}
