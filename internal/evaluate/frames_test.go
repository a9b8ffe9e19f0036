package evaluate

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// framed is a report that takes several frames, and its lines.
func framed(t *testing.T) (report []byte, lines []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		report = append(report, byte(random.IntN(256)))
	}
	var log bytes.Buffer
	if err := WriteFrames(&log, report, testKey); err != nil {
		t.Fatal(err)
	}
	lines = strings.SplitAfter(strings.TrimSuffix(log.String(), "\n"), "\n")
	if len(lines) < 5 {
		t.Fatalf("only %d lines", len(lines))
	}
	return report, lines
}

func readFrames(log string) ([]byte, error) {
	return io.ReadAll(NewFrameReader(strings.NewReader(log), testKey))
}

func TestFramesAreFoundInAPollutedLog(t *testing.T) {
	report, lines := framed(t)
	var log strings.Builder
	other := bytes.Buffer{}
	if err := WriteFrames(&other, []byte("of another evaluation"), "another key"); err != nil {
		t.Fatal(err)
	}
	log.WriteString("[sidecar] ready\n" + other.String())
	for i, line := range lines {
		fmt.Fprintf(&log, "foreign line %d\n%s\n", i, strings.Repeat("x", 200_000))
		log.WriteString(strings.ReplaceAll(line, "\n", "\r\n"))
	}
	log.WriteString("\nrelevance-gate-report/2 something newer\n")
	got, err := readFrames(log.String())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, report) {
		t.Error("the report changed on its way")
	}
}

func TestAnEmptyReportArrives(t *testing.T) {
	var log bytes.Buffer
	if err := WriteFrames(&log, nil, testKey); err != nil {
		t.Fatal(err)
	}
	if got, err := readFrames(log.String()); err != nil || len(got) != 0 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDamagedFramesAreRefused(t *testing.T) {
	_, lines := framed(t)
	last := len(lines) - 1
	for name, test := range map[string]struct {
		damage func([]string) []string
		want   string
	}{
		"the first line missing": {func(l []string) []string { return l[1:] }, "frame 1 of the report is missing"},
		"a line missing":         {func(l []string) []string { return slices.Delete(l, 2, 3) }, "frame 3 of the report is missing"},
		"the last line missing":  {func(l []string) []string { return l[:last] }, "is missing"},
		"two lines swapped":      {func(l []string) []string { l[1], l[2] = l[2], l[1]; return l }, "frame 2 of the report is missing"},
		"a line twice":           {func(l []string) []string { return slices.Insert(l, 2, l[2]) }, "frame 4 of the report is missing"},
		"a payload byte changed": {func(l []string) []string {
			l[2] = l[2][:100] + string(l[2][100]^1) + l[2][101:]
			return l
		}, "frame 3 of the report was changed"},
		"a line cut":           {func(l []string) []string { l[2] = l[2][:100] + "\n"; return l }, "frame 3 of the report was changed"},
		"a line split":         {func(l []string) []string { l[2] = l[2][:100] + "\n" + l[2][100:]; return l }, "frame 3 of the report was changed"},
		"a word inside a line": {func(l []string) []string { l[2] = l[2][:100] + "WARN" + l[2][100:]; return l }, "frame 3 of the report was changed"},
		"the checksum of the whole changed": {func(l []string) []string {
			l[last] = l[last][:len(l[last])-2] + "zz"
			return l
		}, "checksum"},
		"nothing at all": {func([]string) []string { return nil }, "frame 1 is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			log := strings.Join(test.damage(slices.Clone(lines)), "")
			_, err := readFrames(log)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestEveryPrefixOfTheFramesIsRefused(t *testing.T) {
	_, lines := framed(t)
	log := strings.Join(lines, "")
	for end := 0; end < len(log); end += 97 {
		if _, err := readFrames(log[:end]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", end, len(log))
		}
	}
	if _, err := readFrames(log[:len(log)-1]); err == nil {
		t.Error("a last frame that is cut is accepted")
	}
}
