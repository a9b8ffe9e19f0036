package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

func TestTheProgramsNameMakesItThePlugin(t *testing.T) {
	for program, want := range map[string]bool{
		"/usr/local/bin/kubectl-relevance_gate": true, "kubectl-relevance_gate.exe": true,
		"/relevance-gate": false, "kubectl-relevance_gate/manager": false,
	} {
		if isPlugin(program) != want {
			t.Errorf("%s: %t", program, !want)
		}
	}
}

// pluginScene is a gate in an API server and a kubeconfig to reach it.
type pluginScene struct {
	t          *testing.T
	k          client.Client
	gate       *v1alpha1.RelevanceGate
	kubeconfig string
}

func newPluginScene(t *testing.T, status v1alpha1.RelevanceGateStatus) *pluginScene {
	t.Helper()
	k, namespace := onAPIServer(t)
	gate := &v1alpha1.RelevanceGate{}
	must(t, sigsyaml.Unmarshal([]byte(strings.NewReplacer("%s", namespace, "%q", "http://127.0.0.1:9200").Replace(keyGate)), gate))
	gate.Spec.Alias, gate.Spec.Candidate.Index = "shoes", "shoes-v2"
	must(t, k.Create(t.Context(), gate))
	s := &pluginScene{t: t, k: k, gate: gate, kubeconfig: filepath.Join(t.TempDir(), "config")}
	must(t, os.WriteFile(s.kubeconfig, apiServer.KubeConfig, 0o600))
	before := gate.DeepCopy()
	status.ObservedGeneration = gate.Generation
	gate.Status = status
	must(t, k.Status().Patch(t.Context(), gate, client.MergeFrom(before)))
	return s
}

// run runs the plugin and reads the gate again.
func (s *pluginScene) run(args ...string) ran {
	s.t.Helper()
	var out, errOut bytes.Buffer
	args = append([]string{"--kubeconfig", s.kubeconfig, "-n", s.gate.Namespace}, args...)
	code := runCommand(s.t.Context(), newPluginCommand(), args, strings.NewReader(""), &out, &errOut)
	must(s.t, s.k.Get(s.t.Context(), client.ObjectKeyFromObject(s.gate), s.gate))
	return ran{code, out.String(), errOut.String()}
}

func TestThePluginAsks(t *testing.T) {
	v1, v2 := &v1alpha1.IndexRef{Index: "shoes-v1", UUID: "uuid-1"}, &v1alpha1.IndexRef{Index: "shoes-v2", UUID: "uuid-2"}
	passed := &v1alpha1.EvaluationStatus{Key: "sha256:0a", Candidate: &v1alpha1.CandidateStatus{Index: v2.Index, UUID: v2.UUID}}
	for title, row := range map[string]struct {
		args       []string
		status     v1alpha1.RelevanceGateStatus
		annotation string
		names      string
		by         string
		says       string
	}{
		"to promote": {[]string{"promote", "shoes", "--by", "alice"},
			v1alpha1.RelevanceGateStatus{Verdict: "Passed", Reason: "AwaitingApproval", Evaluation: passed},
			v1alpha1.AnnotationApprove, "sha256:0a", "alice", "to promote shoes-v2, approving evaluation sha256:0a as alice."},
		"to promote, as whom the API server knows": {[]string{"promote", "shoes"},
			v1alpha1.RelevanceGateStatus{Verdict: "Passed", Reason: "RolledBack", Evaluation: passed},
			v1alpha1.AnnotationApprove, "sha256:0a", "admin", "as admin."},
		"to roll back": {[]string{"rollback", "shoes"},
			v1alpha1.RelevanceGateStatus{Alias: &v1alpha1.AliasStatus{PromotedTo: v2, PromotedFrom: v1}},
			v1alpha1.AnnotationRollback, "uuid-2", "", "to move alias shoes back from shoes-v2 to shoes-v1."},
		"to unlock": {[]string{"unlock", "shoes"},
			v1alpha1.RelevanceGateStatus{Lock: &v1alpha1.LockStatus{Index: "shoes-v2", UUID: "uuid-2"}},
			v1alpha1.AnnotationUnlock, "uuid-2", "", "to give the lock on shoes-v2 back"},
		"to measure again": {[]string{"rerun", "shoes"}, v1alpha1.RelevanceGateStatus{},
			v1alpha1.AnnotationRequestedAt, "", "", "to measure again."},
		"to accept drift": {[]string{"accept-drift", "shoes"},
			v1alpha1.RelevanceGateStatus{Alias: &v1alpha1.AliasStatus{Index: "shoes-v1", UUID: "uuid-1", PromotedTo: v2}},
			v1alpha1.AnnotationAcceptDrift, "uuid-1", "", "to take alias shoes to be right on shoes-v1, and no longer on shoes-v2."},
	} {
		t.Run(title, func(t *testing.T) {
			s := newPluginScene(t, row.status)
			result := s.run(row.args...)
			if result.code != exitPassed || !strings.Contains(result.out, row.says) || !strings.Contains(result.out, "Asked gate "+s.gate.Namespace+"/shoes ") {
				t.Fatalf("%+v", result)
			}
			first := s.gate.Annotations[row.annotation]
			named, nonce, _ := strings.Cut(first, " ")
			if row.names != "" && (named != row.names || nonce == "") || first == "" || s.gate.Annotations[v1alpha1.AnnotationApprovedBy] != row.by {
				t.Errorf("the annotations are %v", s.gate.Annotations)
			}
			// Asked again, it is another request.
			if result := s.run(row.args...); result.code != exitPassed || s.gate.Annotations[row.annotation] == first {
				t.Errorf("again: %+v %v", result, s.gate.Annotations)
			}
		})
	}
}

func TestThePluginAsksTheGateThatItRead(t *testing.T) {
	s := newPluginScene(t, v1alpha1.RelevanceGateStatus{Lock: &v1alpha1.LockStatus{Index: "shoes-v2", UUID: "uuid-2"}})
	k, err := client.NewWithWatch(apiServer.Config, client.Options{Scheme: s.k.Scheme()})
	must(t, err)
	changed := interceptor.NewClient(k, interceptor.Funcs{
		Patch: func(ctx context.Context, k client.WithWatch, gate client.Object, patch client.Patch, options ...client.PatchOption) error {
			other := s.gate.DeepCopy()
			other.Labels = map[string]string{"written": "meanwhile"}
			must(t, k.Patch(ctx, other, client.MergeFrom(s.gate)))
			return k.Patch(ctx, gate, patch, options...)
		},
	})
	request := pluginRequests[slices.IndexFunc(pluginRequests, func(r pluginRequest) bool { return r.name == "unlock" })]
	err = request.send(t.Context(), changed, client.ObjectKeyFromObject(s.gate), "", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "was changed while it was asked") {
		t.Error(err)
	}
	must(t, s.k.Get(t.Context(), client.ObjectKeyFromObject(s.gate), s.gate))
	if len(s.gate.Annotations) > 0 {
		t.Errorf("the annotations are %v", s.gate.Annotations)
	}
}

func TestThePluginSaysWhyThereIsNothingToAsk(t *testing.T) {
	v2 := &v1alpha1.IndexRef{Index: "shoes-v2", UUID: "uuid-2"}
	for title, row := range map[string]struct {
		args   []string
		status v1alpha1.RelevanceGateStatus
		says   string
	}{
		"a gate that failed": {[]string{"promote", "shoes"},
			v1alpha1.RelevanceGateStatus{Verdict: "Failed", Reason: "BelowThreshold", Message: "too low", Evaluation: &v1alpha1.EvaluationStatus{Key: "k"}},
			"it is Failed/BelowThreshold and waits for no approval: too low"},
		"a gate that moved nothing":    {[]string{"rollback", "shoes"}, v1alpha1.RelevanceGateStatus{}, "has never moved the alias shoes"},
		"a gate that made its alias":   {[]string{"rollback", "shoes"}, v1alpha1.RelevanceGateStatus{Alias: &v1alpha1.AliasStatus{PromotedTo: v2}}, "no index is recorded"},
		"a gate without a way back":    {[]string{"rollback", "shoes"}, v1alpha1.RelevanceGateStatus{Alias: &v1alpha1.AliasStatus{PromotedTo: v2, PromotedFrom: v2, RollbackLoss: "it was deleted"}}, "cannot be rolled back: it was deleted"},
		"a gate without a lock":        {[]string{"unlock", "shoes"}, v1alpha1.RelevanceGateStatus{}, "it holds no lock"},
		"an alias where it belongs":    {[]string{"accept-drift", "shoes"}, v1alpha1.RelevanceGateStatus{Alias: &v1alpha1.AliasStatus{UUID: "uuid-2", PromotedTo: v2}}, "has not drifted"},
		"an alias on several indices":  {[]string{"accept-drift", "shoes"}, v1alpha1.RelevanceGateStatus{Reason: "Drifted", Alias: &v1alpha1.AliasStatus{PromotedTo: v2}}, "does not point at one index"},
		"a gate that does not exist":   {[]string{"rerun", "boots"}, v1alpha1.RelevanceGateStatus{}, "boots"},
		"a command that does not":      {[]string{"approve", "shoes"}, v1alpha1.RelevanceGateStatus{}, `unknown command "approve"`},
		"a command without its object": {[]string{"rerun"}, v1alpha1.RelevanceGateStatus{}, "accepts 1 arg(s)"},
	} {
		t.Run(title, func(t *testing.T) {
			s := newPluginScene(t, row.status)
			if result := s.run(row.args...); result.code == exitPassed || !strings.Contains(result.errOut, row.says) || result.out != "" {
				t.Errorf("%+v", result)
			}
			if len(s.gate.Annotations) > 0 {
				t.Errorf("the annotations are %v", s.gate.Annotations)
			}
		})
	}
	t.Run("a spec that nobody has looked at", func(t *testing.T) {
		gate := &v1alpha1.RelevanceGate{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: v1alpha1.RelevanceGateStatus{ObservedGeneration: 1, Reason: "AwaitingApproval"}}
		if _, err := askPromote(gate, "now", ""); err == nil || !strings.Contains(err.Error(), "latest spec") {
			t.Error(err)
		}
	})
}
