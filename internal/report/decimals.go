package report

import (
	"fmt"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// show writes a number of millionths, or - where there is none.
type show func(*int64) string

// decimalsFor shows 4 decimals, and all 6 where 4 would contradict the verdict:
// 0.799999 is not shown as 0.8000 beside a missed min of 0.8.
func decimalsFor(score verdict.Score, limit verdict.Limit) show {
	candidate, live := score.Candidate, score.Live
	judged := candidate
	if judged == nil {
		judged = live
	}
	if judged != nil && limit.Min != nil && (*judged >= *limit.Min) != (shown(*judged) >= *limit.Min) {
		return six
	}
	delta := deltaOf(score)
	if delta == nil {
		return four
	}
	if *delta != 0 && shown(*delta) == 0 {
		return six
	}
	if limit.MaxDrop != nil && (-*delta <= *limit.MaxDrop) != (-shown(*delta) <= *limit.MaxDrop) {
		return six
	}
	return four
}

// shown is what is left of a number of millionths with 4 decimals, rounded to
// the nearest and to the even one of two equally near.
func shown(millionths int64) int64 {
	rest := ((millionths % 100) + 100) % 100
	down := millionths - rest
	if rest > 50 || rest == 50 && down/100%2 != 0 {
		return down + 100
	}
	return down
}

func four(millionths *int64) string {
	if millionths == nil {
		return "-"
	}
	text := relevance.Format(shown(*millionths))
	return text[:len(text)-2]
}

func six(millionths *int64) string {
	if millionths == nil {
		return "-"
	}
	return relevance.Format(*millionths)
}

// signed puts a + before what grew.
func signed(as show, millionths *int64) string {
	if millionths != nil && *millionths > 0 {
		return "+" + as(millionths)
	}
	return as(millionths)
}

// short writes a limit as a person would: 800000 is 0.8.
func short(millionths int64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%06d", millionths/1_000_000, millionths%1_000_000), "0"), ".")
}
