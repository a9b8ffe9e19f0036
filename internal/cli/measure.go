package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/report"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

func newMeasureCommand() *cobra.Command {
	var planDir, summaryFile string
	command := &cobra.Command{
		Use:   "measure --plan DIR",
		Short: "Measure what a plan says; run by the evaluation pod",
		Long: "Measures the indices that DIR/plan.json names with the golden set DIR/golden, which is a folder where\n" +
			"the set is in several files. Exit code 0 means measured, whatever the scores are; the numbers are in the\n" +
			"summary file. 1 means not measured.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			boundMemory(os.Getenv)
			return measure(cmd.Context(), planDir, summaryFile, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().StringVar(&planDir, "plan", "", "folder with plan.json, golden and, if any, credentials/ and ca.crt")
	command.Flags().StringVar(&summaryFile, "summary", "/dev/termination-log", "file that the summary, or the failure, is written to")
	_ = command.MarkFlagRequired("plan") // The flag is defined above.
	return command
}

// measure writes the report to out and, last of all, the summary: whoever finds
// a summary knows that the report before it is whole.
func measure(ctx context.Context, planDir, summaryFile string, out, errOut io.Writer) error {
	summary, err := measurePlan(ctx, planDir, out, errOut)
	if err == nil {
		if err = os.WriteFile(summaryFile, summary, 0o644); err == nil {
			return nil
		}
	}
	exit := failureError(err)
	exit.code = exitFailed
	raw, encodeErr := evaluate.AsFailure(err).Encode()
	if encodeErr == nil {
		encodeErr = os.WriteFile(summaryFile, raw, 0o644)
	}
	if encodeErr != nil {
		exit.message += "; nor could that be written: " + encodeErr.Error()
	}
	return exit
}

// measurePlan returns the encoded summary.
func measurePlan(ctx context.Context, planDir string, out, errOut io.Writer) ([]byte, error) {
	plan, config, files, err := evaluate.LoadPlan(planDir)
	if err != nil {
		return nil, evaluate.NewFailure(evaluate.ReasonInvalidPlan, err)
	}
	if plan.TimeoutSeconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(plan.TimeoutSeconds)*time.Second)
		defer cancel()
	}
	set, err := readGoldenSet(plan, files)
	if err != nil {
		return nil, err
	}
	writeNotes(errOut, set)
	client, err := engine.New(config)
	if err != nil {
		return nil, evaluate.NewFailure(evaluate.ReasonInvalidPlan, err)
	}
	defer client.Close()
	result, err := evaluate.Run(ctx, client, set, plan, progressOn(errOut))
	if err != nil {
		return nil, err
	}
	summary, err := result.Summary(plan).Encode()
	if err != nil {
		return nil, err
	}
	if err := report.Text(out, result, nil, verdict.Limits{}, report.Style{}); err != nil {
		return nil, err
	}
	frames := evaluate.NewFrameWriter(out, plan.EvaluationKey)
	if err := report.WriteMeasurement(frames, result); err != nil {
		return nil, err
	}
	return summary, frames.Close()
}

// readGoldenSet reads the golden set of a plan. Another content than the plan's
// is a mount that has not caught up, or has run ahead.
func readGoldenSet(plan *evaluate.Plan, files []golden.Source) (*golden.Set, error) {
	digest, err := golden.DigestFiles(files)
	if err != nil {
		return nil, evaluate.NewFailure(evaluate.ReasonInvalidGoldenSet, err)
	}
	if digest != plan.GoldenDigest {
		return nil, evaluate.NewFailure(evaluate.ReasonGoldenSetChanged,
			fmt.Errorf("%s is %s, but the plan is for %s", plan.GoldenSource, digest, plan.GoldenDigest))
	}
	return evaluate.ParseGoldenSet(plan, files)
}
