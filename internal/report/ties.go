package report

import "github.com/relevance-gate/relevance-gate/internal/evaluate"

// ScoreTies says how far ties at the metric's cut let the means lie. A side
// without such ties is null.
type ScoreTies struct {
	Candidate *TieSpread `json:"candidate"`
	Live      *TieSpread `json:"live"`
}

// TieSpread is the lowest and the highest mean over the orders of tied hits. An
// open tie reaches to the last hit that was asked for: the mean may lie outside.
type TieSpread struct {
	Queries int     `json:"queries"`
	Open    int     `json:"open"`
	Low     *string `json:"low"`
	High    *string `json:"high"`
}

// QueryTies says the same of one query, by metric.
type QueryTies struct {
	Candidate map[string]Tie `json:"candidate"`
	Live      map[string]Tie `json:"live"`
}

// Tie is the lowest and the highest value over the orders of tied hits.
type Tie struct {
	Low  *string `json:"low"`
	High *string `json:"high"`
	Open bool    `json:"open"`
}

// scoreTiesOf is nil where neither side has a tie at the metric's cut.
func scoreTiesOf(r *evaluate.Report, metric int) *ScoreTies {
	spread := func(ties []*evaluate.TieSpread) *TieSpread {
		if len(ties) == 0 || ties[metric] == nil {
			return nil
		}
		tie := ties[metric]
		return &TieSpread{Queries: tie.Queries, Open: tie.Open, Low: decimal(&tie.Low), High: decimal(&tie.High)}
	}
	both := ScoreTies{Candidate: spread(r.CandidateTies), Live: spread(r.LiveTies)}
	if both.Candidate == nil && both.Live == nil {
		return nil
	}
	return &both
}

// queryTiesOf is nil where neither side has a tie at any cut.
func queryTiesOf(r *evaluate.Report, query evaluate.QueryResult) *QueryTies {
	side := func(ranking *evaluate.Ranking) map[string]Tie {
		ties := map[string]Tie{}
		if ranking == nil {
			return ties
		}
		for _, tie := range ranking.Ties {
			ties[r.Metrics[tie.Metric].Name] = Tie{Low: decimal(millionths(&tie.Low)), High: decimal(millionths(&tie.High)), Open: tie.Open}
		}
		return ties
	}
	both := QueryTies{Candidate: side(query.Candidate), Live: side(query.Live)}
	if len(both.Candidate)+len(both.Live) == 0 {
		return nil
	}
	return &both
}

// addTies says how far ties let the means lie, where they do.
func addTies(add func(format string, args ...any), r *evaluate.Report) {
	say := func(side string, ties []*evaluate.TieSpread) {
		for i, tie := range ties {
			if tie == nil || tie.Low == tie.High && tie.Open == 0 {
				continue
			}
			add("  %s of the %s lies between %s and %s, as the ties fall out",
				r.Metrics[i].Name, side, six(&tie.Low), six(&tie.High))
			if tie.Open > 0 {
				add("    or outside; queries whose tie reaches to the last hit that was asked for: %d", tie.Open)
			}
		}
	}
	say("candidate", r.CandidateTies)
	say("live index", r.LiveTies)
}
