package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/relevance-gate/relevance-gate/golden"
)

// convertOptions are the flags of convert.
type convertOptions struct {
	from, to, output, index, grades string
}

func newConvertCommand() *cobra.Command {
	var o convertOptions
	command := &cobra.Command{
		Use:   "convert --to FORMAT FILE...",
		Short: "Write a golden set in another format and say what that could not carry",
		Long: `Reads a golden set from one or more files, each in any format, and writes it in another.
What the format cannot carry is said on standard error; what would make another golden
set of it, such as a grade cut to a whole number, is refused. Files that judge in words,
such as Exact or E, need --grades.

To: gate, article, short, quepid, quepid-csv, trec (topics and qrels in one), topics,
qrels, rank-eval, rre, csv, tsv, jsonl. From: auto, or gate, article, short, quepid, trec,
rankeval, rre, csv, jsonl. A FILE of - is the standard input.

Exit code: 0 written, 3 wrong usage, a golden set that is wrong or that the format cannot
hold.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConvert(o, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.to, "to", "", "format to write")
	flags.StringVar(&o.from, "from", string(golden.FormatAuto), "format of the files")
	flags.StringVarP(&o.output, "output", "o", "", "file to write (default: the standard output)")
	flags.StringVar(&o.index, "index", "", "index that rank-eval and rre name")
	flags.StringVar(&o.grades, "grades", "", "grades of words, such as Exact=2,Partial=1,Irrelevant=0, in files that judge in words")
	_ = command.MarkFlagRequired("to") // The flag is defined above.
	return command
}

// runConvert writes the golden set to the file that o names or else to out.
func runConvert(o convertOptions, names []string, in io.Reader, out, errOut io.Writer) error {
	to, err := golden.WriteFormat(o.to)
	if err != nil {
		return usageError(fmt.Errorf("--to: %w", err))
	}
	from, err := golden.ReadFormat(o.from)
	if err != nil {
		return usageError(fmt.Errorf("--from: %w", err))
	}
	var grades map[string]float64
	if o.grades != "" {
		if grades, err = golden.ReadGrades(o.grades); err != nil {
			return usageError(fmt.Errorf("--grades: %w", err))
		}
	}
	files, err := readSources(names, in)
	if err != nil {
		return goldenError(err)
	}
	set, err := golden.ParseFiles(files, golden.Options{Format: from, Grades: grades, TextOptional: true})
	if err != nil {
		return goldenError(err)
	}
	writeNotes(errOut, set)
	var file bytes.Buffer
	if o.output != "" {
		out = &file
	}
	lost, err := set.Write(out, to, golden.WriteOptions{Index: o.index})
	if err == nil && o.output != "" {
		err = os.WriteFile(o.output, file.Bytes(), 0o644)
	}
	if err != nil {
		return goldenError(err)
	}
	for _, loss := range lost {
		fmt.Fprintln(errOut, "Lost:", loss)
	}
	fmt.Fprintf(errOut, "%d queries, %d judgments; what was read is %s\n", len(set.Queries), set.JudgmentCount(), set.Digest())
	return nil
}
