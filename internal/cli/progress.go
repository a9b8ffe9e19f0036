package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

const (
	// barPause and linePause are how often progress is shown at most.
	barPause  = 100 * time.Millisecond
	linePause = 2 * time.Second
	barWidth  = 30
)

// progressOn shows progress as a bar on a terminal and as plain lines
// elsewhere. The first and the last step are always shown.
func progressOn(out io.Writer) evaluate.Progress {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return atMostEvery(barPause, func(done, total int, what string) { writeBar(out, done, total, what) })
	}
	return atMostEvery(linePause, func(done, total int, what string) {
		fmt.Fprintf(out, "%s: %d of %d searches\n", what, done, total)
	})
}

func atMostEvery(pause time.Duration, show evaluate.Progress) evaluate.Progress {
	var last time.Time
	return func(done, total int, what string) {
		if now := time.Now(); done == total || now.Sub(last) >= pause {
			last = now
			show(done, total, what)
		}
	}
}

// writeBar draws over the line that is there, and leaves the cursor on a clean
// line when all is done.
func writeBar(out io.Writer, done, total int, what string) {
	full := barWidth * done / total
	fmt.Fprintf(out, "\r\x1b[K[%s%s] %d/%d %s",
		strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), done, total, what)
	if done == total {
		fmt.Fprint(out, "\r\x1b[K")
	}
}
