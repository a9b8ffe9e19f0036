package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// keyGate sets everything that goes into the key.
const keyGate = `apiVersion: relevancegate.dev/v1alpha1
kind: RelevanceGate
metadata: {name: shoes, namespace: %s}
spec:
  engine: {url: %q}
  alias: %s
  candidate: {index: %s}
  goldenSet: {configMapRef: {name: golden, key: es.json}, maxGrade: 3}
  search:
    idField: sku
    body: {query: {multi_match: {query: "{{query}}", fields: ["name^1.50"], boost: 1.0}}}
    live: {body: {query: {match: {name: "{{query}}"}}}}
  metrics:
  - {name: ndcg@10, min: "0.10", confidence: "0.90"}
  - {name: recall@50, relevantFrom: 2}
  regressions: {metric: ndcg@10, drop: "0.05", maxQueries: 2, protectWeightFrom: 100}
  segments: {limits: [{segment: head, metric: ndcg@10, min: "0.1"}]}
  judgments: {at: 7}
  evaluation: {repeats: 3, settleSeconds: 0, pollSeconds: 5}
`

func TestTheKeyIsTheOperators(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		k, namespace := onAPIServer(t)
		live, candidate := loadShoes(t, url, "shoes", "shoes", "boots"), loadShoes(t, url, "shoes", "boots", "boots")
		alias := testengine.Name(t, url, "alias")
		testengine.Do(t, "PUT", url+"/"+live+"/_alias/"+alias, "")
		set := strings.Replace(shoesGolden, `"query": "shoes"`, `"query": "shoes", "segments": ["head"]`, 1)
		must(t, k.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "golden"}, Data: map[string]string{"es.json": set},
		}))
		text := fmt.Sprintf(keyGate, namespace, url, alias, candidate)
		gate := &v1alpha1.RelevanceGate{}
		must(t, sigsyaml.Unmarshal([]byte(text), gate))
		must(t, k.Create(t.Context(), gate))
		runOperator(t, namespace)
		waitForGate(t, k, gate, func() bool { return gate.Status.Evaluation != nil })

		gateFile, goldenFile := writeFile(t, "gate.yaml", text), writeFile(t, "es.json", set)
		want := gate.Status.Evaluation
		if got := runCLI(t, "key", "-f", gateFile, "--golden-set", goldenFile); got.code != exitPassed || got.out != want.Key+"\n" {
			t.Errorf("%+v, but the operator's key is %s", got, want.Key)
		}
		// As the API server gives it back, with its defaults and its status.
		gate.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))
		stored, err := sigsyaml.Marshal(gate)
		must(t, err)
		result := runCLI(t, "key", "-f", writeFile(t, "stored.yaml", string(stored)), "--golden-set", goldenFile, "-o", "json")
		var document keyDocument
		must(t, json.Unmarshal([]byte(result.out), &document))
		if document.Key != want.Key || document.InputsDigest != want.InputsDigest || document.SearchDigest != want.SearchDigest ||
			document.Candidate != candidate || document.Live != live || document.Fingerprint.Digest() != want.Candidate.Fingerprint {
			t.Errorf("%s is not of %+v", result.out, want)
		}
		// What it prints is what the key is of.
		canonical, err := json.Marshal(document.Parts)
		must(t, err)
		if sum := sha256.Sum256(canonical); "sha256:"+hex.EncodeToString(sum[:]) != document.Key {
			t.Errorf("the key %s is not the digest of %s", document.Key, canonical)
		}

		// Another content, another set, another live index: another key.
		keys := map[string]bool{want.Key: true}
		for _, args := range [][]string{
			{"--golden-set", writeFile(t, "es.json", set+" ")},
			{"--golden-set", goldenFile, "--live", candidate},
			{"--golden-set", goldenFile, "--candidate", live},
		} {
			got := runCLI(t, append([]string{"key", "-f", gateFile}, args...)...)
			if got.code != exitPassed || keys[got.out] || !strings.HasPrefix(got.out, "sha256:") {
				t.Errorf("with %v: %+v", args, got)
			}
			keys[got.out] = true
		}
		testengine.Do(t, "PUT", url+"/"+candidate+"/_doc/new", `{"name": "slippers"}`)
		if got := runCLI(t, "key", "-f", gateFile, "--golden-set", goldenFile); got.code != exitPassed || got.out == want.Key+"\n" {
			t.Errorf("with another content: %+v", got)
		}
	})
}

func TestAKeyThatCannotBeComputed(t *testing.T) {
	gate, set := writeFile(t, "gate.yaml", matchGate("sku", `{name: ndcg@10, min: "0.1"}`)), writeFile(t, "es.json", shoesGolden)
	for title, row := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no engine":      {[]string{"--url", "http://127.0.0.1:1"}, exitInconclusive, "127.0.0.1:1"},
		"another output": {[]string{"--url", "http://127.0.0.1:1", "-o", "xml"}, exitUsage, `--output is "xml"; it must be text or json`},
		"no address":     {nil, exitUsage, "there is no address of an engine"},
	} {
		t.Run(title, func(t *testing.T) {
			got := runCLI(t, append([]string{"key", "-f", gate, "--golden-set", set}, row.args...)...)
			if got.code != row.code || !strings.Contains(got.errOut, row.want) || got.out != "" {
				t.Errorf("%+v", got)
			}
		})
	}
}
