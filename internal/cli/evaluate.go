package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/report"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const evaluateName = "evaluate"

// evaluateOptions are the flags of evaluate.
type evaluateOptions struct {
	gate                     string
	goldenSet                []string
	url, candidate, live, ca string
	output                   string
	reports                  []string
}

func newEvaluateCommand() *cobra.Command {
	var o evaluateOptions
	command := &cobra.Command{
		Use:   evaluateName + " -f GATE.yaml --golden-set FILE",
		Short: "Measure a candidate index next to the live one and say whether a gate's limits hold",
		Long: `Measures the gate's candidate, and the index that the gate's alias points at, with the
golden set, and holds the scores against the gate's limits. Nothing is locked or moved.

The report goes to the standard output in the form of --output: text, json, markdown,
junit, csv or github. --report writes a further one into a file, and may be repeated:
--report junit=report.xml --report markdown=report.md.

Exit code: 0 passed, 1 failed, 2 inconclusive or engine unavailable, 3 wrong usage, gate
or golden set, or an engine that refuses the credentials, is not trusted or is none.

Environment: ELASTICSEARCH_URL, ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD,
ELASTICSEARCH_API_KEY. The URL is taken from --url, else from the environment, else from
the gate.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			boundMemory(os.Getenv)
			return runEvaluate(cmd.Context(), o, os.Getenv, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addInputFlags(command)
	flags := command.Flags()
	flags.StringVarP(&o.output, "output", "o", string(report.FormatText), "form of the report: text, json, markdown, junit, csv or github")
	flags.StringArrayVar(&o.reports, "report", nil, "further report, as FORMAT=FILE; may be repeated; - is the standard output")
	return command
}

// addInputFlags adds the flags that name the gate, its golden set and its indices.
func (o *evaluateOptions) addInputFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&o.gate, "filename", "f", "", "file with the gate; - is the standard input")
	flags.StringArrayVar(&o.goldenSet, "golden-set", nil, "file with the golden set, or with a part of it: may be given several times")
	flags.StringVar(&o.url, "url", "", "address of the engine")
	flags.StringVar(&o.candidate, "candidate", "", "index under test (default: the gate's)")
	flags.StringVar(&o.live, "live", "", "index to compare with (default: the one that the gate's alias points at)")
	flags.StringVar(&o.ca, "ca-file", "", "file with the certificate authorities to trust, in PEM form")
	for _, name := range []string{"filename", "golden-set"} {
		_ = command.MarkFlagRequired(name) // The flag is defined above.
	}
}

// runEvaluate measures and writes the reports, also of an evaluation that does not
// come about.
func runEvaluate(ctx context.Context, o evaluateOptions, getenv func(string) string, in io.Reader, out, errOut io.Writer) error {
	result := report.Result{At: time.Now()}
	outputs, err := openOutputs(o.output, o.reports, append([]string{o.gate, o.ca}, o.goldenSet...), out, getenv)
	if err != nil {
		err = usageError(err)
	} else {
		err = evaluateGate(ctx, o, getenv, in, errOut, &result)
	}
	var exit *exitError
	if errors.As(err, &exit) {
		problem := exit.problem(result)
		if err := outputs.writeProblem(problem); err != nil {
			exit.message += "; " + err.Error()
		}
		return exit
	}
	if err := outputs.write(result); err != nil {
		return failureError(err)
	}
	return outcomeError(result.Outcome)
}

// evaluateGate reads the inputs, measures and decides. It fills the result as far as
// it comes; an error is an *exitError.
func evaluateGate(ctx context.Context, o evaluateOptions, getenv func(string) string, in io.Reader, errOut io.Writer, result *report.Result) error {
	file, err := readGateFile(o.gate, in)
	if err != nil {
		return gateError(err)
	}
	result.Gate, result.Place = file.gateName(), file.placeOf(o.gate)
	gate, err := file.readSpec()
	if err != nil {
		return gateError(err)
	}
	set, err := readGoldenFiles(o.goldenSet, in, gate.plan)
	if err != nil {
		return failureError(err)
	}
	writeNotes(errOut, set)
	result.QueryPlace = queryPlaceOf(set)
	client, err := newClient(o, getenv, gate.plan)
	if err != nil {
		return usageError(err)
	}
	defer client.Close()
	if err := chooseIndices(ctx, client, o, gate); err != nil {
		return err
	}
	if result.Report, err = evaluate.Run(ctx, client, set, gate.plan, progressOn(errOut)); err != nil {
		return failureError(err)
	}
	gate.limits.LiveOnly = gate.plan.Candidate == nil
	if result.Limits, err = evaluate.Limits(result.Report.Measurement, gate.limits); err != nil {
		return failureError(err)
	}
	result.Outcome = verdict.Decide(result.Report.Measurement, result.Limits)
	return nil
}

// queryPlaceOf tells where a file has a query; not so of the standard input.
func queryPlaceOf(set *golden.Set) func(int) report.Place {
	return func(query int) report.Place {
		place := set.QueryPlace(query)
		if place.File == stdinSource {
			return report.Place{}
		}
		return report.Place{File: place.File, Line: place.Line}
	}
}

// readGoldenFiles reads the golden set as the gate says.
func readGoldenFiles(names []string, in io.Reader, plan *evaluate.Plan) (*golden.Set, error) {
	files, err := readSources(names, in)
	if err != nil {
		return nil, evaluate.NewFailure(evaluate.ReasonInvalidGoldenSet, err)
	}
	plan.GoldenSource, plan.GoldenPlaces = strings.Join(names, ", "), true
	if plan.GoldenDigest, err = golden.DigestFiles(files); err != nil {
		return nil, evaluate.NewFailure(evaluate.ReasonInvalidGoldenSet, err)
	}
	return evaluate.ParseGoldenSet(plan, files)
}

func newClient(o evaluateOptions, getenv func(string) string, plan *evaluate.Plan) (*engine.Client, error) {
	if address := cmp.Or(o.url, getenv("ELASTICSEARCH_URL")); address != "" {
		plan.URL = address
	}
	if plan.URL == "" {
		return nil, errors.New("there is no address of an engine: the gate has no spec.engine.url; give --url or ELASTICSEARCH_URL")
	}
	config := engine.Config{
		URL:          plan.URL,
		Distribution: plan.Distribution,
		Username:     getenv("ELASTICSEARCH_USERNAME"),
		Password:     getenv("ELASTICSEARCH_PASSWORD"),
		APIKey:       getenv("ELASTICSEARCH_API_KEY"),
	}
	if o.ca != "" {
		var err error
		if config.CACert, err = os.ReadFile(o.ca); err != nil {
			return nil, err
		}
	}
	return engine.New(config)
}

// chooseIndices fills in what is measured. A candidate that is live already is
// measured as live alone, as in a cluster at rest: the live index is not
// refreshed, and there is nothing to compare it with.
func chooseIndices(ctx context.Context, client *engine.Client, o evaluateOptions, gate *spec) error {
	live := o.live
	if live == "" {
		var err error
		if live, err = liveIndex(ctx, client, gate.alias); err != nil {
			return err
		}
	}
	candidate := cmp.Or(o.candidate, gate.candidate)
	if candidate == "" {
		var err error
		if candidate, err = newestIndex(ctx, client, gate.pattern, live); err != nil {
			return err
		}
	}
	if live != "" {
		gate.plan.Live = &evaluate.Index{Name: live}
	}
	if candidate != live {
		gate.plan.Candidate = &evaluate.Index{Name: candidate}
	}
	return nil
}

// newestIndex is the one that the gate's pattern finds. Which indices were live
// before only a cluster's gate remembers.
func newestIndex(ctx context.Context, client *engine.Client, pattern, live string) (string, error) {
	index, err := alias.Newest(ctx, client, pattern, live, nil)
	if err != nil {
		return "", failureError(err)
	}
	if index == "" && live != "" {
		return "", gateError(fmt.Errorf("no index that matches spec.candidate.pattern %s was created after the live index %s; give --candidate", pattern, live))
	}
	if index == "" {
		return "", gateError(fmt.Errorf("no index matches spec.candidate.pattern %s; give --candidate", pattern))
	}
	return index, nil
}

// liveIndex is the index that the alias points at, or empty.
func liveIndex(ctx context.Context, client *engine.Client, name string) (string, error) {
	members, err := client.Alias(ctx, name)
	if errors.Is(err, engine.ErrAliasIsIndex) || errors.Is(err, engine.ErrAliasIsDataStream) {
		return "", &exitError{code: exitUsage, reason: reasonAliasNotPlain, message: fmt.Sprintf("the gate's alias %s: %v", name, err)}
	}
	if err != nil {
		return "", failureError(err)
	}
	if len(members) == 0 {
		return "", nil
	}
	names := make([]string, 0, len(members))
	for _, member := range members {
		names = append(names, member.Index)
	}
	problem := ""
	switch only := members[0]; {
	case len(members) > 1:
		problem = "points at several indices (" + strings.Join(names, ", ") + ")"
	case len(only.Filter) > 0:
		problem = "has a filter"
	case only.SearchRouting != "":
		problem = "has a search routing"
	default:
		return only.Index, nil
	}
	return "", &exitError{
		code:    exitUsage,
		reason:  reasonAliasNotPlain,
		message: fmt.Sprintf("the alias %s %s; name the index to compare with by --live", name, problem),
	}
}
