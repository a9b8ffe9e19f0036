package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// asCommand makes the test's own binary the command line; see TestMain.
const asCommand = "RELEVANCE_GATE_TEST_AS_COMMAND"

// The jobs of docs/ci.md, as far as their steps are run here.
type (
	workflow struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []step
		}
	}
	step struct {
		Name, Uses, Run, If string
		Env                 map[string]string
	}
	pipeline map[string]struct {
		Variables   map[string]string
		Script      []string
		AfterScript []string `yaml:"after_script"`
		Artifacts   struct {
			Paths   []string
			Reports map[string]string
		}
	}
)

// documentedYAML is the block of docs/ci.md under that heading.
func documentedYAML(t *testing.T, heading string, into any) {
	t.Helper()
	_, section, found := strings.Cut(readFile(t, "../../docs/ci.md"), "## "+heading+"\n")
	_, block, begins := strings.Cut(section, "```yaml\n")
	block, _, ends := strings.Cut(block, "```\n")
	if !found || !begins || !ends {
		t.Fatalf("docs/ci.md has no YAML under %s", heading)
	}
	if err := yaml.Unmarshal([]byte(block), into); err != nil {
		t.Fatal(err)
	}
}

// job is a machine on which the steps run: a checkout with gate and golden set, and
// an index that an earlier job has built.
type job struct {
	t         *testing.T
	dir       string
	number    string // of the pull request
	variables map[string]string
}

// newJob is of a pull request that builds its index with the right analyzer, or with
// the one of another language.
func newJob(t *testing.T, url string, good bool) *job {
	t.Helper()
	number, err := rand.Int(rand.Reader, big.NewInt(1_000_000_000))
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, dir: t.TempDir(), number: number.String()}
	mapping := "mapping-es-bad.json"
	if good {
		mapping = "mapping-es.json"
	}
	candidate := "products-pr-" + j.number
	t.Cleanup(func() { testengine.Remove(t, url, candidate) })
	testengine.Create(t, url, candidate, readFile(t, "../../golden/shop/"+mapping))
	live := testengine.Index(t, url, "products", readFile(t, "../../golden/shop/mapping-es.json"))
	for _, index := range []string{candidate, live} {
		loadProducts(t, url, index)
	}
	alias := testengine.Name(t, url, "products-es")
	testengine.Do(t, "PUT", url+"/"+live+"/_alias/"+alias, "")

	gate := strings.Replace(readFile(t, "../../hack/demo/gates/products-es.yaml"), "alias: products-es ", "alias: "+alias+" ", 1)
	j.put("search/gate.yaml", gate)
	j.put("search/golden.json", readFile(t, "../../golden/shop/golden-es.json"))
	j.command("relevance-gate", fmt.Sprintf("%s=1 exec %q \"$@\"", asCommand, testBinary(t)))
	// Both the module proxy and GitHub are elsewhere: these say whether they are
	// called rightly.
	j.command("go", `[ "$*" = "install github.com/relevance-gate/relevance-gate@latest" ]`)
	j.command("gh", `[ "$*" = "pr comment $NUMBER --body-file relevance.md --edit-last --create-if-none" ] && [ -n "$GH_TOKEN" ] && cp relevance.md comment.md`)
	j.variables = map[string]string{
		"PATH": filepath.Join(j.dir, "bin") + ":" + os.Getenv("PATH"), "HOME": j.dir, "ELASTICSEARCH_URL": url,
	}
	return j
}

// loadProducts fills an index with the Spanish products of the sample shop.
func loadProducts(t *testing.T, url, index string) {
	t.Helper()
	var products []struct {
		ExternalID string `json:"externalId"`
		Brand      string
		ES         struct {
			Name, Description string
			Attributes        [][2]string
		}
	}
	testengine.Decode(t, readFile(t, "../../golden/shop/products.json"), &products)
	var lines strings.Builder
	for _, product := range products {
		var attributes []string
		for _, pair := range product.ES.Attributes {
			attributes = append(attributes, pair[0]+" "+pair[1])
		}
		raw, err := json.Marshal(map[string]any{
			"externalId": product.ExternalID, "brand": product.Brand, "name": product.ES.Name,
			"description": product.ES.Description, "attributesText": strings.Join(attributes, " "),
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "{\"index\": {}}\n%s\n", raw)
	}
	if answer := testengine.Do(t, "POST", url+"/"+index+"/_bulk?refresh=true", lines.String()); !strings.Contains(answer, `"errors":false`) {
		t.Fatal(answer)
	}
}

func testBinary(t *testing.T) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func (j *job) put(name, text string) {
	j.t.Helper()
	path := filepath.Join(j.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
		j.t.Fatal(err)
	}
}

func (j *job) command(name, script string) { j.put("bin/"+name, "#!/bin/sh\n"+script+"\n") }

func (j *job) read(name string) string {
	j.t.Helper()
	return readFile(j.t, filepath.Join(j.dir, name))
}

// run runs a script as both services do: with bash, until a line fails.
func (j *job) run(script string, variables ...map[string]string) (output string, code int) {
	j.t.Helper()
	command := exec.CommandContext(j.t.Context(), "bash", "-eo", "pipefail", "-c", script)
	command.Dir = j.dir
	for _, some := range append([]map[string]string{j.variables}, variables...) {
		for name, value := range some {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		j.t.Fatal(err)
	}
	return out.String(), command.ProcessState.ExitCode()
}

// expressions are what the documented workflow asks GitHub for.
func (j *job) expand(text string) string {
	values := map[string]string{
		"vars.ELASTICSEARCH_URL":           j.variables["ELASTICSEARCH_URL"],
		"secrets.ELASTICSEARCH_API_KEY":    "",
		"github.event.pull_request.number": j.number,
		"github.token":                     "a-token",
	}
	return regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`).ReplaceAllStringFunc(text, func(expression string) string {
		value, known := values[strings.Trim(expression, "${} ")]
		if !known {
			j.t.Errorf("the test does not know %s", expression)
		}
		return value
	})
}

func (j *job) expandAll(variables map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range variables {
		all[name] = j.expand(value)
	}
	return all
}

// runWorkflow runs the steps in order; after one that failed only those that always
// run.
func (j *job) runWorkflow(w workflow) (output string, code int) {
	j.t.Helper()
	j.put("summary.md", "before\n")
	for _, one := range w.Jobs {
		environment := j.expandAll(one.Env)
		for _, step := range one.Steps {
			if step.Run == "" || code != 0 && step.If != "always()" {
				continue
			}
			said, failed := j.run(j.expand(step.Run), environment, map[string]string{"GITHUB_STEP_SUMMARY": "summary.md"}, j.expandAll(step.Env))
			output += said
			if failed != 0 && code == 0 {
				code = failed
			}
			if failed != 0 && step.If == "always()" {
				j.t.Errorf("step %s failed: %s", step.Name, said)
			}
		}
	}
	return output, code
}

func TestTheDocumentedWorkflowOfGitHub(t *testing.T) {
	var w workflow
	documentedYAML(t, "GitHub Actions", &w)
	testengine.Each(t, func(t *testing.T, _, url string) {
		for _, test := range []struct {
			good    bool
			code    int
			verdict string
			line    string
		}{
			{true, 0, "✅", "::notice file=search/gate.yaml,line="},
			{false, 1, "❌", "::error file=search/gate.yaml,line=34,title=relevance gate products-es%3A Failed%2C ndcg@10 min::ndcg@10 "},
		} {
			j := newJob(t, url, test.good)
			output, code := j.runWorkflow(w)
			if code != test.code || !strings.Contains(output, test.line) || !strings.Contains(output, "METRIC ") {
				t.Errorf("got exit code %d:\n%s", code, output)
			}
			comment := j.read("comment.md")
			if !strings.HasPrefix(comment, "### "+test.verdict+" Relevance gate `products-es`") || j.read("summary.md") != "before\n"+comment {
				t.Errorf("the comment is\n%s\nthe summary\n%s", comment, j.read("summary.md"))
			}
			for _, name := range []string{"relevance.xml", "relevance.json"} {
				if len(j.read(name)) == 0 {
					t.Errorf("%s is empty", name)
				}
			}
		}
	})
}

func TestTheDocumentedJobOfGitLab(t *testing.T) {
	var p pipeline
	documentedYAML(t, "GitLab", &p)
	documented := p["relevance"]
	testengine.Each(t, func(t *testing.T, _, engine string) {
		for good, want := range map[bool]int{true: 0, false: 1} {
			j := newJob(t, engine, good)
			comments := make(chan string, 1)
			api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
				raw, err := io.ReadAll(request.Body)
				form, parseErr := url.ParseQuery(string(raw))
				if err != nil || parseErr != nil || request.Header.Get("PRIVATE-TOKEN") != "a-token" {
					t.Errorf("the API was called with %v, %v, %v", request.Header, err, parseErr)
				}
				comments <- request.URL.Path + "\n" + form.Get("body")
			}))
			defer api.Close()
			given := map[string]string{
				"CI_MERGE_REQUEST_IID": j.number, "CI_API_V4_URL": api.URL + "/api/v4", "CI_PROJECT_ID": "7", "COMMENT_TOKEN": "a-token",
			}
			variables := map[string]string{}
			for name, value := range documented.Variables {
				variables[name] = os.Expand(value, func(name string) string { return given[name] })
			}
			output, code := j.run(strings.Join(documented.Script, "\n"), given, variables)
			if code != want {
				t.Errorf("got exit code %d:\n%s", code, output)
			}
			if said, failed := j.run(strings.Join(documented.AfterScript, "\n"), given, variables); failed != 0 {
				t.Fatalf("after_script failed: %s", said)
			}
			if got, want := <-comments, "/api/v4/projects/7/merge_requests/"+j.number+"/notes\n"+j.read("relevance.md"); got != want {
				t.Errorf("the comment is\n%s\nwant\n%s", got, want)
			}
			for _, name := range append(documented.Artifacts.Paths, documented.Artifacts.Reports["junit"]) {
				if len(j.read(name)) == 0 {
					t.Errorf("%s is empty", name)
				}
			}
		}
	})
}
