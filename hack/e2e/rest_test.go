package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// atRest is how long the operator is watched.
const atRest = 90 * time.Second

// At rest the operator writes nothing but the leader's Lease. The API server's
// audit log is the witness. No other gate is at work meanwhile: this test is
// not parallel.
func TestAtRestNothingIsWritten(t *testing.T) {
	makeIndex(t, "rest-v1", false)
	makeIndex(t, "rest-v2", false)
	makeIndex(t, "rest-bad-v1", false)
	makeIndex(t, "rest-bad-v2", true)
	makeAlias(t, "rest", "rest-v1")
	makeAlias(t, "rest-bad", "rest-bad-v1")
	promoted := makeGate(t, namespace, "rest", nil)
	blocked := makeGate(t, namespace, "rest-bad", nil)
	waitFor(t, promoted, reasonIs(v1alpha1.ReasonPromoted))
	waitFor(t, blocked, reasonIs(v1alpha1.ReasonBelowThreshold))
	time.Sleep(3 * time.Second) // the Jobs' time to live is set after the status

	from := size(t, auditLog)
	time.Sleep(atRest)
	raw, err := os.ReadFile(auditLog)
	must(t, err)
	if int64(len(raw)) <= from {
		t.Fatal("the audit log has not grown, not even by the Lease: it is no witness")
	}
	leases := 0
	for lines := bufio.NewScanner(bytes.NewReader(raw[from:])); lines.Scan(); {
		var entry struct {
			Verb string
			User struct{ Username string }
			// The rest is for the message.
			ObjectRef struct{ Resource, Namespace, Name, Subresource string }
		}
		if json.Unmarshal(lines.Bytes(), &entry) != nil || !strings.HasPrefix(entry.User.Username, "system:serviceaccount:"+operator+":") {
			continue
		}
		if entry.ObjectRef.Resource == "leases" {
			leases++
			continue
		}
		t.Errorf("at rest the operator did %s %+v", entry.Verb, entry.ObjectRef)
	}
	if leases == 0 {
		t.Error("the operator did not renew its Lease: is it running?")
	}
	if jobs := jobsOf(t, promoted) + jobsOf(t, blocked); jobs != 2 {
		t.Errorf("%d Jobs, want one for each gate", jobs)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Size()
}
