// Package relevance computes search-quality metrics of one query's ranking, their mean over queries, and how sure such a
// mean, or the difference between two, is.
//
// It is pure: plain numbers in, plain numbers out, the standard library only. Where common practice leaves a choice,
// the choice is stated at the function. What holds everywhere:
//
//   - A ranking is a slice of grades, best hit first, one for each hit that is left after duplicates were removed. A hit
//     without a judgment has the grade [Unjudged].
//   - The judged grades of a query are those of all its judgments, whether the document was found or not.
//   - Hits with the same engine score count in the order in which they came: ties are broken before the ranking gets here.
//   - A cut-off k never shrinks with the number of hits: ranks beyond the last hit count as not relevant.
//   - A score is a float64 from 0 to 1 (dcg alone has no upper bound), and stays one until the mean; what is compared and printed is the mean in
//     [Millionths].
package relevance
