package v1alpha1_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// declared returns the constants of a file whose name begins with a prefix, by name, with their comments.
func declared(t *testing.T, file, prefix string) (values, comments map[string]string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	values, comments = map[string]string{}, map[string]string{}
	ast.Inspect(parsed, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		values[spec.Names[0].Name], comments[spec.Names[0].Name] = value, spec.Doc.Text()
		return true
	})
	return values, comments
}

func TestReasonsAreReasons(t *testing.T) {
	g := NewWithT(t)
	// What a condition's reason must match, and at most 1024 characters; an event's reason at most 128.
	pattern := regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
	camel := regexp.MustCompile(`^([A-Z][a-zA-Z]*)$`)
	values, comments := declared(t, "reasons.go", "Reason")
	g.Expect(values).NotTo(BeEmpty())
	var all []string
	for name, value := range values {
		g.Expect(value).To(MatchRegexp(pattern.String()), name)
		g.Expect(value).To(MatchRegexp(camel.String()), name)
		g.Expect(len(value)).To(BeNumerically("<=", 128), name)
		g.Expect(name).To(Equal("Reason" + value))
		g.Expect(comments[name]).To(HavePrefix(name + " surfaces when "))
		g.Expect(strings.TrimSpace(comments[name])).To(HaveSuffix("."), name)
		all = append(all, value)
	}
	slices.Sort(all)
	listed := v1alpha1.Reasons()
	slices.Sort(listed)
	g.Expect(listed).To(Equal(all), "Reasons lists every reason once")
}

func TestConditionTypesAreListed(t *testing.T) {
	g := NewWithT(t)
	values, comments := declared(t, "conditions.go", "Condition")
	var all []string
	for name, value := range values {
		g.Expect(name).To(Equal("Condition" + value))
		g.Expect(comments[name]).To(HavePrefix(name + " is "))
		all = append(all, value)
	}
	g.Expect(v1alpha1.ConditionTypes()).To(ConsistOf(all))
}

func TestNamesAreNames(t *testing.T) {
	g := NewWithT(t)
	g.Expect(v1alpha1.AnnotationApprove).To(Equal("relevancegate.dev/approve"))
	g.Expect(v1alpha1.AnnotationRequestedAt).To(Equal("relevancegate.dev/requestedAt"))
	g.Expect(v1alpha1.AnnotationApprovedBy).To(Equal("relevancegate.dev/approvedBy"))
	g.Expect(v1alpha1.AnnotationRollback).To(Equal("relevancegate.dev/rollback"))
	g.Expect(v1alpha1.AnnotationAcceptDrift).To(Equal("relevancegate.dev/acceptDrift"))
	g.Expect(v1alpha1.AnnotationUnlock).To(Equal("relevancegate.dev/unlock"))
	for _, key := range []string{
		v1alpha1.AnnotationUnlock, v1alpha1.AnnotationRollback, v1alpha1.AnnotationAcceptDrift, v1alpha1.AnnotationApprove, v1alpha1.AnnotationApprovedBy, v1alpha1.AnnotationRequestedAt, v1alpha1.AnnotationReportKey, v1alpha1.AnnotationReportJob,
		v1alpha1.AnnotationCluster, v1alpha1.AnnotationSearches, v1alpha1.LabelGate, v1alpha1.LabelGateUID,
		v1alpha1.LabelAttempt, v1alpha1.LabelName, v1alpha1.LabelComponent, v1alpha1.LabelManagedBy,
	} {
		g.Expect(validation.IsQualifiedName(key)).To(BeEmpty(), key)
	}
	for _, value := range []string{v1alpha1.AppName, v1alpha1.ComponentEvaluation, v1alpha1.ComponentReport} {
		g.Expect(validation.IsValidLabelValue(value)).To(BeEmpty(), value)
	}
	longest := typed(t, makeGate(named(strings.Repeat("g", 200))))
	g.Expect(validation.IsDNS1123Subdomain(longest.ReportName())).To(BeEmpty())
	g.Expect(longest.ReportName()).To(HaveSuffix("-report"))
}
