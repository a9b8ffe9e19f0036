package v1alpha1_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const samples = "../../config/samples"

func TestTheSamplesApplyCleanly(t *testing.T) {
	c := newClient(t)
	namespace := makeNamespace(t, c)
	files, err := filepath.Glob(filepath.Join(samples, "*.yaml"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(files).NotTo(BeEmpty())
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			g := NewWithT(t)
			strict := client.WithFieldValidation(c, metav1.FieldValidationStrict)
			for _, sample := range readObjects(t, file) {
				sample.SetNamespace(namespace)
				g.Expect(strict.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(sample),
					client.DryRunAll, client.FieldOwner("test"), client.ForceOwnership)).To(Succeed())
			}
		})
	}
}

// The sample is the place where people look a field up, so it names every one that works.
func TestTheSampleNamesEverySupportedField(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile(filepath.Join(samples, "relevancegate.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	unsupported := []string{
		"spec.engine.elasticsearchRef", "spec.candidate.pattern",
		"spec.search.bodyConfigMapRef", "spec.search.storedTemplate",
		"spec.goldenSet.configMapSelector.matchExpressions", "spec.promotion.maxContentDrift", "spec.schedule", "spec.evaluation.resources", "spec.evaluation.tolerations",
	}
	walk(readCRD(t).Spec.Versions[0].Schema.OpenAPIV3Schema, "", func(path string, _ *apiextensionsv1.JSONSchemaProps) {
		if !strings.HasPrefix(path, "spec.") || strings.HasSuffix(path, "]") || strings.HasSuffix(path, "}") {
			return
		}
		for _, prefix := range unsupported {
			if strings.HasPrefix(path, prefix) {
				return
			}
		}
		name := path[strings.LastIndex(path, ".")+1:]
		g.Expect(string(content)).To(MatchRegexp(`\b`+name+":"), path)
	})
}

func TestTheSampleIsAGateThatKeepsItsDefaultsInSight(t *testing.T) {
	g := NewWithT(t)
	for _, sample := range readObjects(t, filepath.Join(samples, "relevancegate.yaml")) {
		if sample.GetKind() != v1alpha1.Kind {
			continue
		}
		gate := &v1alpha1.RelevanceGate{}
		g.Expect(runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(sample.Object, gate, true)).To(Succeed())
		written := gate.DeepCopy().Spec
		gate.SetDefaults()
		g.Expect(gate.Validate()).To(BeEmpty())
		g.Expect(gate.Spec.Promotion).To(Equal(written.Promotion), "the sample writes every default of promotion")
		return
	}
	t.Error("the sample holds no gate")
}
