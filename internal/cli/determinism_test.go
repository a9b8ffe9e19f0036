package cli

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func TestAnEngineThatAnswersDifferentlyIsToldWithTheFirstQuery(t *testing.T) {
	engine := func() string {
		var asked atomic.Int32
		url := testengine.SearchingFake(t, func(index string, body []byte) []testengine.Found {
			if bytes.Contains(body, []byte(`"socks"`)) && asked.Add(1) == 2 {
				return nil
			}
			return findShoes(index, body)
		})
		testengine.Create(t, url, "shoes", "")
		return url
	}
	const difference = "query q2: recall@5 0.5, then 0 in repeat 2"

	gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: recall@5, min: "0.1"}`))
	doc, result := runJSON(t, "-f", gate, "--golden-set", goldenFile(t, shoesGolden), "--url", engine(), "--candidate", "shoes")
	if want := "the candidate's repeats gave different scores, by up to 0.250000; the first: " + difference; result.code != 2 ||
		doc.Reason != "NotDeterministic" || doc.Message != want {
		t.Errorf("evaluate: code %d, %s: %s", result.code, doc.Reason, doc.Message)
	}

	plan := makePlan(t, engine(), "shoes")
	measured, raw := runMeasure(t.Context(), t, plan, shoesGolden)
	summary, err := evaluate.DecodeSummary(raw, plan)
	if err != nil || measured.code != 0 || summary.Measurement.Deterministic || summary.Measurement.FirstDifference != difference {
		t.Errorf("measure: code %d, %v: %s", measured.code, err, raw)
	}
}

func TestTiesAreTold(t *testing.T) {
	url := testengine.SearchingFake(t, func(string, []byte) []testengine.Found {
		return []testengine.Found{{ID: "a", Score: 1}, {ID: "c", Score: 1}, {ID: "d", Score: 0.5}}
	})
	testengine.Create(t, url, "shoes", "")
	gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: recall@1, min: "0.1"}`))
	golden := strings.Replace(shoesGolden, `,
	{"id": "n1", "query": "bananas", "expectNoResults": true}`, "", 1)
	// The first query finds its one document first, or not; the second one of two
	// first if the order is the other.
	_, result := runJSON(t, "-f", gate, "--golden-set", goldenFile(t, golden), "--url", url, "--candidate", "shoes")
	for _, want := range []string{
		`"ties":{"candidate":{"queries":2,"open":0,"low":"0.000000","high":"0.750000"},"live":null}`,
		`"ties":{"candidate":{"recall@1":{"low":"0.000000","high":"1.000000","open":false}},"live":{}}`,
	} {
		if !strings.Contains(result.out, want) {
			t.Errorf("there is no %s in %s", want, result.out)
		}
	}
}
