package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/relevance-gate/relevance-gate/internal/report"
)

// outputs are the reports that a command line asks for.
type outputs []output

// output is one of them.
type output struct {
	format report.Format
	out    io.Writer
	style  report.Style
	name   string // of the file; empty for the standard output
}

// stdout is the name of a file that stands for the standard output.
const stdout = "-"

// openOutputs makes the files, so that a place which cannot be written to is known
// before anything is measured, and so that no report of an earlier run is taken for
// that of one which is cut short. None of the inputs is overwritten. It returns what
// it has opened even with an error.
func openOutputs(format string, files, inputs []string, out io.Writer, getenv func(string) string) (outputs, error) {
	first, err := report.ParseFormat(format)
	if err != nil {
		return nil, fmt.Errorf("--output: %w", err)
	}
	all := outputs{{format: first, out: out, style: styleOf(out, getenv)}}
	seen := map[string]bool{}
	for _, text := range files {
		name, path, found := strings.Cut(text, "=")
		if !found || path == "" {
			return all, fmt.Errorf("--report is %q; it must be FORMAT=FILE, such as junit=report.xml", text)
		}
		format, err := report.ParseFormat(name)
		if err != nil {
			return all, fmt.Errorf("--report: %w", err)
		}
		if path == stdout {
			all = append(all, output{format: format, out: out, style: all[0].style})
			continue
		}
		if path = filepath.Clean(path); seen[path] {
			return all, fmt.Errorf("--report names the file %s twice", path)
		}
		seen[path] = true
		if isOneOf(path, inputs) {
			return all, fmt.Errorf("--report names the file %s, which is read; name another one", path)
		}
		file, err := os.Create(path)
		if err != nil {
			return all, fmt.Errorf("--report: %w", err)
		}
		all = append(all, output{format: format, out: file, name: path})
	}
	return all, nil
}

// isOneOf tells whether the file is there and is one of the others.
func isOneOf(path string, others []string) bool {
	file, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(others, func(other string) bool {
		info, err := os.Stat(other)
		return err == nil && os.SameFile(file, info)
	})
}

// write writes all reports.
func (o outputs) write(r report.Result) error {
	return o.each(func(one output) error { return report.Write(one.out, one.format, r, one.style) })
}

// writeProblem writes all reports of an evaluation that did not come about.
func (o outputs) writeProblem(p report.Problem) error {
	return o.each(func(one output) error { return report.WriteProblem(one.out, one.format, p) })
}

// each writes every report, also when one of them cannot be written, and closes the
// files.
func (o outputs) each(write func(output) error) error {
	var problems []error
	for _, one := range o {
		err := write(one)
		if file, ok := one.out.(*os.File); ok && one.name != "" {
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("writing the %s report: %w", one.format, err))
		}
	}
	return errors.Join(problems...)
}

// styleOf is the terminal's, or that of a file. NO_COLOR is what no-color.org asks
// programs to respect.
func styleOf(out io.Writer, getenv func(string) string) report.Style {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return report.Style{}
	}
	style := report.Style{Colour: getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		style.Width = width
	}
	return style
}
