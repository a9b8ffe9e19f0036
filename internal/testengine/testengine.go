// Package testengine lets tests run against real search engines, and fake ones.
// Only tests and benchmarks import it.
//
// The engines come from the environment, such as
//
//	RELEVANCE_GATE_TEST_ENGINES="elasticsearch=http://127.0.0.1:9201 elasticsearch9= opensearch=http://127.0.0.1:9202"
//
// Without it such tests are skipped; with it an engine that does not answer is a
// failure. An engine without a URL is one for which the machine lacks the JDK: its
// tests are skipped, but fail in CI. hack/searchnode starts engines.
package testengine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// Env names the environment variable with the engines.
const Env = "RELEVANCE_GATE_TEST_ENGINES"

// Each runs a test once for every engine, in parallel. name is "elasticsearch",
// "elasticsearch9" or "opensearch".
func Each(t *testing.T, test func(t *testing.T, name, url string)) {
	t.Helper()
	EachInTurn(t, func(t *testing.T, name, url string) {
		t.Parallel()
		test(t, name, url)
	})
}

// EachInTurn is Each without its parallel runs, for tests that set the environment.
func EachInTurn(t *testing.T, test func(t *testing.T, name, url string)) {
	t.Helper()
	engines := strings.Fields(os.Getenv(Env))
	if len(engines) == 0 {
		t.Skipf("This test needs a real search engine: start one with hack/searchnode/searchnode and set %s=\"elasticsearch=URL elasticsearch9=URL opensearch=URL\".", Env)
	}
	for _, entry := range engines {
		name, url, ok := strings.Cut(entry, "=")
		if !ok {
			t.Fatalf("%s: %q is not NAME=URL.", Env, entry)
		}
		t.Run(name, func(t *testing.T) {
			if url == "" {
				LacksJDK(t, name)
			}
			Do(t, "GET", url+"/", "")
			test(t, name, strings.TrimSuffix(url, "/"))
		})
	}
}

// LacksJDK ends a test on an engine that the machine cannot run. CI has to be able
// to run all of them.
func LacksJDK(t *testing.T, name string) {
	t.Helper()
	sentence := name + " was not tested: the machine lacks the JDK that it runs on; hack/searchnode/searchnode --help names it."
	if os.Getenv("CI") == "true" {
		t.Fatal(sentence)
	}
	t.Skip(sentence)
}

// Name makes a unique name out of prefix and deletes what the test made under it,
// an index or an alias, when the test is over.
func Name(t *testing.T, url, prefix string) string {
	t.Helper()
	name := prefix + "-" + strings.ToLower(rand.Text()[:10])
	t.Cleanup(func() { Remove(t, url, name) })
	return name
}

// Index creates an index with a unique name that begins with prefix, and returns
// the name. It is deleted when the test is over, whatever blocks it has by then.
// An empty body makes one shard without replicas.
func Index(t *testing.T, url, prefix, body string) string {
	t.Helper()
	name := Name(t, url, prefix)
	Create(t, url, name, body)
	return name
}

// Create creates the index of that very name.
func Create(t *testing.T, url, name, body string) {
	t.Helper()
	if body == "" {
		body = `{"settings": {"number_of_shards": 1, "number_of_replicas": 0}}`
	}
	Do(t, "PUT", url+"/"+name, body)
}

// Put writes a document and makes it searchable.
func Put(t *testing.T, url, index, id, document string) {
	t.Helper()
	Do(t, "PUT", url+"/"+index+"/_doc/"+id+"?refresh=true", document)
}

// UUID is the index's UUID.
func UUID(t *testing.T, url, index string) string {
	t.Helper()
	return Setting(t, url, index, "index.uuid")
}

// Setting is one setting of an index by its full name, "" if it is not set.
func Setting(t *testing.T, url, index, key string) string {
	t.Helper()
	var answer map[string]struct {
		Settings map[string]any `json:"settings"`
	}
	Decode(t, Do(t, "GET", url+"/"+index+"/_settings?flat_settings=true", ""), &answer)
	value, ok := answer[index].Settings[key]
	if !ok {
		return ""
	}
	return fmt.Sprint(value)
}

// Do sends a request and returns the answer. Anything but a 2xx fails the test.
func Do(t *testing.T, method, url, body string) string {
	t.Helper()
	status, answer := Try(t, method, url, body)
	if status < 200 || status > 299 {
		t.Fatalf("%s %s answered %d: %s", method, url, status, answer)
	}
	return answer
}

// Try sends a request and returns status and answer, whatever they are.
func Try(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	status, answer, err := send(t, method, url, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return status, answer
}

// Decode decodes an answer.
func Decode(t *testing.T, answer string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(answer), into); err != nil {
		t.Fatalf("decoding %s: %v", answer, err)
	}
}

var client = &http.Client{Timeout: time.Minute}

func send(t *testing.T, method, url, body string) (int, string, error) {
	t.Helper()
	// The test's context has ended when the test cleans up.
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := clientFor(request).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	return response.StatusCode, string(answer), err
}

// Remove deletes an index, whatever blocks it has.
func Remove(t *testing.T, url, name string) {
	t.Helper()
	status, answer, err := send(t, "DELETE", url+"/"+name, "")
	if status == http.StatusForbidden {
		Try(t, "PUT", url+"/"+name+"/_settings", `{"index.blocks.read_only": null}`)
		status, answer, err = send(t, "DELETE", url+"/"+name, "")
	}
	// 404: the test made nothing. 400: the name is an alias, which goes with its
	// indices.
	if err != nil || status > 299 && status != http.StatusNotFound && status != http.StatusBadRequest {
		t.Errorf("cleaning up %s: %d %s %v", name, status, answer, err)
	}
}
