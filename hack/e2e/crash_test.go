package e2e

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// startManager runs the operator as a process, for the namespace of the crash
// tests, and returns how to kill it by its pid.
func startManager(t *testing.T) (kill func()) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "manager")
	must(t, err)
	command := exec.CommandContext(context.Background(), binary, "manager", "--watch-namespaces="+crashNamespace, "--job-image="+image,
		"--engine-hosts="+bridge, "--metrics-bind-address=0", "--health-probe-bind-address=0", "--gate-bind-address=127.0.0.1:0")
	command.Stdout, command.Stderr = log, log
	must(t, command.Start())
	killed := false
	kill = func() {
		if killed {
			return
		}
		killed = true
		_ = syscall.Kill(command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
	}
	t.Cleanup(func() {
		kill()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("a manager's log:\n%s", text[max(0, len(text)-4000):])
		}
	})
	return kill
}

// The manager dies at the worst moments of a promotion. The next one finds out
// what has happened, brings it to an end, and measures nothing again.
func TestAManagerThatDiesInAPromotion(t *testing.T) {
	moments := []struct {
		name  string
		at    moment
		which func(*http.Request) bool
	}{
		{"with the alias call under way", beforeRequest, isAliasCall},
		{"with the alias call's answer under way", beforeAnswer, isAliasCall},
		// The blocks come off after the alias was read back, and last the status is
		// written.
		{"before the blocks are off", beforeRequest, isUnblock},
		{"with the blocks off and the status unwritten", beforeAnswer, isUnblock},
	}
	for i, m := range moments {
		t.Run(m.name, func(t *testing.T) {
			name := "crash-" + string(rune('a'+i))
			makeIndex(t, name+"-v1", false)
			makeIndex(t, name+"-v2", false)
			makeAlias(t, name, name+"-v1")
			p := newProxy(t)
			held := p.holdOne(m.at, m.which)
			kill := startManager(t)
			gate := makeGate(t, crashNamespace, name, func(s *v1alpha1.RelevanceGateSpec) { s.Engine.URL = p.URL })
			select {
			case <-held:
			case <-time.After(verdictTimeout):
				t.Fatal("the exchange to hold never came")
			}
			kill()

			startManager(t)
			waitFor(t, gate, reasonIs(v1alpha1.ReasonPromoted))
			expectAlias(t, name, name+"-v2")
			expectUnblocked(t, name+"-v2")
			if gate.Status.Promotion != nil || gate.Status.Verdict != v1alpha1.VerdictPassed {
				t.Errorf("verdict %s, promotion record %+v", gate.Status.Verdict, gate.Status.Promotion)
			}
			if jobs := jobsOf(t, gate); jobs != 1 || gate.Status.Evaluation.Attempt != 1 {
				t.Errorf("%d Jobs, attempt %d; want the first one alone", jobs, gate.Status.Evaluation.Attempt)
			}
		})
	}
}

func isAliasCall(request *http.Request) bool {
	return request.Method == http.MethodPost && request.URL.Path == "/_aliases"
}

func isUnblock(request *http.Request) bool {
	return request.Method == http.MethodPut && strings.HasSuffix(request.URL.Path, "/_settings")
}
