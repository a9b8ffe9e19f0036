package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if output, err := exec.CommandContext(ctx, helm, "uninstall", "relevance-gate", "--namespace", operator, "--wait").CombinedOutput(); err != nil {
		t.Fatalf("helm uninstall: %v: %s", err, output)
	}
	unseen := makeGate(t, uninstallNamespace, "unseen", nil)
	time.Sleep(10 * time.Second)
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
