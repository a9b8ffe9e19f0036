package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/relevance-gate/relevance-gate/golden"
)

// readSources reads the files of a golden set.
func readSources(names []string) ([]golden.Source, error) {
	var files []golden.Source
	for _, name := range names {
		raw, err := os.ReadFile(name)
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

// writeNotes says what was read otherwise than it was written.
func writeNotes(errOut io.Writer, set *golden.Set) {
	for _, note := range set.Notes {
		fmt.Fprintln(errOut, "Note:", note)
	}
}
