package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// A verdict takes a Job, which takes seconds on a quiet machine and much longer
// on one that builds and tests at the same time.
const verdictTimeout = 3 * time.Minute

// makeGate is a gate on indices and an alias of its own name, with its golden
// set. It looks often, so that tests are quick.
func makeGate(t *testing.T, inNamespace, name string, change func(*v1alpha1.RelevanceGateSpec)) *v1alpha1.RelevanceGate {
	t.Helper()
	configMap := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: inNamespace},
		Data:       map[string]string{"golden.json": golden()},
	}
	gate := &v1alpha1.RelevanceGate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: inNamespace},
		Spec: v1alpha1.RelevanceGateSpec{
			Engine:    v1alpha1.Engine{URL: engineAddress},
			Alias:     name,
			Candidate: v1alpha1.Candidate{Index: name + "-v2"},
			GoldenSet: v1alpha1.GoldenSet{ConfigMapRef: &v1alpha1.ConfigMapKeyRef{Name: name, Key: "golden.json"}},
			Search:    v1alpha1.Search{Body: &runtime.RawExtension{Raw: []byte(searchBody)}},
			Metrics: []v1alpha1.Metric{
				{Name: "ndcg@10", Min: "0.9", MaxDrop: "0.02"},
				{Name: "recall@50", Min: "0.9"},
				{Name: "nonempty", Min: "0.9"},
			},
			Promotion: v1alpha1.Promotion{Policy: v1alpha1.PolicyAutomatic},
			Evaluation: v1alpha1.Evaluation{
				SettleSeconds: ptr.To[int32](1), PollSeconds: 5,
			},
		},
	}
	if change != nil {
		change(&gate.Spec)
	}
	must(t, cluster.Create(t.Context(), configMap))
	must(t, cluster.Create(t.Context(), gate))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if t.Failed() {
			describe(ctx, t, gate)
		}
		_ = cluster.Delete(ctx, gate)
		_ = cluster.Delete(ctx, configMap)
	})
	return gate
}

// describe shows what is known of a gate whose test failed.
func describe(ctx context.Context, t *testing.T, gate *v1alpha1.RelevanceGate) {
	t.Helper()
	if err := cluster.Get(ctx, client.ObjectKeyFromObject(gate), gate); err != nil {
		t.Logf("reading the gate: %v", err)
		return
	}
	t.Logf("status of gate %s: verdict %s, reason %s: %s", gate.Name, gate.Status.Verdict, gate.Status.Reason, gate.Status.Message)
	for _, condition := range gate.Status.Conditions {
		t.Logf("  %s=%s %s", condition.Type, condition.Status, condition.Reason)
	}
	if evaluation := gate.Status.Evaluation; evaluation != nil {
		t.Logf("  evaluation: job %s, attempt %d", evaluation.Job, evaluation.Attempt)
	}
}

// waitFor reads the gate until the check holds.
func waitFor(t *testing.T, gate *v1alpha1.RelevanceGate, check func(v1alpha1.RelevanceGateStatus) bool) {
	t.Helper()
	eventually(t, verdictTimeout, func(ctx context.Context) error {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(gate), gate); err != nil {
			return err
		}
		if !check(gate.Status) {
			return fmt.Errorf("verdict %q, reason %q: %s", gate.Status.Verdict, gate.Status.Reason, gate.Status.Message)
		}
		return nil
	})
}

func reasonIs(reason string) func(v1alpha1.RelevanceGateStatus) bool {
	return func(status v1alpha1.RelevanceGateStatus) bool { return status.Reason == reason }
}

// change updates the gate's spec as a user would, on whatever version is there.
func change(t *testing.T, gate *v1alpha1.RelevanceGate, how func(*v1alpha1.RelevanceGate)) {
	t.Helper()
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(gate), gate))
	before := gate.DeepCopy()
	how(gate)
	must(t, cluster.Patch(t.Context(), gate, client.MergeFrom(before)))
}

func setGolden(t *testing.T, gate *v1alpha1.RelevanceGate, text string) {
	t.Helper()
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: gate.Name, Namespace: gate.Namespace}}
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(configMap), configMap))
	before := configMap.DeepCopy()
	configMap.Data["golden.json"] = text
	must(t, cluster.Patch(t.Context(), configMap, client.MergeFrom(before)))
}

// expectAlias fails unless the alias points at exactly that index.
func expectAlias(t *testing.T, alias, index string) {
	t.Helper()
	found, err := pointsAt(t.Context(), alias)
	must(t, err)
	if found != index {
		t.Fatalf("alias %s points at %q, want %q", alias, found, index)
	}
}

// expectUnblocked fails if the index has any block.
func expectUnblocked(t *testing.T, index string) {
	t.Helper()
	found, err := blocks(t.Context(), index)
	must(t, err)
	if found.Write || found.ReadOnly || found.Hidden {
		t.Fatalf("index %s has blocks: %+v", index, found)
	}
}

// expectKstatus fails unless kstatus, and so Flux and Argo CD, sees the gate so.
func expectKstatus(t *testing.T, gate *v1alpha1.RelevanceGate, want status.Status) {
	t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(gate)
	must(t, err)
	result, err := status.Compute(&unstructured.Unstructured{Object: object})
	must(t, err)
	if result.Status != want {
		t.Fatalf("kstatus is %s (%s), want %s", result.Status, result.Message, want)
	}
}

// jobsOf counts the Jobs that were ever made for the gate and are still there;
// they live an hour.
func jobsOf(t *testing.T, gate *v1alpha1.RelevanceGate) int {
	t.Helper()
	jobs := &batchv1.JobList{}
	must(t, cluster.List(t.Context(), jobs, client.InNamespace(gate.Namespace), client.MatchingLabels{v1alpha1.LabelGateUID: string(gate.UID)}))
	return len(jobs.Items)
}

func TestABadCandidateIsBlocked(t *testing.T) {
	t.Parallel()
	makeIndex(t, "blocked-v1", false)
	makeIndex(t, "blocked-v2", true)
	makeAlias(t, "blocked", "blocked-v1")
	gate := makeGate(t, namespace, "blocked", nil)

	waitFor(t, gate, reasonIs(v1alpha1.ReasonBelowThreshold))
	if gate.Status.Verdict != v1alpha1.VerdictFailed || gate.Status.Regressions == nil || len(gate.Status.Regressions.Worst) == 0 {
		t.Fatalf("verdict %s, regressions %+v; want Failed with the worst queries", gate.Status.Verdict, gate.Status.Regressions)
	}
	if !strings.Contains(gate.Status.Message, "ndcg@10") {
		t.Errorf("the message does not name the limit: %s", gate.Status.Message)
	}
	expectKstatus(t, gate, status.FailedStatus)
	expectAlias(t, "blocked", "blocked-v1")
	expectUnblocked(t, "blocked-v2")

	// Lower limits give another verdict from the stored numbers. With the
	// policy Automatic it would promote, so the policy is taken away first.
	change(t, gate, func(g *v1alpha1.RelevanceGate) {
		g.Spec.Promotion.Policy = v1alpha1.PolicyOff
		g.Spec.Metrics = []v1alpha1.Metric{{Name: "ndcg@10", Min: "0"}, {Name: "recall@50", Min: "0"}, {Name: "nonempty", Min: "0"}}
	})
	waitFor(t, gate, func(s v1alpha1.RelevanceGateStatus) bool { return s.Verdict == v1alpha1.VerdictPassed })
	if jobs := jobsOf(t, gate); jobs != 1 {
		t.Errorf("%d Jobs, want the first one alone", jobs)
	}
}

func TestAGoodCandidateIsPromotedWhileTheLiveIndexIsWritten(t *testing.T) {
	t.Parallel()
	makeIndex(t, "promoted-v1", false)
	makeIndex(t, "promoted-v2", false)
	makeAlias(t, "promoted", "promoted-v1")

	// Twenty documents a second go to the live index, by its name.
	writing, stop := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-writing.Done():
				written <- nil
				return
			case <-time.After(50 * time.Millisecond):
			}
			// Updates, so that the number of documents stays what minDocsRatio asks for.
			if err := write(context.WithoutCancel(writing), "promoted-v1", fmt.Sprintf("w%d", i%5), "unrelated"); err != nil {
				written <- err
				return
			}
		}
	}()
	gate := makeGate(t, namespace, "promoted", func(s *v1alpha1.RelevanceGateSpec) { s.Promotion.MinDocsRatio = "0.5" })
	waitFor(t, gate, reasonIs(v1alpha1.ReasonPromoted))
	stop()
	must(t, <-written)

	expectKstatus(t, gate, status.CurrentStatus)
	expectAlias(t, "promoted", "promoted-v2")
	expectUnblocked(t, "promoted-v2")
	if gate.Status.Alias == nil || gate.Status.Alias.Index != "promoted-v2" || gate.Status.Alias.PromotedFrom.Index != "promoted-v1" {
		t.Errorf("status.alias is %+v", gate.Status.Alias)
	}

	t.Log("a thousand writes through the alias start no Job")
	for i := range 1000 {
		must(t, write(t.Context(), "promoted", fmt.Sprintf("x%d", i%50), "unrelated"))
	}
	time.Sleep(2 * time.Duration(gate.Spec.Evaluation.PollSeconds) * time.Second)
	if jobs := jobsOf(t, gate); jobs != 1 {
		t.Fatalf("%d Jobs after writes to the live index, want 1", jobs)
	}

	t.Log("a golden set that now fails closes the gate and leaves alias and index alone")
	setGolden(t, gate, wrongGolden())
	failed := make(chan struct{})
	writable := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			if err := write(t.Context(), "promoted", fmt.Sprintf("y%d", i%5), "unrelated"); err != nil {
				writable <- err
				return
			}
			select {
			case <-failed:
				writable <- nil
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	waitFor(t, gate, reasonIs(v1alpha1.ReasonLiveBelowThreshold))
	close(failed)
	must(t, <-writable)
	expectKstatus(t, gate, status.FailedStatus)
	expectAlias(t, "promoted", "promoted-v2")
	expectUnblocked(t, "promoted-v2")
	if !meta.IsStatusConditionTrue(gate.Status.Conditions, v1alpha1.ConditionPromoted) {
		t.Error("Promoted is not True although the alias was not moved")
	}
}

func TestACandidateThatDoesNotExistYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	makeIndex(t, "later-v1", false)
	makeAlias(t, "later", "later-v1")
	gate := makeGate(t, namespace, "later", nil)
	waitFor(t, gate, reasonIs(v1alpha1.ReasonCandidateMissing))
	if gate.Status.Verdict != v1alpha1.VerdictPending {
		t.Errorf("verdict %s, want Pending", gate.Status.Verdict)
	}
	expectKstatus(t, gate, status.InProgressStatus)

	makeIndex(t, "later-v2", false)
	waitFor(t, gate, reasonIs(v1alpha1.ReasonPromoted))
	expectAlias(t, "later", "later-v2")
}

func TestManualWaitsForAnApprovalOfThisEvaluation(t *testing.T) {
	t.Parallel()
	makeIndex(t, "manual-v1", false)
	makeIndex(t, "manual-v2", false)
	makeAlias(t, "manual", "manual-v1")
	gate := makeGate(t, namespace, "manual", func(s *v1alpha1.RelevanceGateSpec) { s.Promotion.Policy = v1alpha1.PolicyManual })
	waitFor(t, gate, reasonIs(v1alpha1.ReasonAwaitingApproval))
	expectKstatus(t, gate, status.InProgressStatus)

	approve := func(key string) {
		change(t, gate, func(g *v1alpha1.RelevanceGate) {
			metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.AnnotationApprove, key)
		})
	}
	approve("sha256:" + strings.Repeat("0", 64))
	waitFor(t, gate, func(s v1alpha1.RelevanceGateStatus) bool { return strings.Contains(s.Message, "another evaluation") })
	expectAlias(t, "manual", "manual-v1")
	approve(gate.Status.Evaluation.Key)
	waitFor(t, gate, reasonIs(v1alpha1.ReasonPromoted))
	expectAlias(t, "manual", "manual-v2")
}

func TestLockUntilPassedHoldsAFailedCandidate(t *testing.T) {
	t.Parallel()
	makeIndex(t, "locked-v1", false)
	makeIndex(t, "locked-v2", true)
	makeAlias(t, "locked", "locked-v1")
	gate := makeGate(t, namespace, "locked", func(s *v1alpha1.RelevanceGateSpec) {
		s.Promotion.Lock = v1alpha1.LockUntilPassed
		s.Candidate.ReadyWhen = &v1alpha1.ReadyWhen{MinDocs: ptr.To(int64(len(shop)))}
	})
	waitFor(t, gate, reasonIs(v1alpha1.ReasonBelowThreshold))
	swap := `{"actions":[{"remove":{"index":"locked-v1","alias":"locked"}},{"add":{"index":"%s","alias":"locked"}}]}`
	for _, expression := range []string{"locked-v2", "locked-v*"} {
		if err := request(t.Context(), "POST", "/_aliases", fmt.Sprintf(swap, expression)); err == nil && expression == "locked-v2" {
			t.Fatal("the engine moved the alias to a locked candidate")
		}
	}
	found, err := pointsAt(t.Context(), "locked")
	must(t, err)
	if strings.Contains(found, "locked-v2") {
		t.Fatalf("the alias points at %s", found)
	}

	change(t, gate, func(g *v1alpha1.RelevanceGate) { g.Spec.Suspend = true })
	waitFor(t, gate, reasonIs(v1alpha1.ReasonSuspended))
	expectUnblocked(t, "locked-v2")
}
