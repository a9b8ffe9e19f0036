package verdict

import "testing"

// sure is a score whose intervals were taken over 50 queries.
func sure(metric string, candidate, live int64, interval, delta Interval) Score {
	return Score{Metric: metric, Candidate: n(candidate), Live: n(live), Queries: 50, Interval: &interval, DeltaInterval: &delta}
}

// at asks for confidence.
func at(limit Limit, confidence int64) Limit {
	limit.Confidence = n(confidence)
	return limit
}

func TestConfidence(t *testing.T) {
	const ndcg = "ndcg@10"
	narrow, level := Interval{Low: 850_000, High: 870_000}, Interval{Low: -20_000, High: 20_000}
	minAt, dropAt := at(minimum(ndcg, 850_000), 950_000), at(drop(ndcg, 20_000), 950_000)
	one := func(s Score) Measurement { return measured(s) }
	for _, row := range []struct {
		name        string
		measurement Measurement
		limits      Limits
		verdict     Verdict
		reason      string
		message     string
	}{
		{"a near end that equals min passes", one(sure(ndcg, 860_000, 860_000, narrow, level)), limits(minAt), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds min 0.850000 at confidence 0.950000 (live 0.860000)"},
		{"a near end a millionth below min", one(sure(ndcg, 860_000, 860_000, Interval{849_999, 870_000}, level)), limits(minAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.849999: 50 queries are too few, about 1 more like them would do"},
		{"a near end twice as far off as may be", one(sure(ndcg, 860_000, 860_000, Interval{840_000, 880_000}, level)), limits(minAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.840000: 50 queries are too few, about 150 more like them would do"},
		{"a score that equals its min", one(sure(ndcg, 850_000, 860_000, Interval{840_000, 860_000}, level)), limits(minAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.850000 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.840000: it equals the limit, which no number of queries can prove"},
		{"a score just above its min", one(sure(ndcg, 850_001, 860_000, Interval{840_000, 860_000}, level)), limits(minAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.850001 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.840000: it is so close to the limit that a million queries would not prove it"},
		{"a score below its min fails, whatever its interval", one(sure(ndcg, 849_999, 860_000, narrow, level)), limits(minAt), Failed, ReasonBelowThreshold,
			"ndcg@10 0.849999 is below its min 0.850000 (live 0.860000)"},
		{"the far end does not matter", one(sure(ndcg, 860_000, 860_000, Interval{850_000, 1_000_000}, level)), limits(minAt), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds min 0.850000 at confidence 0.950000 (live 0.860000)"},
		{"without confidence the interval does not matter", one(sure(ndcg, 860_000, 860_000, Interval{0, 1_000_000}, Interval{-1_000_000, 0})), limits(both(ndcg, 850_000, 20_000)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds min 0.850000 and maxDrop 0.020000 (live 0.860000)"},
		{"confidence without a limit is reported only", one(sure(ndcg, 860_000, 860_000, Interval{0, 1_000_000}, level)),
			Limits{Metrics: []Limit{at(Limit{Metric: ndcg}, 950_000)}, MaxRegressions: n(0)}, Passed, ReasonThresholdsMet, "0 queries got worse, and none may (maxQueries)"},

		{"a near end that equals maxDrop passes", one(sure(ndcg, 860_000, 860_000, narrow, level)), limits(dropAt), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds maxDrop 0.020000 at confidence 0.950000 (live 0.860000)"},
		{"a near end a millionth beyond maxDrop", one(sure(ndcg, 860_000, 860_000, narrow, Interval{-20_001, 20_000})), limits(dropAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds maxDrop 0.020000 (live 0.860000), but its interval at confidence 0.950000 reaches a drop of 0.020001: 50 queries are too few, about 1 more like them would do"},
		{"a drop that half uses up maxDrop", one(sure(ndcg, 850_000, 860_000, narrow, Interval{-40_000, 20_000})), limits(dropAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.850000 holds maxDrop 0.020000 (live 0.860000), but its interval at confidence 0.950000 reaches a drop of 0.040000: 50 queries are too few, about 400 more like them would do"},
		{"a drop that equals maxDrop", one(sure(ndcg, 840_000, 860_000, narrow, Interval{-40_000, 0})), limits(dropAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.840000 holds maxDrop 0.020000 (live 0.860000), but its interval at confidence 0.950000 reaches a drop of 0.040000: it equals the limit, which no number of queries can prove"},
		{"a drop beyond maxDrop fails, whatever its interval", one(sure(ndcg, 839_999, 860_000, narrow, level)), limits(dropAt), Failed, ReasonBelowThreshold,
			"ndcg@10 0.839999 is 0.020001 below live 0.860000, more than its maxDrop 0.020000"},
		{"the live index's highest repeat moves the near end", one(Score{Metric: ndcg, Candidate: n[int64](860_000), Live: n[int64](860_000), LiveHigh: n[int64](860_001),
			Queries: 50, DeltaInterval: &level}), limits(dropAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds maxDrop 0.020000 (live 0.860000), but its interval at confidence 0.950000 reaches a drop of 0.020001: 50 queries are too few, about 1 more like them would do"},

		{"both near ends hold", one(sure(ndcg, 860_000, 860_000, narrow, level)), limits(at(both(ndcg, 850_000, 20_000), 950_000)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds min 0.850000 and maxDrop 0.020000 at confidence 0.950000 (live 0.860000)"},
		{"the near end of min holds and that of maxDrop does not", one(sure(ndcg, 860_000, 860_000, narrow, Interval{-40_000, 0})), limits(at(both(ndcg, 850_000, 20_000), 950_000)), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds maxDrop 0.020000 (live 0.860000), but its interval at confidence 0.950000 reaches a drop of 0.040000: 50 queries are too few, about 150 more like them would do"},
		{"neither near end holds, and each takes its own number of queries", one(sure(ndcg, 860_000, 860_000, Interval{840_000, 880_000}, Interval{-60_000, 0})), limits(at(both(ndcg, 850_000, 20_000), 950_000)), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.840000: 50 queries are too few, about 150 more like them would do; " +
				"ndcg@10 0.860000 holds maxDrop 0.020000 (live 0.860000), but its interval at confidence 0.950000 reaches a drop of 0.060000: 50 queries are too few, about 400 more like them would do"},
		{"too few queries for min, and an interval of the difference that got lost", one(Score{Metric: ndcg, Candidate: n[int64](860_000), Live: n[int64](860_000), Queries: 50, Interval: &Interval{840_000, 880_000}}),
			limits(at(both(ndcg, 850_000, 20_000), 950_000)), Inconclusive, ReasonMissingScore,
			"ndcg@10 0.860000 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.840000: 50 queries are too few, about 150 more like them would do; " +
				"ndcg@10 0.860000 holds maxDrop 0.020000 (live 0.860000), but its interval is missing (confidence)"},
		{"a missed maxDrop is told before a wide interval of the score", one(sure(ndcg, 860_000, 890_000, Interval{0, 870_000}, Interval{-40_000, 0})), limits(at(both(ndcg, 850_000, 20_000), 950_000)), Failed, ReasonBelowThreshold,
			"ndcg@10 0.860000 is 0.030000 below live 0.890000, more than its maxDrop 0.020000"},

		// What says nothing of how sure a mean is.
		{"one query has no interval", one(Score{Metric: ndcg, Candidate: n[int64](860_000), Live: n[int64](860_000), Queries: 1}), limits(minAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds min 0.850000, but 1 query has no interval (confidence); it takes 2 at least, and better 50"},
		{"nor has its difference", one(Score{Metric: ndcg, Candidate: n[int64](860_000), Live: n[int64](860_000), Queries: 1}), limits(dropAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds maxDrop 0.020000 (live 0.860000), but 1 query has no interval (confidence); it takes 2 at least, and better 50"},
		{"a status from which the number of queries got lost", one(s(ndcg, 860_000, 860_000)), limits(minAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds min 0.850000, but 0 queries have no interval (confidence); it takes 2 at least, and better 50"},
		{"an interval that got lost", one(Score{Metric: ndcg, Candidate: n[int64](860_000), Live: n[int64](860_000), Queries: 50, DeltaInterval: &level}), limits(minAt), Inconclusive, ReasonMissingScore,
			"ndcg@10 0.860000 holds min 0.850000, but its interval is missing (confidence)"},
		{"an interval of the difference that got lost", one(Score{Metric: ndcg, Candidate: n[int64](860_000), Live: n[int64](860_000), Queries: 50, Interval: &narrow}), limits(dropAt), Inconclusive, ReasonMissingScore,
			"ndcg@10 0.860000 holds maxDrop 0.020000 (live 0.860000), but its interval is missing (confidence)"},
		{"queries that all score alike", one(sure(ndcg, 1_000_000, 860_000, Interval{1_000_000, 1_000_000}, level)), limits(minAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 1.000000 holds min 0.850000, but all of its 50 queries score alike, which says nothing of how sure that is; add queries that differ, or ask for no confidence"},
		{"differences that are all alike", one(sure(ndcg, 960_000, 860_000, narrow, Interval{100_000, 100_000})), limits(dropAt), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.960000 holds maxDrop 0.020000 (live 0.860000), but all of its 50 queries score alike, which says nothing of how sure that is; add queries that differ, or ask for no confidence"},
		{"differences that are all 0 are sure", one(sure(ndcg, 860_000, 860_000, narrow, Interval{})), limits(at(drop(ndcg, 0), 950_000)), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds maxDrop 0.000000 at confidence 0.950000 (live 0.860000)"},

		// Without a live index, and the live index alone.
		{"the first promotion looks at the near end of min alone", with(alone(ndcg, 860_000), func(m *Measurement) { m.Scores[0].Queries, m.Scores[0].Interval = 50, &narrow }),
			but(limits(at(both(ndcg, 850_000, 20_000), 950_000)), func(l *Limits) { l.CreateAlias = true }), Passed, ReasonThresholdsMet,
			"ndcg@10 0.860000 holds min 0.850000 at confidence 0.950000"},
		{"the live index alone has an interval too", with(liveAlone(ndcg, 860_000), func(m *Measurement) { m.Scores[0].Queries, m.Scores[0].Interval = 50, &Interval{840_000, 880_000} }),
			but(limits(minAt), func(l *Limits) { l.LiveOnly = true }), Inconclusive, ReasonTooFewQueries,
			"ndcg@10 0.860000 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.840000: 50 queries are too few, about 150 more like them would do"},

		// Beside other limits.
		{"a missed limit beats too few queries", measured(sure(ndcg, 860_000, 860_000, Interval{0, 1_000_000}, level), s("recall@50", 700_000, 700_000)), limits(minAt, minimum("recall@50", 800_000)), Failed, ReasonBelowThreshold,
			"recall@50 0.700000 is below its min 0.800000 (live 0.700000)"},
		{"a missing score beats too few queries, and both are told", measured(sure(ndcg, 860_000, 860_000, Interval{840_000, 880_000}, level), Score{Metric: "recall@50"}), limits(minAt, minimum("recall@50", 0)), Inconclusive, ReasonMissingScore,
			"recall@50 has no score for the candidate; ndcg@10 0.860000 holds min 0.850000, but its interval at confidence 0.950000 begins at 0.840000: 50 queries are too few, about 150 more like them would do"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := Decide(row.measurement, row.limits)
			if got.Verdict != row.verdict || got.Reason != row.reason || got.Message != row.message {
				t.Errorf("%s/%s: %s\nwant %s/%s: %s", got.Verdict, got.Reason, got.Message, row.verdict, row.reason, row.message)
			}
		})
	}
}
