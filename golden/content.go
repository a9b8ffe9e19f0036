package golden

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
)

// ContentDigestPrefix begins a content digest, so that none is taken for the digest of a file.
const ContentDigestPrefix = "content-sha256:"

// contentQuery is what of a query decides its scores. The order of its fields is part of the digest.
type contentQuery struct {
	ID              string            `json:"id"`
	Query           string            `json:"query"`
	Params          map[string]any    `json:"params,omitempty"`
	Segments        []string          `json:"segments,omitempty"`
	Weight          float64           `json:"weight"`
	ExpectNoResults bool              `json:"expectNoResults"`
	Judgments       []contentJudgment `json:"judgments"`
}

type contentJudgment struct {
	ID    string  `json:"id"`
	Grade float64 `json:"grade"`
}

// Digest names a set by what it says, whatever the order, the spacing and the format of its files: "content-sha256:" and
// the hexadecimal SHA-256 of its queries as JSON, a line each, in the order of their ids, their segments and judgments
// sorted. It covers all that decides a score, so not the set's name and what grades rest on.
//
// The digest of a file is another one: see the function Digest.
func (s *Set) Digest() string {
	order := make([]int, len(s.Queries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.Queries[a].ID, s.Queries[b].ID) })
	sum := sha256.New()
	var judgments []contentJudgment
	for _, i := range order {
		judgments = s.Queries[i].addContent(sum, judgments[:0])
	}
	return ContentDigestPrefix + hex.EncodeToString(sum.Sum(nil))
}

// addContent writes a query to a hash and returns the memory that it used.
func (q *Query) addContent(sum hash.Hash, judgments []contentJudgment) []contentJudgment {
	for _, j := range q.Judgments {
		judgments = append(judgments, contentJudgment{j.DocID, j.Grade})
	}
	slices.SortFunc(judgments, func(a, b contentJudgment) int { return cmp.Compare(a.ID, b.ID) })
	err := json.NewEncoder(sum).Encode(contentQuery{
		ID: q.ID, Query: q.Text, Params: q.Params, Segments: slices.Sorted(slices.Values(q.Segments)),
		Weight: q.Weight, ExpectNoResults: q.ExpectNoResults, Judgments: judgments,
	})
	if err != nil {
		panic("golden: a set that no reader makes: " + err.Error()) // a weight or grade that is no number
	}
	return judgments
}
