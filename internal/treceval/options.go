package treceval

// Options say what of the files counts. RelevantFrom is needed; for the rest the zero value is the usual.
type Options struct {
	// RelevantFrom is the lowest grade that is relevant, above 0: trec_eval's -l.
	RelevantFrom float64
	// MaxGrade is the highest grade that the qrels may have, 1..relevance.MaxGrade. 0: what the measures take.
	MaxGrade int
	// Complete scores every query of the qrels, those that the run lacks as queries that found nothing: trec_eval's -c.
	Complete bool
	// Depth is how many hits of a query count at most, best first: trec_eval's -M. 0: all.
	Depth int
	// JudgedOnly takes hits without a judgment out of the rankings: trec_eval's -J.
	JudgedOnly bool
	// AsTrecEval reads scores as float32, so that what trec_eval 9.0.8 takes for a tie is one, and refuses a grade with a
	// fraction, which it would cut off.
	AsTrecEval bool
}
