package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// stdinSource is what messages call an input that was piped in.
const stdinSource = "standard input"

// readSources reads the files of a golden set. A name of - is the standard
// input.
func readSources(names []string, in io.Reader) ([]golden.Source, error) {
	var files []golden.Source
	for _, name := range names {
		var raw []byte
		var err error
		if name == "-" {
			name = stdinSource
			raw, err = io.ReadAll(in)
		} else {
			raw, err = os.ReadFile(name)
		}
		if err == nil && len(bytes.TrimSpace(raw)) == 0 {
			err = fmt.Errorf("%s: the golden set is empty", name)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, golden.Source{Name: name, Raw: raw})
	}
	return files, nil
}

// goldenError is about a golden set.
func goldenError(err error) *exitError {
	return &exitError{code: exitUsage, reason: evaluate.ReasonInvalidGoldenSet, message: err.Error()}
}

// writeNotes says what was read otherwise than it was written.
func writeNotes(errOut io.Writer, set *golden.Set) {
	for _, note := range set.Notes {
		fmt.Fprintln(errOut, "Note:", note)
	}
}
