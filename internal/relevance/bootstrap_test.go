package relevance

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// v21 are the paired differences of V21.
var v21 = []float64{.10, .20, -.05, .30, 0, .15, -.10, .05}

// all lists the means of all n^n draws of a column.
func all(values []float64) Distribution {
	var means Distribution
	draws := make([]int, len(values))
	for {
		sum := 0.0
		for _, draw := range draws {
			sum += values[draw]
		}
		means = append(means, sum/float64(len(values)))
		i := 0
		for ; i < len(draws); i++ {
			if draws[i]++; draws[i] < len(values) {
				break
			}
			draws[i] = 0
		}
		if i == len(draws) {
			slices.Sort(means)
			return means
		}
	}
}

// makeColumns makes up scores of n queries on two indices, their differences, and weights.
func makeColumns(n int) (columns [][]float64, weights []float64) {
	generator := rand.NewPCG(1, 2)
	number := func() float64 { return float64(generator.Uint64()>>11) / (1 << 53) }
	columns = make([][]float64, 3)
	for range n {
		candidate, live := number(), number()
		columns[0] = append(columns[0], candidate)
		columns[1] = append(columns[1], live)
		columns[2] = append(columns[2], candidate-live)
		weights = append(weights, .5+100*number())
	}
	return columns, weights
}

func TestPercentileOfAllDraws(t *testing.T) {
	for _, row := range []struct {
		name     string
		values   []float64
		want     Interval
		standard float64 // standard error
	}{
		{"V21 of 0, 0, 1", []float64{0, 0, 1}, Interval{0, 1}, 0.2721655269759087},
		{"V21 of .1, .2, .6", []float64{.1, .2, .6}, Interval{.1, .6}, 0.1247219128924647},
	} {
		t.Run(row.name, func(t *testing.T) {
			means := all(row.values)
			got := means.Percentile(950_000)
			if math.Abs(got.Low-row.want.Low) > tolerance || math.Abs(got.High-row.want.High) > tolerance {
				t.Errorf("the interval is %v, want %v", got, row.want)
			}
			center, squares := Mean(means, nil), 0.0
			for _, mean := range means {
				squares += (mean - center) * (mean - center)
			}
			if standard := math.Sqrt(squares / float64(len(means))); math.Abs(standard-row.standard) > tolerance {
				t.Errorf("the standard error is %v, want %v", standard, row.standard)
			}
		})
	}
}

func TestPercentileTakesTheNearestRank(t *testing.T) {
	numbered := make(Distribution, 10_000) // the value is the rank
	for i := range numbered {
		numbered[i] = float64(i + 1)
	}
	for _, row := range []struct {
		confidence Millionths
		want       Interval
	}{
		{950_000, Interval{250, 9750}}, // 10,000 * (1-0.95)/2 is above 250 in float64
		{900_000, Interval{500, 9500}},
		{990_000, Interval{50, 9950}},
		{999_999, Interval{1, 10_000}},
		{1_000_000, Interval{1, 10_000}},
		{0, Interval{5000, 5000}},
		{949_900, Interval{251, 9750}}, // 250.5 and 9749.5
	} {
		if got := numbered.Percentile(row.confidence); got != row.want {
			t.Errorf("at %s it is %v, want %v", Format(row.confidence), got, row.want)
		}
	}
	for shared, want := range map[int]float64{1: 250, 2: 125, 3: 84, 10: 25, 250: 1, 1000: 1} {
		if got := numbered.Low(950_000, shared); got != want {
			t.Errorf("shared by %d the low end is %v, want %v", shared, got, want)
		}
	}
}

// TestBootstrapDraws compares with the plain way: each draw by itself, summed as it comes.
func TestBootstrapDraws(t *testing.T) {
	for _, weighted := range []bool{true, false} {
		columns, weights := makeColumns(37)
		if !weighted {
			weights = nil
		}
		const resamples = 120 // two whole blocks and a part of one
		got, err := Bootstrap(columns, weights, resamples, 99)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]Distribution, len(columns))
		for block := 0; block*blockSize < resamples; block++ {
			generator := rand.NewPCG(99, uint64(block))
			for range min(blockSize, resamples-block*blockSize) {
				sums, total := make([]float64, len(columns)), 0.0
				for range columns[0] {
					i, _ := bits.Mul64(generator.Uint64(), 37)
					weight := 1.0
					if weighted {
						weight = weights[i]
					}
					total += weight
					for c := range columns {
						sums[c] += weight * columns[c][i]
					}
				}
				for c := range columns {
					want[c] = append(want[c], sums[c]/total)
				}
			}
		}
		for c := range columns {
			slices.Sort(want[c])
			for i := range want[c] {
				if math.Abs(got[c][i]-want[c][i]) > tolerance {
					t.Fatalf("weighted %t, column %d, mean %d is %v, want %v", weighted, c, i, got[c][i], want[c][i])
				}
			}
		}
	}
}

// TestDrawsAreEven counts draws of V21's 0, 0, 1 against the shares of all draws.
func TestDrawsAreEven(t *testing.T) {
	const resamples = 270_000
	drawn, err := Bootstrap([][]float64{{0, 0, 1}}, nil, resamples, 7)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]int{}
	for _, mean := range drawn[0] {
		counts[int(math.Round(3*mean))]++
	}
	for ones, share := range map[int]float64{0: 8. / 27, 1: 12. / 27, 2: 6. / 27, 3: 1. / 27} {
		deviation := math.Sqrt(resamples * share * (1 - share))
		if off := math.Abs(float64(counts[ones]) - resamples*share); off > 4*deviation {
			t.Errorf("%d of %d draws hold %d ones, which is %.1f standard deviations off", counts[ones], resamples, ones, off/deviation)
		}
	}
}

// TestBootstrapDigits pins digits: they must not change with the machine or the Go release, for a stored verdict rests on
// them.
func TestBootstrapDigits(t *testing.T) {
	columns, weights := makeColumns(1000)
	for _, row := range []struct {
		name    string
		weights []float64
		want    []Interval
	}{
		{"weighted", weights, []Interval{
			{0.4872682645232974, 0.5285133678284141}, {0.4957729612315537, 0.5363148654479689}, {-0.036284659215451195, 0.0202514237103431}}},
		{"unweighted", nil, []Interval{
			{0.4853966541563901, 0.5217276457943368}, {0.49067875396674804, 0.5263502348667526}, {-0.029272803110468617, 0.01989926346863113}}},
	} {
		drawn, err := Bootstrap(columns, row.weights, DefaultResamples, 20_260_101)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range row.want {
			if got := drawn[i].Percentile(950_000); got != want {
				t.Errorf("%s column %d: %v, want %v", row.name, i, got, want)
			}
		}
	}
}

func TestTheNumberOfCoresChangesNoDigit(t *testing.T) {
	columns, weights := makeColumns(300)
	differences := columns[2]
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone, err := Bootstrap(columns, weights, 999, 3)
	if err != nil {
		t.Fatal(err)
	}
	p, err := RandomizationTest(differences, weights, 999, 3)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(7)
	for range 5 {
		together, err := Bootstrap(columns, weights, 999, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range alone {
			if !slices.Equal(alone[i], together[i]) {
				t.Fatalf("column %d differs", i)
			}
		}
		if again, err := RandomizationTest(differences, weights, 999, 3); again != p || err != nil {
			t.Fatalf("p is %v, %v; want %v", again, err, p)
		}
	}
}

func TestTheSeedDecidesTheDraws(t *testing.T) {
	columns, _ := makeColumns(50)
	one, _ := Bootstrap(columns, nil, 100, 1)
	two, _ := Bootstrap(columns, nil, 100, 2)
	if slices.Equal(one[0], two[0]) {
		t.Error("two seeds give the same draws")
	}
}

func TestBootstrapProperties(t *testing.T) {
	columns, weights := makeColumns(200)
	same := [][]float64{make([]float64, 200)} // a candidate that is the live index
	perfect := [][]float64{slices.Repeat([]float64{1}, 200)}
	scaled := slices.Clone(weights)
	for i := range scaled {
		scaled[i] *= 4
	}
	drawn, err := Bootstrap(slices.Concat(columns, same, perfect), weights, 1000, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, column := range columns {
		interval, mean := drawn[i].Percentile(950_000), Mean(column, weights)
		if !(interval.Low < mean && mean < interval.High) {
			t.Errorf("the interval %v does not hold the mean %v", interval, mean)
		}
		if wider := drawn[i].Percentile(990_000); wider.Low > interval.Low || wider.High < interval.High {
			t.Errorf("more confidence gives %v, which is narrower than %v", wider, interval)
		}
		if drawn[i].Low(950_000, 2) > interval.Low {
			t.Error("an interval that shares what may go wrong is narrower")
		}
	}
	if got := drawn[3].Percentile(950_000); got != (Interval{}) {
		t.Errorf("the difference between an index and itself is %v", got)
	}
	if got := drawn[4].Percentile(950_000); got != (Interval{1, 1}) {
		t.Errorf("the mean of perfect scores is %v", got)
	}
	again, err := Bootstrap(columns, scaled, 1000, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i := range columns {
		if !slices.Equal(drawn[i], again[i]) {
			t.Errorf("the scale of the weights changes column %d", i)
		}
	}
}

func TestNoDrawsFromWhatIsNoColumn(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		name       string
		columns    [][]float64
		weights    []float64
		resamples  int
		degenerate bool
	}{
		{"one query", [][]float64{{.5}}, nil, 10, true},
		{"no query", [][]float64{{}}, nil, 10, true},
		{"no column", nil, nil, 10, false},
		{"columns of different lengths", [][]float64{{1, 2}, {1}}, nil, 10, false},
		{"a weight too few", [][]float64{{1, 2}}, []float64{1}, 10, false},
		{"NaN", [][]float64{{1, nan}}, nil, 10, false},
		{"an infinity", [][]float64{{1, inf}}, nil, 10, false},
		{"a weight of 0", [][]float64{{1, 2}}, []float64{1, 0}, 10, false},
		{"a weight below 0", [][]float64{{1, 2}}, []float64{1, -1}, 10, false},
		{"a weight that is NaN", [][]float64{{1, 2}}, []float64{1, nan}, 10, false},
		{"a weight without end", [][]float64{{1, 2}}, []float64{1, inf}, 10, false},
		{"no resample", [][]float64{{1, 2}}, nil, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Bootstrap(row.columns, row.weights, row.resamples, 1)
			if err == nil || errors.Is(err, ErrDegenerate) != row.degenerate {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func BenchmarkBootstrap(b *testing.B) {
	columns, weights := makeColumns(10_000)
	columns = slices.Concat(columns, columns) // two sides of three metrics
	for b.Loop() {
		if _, err := Bootstrap(columns, weights, DefaultResamples, 1); err != nil {
			b.Fatal(err)
		}
	}
}
