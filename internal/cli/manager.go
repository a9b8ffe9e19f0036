package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // schedules name time zones, and an image need not have them

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/controllers"
	"github.com/relevance-gate/relevance-gate/internal/gateserver"
)

// leaderElectionID is the name of the manager's Lease.
const leaderElectionID = "relevance-gate.relevancegate.dev"

// managerOptions are the flags of the manager.
type managerOptions struct {
	jobImage                string
	engineHosts             string
	credentialsLabel        string
	watchNamespaces         string
	maxEvaluations          int
	maxEngineSearches       int
	reports                 bool
	concurrency             int
	metricsAddress          string
	probeAddress            string
	gateAddress             string
	leaderElect             bool
	leaderElectionNamespace string
}

func newManagerCommand() *cobra.Command {
	options := managerOptions{}
	command := &cobra.Command{
		Use:   "manager",
		Short: "Run the operator in a cluster",
		Long: `Run the operator: watch RelevanceGate resources, evaluate their candidates in
Jobs, write the verdict into their status and move their aliases.

The cluster is found as kubectl finds it: --kubeconfig, KUBECONFIG, or the pod's
own service account.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return runManager(command.Context(), options) },
	}
	flags := command.Flags()
	flags.StringVar(&options.jobImage, "job-image", os.Getenv("JOB_IMAGE"), "image of the evaluation pods; the manager's own")
	flags.StringVar(&options.engineHosts, "engine-hosts", "", "comma-separated globs of the search engines' hosts that gates may name; without it any but loopback, link-local and metadata addresses")
	flags.StringVar(&options.credentialsLabel, "engine-credentials-label", "", "label, as KEY=VALUE or KEY, that a Secret must have for gates to use it; without it any Secret of the gate's namespace")
	flags.StringVar(&options.watchNamespaces, "watch-namespaces", "", "comma-separated namespaces whose gates are handled; without it all")
	flags.IntVar(&options.maxEvaluations, "max-concurrent-evaluations", 10, "how many evaluation Jobs run at a time; 0 for any number")
	flags.IntVar(&options.maxEngineSearches, "max-concurrent-engine-searches", 40, "how many searches the evaluation Jobs send to one engine at a time; 0 for any number")
	flags.BoolVar(&options.reports, "reports", true, "keep the report of each gate's last evaluation in a ConfigMap, which needs the right to read the logs of pods")
	flags.IntVar(&options.concurrency, "concurrency", 8, "how many gates are looked at at a time")
	flags.StringVar(&options.metricsAddress, "metrics-bind-address", ":8080", "address of the metrics; 0 for none")
	flags.StringVar(&options.probeAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz")
	flags.StringVar(&options.gateAddress, "gate-bind-address", ":8082", "address of the gates' status route")
	flags.BoolVar(&options.leaderElect, "leader-elect", false, "let one of several managers work at a time")
	flags.StringVar(&options.leaderElectionNamespace, "leader-election-namespace", "", "namespace of the Lease; without it the pod's own")
	// controller-runtime reads KUBECONFIG and the service account by itself.
	return command
}

func runManager(ctx context.Context, options managerOptions) error {
	ctrl.SetLogger(zap.New())
	if options.jobImage == "" {
		return fmt.Errorf("--job-image is missing; name the image of the evaluation pods, which is the manager's own")
	}
	hosts, err := controllers.NewEngineHosts(options.engineHosts)
	if err != nil {
		return err
	}
	credentialsLabel, err := parseCredentialsLabel(options.credentialsLabel)
	if err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	if err := controllers.CheckServed(ctx, config, time.Minute); err != nil {
		return err
	}
	manager, err := newManager(config, options)
	if err != nil {
		return err
	}
	reconciler := &controllers.Reconciler{
		Client:            manager.GetClient(),
		Live:              manager.GetAPIReader(),
		Events:            manager.GetEventRecorder("relevance-gate"),
		Clock:             clock.RealClock{},
		JobImage:          options.jobImage,
		Hosts:             hosts,
		CredentialsLabel:  credentialsLabel,
		MaxEvaluations:    options.maxEvaluations,
		MaxEngineSearches: options.maxEngineSearches,
	}
	if options.reports {
		if reconciler.Logs, err = controllers.NewPodLogs(manager.GetConfig(), manager.GetHTTPClient()); err != nil {
			return err
		}
	}
	if err := reconciler.SetupWithManager(manager, controller.Options{
		MaxConcurrentReconciles: options.concurrency,
		// A manager that waits for the Lease answers the status route too, so
		// its cache of gates must be filled.
		EnableWarmup: ptr.To(true),
	}); err != nil {
		return fmt.Errorf("setting up the reconciler: %w", err)
	}
	if err := manager.Add(&gateserver.Server{BindAddress: options.gateAddress, Reader: manager.GetClient()}); err != nil {
		return fmt.Errorf("setting up the status route: %w", err)
	}
	for _, add := range []func(string, healthz.Checker) error{manager.AddHealthzCheck, manager.AddReadyzCheck} {
		if err := add("ping", healthz.Ping); err != nil {
			return fmt.Errorf("setting up the probes: %w", err)
		}
	}
	return manager.Start(ctx)
}

// parseCredentialsLabel reads the flag --engine-credentials-label; nil asks for no label.
func parseCredentialsLabel(flag string) (labels.Selector, error) {
	if flag == "" {
		return nil, nil
	}
	selector, err := labels.Parse(flag)
	if err != nil {
		return nil, fmt.Errorf("--engine-credentials-label: %q is not a label such as relevancegate.dev/engine-credentials=true: %w", flag, err)
	}
	return selector, nil
}

// newManager sets up what the reconciler and the status route run in.
func newManager(config *rest.Config, options managerOptions) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("registering types: %w", err)
		}
	}
	namespaces := strings.FieldsFunc(options.watchNamespaces, func(r rune) bool { return r == ',' || r == ' ' })
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         controllers.CacheOptions(namespaces),
		Metrics:                       server.Options{BindAddress: options.metricsAddress},
		HealthProbeBindAddress:        options.probeAddress,
		LeaderElection:                options.leaderElect,
		LeaderElectionID:              leaderElectionID,
		LeaderElectionNamespace:       options.leaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout:       ptr.To(25 * time.Second),
	})
	if err != nil {
		return nil, fmt.Errorf("setting up the manager: %w", err)
	}
	return manager, nil
}
