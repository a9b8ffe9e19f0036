package report

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/compare"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// ReadDocument reads a report that was written as JSON, gzipped or not. name is what
// errors call it.
func ReadDocument(name string, in io.Reader) (*Document, error) {
	buffered := bufio.NewReader(in)
	var text io.Reader = buffered
	if magic, err := buffered.Peek(2); err == nil && bytes.Equal(magic, []byte("\x1f\x8b")) {
		zip, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text = zip
	}
	var doc Document
	decoder := json.NewDecoder(text)
	if err := decoder.Decode(&doc); err != nil {
		var otherType *json.UnmarshalTypeError // Its text speaks of Go.
		if errors.As(err, &otherType) {
			err = fmt.Errorf("it holds a %s where there must be something else", otherType.Value)
		}
		return nil, fmt.Errorf("%s is no report as evaluate -o json writes it (%w); give --qrels to compare runs of TREC, or -f to compare indices", name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: something follows the report", name)
	}
	if doc.Schema != Schema {
		return nil, fmt.Errorf("%s is no report that can be compared: its schema is %q, want %q", name, doc.Schema, Schema)
	}
	if doc.Measured == nil {
		return nil, fmt.Errorf("%s holds no measurement, as the evaluation did not come about: %s: %s", name, doc.Reason, doc.Message)
	}
	return &doc, nil
}

// Stored is a report with the name of its file.
type Stored struct {
	Name string
	*Document
}

// tested is the index that a report is about: the candidate, or at rest the live one.
func (s Stored) tested() *Index {
	if s.Measured.Candidate != nil {
		return s.Measured.Candidate
	}
	return s.Measured.Live
}

// values are those of the tested index.
func (s Stored) values(candidate, live map[string]*string) map[string]*string {
	if s.Measured.Candidate != nil {
		return candidate
	}
	return live
}

func (s Stored) ranking(q *Query) compare.Ranking {
	hits := q.LiveHits
	if s.Measured.Candidate != nil {
		hits = q.CandidateHits
	}
	if hits == nil {
		return compare.Ranking{}
	}
	out := compare.Ranking{Known: true, Whole: len(hits) < s.Measured.KeptHits}
	for _, hit := range hits {
		out.Hits = append(out.Hits, compare.Hit(hit))
	}
	return out
}

func (s Stored) label() string {
	if index := s.tested(); index != nil {
		return fmt.Sprintf("%s (%s)", index.Name, s.Name)
	}
	return s.Name
}

// same tells whether two golden sets say the same, in whatever format.
func (g Golden) same(other Golden) bool {
	return g.Digest == other.Digest || g.ContentDigest != "" && g.ContentDigest == other.ContentDigest
}

// InputOf lines up two reports. Reports of different golden sets, or of metrics that
// bear one name and are not the same, are not comparable, and that is an error.
func InputOf(before, after Stored) (compare.Input, error) {
	in := compare.Input{Before: before.label(), After: after.label()}
	if one, other := before.Measured.GoldenSet, after.Measured.GoldenSet; !one.same(other) {
		return in, fmt.Errorf("the reports are of different golden sets and so not comparable: %s of %s, %s of %s; measure both with the same one",
			before.Name, one.Digest, after.Name, other.Digest)
	}
	if err := commonMetrics(&in, before, after); err != nil {
		return in, err
	}
	positions := make(map[string]int, len(before.Queries))
	for i := range before.Queries {
		positions[before.Queries[i].ID] = i
	}
	var pairs [][2]*Query
	for i := range after.Queries {
		position, both := positions[after.Queries[i].ID]
		if !both {
			continue
		}
		pair := [2]*Query{&before.Queries[position], &after.Queries[i]}
		query, err := queryOf(in.Metrics, before, after, pair)
		if err != nil {
			return in, err
		}
		in.Queries, pairs = append(in.Queries, query), append(pairs, pair)
	}
	in.Missing = max(0, after.Measured.GoldenSet.Queries-len(in.Queries))
	in.Hits = func(query int) (compare.Ranking, compare.Ranking, error) {
		return before.ranking(pairs[query][0]), after.ranking(pairs[query][1]), nil
	}
	return in, nil
}

// commonMetrics fills in the metrics that both reports have, and their means.
func commonMetrics(in *compare.Input, before, after Stored) error {
	for _, metric := range before.Measured.Metrics {
		at := slices.IndexFunc(after.Measured.Metrics, func(m relevance.Metric) bool { return m.Name == metric.Name })
		if at < 0 {
			in.Notes = append(in.Notes, fmt.Sprintf("%s is in %s alone.", metric.Name, before.Name))
			continue
		}
		if other := after.Measured.Metrics[at]; other != metric {
			return fmt.Errorf("%s is not the same metric in both reports and so not comparable: %s in %s, %s in %s",
				metric.Name, identity(metric), before.Name, identity(other), after.Name)
		}
		if metric.Name == after.Measured.WorstMetric {
			in.By = len(in.Metrics)
		}
		in.Metrics = append(in.Metrics, metric)
		for _, side := range []struct {
			of   Stored
			into *[]*int64
		}{{before, &in.KnownBefore}, {after, &in.KnownAfter}} {
			known, err := side.of.known(metric.Name)
			if err != nil {
				return err
			}
			*side.into = append(*side.into, known)
		}
	}
	for _, metric := range after.Measured.Metrics {
		if !slices.ContainsFunc(before.Measured.Metrics, func(m relevance.Metric) bool { return m.Name == metric.Name }) {
			in.Notes = append(in.Notes, fmt.Sprintf("%s is in %s alone.", metric.Name, after.Name))
		}
	}
	if len(in.Metrics) == 0 {
		return fmt.Errorf("%s and %s have no metric in common", before.Name, after.Name)
	}
	return nil
}

// identity says all that decides the value of a metric.
func identity(metric relevance.Metric) string {
	raw, err := json.Marshal(metric)
	if err != nil {
		return metric.Name
	}
	return string(raw)
}

// known is the mean that the report has for a metric, or nil.
func (s Stored) known(metric string) (*int64, error) {
	for _, score := range s.Scores {
		if score.Metric != metric {
			continue
		}
		text := score.Live
		if s.Measured.Candidate != nil {
			text = score.Candidate
		}
		value, err := s.number(metric, text)
		if value == nil || err != nil {
			return nil, err
		}
		return millionths(value), nil
	}
	return nil, nil
}

// number reads a value; nil is none.
func (s Stored) number(what string, text *string) (*float64, error) {
	if text == nil {
		return nil, nil
	}
	value, err := strconv.ParseFloat(*text, 64)
	if err != nil || value < 0 || !strings.Contains(*text, ".") {
		return nil, fmt.Errorf("%s: %s is %q; it must be a text with 6 decimals", s.Name, what, *text)
	}
	return &value, nil
}

func queryOf(metrics []relevance.Metric, before, after Stored, pair [2]*Query) (compare.Query, error) {
	query := compare.Query{ID: pair[1].ID, Text: pair[1].Query, Segments: pair[1].Segments, Weight: pair[1].Weight}
	for i, of := range []Stored{before, after} {
		if pair[i].Error != nil && query.Error == "" {
			query.Error = fmt.Sprintf("%s: %s", of.Name, *pair[i].Error)
		}
		values := make([]*float64, len(metrics))
		for m, metric := range metrics {
			var err error
			if values[m], err = of.number("query "+query.ID+": "+metric.Name, of.values(pair[i].Candidate, pair[i].Live)[metric.Name]); err != nil {
				return query, err
			}
		}
		if i == 0 {
			query.Before = values
		} else {
			query.After = values
		}
	}
	return query, nil
}
