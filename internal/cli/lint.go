package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/golden/lint"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// lintOptions are the flags of lint.
type lintOptions struct {
	gate, from, format     string
	baseline, ignore       []string
	maxGrade, k            int
	relevantFrom           float64
	url, ca, index, idName string
}

// lintFormats are what lint can print.
var lintFormats = map[string]func(io.Writer, *golden.Set, []lint.Finding) error{
	"text":   lint.Text,
	"json":   lint.JSON,
	"sarif":  func(out io.Writer, _ *golden.Set, findings []lint.Finding) error { return lint.SARIF(out, findings) },
	"github": func(out io.Writer, _ *golden.Set, findings []lint.Finding) error { return lint.GitHub(out, findings) },
}

func newLintCommand() *cobra.Command {
	var o lintOptions
	command := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Find what makes a golden set measure badly",
		Long: `Reads a golden set from one or more files, each in any format, and reports what makes it
measure badly: judgments that contradict each other, queries that cannot be scored, weights
that let one query decide. With --url it also looks the judged documents up in an index.

From the gate of -f it takes the scale, the thresholds and depths of the metrics, the id
field, and with --url the index (its candidate, else what its alias points at).

Silence a rule by --ignore RULE, or for one query by --ignore RULE:QUERY. A FILE of - is
the standard input.

Exit code: 0 nothing found, 1 findings, 2 engine unavailable, 3 wrong usage, a file that
cannot be read as a golden set, or an engine that refuses to talk.

Environment: ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD, ELASTICSEARCH_API_KEY.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLint(cmd.Context(), o, args, os.Getenv, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringVarP(&o.gate, "filename", "f", "", "file with the gate that the golden set is for")
	flags.StringVar(&o.from, "from", string(golden.FormatAuto), "format of the files")
	flags.StringVar(&o.format, "format", "text", "what to print: text, json, sarif or github")
	flags.StringArrayVar(&o.ignore, "ignore", nil, "RULE or RULE:QUERY to say nothing about; may be given several times")
	flags.StringArrayVar(&o.baseline, "baseline", nil, "file of an earlier version of the golden set, whose judgments must still be there; may be given several times")
	flags.IntVar(&o.maxGrade, "max-grade", 0, "highest grade of the scale (default: the gate's, else 30)")
	flags.Float64Var(&o.relevantFrom, "relevant-from", 0, "grade from which on a document is relevant (default: the gate's highest, else 1)")
	flags.IntVar(&o.k, "k", 0, "how many documents the deepest metric looks at (default: the gate's)")
	flags.StringVar(&o.url, "url", "", "address of an engine to look the judged documents up in")
	flags.StringVar(&o.index, "index", "", "index, or alias, to look them up in (default: the gate's)")
	flags.StringVar(&o.idName, "id-field", "", "field that the judgments name (default: the gate's, else _id)")
	flags.StringVar(&o.ca, "ca-file", "", "file with the certificate authorities to trust, in PEM form")
	return command
}

// runLint writes the findings to out; having some is an error.
func runLint(ctx context.Context, o lintOptions, names []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) error {
	write, known := lintFormats[o.format]
	if !known {
		return usageError(fmt.Errorf("--format is %q; it must be text, json, sarif or github", o.format))
	}
	against, err := o.ignored()
	if err != nil {
		return usageError(err)
	}
	gate, err := o.readGate(in)
	if err != nil {
		return gateError(err)
	}
	read, err := o.chooseDemands(gate, &against)
	if err != nil {
		return usageError(err)
	}
	if len(o.baseline) > 0 {
		if against.Baseline, _, err = readLinted(o.baseline, in, read); err != nil {
			return goldenError(err)
		}
	}
	set, problems, err := readLinted(names, in, read)
	if err != nil {
		return goldenError(err)
	}
	if err := o.lookUp(ctx, gate, set, getenv, &against); err != nil {
		return err
	}
	writeNotes(errOut, set)
	findings := lint.Run(set, problems, against)
	if err := write(out, set, findings); err != nil {
		return failureError(err)
	}
	if len(findings) > 0 {
		return &exitError{code: exitFailed, message: fmt.Sprintf("%d findings", len(findings)), reported: true}
	}
	return nil
}

// ignored reads --ignore.
func (o *lintOptions) ignored() (lint.Options, error) {
	var against lint.Options
	for _, text := range o.ignore {
		ignored, err := lint.ParseIgnored(text)
		if err != nil {
			return against, fmt.Errorf("--ignore: %w", err)
		}
		against.Ignored = append(against.Ignored, ignored)
	}
	return against, nil
}

// readGate reads the gate, if one is named.
func (o *lintOptions) readGate(in io.Reader) (*spec, error) {
	if o.gate == "" {
		return nil, nil
	}
	file, err := readGateFile(o.gate, in)
	if err != nil {
		return nil, err
	}
	return file.readSpec()
}

// depthMetrics are the metrics whose value rests on what is not relevant among the first k: the judgments must go as
// deep.
var depthMetrics = []string{"ndcg@", "dcg@", "precision@", "f1@", "err@"}

// chooseDemands fills in what the set is held against: the flags, else the gate.
func (o *lintOptions) chooseDemands(gate *spec, against *lint.Options) (golden.Options, error) {
	read := golden.Options{MaxGrade: o.maxGrade, Places: true}
	against.RelevantFrom, against.K = o.relevantFrom, o.k
	if gate != nil {
		read.MaxGrade = cmp.Or(o.maxGrade, gate.plan.MaxGrade)
		read.Format = golden.Format(gate.plan.GoldenFormat)
		for _, metric := range gate.plan.Metrics {
			if o.relevantFrom == 0 {
				against.RelevantFrom = max(against.RelevantFrom, metric.RelevantFrom)
			}
			isDeep := func(name string) bool { return strings.HasPrefix(metric.Name, name) }
			if o.k == 0 && slices.ContainsFunc(depthMetrics, isDeep) {
				against.K = max(against.K, metric.K)
			}
		}
	}
	switch {
	case o.maxGrade < 0 || o.maxGrade > 30:
		return read, fmt.Errorf("--max-grade is %d; it must be from 1 to 30", o.maxGrade)
	case o.k < 0:
		return read, fmt.Errorf("--k is %d; it must be 1 or more", o.k)
	case o.relevantFrom < 0:
		return read, fmt.Errorf("--relevant-from is %v; it must be above 0", o.relevantFrom)
	}
	if gate != nil && strings.EqualFold(o.from, string(golden.FormatAuto)) {
		return read, nil
	}
	var err error
	if read.Format, err = golden.ReadFormat(o.from); err != nil {
		err = fmt.Errorf("--from: %w", err)
	}
	return read, err
}

// readLinted reads a golden set with all that is wrong with its content.
func readLinted(names []string, in io.Reader, read golden.Options) (*golden.Set, []golden.Problem, error) {
	files, err := readSources(names, in)
	if err != nil {
		return nil, nil, err
	}
	var problems []golden.Problem
	read.Problems = func(p golden.Problem) { problems = append(problems, p) }
	set, err := golden.ParseFiles(files, read)
	return set, problems, err
}

// lookUp finds out which of the judged documents the index does not have, if it is asked to.
func (o *lintOptions) lookUp(ctx context.Context, gate *spec, set *golden.Set, getenv func(string) string, against *lint.Options) error {
	if o.url == "" {
		if o.index != "" || o.idName != "" {
			return usageError(errors.New("--index and --id-field say where to look documents up; give --url too"))
		}
		return nil
	}
	plan := &evaluate.Plan{}
	name, idField := o.index, o.idName
	if gate != nil {
		plan = gate.plan
		name = cmp.Or(o.index, gate.candidate, gate.alias)
		idField = cmp.Or(o.idName, gate.plan.Search.IDField)
	}
	if name == "" {
		return usageError(errors.New("--url is given, but no index to look in; give --index, or a gate by -f"))
	}
	client, err := newClient(evaluateOptions{url: o.url, ca: o.ca}, getenv, plan)
	if err != nil {
		return usageError(err)
	}
	defer client.Close()
	indices, err := indicesOf(ctx, client, name)
	if err != nil {
		return failureError(err)
	}
	if indices == nil {
		return usageError(fmt.Errorf("the engine has neither an index nor an alias called %s; name another by --index", name))
	}
	missing := slices.Sorted(maps.Keys(set.JudgedIDs(0)))
	for _, index := range indices {
		lookup := evaluate.Lookup{Index: index, IDField: idField, Preference: plan.Preference, MaxConcurrent: plan.MaxConcurrentSearches}
		if missing, err = lookup.Missing(ctx, client, missing); err != nil {
			return failureError(err)
		}
	}
	against.Index, against.Missing = name, map[string]bool{}
	for _, id := range missing {
		against.Missing[id] = true
	}
	return nil
}

// indicesOf are the indices that a name of an index or an alias stands for; nil when there are none.
func indicesOf(ctx context.Context, client *engine.Client, name string) ([]string, error) {
	members, err := client.Alias(ctx, name)
	if errors.Is(err, engine.ErrAliasIsIndex) {
		return []string{name}, nil
	}
	var indices []string
	for _, member := range members {
		indices = append(indices, member.Index)
	}
	return indices, err
}
