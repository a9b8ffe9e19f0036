package cli

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/report"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// reportFlags asks for a report of every format, each in its own file of dir.
func reportFlags(dir string) (args []string) {
	for _, format := range []string{"text", "json", "markdown", "junit", "csv", "github"} {
		args = append(args, "--report", format+"="+filepath.Join(dir, format))
	}
	return args
}

func TestEveryReportIsWritten(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		good := loadShoes(t, url, "shoes", "green shoes and more of it", "socks")
		bad := loadShoes(t, url, "green shoes and more of it", "shoes", "bananas")
		gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: ndcg@10, min: "0.5", maxDrop: "0.1"}`))
		dir := t.TempDir()
		args := append([]string{"evaluate", "-f", gate, "--golden-set", goldenFile(t, shoesGolden), "--url", url, "--candidate", bad, "--live", good}, reportFlags(dir)...)
		result := runCLI(t, args...)
		if result.code != 1 || !strings.HasSuffix(result.out, "\n") || result.out != readFile(t, filepath.Join(dir, "text")) {
			t.Errorf("got %+v", result)
		}
		for format, want := range map[string]string{
			"json":     `"verdict":"Failed"`,
			"markdown": "### ❌ Relevance gate `no-such-alias`: Failed\n",
			"junit":    `name="ndcg@10 maxDrop" time="0">` + "\n      <failure",
			"csv":      "q1,shoes,,1,,",
			"github":   "::error file=" + gate + ",line=9,title=relevance gate no-such-alias%3A Failed%2C ndcg@10 min::ndcg@10 0.315465 is below its min",
		} {
			if got := readFile(t, filepath.Join(dir, format)); !strings.Contains(got, want) {
				t.Errorf("%s: there is no %s in\n%s", format, want, got)
			}
		}
		for _, format := range []string{"json", "markdown", "junit", "csv", "github"} {
			if out := runCLI(t, append(args[:len(args):len(args)], "-o", format)...).out; format != "junit" && out != readFile(t, filepath.Join(dir, format)) {
				t.Errorf("-o %s prints\n%s\nand not the file", format, out)
			}
		}
	})
}

// A place that cannot be written to, or a report that is not known, is told before
// anything is measured.
func TestWrongReports(t *testing.T) {
	gate := writeFile(t, "gate.yaml", goodGate)
	dir := t.TempDir()
	for name, test := range map[string]struct {
		reports []string
		want    string
	}{
		"no file":         {[]string{"junit"}, `--report is "junit"; it must be FORMAT=FILE`},
		"an empty file":   {[]string{"junit="}, "it must be FORMAT=FILE"},
		"no such format":  {[]string{"xml=" + filepath.Join(dir, "a")}, `"xml" is no form of report`},
		"no such folder":  {[]string{"junit=" + filepath.Join(dir, "no", "a")}, "no such file or directory"},
		"one file, twice": {[]string{"junit=" + filepath.Join(dir, "a"), "csv=" + filepath.Join(dir, ".", "a")}, "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"-f", gate, "--golden-set", goldenFile(t, goodGolden), "--url", "http://127.0.0.1:1"}
			for _, one := range test.reports {
				args = append(args, "--report", one)
			}
			doc, result := runJSON(t, args...)
			if result.code != 3 || doc.Reason != "Usage" || !strings.Contains(doc.Message, test.want) {
				t.Errorf("got code %d, %+v", result.code, doc)
			}
		})
	}
}

// A report of an earlier run must not be taken for that of a run that failed.
func TestAProblemIsReportedToo(t *testing.T) {
	for name, test := range map[string]struct {
		gate, golden string
		code         int
		message      string
	}{
		"an engine that is not there": {goodGate, goodGolden, 2, "127.0.0.1:1"},
		"a wrong golden set":          {goodGate, "{}", 3, "golden.json"},
		"a wrong gate":                {strings.Replace(goodGate, "alias:", "alais:", 1), goodGolden, 3, "alais"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, format := range []string{"junit", "markdown", "github", "csv", "json", "text"} {
				if err := os.WriteFile(filepath.Join(dir, format), []byte("Passed"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"evaluate", "-f", writeFile(t, "gate.yaml", test.gate), "--golden-set", goldenFile(t, test.golden), "--url", "http://127.0.0.1:1"}, reportFlags(dir)...)
			result := runCLI(t, args...)
			if result.code != test.code || result.out != "" || !strings.Contains(result.errOut, test.message) {
				t.Errorf("got %+v", result)
			}
			for _, format := range []string{"junit", "markdown", "github", "json"} {
				if got := readFile(t, filepath.Join(dir, format)); !strings.Contains(got, test.message) || strings.Contains(got, "Passed") {
					t.Errorf("%s: got\n%s", format, got)
				}
			}
			for _, format := range []string{"csv", "text"} {
				if got := readFile(t, filepath.Join(dir, format)); got != "" {
					t.Errorf("%s: got\n%s", format, got)
				}
			}
			var suites struct {
				Suite struct {
					Errors int `xml:"errors,attr"`
				} `xml:"testsuite"`
			}
			if err := xml.Unmarshal([]byte(readFile(t, filepath.Join(dir, "junit"))), &suites); err != nil || suites.Suite.Errors != 1 {
				t.Errorf("JUnit has %d errors, %v", suites.Suite.Errors, err)
			}
		})
	}
}

func TestUsageIsReportedInTheFormThatIsAskedFor(t *testing.T) {
	for format, want := range map[string]string{
		"junit":    `<error type="Usage" message="unknown flag: --gate`,
		"github":   "::error title=relevance gate%3A not evaluated::unknown flag: --gate",
		"markdown": "### ❌ Relevance gate: not evaluated\n\nUsage: unknown flag: --gate",
		"csv":      "",
		"text":     "",
	} {
		result := runCLI(t, "evaluate", "-o", format, "--gate", "x")
		if result.code != 3 || !strings.Contains(result.out, want) || want == "" && result.out != "" {
			t.Errorf("%s: got %+v", format, result)
		}
	}
}

func TestOnlyATerminalHasAStyle(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for name, out := range map[string]interface{ Write([]byte) (int, error) }{"a file": file, "a buffer": &strings.Builder{}} {
		if got := styleOf(out, func(string) string { return "" }); got != (report.Style{}) {
			t.Errorf("%s has the style %+v", name, got)
		}
	}
}

func TestAReportNeverOverwritesWhatIsRead(t *testing.T) {
	gate, golden := writeFile(t, "gate.yaml", goodGate), writeFile(t, "golden.json", shoesGolden)
	for _, input := range []string{gate, golden} {
		before := readFile(t, input)
		result := runCLI(t, "evaluate", "-f", gate, "--golden-set", golden, "--report", "json="+input)
		if result.code != 3 || !strings.Contains(result.errOut, "which is read; name another one") || readFile(t, input) != before {
			t.Errorf("got %+v, and the file is %q", result, readFile(t, input))
		}
	}
}
