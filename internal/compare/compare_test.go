package compare

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

func pointer[T any](value T) *T { return &value }

// makeInput has one metric, and a query for each difference.
func makeInput(differences ...float64) Input {
	in := Input{Before: "old", After: "new", Metrics: []relevance.Metric{{Name: "ndcg@10", Kind: relevance.NDCG, K: 10}}}
	for i, difference := range differences {
		in.Queries = append(in.Queries, Query{
			ID: fmt.Sprintf("q%02d", i), Weight: 1, Before: []*float64{pointer(0.5)}, After: []*float64{pointer(0.5 + difference)},
		})
	}
	return in
}

func mustCompare(t *testing.T, in Input, listed int) *Comparison {
	t.Helper()
	out, err := Compare(in, listed)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said shows numbers of millionths.
func said(values ...*int64) string {
	var all []string
	for _, value := range values {
		if value == nil {
			all = append(all, "-")
		} else {
			all = append(all, relevance.Format(*value))
		}
	}
	return strings.Join(all, " ")
}

// The vector V21: eight paired differences whose exact p is 44/256.
func TestAKnownDifference(t *testing.T) {
	change := mustCompare(t, makeInput(.10, .20, -.05, .30, 0, .15, -.10, .05), 10).Changes[0]
	if got := said(change.Before, change.After, change.Delta, change.P); got != "0.500000 0.581250 0.081250 0.171875" {
		t.Errorf("got %s", got)
	}
	if change.Tally != (relevance.Tally{Wins: 5, Ties: 1, Losses: 2}) || change.Queries != 8 {
		t.Errorf("got %+v", change)
	}
	if change.Low == nil || *change.Low >= 81_250 || *change.High <= 81_250 || change.Effect == nil || change.Detectable == nil {
		t.Errorf("the interval is %s, the effect %s, detectable %s", said(change.Low, change.High), said(change.Effect), said(change.Detectable))
	}
}

func TestTheIntervalByItsMethod(t *testing.T) {
	in := makeInput(0, 0, 0, 0, 0, 0, 0, 0, 0, .9)
	usual := mustCompare(t, in, 10)
	in.Method = BCa
	moved := mustCompare(t, in, 10)
	if usual.Method != Percentile || moved.Method != BCa {
		t.Errorf("the methods are %s and %s", usual.Method, moved.Method)
	}
	one, other := usual.Changes[0], moved.Changes[0]
	if one.Low == nil || other.Low == nil || *other.High <= *one.High || *one.P != *other.P {
		t.Errorf("percentile %s, BCa %s: one large gain must move the end up", said(one.Low, one.High, one.P), said(other.Low, other.High, other.P))
	}
	in = makeInput(.1, .1, .1)
	in.Method = BCa
	if change := mustCompare(t, in, 10).Changes[0]; change.Low != nil {
		t.Errorf("differences that are all alike have the interval %s", said(change.Low, change.High))
	}
	in = makeInput(0, 0, 0)
	in.Method = BCa
	if got := said(mustCompare(t, in, 10).Changes[0].Low); got != "0.000000" {
		t.Errorf("where nothing differs the interval begins at %s", got)
	}
}

func TestNothingChanged(t *testing.T) {
	out := mustCompare(t, makeInput(0, 0, 0), 10)
	change := out.Changes[0]
	if got := said(change.Delta, change.Low, change.High, change.P); got != "0.000000 0.000000 0.000000 1.000000" {
		t.Errorf("got %s", got)
	}
	if len(out.Worst)+len(out.Best) > 0 {
		t.Errorf("worst %v, best %v", out.Worst, out.Best)
	}
}

func TestTooLittleToBeSure(t *testing.T) {
	for name, in := range map[string]Input{
		"one query":             makeInput(.25),
		"all differences alike": makeInput(.25, .25, .25),
	} {
		change := mustCompare(t, in, 10).Changes[0]
		if got := said(change.Delta, change.Low, change.High, change.Effect); got != "0.250000 - - -" {
			t.Errorf("%s: got %s", name, got)
		}
	}
	missing := makeInput(.1, .2, .3)
	missing.Missing = 1
	if change := mustCompare(t, missing, 10).Changes[0]; change.Low != nil || change.P != nil || change.Delta == nil {
		t.Errorf("with queries that are missing: %+v", change)
	}
}

func TestWhatCannotBeComparedIsLeftOut(t *testing.T) {
	in := makeInput(.1, .1, .1, .1)
	in.Queries[1].Error = "shards failed"
	in.Queries[2].Before[0] = nil
	out := mustCompare(t, in, 10)
	if out.Compared != 3 || out.LeftOut != 1 || out.Changes[0].Queries != 2 {
		t.Errorf("got %+v", out)
	}
	for i := range in.Queries {
		in.Queries[i].Error = "x"
	}
	if _, err := Compare(in, 10); err == nil {
		t.Error("nothing was compared without an error")
	}
}

func TestKnownMeansAreTheMeans(t *testing.T) {
	in := makeInput(.1, .1)
	in.KnownBefore, in.KnownAfter = []*int64{pointer(int64(500_001))}, []*int64{pointer(int64(600_000))}
	if change := mustCompare(t, in, 10).Changes[0]; said(change.Before, change.After, change.Delta) != "0.500001 0.600000 0.099999" {
		t.Errorf("got %s", said(change.Before, change.After, change.Delta))
	}
	in.Queries[0].Error = "x" // Then they are those of other queries.
	if change := mustCompare(t, in, 10).Changes[0]; said(change.Before, change.After) != "0.500000 0.600000" {
		t.Errorf("got %s", said(change.Before, change.After))
	}
}

func TestWeightsCount(t *testing.T) {
	in := makeInput(.5, .25, -.5)
	for i, weight := range []float64{100, 10, 1} {
		in.Queries[i].Weight = weight
	}
	// (100*.5 + 10*.25 - 1*.5) / 111
	if change := mustCompare(t, in, 10).Changes[0]; *change.Delta != 468_468 {
		t.Errorf("got %s", said(change.Delta))
	}
}

func TestTheOrderChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var differences []float64
	for range 50 {
		differences = append(differences, random.Float64()/2-0.25)
	}
	in := makeInput(differences...)
	want := mustCompare(t, in, 3)
	random.Shuffle(len(in.Queries), func(i, j int) { in.Queries[i], in.Queries[j] = in.Queries[j], in.Queries[i] })
	got := mustCompare(t, in, 3)
	a, b := want.Changes[0], got.Changes[0]
	if said(a.Before, a.After, a.Low, a.High, a.P, a.Effect, a.Detectable) != said(b.Before, b.After, b.Low, b.High, b.P, b.Effect, b.Detectable) {
		t.Errorf("got %+v, want %+v", b, a)
	}
	if ids(got.Worst) != ids(want.Worst) || ids(got.Best) != ids(want.Best) {
		t.Errorf("got %s, %s", ids(got.Worst), ids(got.Best))
	}
}

func ids(changes []QueryChange) string {
	var all []string
	for _, change := range changes {
		all = append(all, change.ID)
	}
	return strings.Join(all, " ")
}

func TestTheWorstAndTheBestQueries(t *testing.T) {
	in := makeInput(.1, -.1, 0, -.3, .1, .2, -.1)
	out := mustCompare(t, in, 3)
	if got := ids(out.Worst) + " | " + ids(out.Best); got != "q03 q01 q06 | q05 q00 q04" {
		t.Errorf("got %s", got)
	}
	if worst := out.Worst[0]; said(&worst.ValueBefore, &worst.ValueAfter, &worst.Delta) != "0.500000 0.200000 -0.300000" {
		t.Errorf("got %+v", worst)
	}
	if out := mustCompare(t, in, 0); len(out.Worst)+len(out.Best) > 0 {
		t.Errorf("none is asked for: %v", out)
	}
}

func TestSegments(t *testing.T) {
	in := makeInput(.1, .2, .3, .1, .2, .3, -.1, -.2)
	for i := range in.Queries {
		in.Queries[i].Segments = []string{map[bool]string{true: "tail", false: "head"}[i < 6]}
	}
	in.Queries[0].Segments = append(in.Queries[0].Segments, "both")
	out := mustCompare(t, in, 10)
	var got []string
	for _, segment := range out.Segments {
		got = append(got, fmt.Sprintf("%s %d %s", segment.Name, segment.Queries, said(segment.Changes[0].Delta, segment.Changes[0].P)))
	}
	// Alone: both 1, head 2/4, tail 2/64; the smallest of three counts three times, the next one twice.
	want := []string{"both 1 0.100000 1.000000", "head 2 -0.150000 1.000000", "tail 6 0.200000 0.093750"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// ranking is "id:grade …", or "id" for one that is not judged; a + at the end says that there is more.
func ranking(text string) Ranking {
	out := Ranking{Known: true, Whole: true}
	for _, word := range strings.Fields(text) {
		id, grade, judged := strings.Cut(word, ":")
		switch {
		case word == "+":
			out.Whole = false
		case judged:
			out.Hits = append(out.Hits, Hit{id, pointer(float64(grade[0] - '0'))})
		default:
			out.Hits = append(out.Hits, Hit{ID: id})
		}
	}
	return out
}

func showMoved(all []Moved) string {
	var parts []string
	for _, m := range all {
		grade := "?"
		if m.Grade != nil {
			grade = fmt.Sprint(*m.Grade)
		}
		parts = append(parts, fmt.Sprintf("%s(%s) %d>%d %d>%d", m.ID, grade, m.Before, m.After, m.BeyondBefore, m.BeyondAfter))
	}
	return strings.Join(parts, ", ")
}

func TestMovedDocuments(t *testing.T) {
	eleven := "a:1 b c d e f g h i j k:2"
	for name, test := range map[string]struct{ before, after, want string }{
		"nothing moved":                  {"a:3 b", "a:3 b", ""},
		"two swapped":                    {"a:3 b c:1", "a:3 c:1 b", "b(?) 2>3 0>0, c(1) 3>2 0>0"},
		"one is gone":                    {"a:3 b", "b", "a(3) 1>0 0>0, b(?) 2>1 0>0"},
		"one may be further down":        {"a:3 b", "b +", "a(3) 1>0 0>1, b(?) 2>1 0>0"},
		"one came":                       {"b", "a:3 b", "b(?) 1>2 0>0, a(3) 0>1 0>0"},
		"one came from further down":     {"b +", "a:3 b", "b(?) 1>2 0>0, a(3) 0>1 1>0"},
		"one came up from rank 11":       {eleven, "k:2 a:1 b c d e f g h i j", "a(1) 1>2 0>0, k(2) 11>1 0>0, b(?) 2>3 0>0, c(?) 3>4 0>0, d(?) 4>5 0>0, e(?) 5>6 0>0, f(?) 6>7 0>0, g(?) 7>8 0>0, h(?) 8>9 0>0, i(?) 9>10 0>0, j(?) 10>11 0>0"},
		"below the first ten, unseen":    {eleven + " l m", "a:1 b c d e f g h i j m k:2 l", ""},
		"nothing was found before":       {"", "a:3", "a(3) 0>1 0>0"},
		"it fell from rank 1 to rank 11": {eleven, "b c d e f g h i j k:2 a:1", "a(1) 1>11 0>0, b(?) 2>1 0>0, c(?) 3>2 0>0, d(?) 4>3 0>0, e(?) 5>4 0>0, f(?) 6>5 0>0, g(?) 7>6 0>0, h(?) 8>7 0>0, i(?) 9>8 0>0, j(?) 10>9 0>0, k(2) 11>10 0>0"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := showMoved(moved(ranking(test.before), ranking(test.after))); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	if got := moved(Ranking{}, ranking("a")); got != nil {
		t.Errorf("what is not known moved: %v", got)
	}
}

func TestHitsAreAskedForTheListedQueriesAlone(t *testing.T) {
	in := makeInput(.1, -.1, 0, -.3)
	var asked []int
	in.Hits = func(query int) (Ranking, Ranking, error) {
		asked = append(asked, query)
		return ranking("a:3"), ranking("b"), nil
	}
	out := mustCompare(t, in, 1)
	if !slices.Equal(asked, []int{3, 0}) || showMoved(out.Worst[0].Moved) != "a(3) 1>0 0>0, b(?) 0>1 0>0" {
		t.Errorf("asked for %v, moved %s", asked, showMoved(out.Worst[0].Moved))
	}
	in.Hits = func(int) (Ranking, Ranking, error) { return Ranking{}, Ranking{}, errors.New("line 3 is wrong") }
	if _, err := Compare(in, 1); err == nil || err.Error() != "line 3 is wrong" {
		t.Errorf("got %v", err)
	}
}
