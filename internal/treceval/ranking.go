package treceval

// RankedHit is a document of a run and its grade for the query, relevance.Unjudged where it has none.
type RankedHit struct {
	ID    string
	Grade float64
}

// Ranking is the whole ranking of a query, best hit first, in the order in which Score takes the hits. Options that
// leave hits out play no part. A query that the run lacks has no hits. An Error tells of a line that is wrong.
func Ranking(qrels, run *Source, query string, o Options) ([]RankedHit, error) {
	r := newWorker(qrels, run, nil, o).reader
	if err := r.read(query); err != nil {
		return nil, err
	}
	ranking := make([]RankedHit, 0, len(r.hits))
	for _, h := range r.hits {
		ranking = append(ranking, RankedHit{h.id, h.grade})
	}
	return ranking, nil
}
