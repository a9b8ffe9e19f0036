package gateserver

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// The fields of Argo Rollouts' kinds that the recipe rests on. Reading is strict, so a field that is not named here,
// or a misspelt one, fails the test.
type analysisTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Args    []argument `json:"args"`
		Metrics []struct {
			Name                    string `json:"name"`
			Interval                string `json:"interval"`
			Count                   int    `json:"count"`
			InconclusiveLimit       int    `json:"inconclusiveLimit"`
			ConsecutiveSuccessLimit int    `json:"consecutiveSuccessLimit"`
			FailureLimit            int    `json:"failureLimit"`
			ConsecutiveErrorLimit   int    `json:"consecutiveErrorLimit"`
			SuccessCondition        string `json:"successCondition"`
			FailureCondition        string `json:"failureCondition"`
			Provider                struct {
				Web struct {
					URL            string `json:"url"`
					TimeoutSeconds int    `json:"timeoutSeconds"`
					JSONPath       string `json:"jsonPath"`
				} `json:"web"`
			} `json:"provider"`
		} `json:"metrics"`
	} `json:"spec"`
}

type argument struct {
	Name  string  `json:"name"`
	Value *string `json:"value"`
}

type rollout struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Strategy struct {
			Canary struct {
				Steps []struct {
					Analysis *struct {
						Templates []struct {
							TemplateName string `json:"templateName"`
						} `json:"templates"`
						Args []argument `json:"args"`
					} `json:"analysis"`
				} `json:"steps"`
			} `json:"canary"`
		} `json:"strategy"`
	} `json:"spec"`
}

func readSample(t *testing.T, file string, into any, options ...yaml.JSONOpt) {
	t.Helper()
	content, err := os.ReadFile("../../config/argo-rollouts/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, into, options...); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func strict(d *json.Decoder) *json.Decoder {
	d.DisallowUnknownFields()
	return d
}

func TestTheAnalysisTemplateIsTheRecipe(t *testing.T) {
	g := NewWithT(t)
	var template analysisTemplate
	readSample(t, "analysistemplate.yaml", &template, strict)

	g.Expect(template.APIVersion).To(Equal("argoproj.io/v1alpha1"))
	g.Expect(template.Kind).To(Equal("AnalysisTemplate"))
	for _, arg := range template.Spec.Args {
		g.Expect(arg.Value).To(BeNil(), "%s has a default: an analysis without it would not be refused", arg.Name)
	}

	g.Expect(template.Spec.Metrics).To(HaveLen(1))
	metric := template.Spec.Metrics[0]
	g.Expect(metric.Interval).To(Equal("10s"))
	g.Expect(metric.Count).To(BeNumerically(">", 1), "without a count the analysis has no end")
	g.Expect(metric.InconclusiveLimit).To(Equal(metric.Count), "a gate that is Pending for long would end the analysis early")
	g.Expect(metric.ConsecutiveSuccessLimit).To(Equal(1))
	g.Expect(metric.FailureLimit).To(BeZero())
	g.Expect(metric.ConsecutiveErrorLimit).To(Equal(4))
	g.Expect(metric.SuccessCondition).To(Equal(`result == "Passed"`))
	g.Expect(metric.FailureCondition).To(Equal(`result == "Failed"`))
	g.Expect(metric.Provider.Web.JSONPath).To(Equal("{$.verdict}"))
	g.Expect(metric.Provider.Web.TimeoutSeconds).To(BeNumerically(">=", readTimeout.Seconds()))
}

func TestTheSampleRolloutAsksTheStatusRouteForItsCandidate(t *testing.T) {
	g := NewWithT(t)
	var template analysisTemplate
	readSample(t, "analysistemplate.yaml", &template, strict)
	var sample rollout
	readSample(t, "rollout.yaml", &sample)

	// What the Rollout gives must be exactly what the template takes.
	values := map[string]string{}
	for _, step := range sample.Spec.Strategy.Canary.Steps {
		if step.Analysis == nil {
			continue
		}
		g.Expect(step.Analysis.Templates).To(HaveLen(1))
		g.Expect(step.Analysis.Templates[0].TemplateName).To(Equal(template.Name))
		for _, arg := range step.Analysis.Args {
			g.Expect(arg.Value).NotTo(BeNil())
			values[arg.Name] = *arg.Value
		}
	}
	g.Expect(values).To(HaveLen(len(template.Spec.Args)))

	web := template.Spec.Metrics[0].Provider.Web
	target := regexp.MustCompile(`\{\{\s*args\.([\w-]+)\s*\}\}`).ReplaceAllStringFunc(web.URL, func(arg string) string {
		name := strings.TrimPrefix(strings.Trim(arg, "{} "), "args.")
		g.Expect(values).To(HaveKey(name))
		return values[name]
	})
	parsed, err := url.Parse(target)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(parsed.Query().Get(pinCandidate)).To(Equal("products-v2"))

	for _, test := range []struct {
		gate *v1alpha1.RelevanceGate
		want string
	}{
		{makeGate(), "Passed"},
		{makeGate(verdict(v1alpha1.VerdictFailed, v1alpha1.ReasonBelowThreshold)), "Failed"},
		{makeGate(verdict(v1alpha1.VerdictInconclusive, v1alpha1.ReasonTooFewJudged)), "Inconclusive"},
		{makeGate(verdict(v1alpha1.VerdictPending, v1alpha1.ReasonEvaluating)), "Pending"},
		{makeGate(func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Candidate.Index = "products-v3"
			gate.Status.Evaluation.Candidate.Index = "products-v3"
		}), "Pending"},
	} {
		// As the web provider does: decode the body, take what the path finds.
		response := request(t, makeReader(t, test.gate), "GET", target)
		g.Expect(response.Code).To(Equal(200))
		var body any
		g.Expect(json.Unmarshal(response.Body.Bytes(), &body)).To(Succeed())
		path := jsonpath.New("verdict")
		g.Expect(path.Parse(web.JSONPath)).To(Succeed())
		var found bytes.Buffer
		g.Expect(path.Execute(&found, body)).To(Succeed())
		g.Expect(found.String()).To(Equal(test.want))
	}
}
