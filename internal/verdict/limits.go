package verdict

// Limits are what a measurement is held against.
type Limits struct {
	Metrics    []Limit        // in the order of the scores
	Segments   []SegmentLimit // in the order of the segments' scores
	MinQueries int            // fewest queries of a segment that its limit can be held against
	MinJudged  *int64         // lowest share of judged hits that makes a measurement worth judging, in millionths
	MaxErrors  int            // how many queries may be in error

	// MaxRegressions is how many queries may lose as much as the gate's regressions.drop; nil: as many as like. Where
	// only protected queries are limited it is the largest int.
	MaxRegressions *int

	CreateAlias bool // the first promotion may make the alias: no live index is needed where some Min is set
	LiveOnly    bool // the live index was measured alone, and Min is held against it
}

// Limit is what one metric must hold; without Min and MaxDrop it is only reported. In millionths.
type Limit struct {
	Metric     string
	Min        *int64 // lowest score that passes
	MaxDrop    *int64 // most that the candidate may score below the live index
	Confidence *int64 // where set, the near end of the interval at this confidence must hold them too
}

// SegmentLimit is what one metric must hold over a part of the queries. In millionths.
type SegmentLimit struct {
	Segment, Metric string
	Min             int64
	Confidence      *int64 // that of the metric
}

// relative tells whether a limit needs a live index.
func (l Limits) relative() bool {
	for _, limit := range l.Metrics {
		if limit.MaxDrop != nil {
			return true
		}
	}
	return l.MaxRegressions != nil
}

// absolute tells whether a limit holds without a live index.
func (l Limits) absolute() bool {
	for _, limit := range l.Metrics {
		if limit.Min != nil {
			return true
		}
	}
	return len(l.Segments) > 0
}
