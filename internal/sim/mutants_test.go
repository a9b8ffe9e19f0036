package sim

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var mutantsFlag = flag.String("sim.mutants", "", "break the product in each known way whose name has this text (all: in every way) and let the simulation find it")

// mutant is one way to break the product: a text in a file, and what stands there
// instead.
type mutant struct{ name, file, text, instead string }

var mutants = []mutant{
	{"the alias is not expected where it was", "internal/engine/alias.go", "MustExist: true}}", "MustExist: false}}"},
	{"the alias is not read back", "internal/alias/readback.go", `	if state.Only(r.Candidate) {
		return r.confirm(after, state, wanted)
	}
`, `	if state.Only(r.Candidate) || callErr == nil || engine.IsUnavailable(callErr) {
		return r.promoted(), nil
	}
`},
	{"the content is not read again after the call", "internal/alias/readback.go", "	if r.Lock != LockNone {\n		refusal", "	if false {\n		refusal"},
	{"a key of another content is trusted", "controllers/evaluate.go",
		"return evaluation != nil && evaluation.Key == s.key && evaluation.CompletedAt != nil", "return evaluation != nil && evaluation.CompletedAt != nil"},
	{"the key knows nothing of the golden set", "internal/evaluate/key.go", `in.GoldenDigest,`, `"",`},
	{"the fingerprint is not read under the block", "internal/alias/swap.go", "		r.checkContent, // and now for certain\n", ""},
	{"a promotion is not recorded first", "controllers/promote.go",
		"	if err := r.recordIntent(ctx, s, promoting(s)); err != nil {\n		return err\n	}\n", ""},
	{"a lock is not recorded first", "controllers/lock.go", `		if err := r.recordIntent(ctx, s, &halt{reason: v1alpha1.ReasonSettling, message: "locking " + s.candidate.Index}); err != nil {
			return err
		}
`, ""},
	{"Inconclusive counts as Passed", "controllers/promote.go", "s.outcome.Verdict != verdict.Passed ||", "s.outcome.Verdict == verdict.Failed ||"},
	{"an index with an alias is locked", "internal/alias/lock.go", "	if len(aliases) > 0 {", "	if false {"},
	{"blocks of others count as ours", "internal/alias/lock.go", "	if len(names) == 0 {", "	if len(names) >= 0 {"},
	{"the write block is not given back", "internal/alias/swap.go", "		return ReleaseWrite(ctx, r.c, r.Candidate.Index, r.Candidate.UUID)\n", "		return nil\n"},
	{"a pin of another golden set is ignored", "controllers/goldenset.go", `pin != "" && pin != facts.digest`, `pin == "none" && pin != facts.digest`},
	{"the golden set may change in mid-promotion", "controllers/promote.go",
		"	if versionsOf(configMaps) != s.inputs.golden.versions {", "	if versionsOf(configMaps) == \"none\" {"},
	{"the gate is not read again before the call", "controllers/promote.go", "	if fresh.UID != s.gate.UID || fresh.Generation", "	if false && fresh.Generation"},
	{"an index that was rolled back is promoted again", "controllers/approval.go",
		"	return slices.Contains(s.gate.Status.RolledBack, s.candidate.UUID)", "	return slices.Contains(s.gate.Status.RolledBack, \"\")"},
	{"any approval will do", "controllers/approval.go", "	case asked.key() != s.key:", "	case asked.key() == \"none\":"},
	{"a promotion that was cut short is forgotten", "controllers/promote.go",
		"	if s.live != nil && s.live.Index == record.To.Index {", "	if s.live != nil && s.live.Index == \"\" {"},
	{"the status is written in each pass", "controllers/status.go",
		"	if equality.Semantic.DeepEqual(s.base.Status, s.gate.Status) {", "	if equality.Semantic.DeepEqual(s.base.Status, nil) {"},
	{"a Job that the cache does not show is lost", "controllers/evaluate.go",
		"	if apierrors.IsNotFound(err) {\n		err = r.Live.Get(ctx, key, job)\n	}\n", ""},
	{"the history holds the last verdict only", "controllers/history.go",
		"append([]v1alpha1.HistoryEntry{entry}, status.History...)", "[]v1alpha1.HistoryEntry{entry}"},
	{"a lock that was given up is left behind", "controllers/lock.go",
		"	if err := r.lockStillWanted(ctx, s); err != nil {\n		return err\n	}\n	// Writes", "	// Writes"},
}

// source reads the file that a mutant is of, and the mutant.
func (m mutant) source(t *testing.T) (path string, broken []byte) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(raw, []byte(m.text)); n != 1 {
		t.Fatalf("%s has the text %d times, not once; correct the mutant %q in mutants_test.go: %s", m.file, n, m.name, m.text)
	}
	return path, bytes.Replace(raw, []byte(m.text), []byte(m.instead), 1)
}

// A mutant whose text is gone would be one that nobody looks for.
func TestMutantsAreOfTheCodeAsItIs(t *testing.T) {
	for _, m := range mutants {
		m.source(t)
	}
}

// TestMutants proves that the simulation finds what it is there to find.
func TestMutants(t *testing.T) {
	if *mutantsFlag == "" {
		t.Skip("It builds and runs the simulation once for each mutant: make test-sim-mutants.")
	}
	for _, m := range mutants {
		if *mutantsFlag != "all" && !strings.Contains(m.name, *mutantsFlag) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			binary := m.build(t)
			command := exec.CommandContext(t.Context(), binary, "-test.run=^TestSimulation$", "-sim.brief",
				fmt.Sprint("-sim.seed=", *seedFlag), fmt.Sprint("-sim.runs=", *runsFlag))
			output, err := command.CombinedOutput()
			_, found, ok := strings.Cut(string(output), " violates ")
			if err == nil || !ok {
				t.Fatalf("%d runs have not found it: %v\n%.2000s", *runsFlag, err, output)
			}
			found, _, _ = strings.Cut(found, "\n")
			t.Logf("%s", found)
		})
	}
}

// build makes the simulation's test binary with the mutant in it. The checkout stays
// as it is.
func (m mutant) build(t *testing.T) string {
	t.Helper()
	path, broken := m.source(t)
	dir := t.TempDir()
	changed, overlay, binary := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "sim.test")
	if err := os.WriteFile(changed, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the mutant does not build: %v\n%s", err, output)
	}
	return binary
}
