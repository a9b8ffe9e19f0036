package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/treceval"
)

const (
	outputTrec = "trec"
	// stdinName stands for the standard input.
	stdinName = "-"
)

// scoreOptions are the flags of score.
type scoreOptions struct {
	treceval.Options
	treceval.Print
	measures []string
	output   string
}

func newScoreCommand() *cobra.Command {
	var o scoreOptions
	command := &cobra.Command{
		Use:   "score QRELS RUN",
		Short: "Score a TREC run with TREC judgments, as trec_eval does",
		Long: `Scores a run (query, Q0, document, rank, score, run name) with judgments (query,
iteration, document, grade). Either file may be packed by gzip; - is the standard input.

The output trec is trec_eval's, to the digit and in its order. Hits are ordered by score,
then by document id, both descending; the rank column plays no part.

Exit code: 0 scored, 2 interrupted, 3 wrong usage or a file that is wrong.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScore(cmd.Context(), o, args[0], args[1], cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&o.measures, "measure", "m", []string{"official"},
		"metric such as ndcg@10, measure of trec_eval such as ndcg_cut_10, P.5,10 or set_F.0.5, or official, set, all_trec; repeat it for more")
	flags.BoolVarP(&o.Queries, "queries", "q", false, "show the scores of every query too")
	flags.BoolVarP(&o.NoTotals, "no-totals", "n", false, "leave out what is said of the whole run")
	flags.BoolVarP(&o.Complete, "complete", "c", false, "count judged queries that the run lacks, as queries that found nothing")
	flags.Float64VarP(&o.RelevantFrom, "relevant-from", "l", 1, "lowest grade that is relevant")
	flags.IntVarP(&o.Depth, "depth", "M", 0, "how many hits of a query count at most, best first (0: all)")
	flags.BoolVarP(&o.JudgedOnly, "judged-only", "J", false, "take hits without a judgment out of the rankings")
	flags.IntVar(&o.MaxGrade, "max-grade", 0, "highest grade of the scale, which err@K needs")
	flags.StringVarP(&o.output, "output", "o", outputTrec, "trec, json, csv or markdown")
	return command
}

// runScore reads both files, scores, and writes the result to out and notes to errOut.
func runScore(ctx context.Context, o scoreOptions, qrelsName, runName string, in io.Reader, out, errOut io.Writer) error {
	write, ok := map[string]func(*treceval.Result, io.Writer, treceval.Print) error{
		outputTrec: (*treceval.Result).WriteTrec,
		"json":     (*treceval.Result).WriteJSON,
		"csv":      (*treceval.Result).WriteCSV,
		"markdown": (*treceval.Result).WriteMarkdown,
	}[o.output]
	if !ok {
		return usageError(fmt.Errorf("--output is %q; it must be trec, json, csv or markdown", o.output))
	}
	measures, absent, err := o.parse()
	if err != nil {
		return usageError(err)
	}
	qrels, run, err := readBoth(ctx, qrelsName, runName, in)
	if err != nil {
		return scoreError(err)
	}
	result, err := treceval.Score(ctx, qrels, run, measures, o.Options)
	if err != nil {
		return scoreError(err)
	}
	notes := result.Notes.Lines(o.Complete)
	if len(absent) > 0 {
		notes = append(notes, "measures of trec_eval that are not here: "+strings.Join(absent, ", "))
	}
	for _, note := range notes {
		fmt.Fprintln(errOut, "Note:", note)
	}
	if err := write(result, out, o.Print); err != nil {
		return &exitError{code: exitInconclusive, message: err.Error()}
	}
	return nil
}

// parse checks the flags and reads the names of the measures. absent is that of treceval.ParseMeasures.
func (o *scoreOptions) parse() (measures []treceval.Measure, absent []string, err error) {
	switch {
	case !(o.RelevantFrom > 0 && o.RelevantFrom <= relevance.MaxLinearGrade): // written so that NaN is refused
		err = fmt.Errorf("-l is %v; write a grade above 0 and up to %d", o.RelevantFrom, relevance.MaxLinearGrade)
	case o.Depth < 0:
		err = fmt.Errorf("-M is %d; write how many hits count at most, or 0 for all", o.Depth)
	case o.MaxGrade < 0 || o.MaxGrade > relevance.MaxGrade:
		err = fmt.Errorf("--max-grade is %d; write a number from 1 to %d", o.MaxGrade, relevance.MaxGrade)
	default:
		measures, absent, err = treceval.ParseMeasures(o.measures, o.RelevantFrom, o.MaxGrade)
	}
	if o.AsTrecEval = o.output == outputTrec; o.AsTrecEval {
		treceval.SortAsTrecEval(measures)
	}
	return measures, absent, err
}

// readBoth reads both files at a time. It does not wait for a standard input that is silent when ctx ends.
func readBoth(ctx context.Context, qrelsName, runName string, in io.Reader) (*treceval.Source, *treceval.Source, error) {
	if qrelsName == stdinName && runName == stdinName {
		return nil, nil, errors.New("only one of the two files can be the standard input")
	}
	var qrels, run *treceval.Source
	var group errgroup.Group
	group.Go(func() (err error) { qrels, err = readSource(qrelsName, in); return err })
	group.Go(func() (err error) { run, err = readSource(runName, in); return err })
	done := make(chan error, 1)
	go func() { done <- group.Wait() }()
	select {
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case err := <-done:
		return qrels, run, err
	}
}

func readSource(name string, in io.Reader) (*treceval.Source, error) {
	if name == stdinName {
		return treceval.Read(stdinSource, in)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // It was only read.
	return treceval.Read(name, file)
}

// scoreError is an error in the files, unless the process was told to stop.
func scoreError(err error) *exitError {
	if errors.Is(err, context.Canceled) {
		return &exitError{code: exitInconclusive, message: "interrupted"}
	}
	return &exitError{code: exitUsage, message: err.Error()}
}
