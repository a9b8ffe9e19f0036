package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

var rolloutKind = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout"}

// startRollouts runs the real Argo Rollouts controller as a process. It is
// given a resolv.conf of its own, so that the sample's URL, a Service's name,
// works as it does in a pod.
func startRollouts(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	resolv := filepath.Join(dir, "resolv.conf")
	must(t, os.WriteFile(resolv, []byte("nameserver "+bridge+"\nsearch svc.cluster.local cluster.local\noptions ndots:5\n"), 0o644))
	log, err := os.Create(filepath.Join(dir, "rollouts.log"))
	must(t, err)
	command := exec.CommandContext(context.Background(), "unshare", "--mount", "--propagation", "private", "--kill-child=KILL", "--fork", "sh", "-c",
		`mount --bind "$1" "$(readlink -f /etc/resolv.conf)" && exec "$2" --kubeconfig="$KUBECONFIG" --leader-elect=false --metricsPort=18090 --healthzPort=18080 --namespaced --namespace="$3"`,
		"sh", resolv, rollouts, namespace)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, command.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the Argo Rollouts controller's log:\n%s", text[max(0, len(text)-4000):])
		}
	})
}

// sample reads one of the samples of config/argo-rollouts.
func sample(t *testing.T, file string) *unstructured.Unstructured {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "config", "argo-rollouts", file))
	must(t, err)
	// The tests' operator is installed beside that of a user.
	text := strings.ReplaceAll(string(raw), "relevance-gate.relevance-gate.svc", "relevance-gate."+operator+".svc")
	object := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(text), &object.Object))
	object.SetNamespace(namespace)
	return object
}

// makeRollout is the sample Rollout with a small pod, on that gate and index.
func makeRollout(t *testing.T, name, gate string) *unstructured.Unstructured {
	t.Helper()
	rollout := sample(t, "rollout.yaml")
	rollout.SetName(name)
	set := func(value any, fields ...string) {
		must(t, unstructured.SetNestedField(rollout.Object, value, fields...))
	}
	labels := map[string]any{"app.kubernetes.io/name": name}
	set(int64(1), "spec", "replicas")
	set(labels, "spec", "selector", "matchLabels")
	set(labels, "spec", "template", "metadata", "labels")
	containers, _, err := unstructured.NestedSlice(rollout.Object, "spec", "template", "spec", "containers")
	must(t, err)
	container := as[map[string]any](t, containers[0])
	container["image"] = "docker.io/local/pause:1"
	security := as[map[string]any](t, container["securityContext"])
	security["runAsUser"] = int64(65532)
	container["resources"] = map[string]any{
		"requests": map[string]any{"cpu": "10m", "memory": "16Mi"},
		"limits":   map[string]any{"cpu": "100m", "memory": "32Mi"},
	}
	set(containers, "spec", "template", "spec", "containers")
	pin(t, rollout, gate, "first")
	must(t, cluster.Create(t.Context(), rollout))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = cluster.Delete(ctx, rollout)
	})
	return rollout
}

// as is a value of a type that the sample must have there.
func as[T any](t *testing.T, value any) T {
	t.Helper()
	typed, ok := value.(T)
	if !ok {
		t.Fatalf("the sample has %T where %T is meant", value, typed)
	}
	return typed
}

// pin makes the Rollout ask that gate about that candidate, in a new revision
// of its pods, as a release would.
func pin(t *testing.T, rollout *unstructured.Unstructured, gate, candidate string) {
	t.Helper()
	steps, _, err := unstructured.NestedSlice(rollout.Object, "spec", "strategy", "canary", "steps")
	must(t, err)
	for _, step := range steps {
		analysis, ok := as[map[string]any](t, step)["analysis"].(map[string]any)
		if !ok {
			continue
		}
		for _, arg := range as[[]any](t, analysis["args"]) {
			arg := as[map[string]any](t, arg)
			switch arg["name"] {
			case "gate":
				arg["value"] = gate
			case "namespace":
				arg["value"] = namespace
			case "candidate":
				arg["value"] = candidate
			}
		}
	}
	must(t, unstructured.SetNestedSlice(rollout.Object, steps, "spec", "strategy", "canary", "steps"))
	containers, _, err := unstructured.NestedSlice(rollout.Object, "spec", "template", "spec", "containers")
	must(t, err)
	as[map[string]any](t, containers[0])["env"] = []any{map[string]any{"name": "SEARCH_INDEX", "value": candidate}}
	must(t, unstructured.SetNestedSlice(rollout.Object, containers, "spec", "template", "spec", "containers"))
}

// release rolls out a new revision for that candidate.
func release(t *testing.T, rollout *unstructured.Unstructured, gate, candidate string) {
	t.Helper()
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(rollout), rollout))
	before := rollout.DeepCopy()
	pin(t, rollout, gate, candidate)
	must(t, cluster.Patch(t.Context(), rollout, client.MergeFrom(before)))
}

// phase waits until the Rollout is in that phase for its newest revision.
func phase(t *testing.T, rollout *unstructured.Unstructured, want string) {
	t.Helper()
	eventually(t, verdictTimeout, func(ctx context.Context) error {
		rollout.SetGroupVersionKind(rolloutKind)
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(rollout), rollout); err != nil {
			return err
		}
		found, _, err := unstructured.NestedString(rollout.Object, "status", "phase")
		observed, _, _ := unstructured.NestedString(rollout.Object, "status", "observedGeneration")
		message, _, _ := unstructured.NestedString(rollout.Object, "status", "message")
		if err == nil && (found != want || observed != fmt.Sprint(rollout.GetGeneration())) {
			err = errors.New(found + " " + message)
		}
		return err
	})
}

// staysProgressing fails if the Rollout leaves its analysis within the time
// of several polls.
func staysProgressing(t *testing.T, rollout *unstructured.Unstructured) {
	t.Helper()
	for end := time.Now().Add(25 * time.Second); time.Now().Before(end); time.Sleep(time.Second) {
		must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(rollout), rollout))
		if found, _, _ := unstructured.NestedString(rollout.Object, "status", "phase"); found != "Progressing" {
			message, _, _ := unstructured.NestedString(rollout.Object, "status", "message")
			t.Fatalf("the Rollout is %s (%s), want Progressing", found, message)
		}
	}
}

func TestArgoRolloutsFollowsTheGate(t *testing.T) {
	startRollouts(t)
	template := sample(t, "analysistemplate.yaml")
	must(t, cluster.Create(t.Context(), template))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = cluster.Delete(ctx, template)
	})
	makeIndex(t, "argo-v1", false)
	makeIndex(t, "argo-v2", false)
	makeIndex(t, "argo-v4", true)
	makeAlias(t, "argo", "argo-v1")
	gate := makeGate(t, namespace, "argo", nil)
	waitFor(t, gate, reasonIs(v1alpha1.ReasonPromoted))
	rollout := makeRollout(t, "argo", gate.Name)
	phase(t, rollout, "Healthy") // steps are skipped on the first revision

	t.Log("Passed goes on")
	release(t, rollout, gate.Name, "argo-v2")
	phase(t, rollout, "Healthy")

	t.Log("an old Passed does not let a new candidate through, and Pending waits")
	release(t, rollout, gate.Name, "argo-v3")
	phase(t, rollout, "Progressing")
	staysProgressing(t, rollout)
	change(t, gate, func(g *v1alpha1.RelevanceGate) { g.Spec.Candidate.Index = "argo-v3" })
	waitFor(t, gate, reasonIs(v1alpha1.ReasonCandidateMissing))
	staysProgressing(t, rollout)
	makeIndex(t, "argo-v3", false)
	waitFor(t, gate, reasonIs(v1alpha1.ReasonPromoted))
	phase(t, rollout, "Healthy")

	t.Log("Failed aborts")
	change(t, gate, func(g *v1alpha1.RelevanceGate) { g.Spec.Candidate.Index = "argo-v4" })
	waitFor(t, gate, reasonIs(v1alpha1.ReasonBelowThreshold))
	release(t, rollout, gate.Name, "argo-v4")
	phase(t, rollout, "Degraded")
}
