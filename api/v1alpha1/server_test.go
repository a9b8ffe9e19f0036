package v1alpha1_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const crdFile = "../../config/crd/relevancegate.dev_relevancegates.yaml"

// server is the API server that the tests talk to; nil without KUBEBUILDER_ASSETS.
var server *rest.Config

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return m.Run()
	}
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Dir(crdFile)},
		ErrorIfCRDPathMissing: true,
	}
	config, err := environment.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting the API server:", err)
		return 1
	}
	defer func() {
		if err := environment.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the API server:", err)
		}
	}()
	config.QPS, config.Burst = 500, 500
	server = config
	return m.Run()
}

// newClient returns a client for the real API server, or skips the test.
func newClient(t *testing.T) client.Client {
	t.Helper()
	if server == nil {
		t.Skip("KUBEBUILDER_ASSETS is not set, so there is no API server to ask; `make test` sets it")
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(server, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// makeNamespace returns the name of a namespace of the test's own.
func makeNamespace(t *testing.T, c client.Client) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "api-"}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// edit changes one thing of a gate.
type edit func(gate *unstructured.Unstructured)

// makeGate returns the smallest valid gate, with the edits made to it.
func makeGate(edits ...edit) *unstructured.Unstructured {
	gate := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(),
		"kind":       v1alpha1.Kind,
		"metadata":   map[string]any{"name": "gate", "namespace": "default"},
		"spec": map[string]any{
			"engine":    map[string]any{"url": "https://search.shop.svc:9200"},
			"alias":     "products",
			"candidate": map[string]any{"index": "products-v2"},
			"goldenSet": map[string]any{"configMapRef": map[string]any{"name": "golden", "key": "golden.json"}},
			"search":    map[string]any{"body": map[string]any{"query": map[string]any{"match": map[string]any{"name": "{{query}}"}}}},
			"metrics":   []any{map[string]any{"name": "ndcg@10", "min": "0.80"}},
		},
	}}
	for _, e := range edits {
		e(gate)
	}
	return gate
}

// set sets a field of the spec, named with dots.
func set(path string, value any) edit {
	return func(gate *unstructured.Unstructured) {
		fields := append([]string{"spec"}, strings.Split(path, ".")...)
		if err := unstructured.SetNestedField(gate.Object, runtime.DeepCopyJSONValue(value), fields...); err != nil {
			panic(err)
		}
	}
}

// drop removes a field of the spec, named with dots.
func drop(path string) edit {
	return func(gate *unstructured.Unstructured) {
		unstructured.RemoveNestedField(gate.Object, append([]string{"spec"}, strings.Split(path, ".")...)...)
	}
}

// object is short for a JSON object in the tables.
type object = map[string]any

// list is short for a JSON list in the tables.
type list = []any

// refusedValue is the value that a cause quotes before it says what is wrong with it.
var refusedValue = regexp.MustCompile(`^Invalid value: (("(\\.|[^"\\])*"|-?[0-9]+): )?`)

// causes returns what the API server refused an object for, as "field: message", without the value in between. Left out
// is the remark that an object of the wrong shape was not checked any further.
func causes(t *testing.T, err error) []string {
	t.Helper()
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		t.Fatalf("expected the API server to refuse the object, got: %v", err)
	}
	var all []string
	for _, cause := range status.ErrStatus.Details.Causes {
		if strings.Contains(cause.Message, "some validation rules were not checked") {
			continue
		}
		all = append(all, cause.Field+": "+refusedValue.ReplaceAllString(cause.Message, ""))
	}
	return all
}

// readObjects reads all objects of a YAML file.
func readObjects(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for {
		read := &unstructured.Unstructured{}
		err := decoder.Decode(read)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("reading %s: %v", file, err)
		}
		if len(read.Object) > 0 {
			objects = append(objects, read)
		}
	}
	NewWithT(t).Expect(objects).NotTo(BeEmpty(), file)
	return objects
}
