package controllers

import (
	"context"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// podStartTimeout is how long a Job may have no pod, and a pod not run, before
// the gate says so. Neither shows in the Job's status: not the quota or admission
// rule that refuses the pod, nor the image that cannot be pulled.
const podStartTimeout = 60 * time.Second

// running tells whether our container runs.
func running(pod *corev1.Pod) bool {
	status := containerStatus(pod)
	return status != nil && status.State.Running != nil
}

// containerStatus is that of our container, or nil.
func containerStatus(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == containerName {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// whyNoPod quotes why a Job has no pod.
func (r *Reconciler) whyNoPod(ctx context.Context, job *batchv1.Job) string {
	if message := r.latestWarning(ctx, job.Namespace, job.UID); message != "" {
		return message
	}
	return "no event says why; look at the namespace's quota and admission rules"
}

// whyNotRunning quotes what our container or its pod waits for.
func (r *Reconciler) whyNotRunning(ctx context.Context, pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return joined(condition.Reason, condition.Message)
		}
	}
	var waiting corev1.ContainerStateWaiting
	if status := containerStatus(pod); status != nil && status.State.Waiting != nil {
		waiting = *status.State.Waiting
	}
	if waiting.Message == "" {
		// Of a volume that cannot be mounted only an event tells.
		waiting.Message = r.latestWarning(ctx, pod.Namespace, pod.UID)
	}
	if waiting.Reason == "" && waiting.Message == "" {
		return "nothing says why; kubectl describe it"
	}
	return joined(waiting.Reason, waiting.Message)
}

// joined is "reason: message" as far as they are there.
func joined(reason, message string) string { return strings.Trim(reason+": "+message, ": ") }

// latestWarning is the latest warning about an object, or empty. It is read from
// the API server: a watch on events would bring every event of the cluster.
func (r *Reconciler) latestWarning(ctx context.Context, namespace string, uid types.UID) string {
	events := &corev1.EventList{}
	err := r.Live.List(ctx, events, client.InNamespace(namespace), client.Limit(20), client.MatchingFieldsSelector{
		Selector: fields.SelectorFromSet(fields.Set{"involvedObject.uid": string(uid), "type": corev1.EventTypeWarning}),
	})
	if err != nil || len(events.Items) == 0 {
		return ""
	}
	latest := slices.MaxFunc(events.Items, func(a, b corev1.Event) int {
		return eventTime(&a).Compare(eventTime(&b))
	})
	return latest.Message
}

func eventTime(event *corev1.Event) time.Time {
	if !event.LastTimestamp.IsZero() {
		return event.LastTimestamp.Time
	}
	return event.EventTime.Time
}
