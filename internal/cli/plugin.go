package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// pluginName is the name of the program by which kubectl finds the plugin: under it
// the binary is `kubectl relevance-gate`.
const pluginName = "kubectl-relevance_gate"

// pluginTimeout bounds what a command asks of the API server.
const pluginTimeout = 30 * time.Second

// isPlugin tells whether the program was started as the plugin.
func isPlugin(program string) bool {
	return strings.TrimSuffix(filepath.Base(program), ".exe") == pluginName
}

// pluginOptions are the flags of all commands of the plugin.
type pluginOptions struct {
	namespace, kubeContext, kubeconfig string
	by                                 string
}

func newPluginCommand() *cobra.Command {
	var o pluginOptions
	root := &cobra.Command{
		Use:   pluginName,
		Short: "Ask a relevance gate to do something",
		Long: `Asks a RelevanceGate to do something, by an annotation that names what it is about. The
request is refused if the gate was changed since it was read. No command waits for the
answer: that stands in the gate's status and events.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl relevance-gate"},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	flags := root.PersistentFlags()
	flags.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the gate (default: the context's)")
	flags.StringVar(&o.kubeContext, "context", "", "context of the kubeconfig")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	for _, request := range pluginRequests {
		command := &cobra.Command{
			Use:   request.name + " NAME",
			Short: request.short,
			Args:  cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				ctx, cancel := context.WithTimeout(cmd.Context(), pluginTimeout)
				defer cancel()
				k, namespace, err := o.connect()
				if err == nil {
					err = request.send(ctx, k, client.ObjectKey{Namespace: namespace, Name: args[0]}, o.by, cmd.OutOrStdout())
				}
				if err != nil {
					return &exitError{code: exitFailed, message: err.Error()}
				}
				return nil
			},
		}
		if request.name == promoteName {
			command.Flags().StringVar(&o.by, "by", "", "who approves (default: the user that the API server knows you as)")
		}
		root.AddCommand(command)
	}
	return root
}

// send reads the gate, asks it, and says what it was asked for.
func (p pluginRequest) send(ctx context.Context, k client.Client, key client.ObjectKey, by string, out io.Writer) error {
	gate := &v1alpha1.RelevanceGate{}
	if err := k.Get(ctx, key, gate); err != nil {
		return fmt.Errorf("reading gate %s: %w", key, err)
	}
	if p.name == promoteName && by == "" {
		by = whoAmI(ctx, k)
	}
	asked, err := p.ask(gate, time.Now().UTC().Format(time.RFC3339Nano), by)
	if err != nil {
		return fmt.Errorf("gate %s: %w", key, err)
	}
	before := gate.DeepCopy()
	if gate.Annotations == nil {
		gate.Annotations = map[string]string{}
	}
	for annotation, value := range asked.annotations {
		gate.Annotations[annotation] = value
		if value == "" {
			delete(gate.Annotations, annotation)
		}
	}
	err = k.Patch(ctx, gate, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) {
		return fmt.Errorf("gate %s was changed while it was asked; look at it, and ask again", key)
	}
	if err != nil {
		return fmt.Errorf("asking gate %s: %w", key, err)
	}
	fmt.Fprintf(out, "Asked gate %s to %s.\nSee: kubectl get relevancegate -n %s %s -o wide\n", key, asked.what, key.Namespace, key.Name)
	return nil
}

// connect finds the cluster as kubectl does.
func (o pluginOptions) connect() (client.Client, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: o.kubeContext}
	overrides.Context.Namespace = o.namespace
	found := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	namespace, _, err := found.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("finding the namespace: %w", err)
	}
	config, err := found.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("finding the cluster: %w", err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{authenticationv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, "", fmt.Errorf("registering types: %w", err)
		}
	}
	k, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, "", fmt.Errorf("connecting to the cluster: %w", err)
	}
	return k, namespace, nil
}

// whoAmI is the user's name as the API server knows it, or empty where it does not
// say.
func whoAmI(ctx context.Context, k client.Client) string {
	review := &authenticationv1.SelfSubjectReview{}
	if err := k.Create(ctx, review); err != nil {
		return ""
	}
	return review.Status.UserInfo.Username
}
