package evaluate

import (
	"errors"
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// row is a score as it travels in a summary: numbers in a fixed order, null where
// there is none. Trailing ones are left out.
//
//	[candidate, live, highest live, queries, low, high, low of the delta, high of the delta]
//	[candidate, live, queries, low, low shared between two, ...] of a segment
type row []*int64

// places of a row of a score.
const scorePlaces = 8

func rowOfScore(s verdict.Score) row {
	r := row{s.Candidate, s.Live, s.LiveHigh, count(s.Queries)}
	for _, interval := range []*verdict.Interval{s.Interval, s.DeltaInterval} {
		if interval == nil {
			r = append(r, nil, nil)
		} else {
			r = append(r, &interval.Low, &interval.High)
		}
	}
	for len(r) > 0 && r[len(r)-1] == nil {
		r = r[:len(r)-1]
	}
	return r
}

// count is nil for 0, so that it can be left out.
func count(n int) *int64 {
	if n == 0 {
		return nil
	}
	value := int64(n)
	return &value
}

// score reads a row of a metric.
func (r row) score(metric string) (verdict.Score, error) {
	s := verdict.Score{Metric: metric}
	if len(r) > scorePlaces {
		return s, fmt.Errorf("the summary has %d numbers for %s, want at most %d", len(r), metric, scorePlaces)
	}
	r = append(r[:len(r):len(r)], make(row, scorePlaces-len(r))...)
	s.Candidate, s.Live, s.LiveHigh = r[0], r[1], r[2]
	if r[3] != nil {
		s.Queries = int(*r[3])
	}
	var err error
	if s.Interval, err = intervalOf(r[4], r[5]); err == nil {
		s.DeltaInterval, err = intervalOf(r[6], r[7])
	}
	return s, err
}

func intervalOf(low, high *int64) (*verdict.Interval, error) {
	switch {
	case low == nil && high == nil:
		return nil, nil
	case low == nil || high == nil:
		return nil, errors.New("the summary has an interval with one end")
	}
	return &verdict.Interval{Low: *low, High: *high}, nil
}

func rowOfSegment(s verdict.SegmentScore) row {
	queries := int64(s.Queries)
	r := row{s.Candidate, s.Live, &queries}
	for i := range s.Lows {
		r = append(r, &s.Lows[i])
	}
	return r
}

// segment reads a row of a segment.
func (r row) segment(of Segment) (verdict.SegmentScore, error) {
	s := verdict.SegmentScore{Segment: of.Segment, Metric: of.Metric}
	if len(r) < 3 || r[2] == nil {
		return s, fmt.Errorf("the summary does not say how many queries segment %q has", of.Segment)
	}
	s.Candidate, s.Live, s.Queries = r[0], r[1], int(*r[2])
	for _, low := range r[3:] {
		if low == nil {
			return s, fmt.Errorf("the summary has an interval without an end for segment %q", of.Segment)
		}
		s.Lows = append(s.Lows, *low)
	}
	return s, nil
}
