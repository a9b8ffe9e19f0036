// Package v1alpha1 is the API of Relevance Gate: the RelevanceGate kind, its defaults and rules, and the names of its
// conditions and reasons.
//
// +kubebuilder:object:generate=true
// +groupName=relevancegate.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group is the API group of all kinds in this package.
const Group = "relevancegate.dev"

// Kind is the kind of a gate, as it stands in manifests and owner references.
const Kind = "RelevanceGate"

var (
	// GroupVersion is the group and version of all kinds in this package.
	GroupVersion = schema.GroupVersion{Group: Group, Version: "v1alpha1"}

	// GroupVersionKind names the gate's kind with its group and version.
	GroupVersionKind = GroupVersion.WithKind(Kind)

	// SchemeBuilder collects the functions that add this package's kinds to a scheme.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds this package's kinds to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &RelevanceGate{}, &RelevanceGateList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
