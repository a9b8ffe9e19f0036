// Package cli is the command line: one file a command. It parses options and
// wires packages together; what they do is in those packages.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/relevance-gate/relevance-gate/internal/report"
)

// Exit codes of all commands. Inconclusive includes an engine that cannot be
// reached; usage includes a gate or a golden set that is wrong, and an engine
// that refuses to talk.
const (
	exitPassed       = 0
	exitFailed       = 1
	exitInconclusive = 2
	exitUsage        = 3
)

// Main runs the command line of the process and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if isPlugin(os.Args[0]) {
		return runCommand(ctx, newPluginCommand(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	return Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run runs one command line and returns its exit code.
func Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	return runCommand(ctx, newRootCommand(), args, in, out, errOut) //nolint:contextcheck // ExecuteContextC hands the context to every command.
}

func runCommand(ctx context.Context, root *cobra.Command, args []string, in io.Reader, out, errOut io.Writer) int {
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitPassed
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		// Everything that cobra itself finds wrong is wrong usage. The command did
		// not get to its report then.
		exit = usageError(err)
		if command.Name() == evaluateName {
			if err := report.WriteProblem(out, askedOutput(args), exit.problem(report.Result{At: time.Now()})); err != nil {
				fmt.Fprintln(errOut, "Error:", err)
			}
		}
	}
	if !exit.reported {
		fmt.Fprintln(errOut, "Error:", exit.message)
	}
	return exit.code
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "relevance-gate",
		Short: "Lets a search alias move to a new index only if the index answers a golden set well enough",
		// Errors are one sentence, which Run prints.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		newManagerCommand(),
		newEvaluateCommand(),
		newCompareCommand(),
		newKeyCommand(),
		newMeasureCommand(),
		newConvertCommand(),
		newLintCommand(),
		newScoreCommand(),
		newVersionCommand(),
	)
	return root
}
