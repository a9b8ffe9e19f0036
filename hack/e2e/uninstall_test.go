package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// Without the operator no gate opens, and none keeps its namespace from
// ending. The script runs this test alone and last: it uninstalls the operator.
func TestUninstalled(t *testing.T) {
	makeIndex(t, "uninstall-v1", false)
	makeIndex(t, "uninstall-v2", false)
	makeAlias(t, "uninstall", "uninstall-v1")
	measured := makeGate(t, uninstallNamespace, "uninstall", func(s *v1alpha1.RelevanceGateSpec) { s.Promotion.Policy = v1alpha1.PolicyOff })
	waitFor(t, measured, func(s v1alpha1.RelevanceGateStatus) bool { return s.Verdict == v1alpha1.VerdictPassed })
	if len(measured.Finalizers) != 0 {
		t.Errorf("the gate has finalizers: %v", measured.Finalizers)
	}

	// And one that has passed and waits for an approval, which nobody will act on.
	makeIndex(t, "unapproved-v1", false)
	makeIndex(t, "unapproved-v2", false)
	makeAlias(t, "unapproved", "unapproved-v1")
	unapproved := makeGate(t, uninstallNamespace, "unapproved", func(s *v1alpha1.RelevanceGateSpec) { s.Promotion.Policy = v1alpha1.PolicyManual })
	waitFor(t, unapproved, reasonIs(v1alpha1.ReasonAwaitingApproval))

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if output, err := exec.CommandContext(ctx, helm, "uninstall", "relevance-gate", "--namespace", operator, "--wait").CombinedOutput(); err != nil {
		t.Fatalf("helm uninstall: %v: %s", err, output)
	}
	unseen := makeGate(t, uninstallNamespace, "unseen", nil)
	change(t, unapproved, func(g *v1alpha1.RelevanceGate) {
		metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.AnnotationApprove, g.Status.Evaluation.Key)
	})
	time.Sleep(10 * time.Second)
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(unapproved), unapproved))
	if meta.IsStatusConditionTrue(unapproved.Status.Conditions, v1alpha1.ConditionReady) {
		t.Error("a gate that nobody promotes is open")
	}
	expectAlias(t, "unapproved", "unapproved-v1")
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(unseen), unseen))
	expectKstatus(t, unseen, status.InProgressStatus)

	must(t, cluster.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: uninstallNamespace}}))
	eventually(t, time.Minute, func(ctx context.Context) error {
		err := cluster.Get(ctx, client.ObjectKey{Name: uninstallNamespace}, &corev1.Namespace{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the namespace is still there: %w", err)
	})
}
