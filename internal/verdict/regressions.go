package verdict

import (
	"fmt"
	"math"
	"strings"
)

// regressed says how too many queries got worse, or nothing. A protected query must not get worse at all.
func regressed(m Measurement, l Limits) string {
	if l.LiveOnly {
		return ""
	}
	var said []string
	if l.MaxRegressions != nil && m.RegressionCount > *l.MaxRegressions {
		said = append(said, fmt.Sprintf("%s got worse, and %s may (maxQueries)",
			counted(m.RegressionCount, "query", "queries"), atMost(*l.MaxRegressions)))
	}
	if m.ProtectedRegressions > 0 {
		said = append(said, fmt.Sprintf("%s got worse, and none may (protectWeightFrom)",
			counted(m.ProtectedRegressions, "protected query", "protected queries")))
	}
	return strings.Join(said, "; ")
}

// tolerated says that no more queries got worse than may, where that is limited.
func tolerated(m Measurement, l Limits) []string {
	if l.MaxRegressions == nil || !comparesWithLive(m, l) {
		return nil
	}
	if *l.MaxRegressions == math.MaxInt {
		return []string{"no protected query got worse"}
	}
	return []string{fmt.Sprintf("%s got worse, and %s may (maxQueries)",
		counted(m.RegressionCount, "query", "queries"), atMost(*l.MaxRegressions))}
}
