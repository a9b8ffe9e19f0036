// Package treceval does trec_eval's job: it reads judgments (qrels) and a ranking of documents (a run) as TREC writes
// them, and scores the run with the metrics of package relevance.
//
// It is fast because nothing is stored twice: a file is one text in memory, an index says which lines belong to which
// query, and a line is read when its query is scored, by as many workers as there are processors. It is strict: what
// trec_eval reads silently in another sense than was meant is an [Error] or is told in [Notes].
package treceval
