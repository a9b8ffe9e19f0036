package evaluate

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// Draws says how the intervals of a report were found.
type Draws struct {
	Resamples int
	Seed      uint64
}

// Draws says how the intervals of the plan's evaluation are found; nil where it
// asks for no confidence.
func (p *Plan) Draws() *Draws {
	if len(p.Confidence) == 0 {
		return nil
	}
	return &Draws{Resamples: relevance.DefaultResamples, Seed: seedOf(p.GoldenDigest)}
}

// drawing is a sample whose mean is wanted with an interval.
type drawing struct {
	sample
	// take is handed the means of the draws. It is not called for a sample of
	// fewer than two queries.
	take func(relevance.Distribution) error
}

// draw makes the draws. Samples over the same queries share them, so that
// both indices and all metrics are drawn alike.
func (r *run) draw(drawings []drawing) error {
	r.report.Draws = r.plan.Draws()
	for len(drawings) > 0 {
		first := drawings[0].sample
		var shared, rest []drawing
		var columns [][]float64
		for _, d := range drawings {
			if slices.Equal(d.queries, first.queries) {
				shared, columns = append(shared, d), append(columns, d.values)
			} else {
				rest = append(rest, d)
			}
		}
		drawn, err := relevance.Bootstrap(columns, r.weights(first), r.report.Draws.Resamples, r.report.Draws.Seed)
		if err != nil && !errors.Is(err, relevance.ErrDegenerate) {
			return err
		}
		for i, distribution := range drawn {
			if err := shared[i].take(distribution); err != nil {
				return err
			}
		}
		drawings = rest
	}
	return nil
}

// seedOf is the seed of all draws: the first 8 bytes, the highest first, of the
// SHA-256 of the golden set's digest as it is written. So the same golden set is
// always drawn in the same way, whatever is measured with it.
func seedOf(goldenDigest string) uint64 {
	sum := sha256.Sum256([]byte(goldenDigest))
	return binary.BigEndian.Uint64(sum[:])
}
