// Package e2e tests the operator end to end: a real API server and kubelet, a
// real search engine, the operator installed by its chart. The script `run`
// beside it sets everything up and names it in the environment.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const (
	namespace          = "e2e"           // restricted, with a quota; the installed operator looks after it
	quotaNamespace     = "e2e-quota"     // no pod may run
	crashNamespace     = "e2e-crash"     // managers that are killed look after it
	uninstallNamespace = "e2e-uninstall" // for the last test
)

// What the script set up.
var (
	cluster       client.Client
	engineAddress = os.Getenv("E2E_ENGINE")    // the search engine's URL, for this process and for pods alike
	bridge        = os.Getenv("E2E_BRIDGE")    // this machine's address as pods reach it
	image         = os.Getenv("E2E_IMAGE")     // the operator's image
	operator      = os.Getenv("E2E_OPERATOR")  // the namespace that it is installed in
	binary        = os.Getenv("E2E_BINARY")    // the operator as a process
	auditLog      = os.Getenv("E2E_AUDIT_LOG") // every write to the API server
	helm          = os.Getenv("E2E_HELM")
	rollouts      = os.Getenv("E2E_ROLLOUTS") // the Argo Rollouts controller
)

func TestMain(m *testing.M) {
	if engineAddress == "" {
		fmt.Println("skipped: hack/e2e/run sets up the cluster on which these tests show that a bad index is blocked and a good one promoted")
		os.Exit(0)
	}
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme))
	if err == nil {
		cluster, err = client.New(ctrl.GetConfigOrDie(), client.Options{Scheme: scheme})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// eventually tries until the check holds, and fails with its last error.
func eventually(t *testing.T, within time.Duration, check func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %v", within, err)
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
