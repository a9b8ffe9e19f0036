package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// CheckServed makes sure that the API server keeps every field that the manager
// writes. Helm does not upgrade a definition that it has not templated, and an API
// server silently drops what an older definition does not know: a verdict would be
// stored without its lock or its history. Any account may read what is asked here.
//
// An API server publishes a new definition with a delay, so it is asked again for as
// long as patience.
//
// Errors: the definition is missing or lacks fields, which are named; the API server
// does not answer.
func CheckServed(ctx context.Context, config *rest.Config, patience time.Duration) error {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("setting up discovery: %w", err)
	}
	var problem error
	err = wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(context.Context) (bool, error) {
		problem = checkServed(client)
		return problem == nil, nil
	})
	return cmp.Or(problem, err)
}

func checkServed(client discovery.DiscoveryInterface) error {
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return fmt.Errorf("asking the API server for its schemas: %w", err)
	}
	const remedy = "apply the CustomResourceDefinition of this version (config/crd, or the chart with crds.enabled), then start the manager again"
	group, found := paths["apis/"+v1alpha1.GroupVersion.String()]
	if !found {
		return fmt.Errorf("the API server does not serve %s; %s", v1alpha1.GroupVersion, remedy)
	}
	raw, err := group.Schema("application/json")
	if err != nil {
		return fmt.Errorf("asking the API server for the schema of %s: %w", v1alpha1.GroupVersion, err)
	}
	var document struct {
		Components struct {
			Schemas map[string]servedSchema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return fmt.Errorf("reading the schema of %s: %w", v1alpha1.GroupVersion, err)
	}
	gate := document.Components.Schemas["dev.relevancegate."+v1alpha1.GroupVersion.Version+"."+v1alpha1.Kind]
	if missing := gate.missing(reflect.TypeFor[v1alpha1.RelevanceGate](), ""); len(missing) > 0 {
		return fmt.Errorf("the API server's definition of %s is older than this manager and would drop %s; %s",
			v1alpha1.Kind, strings.Join(missing, ", "), remedy)
	}
	return nil
}

// servedSchema is the part of a schema that says which fields there are.
type servedSchema struct {
	Properties map[string]servedSchema `json:"properties"`
	Items      *servedSchema           `json:"items"`
}

// missing are the paths of the fields of the type that the schema lacks. Types of
// other packages are left to Kubernetes.
func (s servedSchema) missing(t reflect.Type, path string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return s.missing(t.Elem(), path)
	case reflect.Slice:
		if s.Items == nil {
			return nil
		}
		return s.Items.missing(t.Elem(), path+"[]")
	case reflect.Struct:
	default:
		return nil
	}
	if t.PkgPath() != reflect.TypeFor[v1alpha1.RelevanceGate]().PkgPath() {
		return nil
	}
	var missing []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue // apiVersion and kind, which are embedded
		}
		served, found := s.Properties[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		if !found {
			missing = append(missing, at)
			continue
		}
		missing = append(missing, served.missing(field.Type, at)...)
	}
	slices.Sort(missing)
	return missing
}
