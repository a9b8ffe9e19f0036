package treceval

import (
	"encoding/json"
	"io"
)

// Schema names the form of what WriteJSON writes: docs/score.schema.json.
const Schema = "relevancegate.dev/score/v1"

// jsonDocument is what a program reads. Every value is a text: 6 decimals, a whole number for a count, null for none.
type jsonDocument struct {
	Schema       string      `json:"schema"`
	Qrels        string      `json:"qrels"`
	Run          string      `json:"run"`
	RunName      string      `json:"runName"`
	RelevantFrom float64     `json:"relevantFrom"`
	Complete     bool        `json:"complete"`
	Depth        int         `json:"depth"`
	JudgedOnly   bool        `json:"judgedOnly"`
	Notes        []string    `json:"notes"`
	Scores       []jsonScore `json:"scores"`
	Queries      []jsonQuery `json:"queries"`
}

type jsonScore struct {
	Measure string  `json:"measure"`
	Value   *string `json:"value"`
}

type jsonQuery struct {
	ID      string             `json:"id"`
	Missing bool               `json:"missing"`
	Scores  map[string]*string `json:"scores"`
}

// WriteJSON writes one document; docs/score.schema.json describes it. Its queries are those of p.Queries, and those that
// the run lacks are among them.
func (r *Result) WriteJSON(w io.Writer, p Print) error {
	doc := jsonDocument{
		Schema: Schema, Qrels: r.Qrels, Run: r.Run, RunName: r.RunName, RelevantFrom: r.Options.RelevantFrom,
		Complete: r.Options.Complete, Depth: r.Options.Depth, JudgedOnly: r.Options.JudgedOnly,
		Notes: append([]string{}, r.Notes.Lines(r.Options.Complete)...), Scores: []jsonScore{}, Queries: []jsonQuery{},
	}
	for i, m := range r.totals(p) {
		doc.Scores = append(doc.Scores, jsonScore{m.Name, orNull(r.formatTotal(i, 6))})
	}
	for _, q := range r.printed(p) {
		scores := map[string]*string{}
		for i, m := range r.Measures {
			if m.OfQuery() {
				scores[m.Name] = orNull(m.format(q.Scores[i], 6))
			}
		}
		doc.Queries = append(doc.Queries, jsonQuery{q.ID, q.Missing, scores})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(doc)
}

func orNull(value string, ok bool) *string {
	if !ok {
		return nil
	}
	return &value
}
