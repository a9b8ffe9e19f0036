package cli

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/controllers"
)

// apiServer is started by the first test that needs one.
var apiServer = &envtest.Environment{CRDDirectoryPaths: []string{"../../config/crd"}, ErrorIfCRDPathMissing: true}

var startAPIServer = sync.OnceValue(func() error {
	log.SetLogger(logr.Discard())
	config, err := apiServer.Start()
	if err == nil {
		config.QPS, config.Burst = 1000, 1000
	}
	return err
})

func stopAPIServer() {
	if apiServer.Config == nil {
		return
	}
	if err := apiServer.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping the API server:", err)
	}
}

// onAPIServer returns a client and a namespace of the test's own.
func onAPIServer(t *testing.T) (client.Client, string) {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set, so there is no API server; `make test` sets it.")
	}
	must(t, startAPIServer())
	scheme := runtime.NewScheme()
	must(t, clientgoscheme.AddToScheme(scheme))
	must(t, v1alpha1.AddToScheme(scheme))
	k, err := client.New(apiServer.Config, client.Options{Scheme: scheme})
	must(t, err)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "cli-"}}
	must(t, k.Create(t.Context(), namespace))
	return k, namespace.Name
}

// runOperator runs the operator in the namespace until the test is over.
func runOperator(t *testing.T, namespace string) {
	t.Helper()
	manager, err := newManager(apiServer.Config, managerOptions{watchNamespaces: namespace, metricsAddress: "0"})
	must(t, err)
	hosts, err := controllers.NewEngineHosts("127.0.0.1")
	must(t, err)
	reconciler := &controllers.Reconciler{
		Client: manager.GetClient(), Live: manager.GetAPIReader(), Events: manager.GetEventRecorder("relevance-gate"),
		Clock: clock.RealClock{}, JobImage: "relevance-gate:test", Hosts: hosts,
	}
	must(t, reconciler.SetupWithManager(manager, controller.Options{SkipNameValidation: ptr.To(true)})) // several tests run one
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- manager.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// waitForGate reads the gate until it is as the test wants it.
func waitForGate(t *testing.T, k client.Client, gate *v1alpha1.RelevanceGate, wanted func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		must(t, k.Get(t.Context(), client.ObjectKeyFromObject(gate), gate))
		if wanted() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute the gate is %s/%s: %s", gate.Status.Verdict, gate.Status.Reason, gate.Status.Message)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
