package controllers

import (
	"context"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// PodLogs reads what containers have written.
type PodLogs interface {
	// Open gives at most limit bytes of the log of the pod's container.
	Open(ctx context.Context, pod *corev1.Pod, container string, limit int64) (io.ReadCloser, error)
}

// NewPodLogs reads logs from the API server; no log is cached.
func NewPodLogs(config *rest.Config, client *http.Client) (PodLogs, error) {
	core, err := corev1client.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("setting up the reading of pod logs: %w", err)
	}
	return apiServerLogs{core}, nil
}

type apiServerLogs struct{ core corev1client.PodsGetter }

// Open asks the API server, which asks the kubelet.
func (l apiServerLogs) Open(ctx context.Context, pod *corev1.Pod, container string, limit int64) (io.ReadCloser, error) {
	options := &corev1.PodLogOptions{Container: container, LimitBytes: ptr.To(limit)}
	return l.core.Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
}
