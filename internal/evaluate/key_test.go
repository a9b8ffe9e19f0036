package evaluate

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// keyInput is changed by one field in every row.
func keyInput() KeyInput {
	return KeyInput{
		ClusterUUID:          "cluster",
		CandidateFingerprint: "sha256:1",
		LiveUUID:             "live",
		GoldenDigest:         "sha256:2",
		MaxGrade:             3,
		Search:               Search{Body: json.RawMessage(`{"a": {"x": 1, "y": "{{query}}"}}`), IDField: "id"},
		Metrics:              []relevance.Metric{{Name: "ndcg@10", Gain: relevance.Exponential, RelevantFrom: 1}},
		JudgedAt:             10,
		Regressions:          &Regressions{Metric: "ndcg@10", Drop: 50_000},
		Repeats:              2,
	}
}

func TestKeyChangesWithEverythingThatDecidesTheResult(t *testing.T) {
	weight := 100.0
	keys := map[string]string{}
	for name, change := range map[string]func(*KeyInput){
		"nothing":      func(*KeyInput) {},
		"cluster":      func(in *KeyInput) { in.ClusterUUID = "other" },
		"candidate":    func(in *KeyInput) { in.CandidateFingerprint = "sha256:9" },
		"live":         func(in *KeyInput) { in.LiveUUID = "other" },
		"no live":      func(in *KeyInput) { in.LiveUUID = "" },
		"golden set":   func(in *KeyInput) { in.GoldenDigest = "sha256:9" },
		"maxGrade":     func(in *KeyInput) { in.MaxGrade = 4 },
		"body":         func(in *KeyInput) { in.Search.Body = json.RawMessage(`{"a": {"x": 2, "y": "{{query}}"}}`) },
		"live body":    func(in *KeyInput) { in.Search.LiveBody = json.RawMessage(`{"b": "{{query}}"}`) },
		"idField":      func(in *KeyInput) { in.Search.IDField = "sku" },
		"metric":       func(in *KeyInput) { in.Metrics[0].Name = "ndcg@5" },
		"gain":         func(in *KeyInput) { in.Metrics[0].Gain = relevance.Linear },
		"relevantFrom": func(in *KeyInput) { in.Metrics[0].RelevantFrom = 2 },
		"judged at":    func(in *KeyInput) { in.JudgedAt = 5 },
		"regressions":  func(in *KeyInput) { in.Regressions = nil },
		"drop":         func(in *KeyInput) { in.Regressions.Drop = 1 },
		"protected":    func(in *KeyInput) { in.Regressions.ProtectWeightFrom = &weight },
		"repeats":      func(in *KeyInput) { in.Repeats = 3 },

		"confidence":         func(in *KeyInput) { in.Confidence = map[string]int64{"ndcg@10": 950_000} },
		"another confidence": func(in *KeyInput) { in.Confidence = map[string]int64{"ndcg@10": 900_000} },
		"a segment":          func(in *KeyInput) { in.Segments = []Segment{{"head", "ndcg@10"}} },
		"another segment":    func(in *KeyInput) { in.Segments = []Segment{{"tail", "ndcg@10"}} },
		"another metric":     func(in *KeyInput) { in.Segments = []Segment{{"head", "recall@10"}} },
		"two segments":       func(in *KeyInput) { in.Segments = []Segment{{"head", "ndcg@10"}, {"tail", "ndcg@10"}} },
		"in another order":   func(in *KeyInput) { in.Segments = []Segment{{"tail", "ndcg@10"}, {"head", "ndcg@10"}} },
	} {
		in := keyInput()
		change(&in)
		key := Key(in)
		if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(key) {
			t.Fatalf("%q is not a digest", key)
		}
		for other, otherKey := range keys {
			if key == otherKey {
				t.Errorf("%s and %s give the same key", name, other)
			}
		}
		keys[name] = key
	}
}

func TestKeyIgnoresHowTheInputIsWritten(t *testing.T) {
	want := Key(keyInput())
	for name, change := range map[string]func(*KeyInput){
		"order and spaces":           func(in *KeyInput) { in.Search.Body = json.RawMessage(`{"a":{"y":"{{query}}","x":1}}`) },
		"live body spelt out":        func(in *KeyInput) { in.Search.LiveBody = in.Search.Body },
		"depth of the default given": func(in *KeyInput) { in.JudgedAt = 0 },
		"no confidence in a map":     func(in *KeyInput) { in.Confidence = map[string]int64{} },
		"no segment in a list":       func(in *KeyInput) { in.Segments = []Segment{} },
	} {
		in := keyInput()
		change(&in)
		if Key(in) != want {
			t.Errorf("%s changes the key", name)
		}
	}
}

// What a stored verdict is about must not change with our version.
func TestKeysThatAreStoredStayTheSame(t *testing.T) {
	in := keyInput()
	if got := Key(in); got != "sha256:430fff8d7c9fe48cd1eb413c1918aa2ee4b3450d16f2e2075ea271cfd22b0b57" {
		t.Errorf("the key is %s", got)
	}
	if got := InputsDigest(in); got != "sha256:7e5ab881454c85bc4ef3fcd2ae7dcdfb8a65681ec54276345a182b2d4f8454d1" {
		t.Errorf("the digest of the inputs is %s", got)
	}
	weight := 100.0
	in.Regressions.ProtectWeightFrom = &weight
	if got := Key(in); got != "sha256:b567ffe76a27c2b1ab0a4e292a4b9e08ad7f49e0527f6abfe3c733f099b0b8f9" {
		t.Errorf("the key with protected queries is %s", got)
	}
	raw, err := json.Marshal(makePlan(t, 2, "ndcg@10"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); strings.Contains(text, "confidence") || strings.Contains(text, "segments") {
		t.Errorf("a plan says what it does not ask for: %s", text)
	}
}

func TestInputsDigestLeavesTheIndicesOut(t *testing.T) {
	in := keyInput()
	want := InputsDigest(in)
	in.ClusterUUID, in.CandidateFingerprint, in.LiveUUID = "x", "y", "z"
	if InputsDigest(in) != want {
		t.Error("an index changes the digest of the inputs")
	}
	in.Repeats++
	if InputsDigest(in) == want {
		t.Error("the repeats do not change the digest of the inputs")
	}
}
