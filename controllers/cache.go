package controllers

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// CacheOptions are those of the manager's cache: gates, and of what else there
// is only our own Jobs and pods and the names of ConfigMaps. A cache of every
// Secret or ConfigMap of a cluster would cost its size in memory. Without
// namespaces all are watched.
func CacheOptions(namespaces []string) cache.Options {
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{
		v1alpha1.LabelManagedBy: v1alpha1.AppName,
		v1alpha1.LabelComponent: v1alpha1.ComponentEvaluation,
	})}
	options := cache.Options{
		ReaderFailOnMissingInformer: true,
		ByObject:                    map[client.Object]cache.ByObject{&batchv1.Job{}: ours, &corev1.Pod{}: ours},
	}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}
