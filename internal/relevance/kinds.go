package relevance

// definition is what there is to know of a kind of metric.
type definition struct {
	kind Kind
	cut  cutOff
	// binary metrics tell relevant documents from others by RelevantFrom.
	binary bool
	// score computes the metric. ranks is cut at K already.
	score func(m Metric, ranks, judged []float64) (float64, error)
}

// cutOff says whether a kind is written with a cut-off, as in ndcg@10.
type cutOff int

const (
	noCut cutOff = iota
	mayCut
	mustCut
)

// kinds holds the kinds that have names of this project, in the order in which messages list them.
var kinds = []definition{
	{NDCG, mayCut, false, ndcg},
	{DCG, mustCut, false, dcg},
	{Precision, mustCut, true, precision},
	{Recall, mustCut, true, recall},
	{RecallCapped, mustCut, true, recallCapped},
	{F1, mustCut, true, f1},
	{Success, mustCut, true, success},
	{MRR, mayCut, true, reciprocalRank},
	{MAP, mayCut, true, averagePrecision},
	{RPrecision, noCut, true, rPrecision},
	{BPref, noCut, true, bpref},
	{ERR, mustCut, false, expectedReciprocalRank},
	{RBP, mayCut, true, rankBiasedPrecision},
	{Judged, mustCut, false, judgedRate},
	{UnjudgedRate, mustCut, false, unjudgedRate},
	{NonEmpty, noCut, false, nonEmpty},
	{NoResults, noCut, false, noResults},
}

// setKinds holds the kinds that have names of trec_eval alone.
var setKinds = []definition{
	{SetPrecision, noCut, true, setPrecision},
	{SetRecall, noCut, true, setRecall},
	{SetF, noCut, true, setF},
	{SetMAP, noCut, true, setMAP},
}

// definitions holds all of them by kind.
var definitions = func() map[Kind]definition {
	out := map[Kind]definition{}
	for _, all := range [][]definition{kinds, setKinds} {
		for _, d := range all {
			out[d.kind] = d
		}
	}
	return out
}()
