package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/relevance-gate/relevance-gate/internal/compare"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/report"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	evaluateOptions // of which an index needs gate, goldenSet, url and ca
	qrels           string
	measures        []string
	relevantFrom    float64
	maxGrade        int
	by              string
	listed          int
	interval        string
}

func newCompareCommand() *cobra.Command {
	var o compareOptions
	command := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Say how two reports, two runs or two indices differ, and how sure that is",
		Long: `Compares, query by query,

  two reports, written by evaluate -o json or taken from a gate's ConfigMap, gzipped or not:
      compare old.json new.json
  two TREC runs:
      compare --qrels QRELS [-m METRIC]... RUN RUN
  two indices:
      compare -f GATE.yaml --golden-set FILE [--url URL] INDEX INDEX

and says of each metric by how much it differs, with a confidence interval (paired
bootstrap, 95 %) and the probability of as much by chance (paired randomization test), which
queries lost and gained most, and which of their documents moved. Reports of different
golden sets, or of different metrics under one name, are refused. Of two indices neither is
refreshed, and both are searched with spec.search.body of the gate.

Exit code: 0 compared, 2 engine unavailable or interrupted, 3 wrong usage or input.
Environment: as for evaluate.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(cmd.Context(), o, args, os.Getenv, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringVarP(&o.gate, "filename", "f", "", "file with the gate, to compare indices; - is the standard input")
	flags.StringArrayVar(&o.goldenSet, "golden-set", nil, "file with the golden set, or with a part of it, to compare indices: may be given several times")
	flags.StringVar(&o.url, "url", "", "address of the engine")
	flags.StringVar(&o.ca, "ca-file", "", "file with the certificate authorities to trust, in PEM form")
	flags.StringVar(&o.qrels, "qrels", "", "file with TREC judgments, to compare runs")
	flags.StringArrayVarP(&o.measures, "measure", "m", []string{"ndcg@10", "map", "precision@5", "recall@50"}, "metric to compare runs by; repeat it for more")
	flags.Float64VarP(&o.relevantFrom, "relevant-from", "l", 1, "lowest grade that is relevant, of runs")
	flags.IntVar(&o.maxGrade, "max-grade", 0, "highest grade of the scale, which err@K needs, of runs")
	flags.StringVar(&o.by, "by", "", "metric that says which queries changed most (default: the one of the reports or the gate, or the first)")
	flags.IntVar(&o.listed, "list", 10, "how many queries to list as the worst, and as the best")
	flags.StringVar(&o.interval, "interval", string(compare.Percentile), "how intervals are taken from the bootstrap's draws: percentile, or bca (bias-corrected and accelerated)")
	flags.StringVarP(&o.output, "output", "o", string(report.FormatText), "form of the comparison: text, json, markdown or csv")
	return command
}

// runCompare lines up what is compared, and writes the comparison to out.
func runCompare(ctx context.Context, o compareOptions, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) error {
	format := report.Format(o.output)
	switch {
	case !slices.Contains([]report.Format{report.FormatText, report.FormatJSON, report.FormatMarkdown, report.FormatCSV}, format):
		return usageError(fmt.Errorf("--output is %q; it must be text, json, markdown or csv", o.output))
	case o.listed < 0:
		return usageError(fmt.Errorf("--list is %d; it must be 0 or more", o.listed))
	case !slices.Contains([]compare.Method{compare.Percentile, compare.BCa}, compare.Method(o.interval)):
		return usageError(fmt.Errorf("--interval is %q; it must be percentile or bca", o.interval))
	case o.qrels != "" && (o.gate != "" || len(o.goldenSet) > 0):
		return usageError(errors.New("--qrels compares runs, -f and --golden-set compare indices; give the one or the others"))
	case (o.gate == "") != (len(o.goldenSet) == 0):
		return usageError(errors.New("to compare indices give both -f and --golden-set"))
	}
	var input compare.Input
	var err error
	switch {
	case o.qrels != "":
		input, err = runsInput(ctx, o, args, in)
	case o.gate != "":
		input, err = indicesInput(ctx, o, args, getenv, in, errOut)
	default:
		input, err = reportsInput(args, in)
	}
	if err != nil {
		return err
	}
	if err := chooseBy(&input, o.by); err != nil {
		return usageError(err)
	}
	input.Method = compare.Method(o.interval)
	comparison, err := compare.Compare(input, o.listed)
	if err != nil {
		return scoreError(err)
	}
	if err := report.WriteComparison(out, format, comparison, styleOf(out, getenv)); err != nil {
		return &exitError{code: exitInconclusive, message: err.Error()}
	}
	return nil
}

// chooseBy finds the metric that is asked for.
func chooseBy(input *compare.Input, name string) error {
	if name == "" {
		return nil
	}
	var names []string
	for _, metric := range input.Metrics {
		names = append(names, metric.Name)
	}
	at := slices.Index(names, name)
	if at < 0 {
		return fmt.Errorf("--by is %q; it must be one of %s", name, strings.Join(names, ", "))
	}
	input.By = at
	return nil
}

// reportsInput lines up two stored reports.
func reportsInput(names []string, in io.Reader) (compare.Input, error) {
	if names[0] == stdinName && names[1] == stdinName {
		return compare.Input{}, usageError(errors.New("only one of the two reports can be the standard input"))
	}
	var both [2]report.Stored
	for i, name := range names {
		document, err := readReport(name, in)
		if err != nil {
			return compare.Input{}, scoreError(err)
		}
		both[i] = report.Stored{Name: name, Document: document}
	}
	input, err := report.InputOf(both[0], both[1])
	if err != nil {
		return input, scoreError(err)
	}
	return input, nil
}

func readReport(name string, in io.Reader) (*report.Document, error) {
	if name == stdinName {
		return report.ReadDocument(stdinSource, in)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // It was only read.
	return report.ReadDocument(name, file)
}

// optional is the grade of a document; nil where it is not judged.
func optional(grade float64) *float64 {
	if grade == relevance.Unjudged {
		return nil
	}
	return &grade
}
