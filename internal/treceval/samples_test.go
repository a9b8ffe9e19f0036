package treceval

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dataVariable names the folder with the data of other projects that tests compare with.
const dataVariable = "RELEVANCE_GATE_TEST_DATA"

// sample is the folder with trec_eval's sample files.
func sample(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(dataVariable)
	if folder == "" {
		t.Skipf("%s is not set; with it this test shows that the output is trec_eval's, line by line, on its own sample files", dataVariable)
	}
	return filepath.Join(folder, "trec_eval")
}

// TestSamples compares the whole output with the one that trec_eval has for its sample files, line by line, for the
// measures that are here.
func TestSamples(t *testing.T) {
	folder := sample(t)
	all := []string{"all_trec"}
	for _, row := range []struct {
		expected, qrels, run string
		options              Options
		print                Print
		measures             []string
		lines                int // for the measures that are here
	}{
		{"out.test.a", "qrels.test", "results.test", Options{}, Print{}, all, 55},
		{"out.test.aq", "qrels.test", "results.test", Options{}, Print{Queries: true}, all, 211},
		{"out.test.aqc", "qrels.test", "results.trunc", Options{Complete: true}, Print{Queries: true}, all, 159},
		{"out.test.aql", "qrels.rel_level", "results.test", Options{RelevantFrom: 2}, Print{Queries: true}, all, 211},
		{"out.test.meas_params", "qrels.test", "results.test", Options{}, Print{Queries: true},
			[]string{"P.5,7,3", "recall.20,2000", "ndcg_cut.10,20,23", "success.2,5,20", "ndcg.1=3,2=9,4=4.5"}, 48},
	} {
		t.Run(row.expected, func(t *testing.T) {
			var want []string
			for _, line := range readLines(t, filepath.Join(folder, row.expected)) {
				columns := strings.Fields(line)
				// trec_eval 9 lists no query that the run lacks; the expected output is that of version 10, which does.
				missing := row.options.Complete && columns[1] == "302"
				if _, err := parseMeasure(columns[0], 1, 0); err == nil && !missing && !roundsOtherwise(columns[0]) {
					want = append(want, line)
				}
			}
			got := run(t, filepath.Join(folder, row.qrels), filepath.Join(folder, row.run), row.options, row.print, row.measures)
			got = slices.DeleteFunc(got, roundsOtherwise)
			if len(want) != row.lines {
				t.Errorf("%d lines to compare with, want %d", len(want), row.lines)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// roundsOtherwise tells the lines of measures whose recall version 10 rounds in another way than 9.0.8.
func roundsOtherwise(line string) bool {
	return strings.HasPrefix(line, interpolated) || strings.HasPrefix(line, elevenPoints)
}

// TestSampleVariants compares options that no sample output has with what trec_eval 9.0.8 prints for them.
func TestSampleVariants(t *testing.T) {
	folder := sample(t)
	measures := strings.Fields("num_q num_ret num_rel num_rel_ret map Rprec bpref recip_rank P_10 ndcg_cut_10 set_F num_nonrel_judged_ret")
	for _, row := range []struct {
		name, qrels, run string
		options          Options
		want             string
	}{
		{
			"the first 100 hits", "qrels.test", "results.test", Options{Depth: 100},
			"3 300 561 74 0.1622 0.1850 0.1718 0.4064 0.3000 0.3016 0.2395 197",
		},
		{
			"the first 100 hits, a query missing, relevant from 2", "qrels.rel_level", "results.trunc",
			Options{Depth: 100, Complete: true, RelevantFrom: 2},
			"3 184 559 4 0.0835 0.1667 0.1667 0.1111 0.1333 0.1538 0.0290 115",
		},
		{
			"judged hits alone", "qrels.rel_level", "results.test", Options{JudgedOnly: true},
			"3 669 559 129 0.2016 0.2188 0.1981 0.4222 0.3333 0.2900 0.1970 540",
		},
		{
			"judged hits of the first 50, relevant from 3", "qrels.rel_level", "results.trunc",
			Options{JudgedOnly: true, Depth: 50, RelevantFrom: 3},
			"2 76 6 0 0.0000 0.0000 0.0000 0.0000 0.0000 0.3459 0.0000 76",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, line := range run(t, filepath.Join(folder, row.qrels), filepath.Join(folder, row.run), row.options, Print{}, measures) {
				got = append(got, strings.Fields(line)[2])
			}
			if strings.Join(got, " ") != row.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, " "), row.want)
			}
		})
	}
}

// TestSampleRecallLevels compares the measures at levels of recall with what trec_eval 9.0.8 prints for them.
func TestSampleRecallLevels(t *testing.T) {
	folder := sample(t)
	for _, row := range []struct {
		qrels, run string
		options    Options
		want       string
	}{
		{"qrels.test", "results.test", Options{}, "0.1051 0.4665 0.3884 0.3186 0.2852 0.2666 0.2184 0.0822 0.0348 0.0312 0.0312 0.0312 0.1958"},
		{
			"qrels.rel_level", "results.trunc", Options{Complete: true, Depth: 100, RelevantFrom: 2},
			"0.0003 0.2000 0.2000 0.2000 0.2000 0.1905 0.1905 0.0000 0.0000 0.0000 0.0000 0.0000 0.1074",
		},
	} {
		var got []string
		for _, line := range run(t, filepath.Join(folder, row.qrels), filepath.Join(folder, row.run), row.options, Print{}, []string{geometricMAP, interpolated, elevenPoints}) {
			got = append(got, strings.Fields(line)[2])
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", row.qrels, strings.Join(got, " "), row.want)
		}
	}
}

// run returns the lines that are printed for two files.
func run(t *testing.T, qrels, run string, o Options, p Print, names []string) []string {
	t.Helper()
	o.AsTrecEval = true
	if o.RelevantFrom == 0 {
		o.RelevantFrom = 1
	}
	measures, _, err := ParseMeasures(names, o.RelevantFrom, 0)
	if err != nil {
		t.Fatal(err)
	}
	SortAsTrecEval(measures)
	r, err := Score(t.Context(), file(t, qrels), file(t, run), measures, o)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.WriteTrec(&out, p); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// file reads a source from a file.
func file(t *testing.T, name string) *Source {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s, err := Read(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readLines returns the lines of a text file.
func readLines(t *testing.T, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}
