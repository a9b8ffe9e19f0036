package controllers

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAPodThatDoesNotStartIsReportedAfterAMinute(t *testing.T) {
	waitingFor := func(reason, message string) func(*world, *corev1.Pod) {
		return func(_ *world, pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
				Name:  containerName,
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
			}}
		}
	}
	for title, row := range map[string]struct {
		status func(w *world, pod *corev1.Pod)
		want   string
	}{
		"its image cannot be pulled": {waitingFor("ImagePullBackOff", "no such tag"), "ImagePullBackOff: no such tag"},
		"no node has room": {func(_ *world, pod *corev1.Pod) {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/1 nodes"}}
		}, "Unschedulable: 0/1 nodes"},
		"a volume cannot be mounted": {func(w *world, pod *corev1.Pod) {
			waitingFor("ContainerCreating", "")(w, pod)
			must(w.t, w.k.Create(w.t.Context(), &corev1.Event{
				ObjectMeta:     metav1.ObjectMeta{Namespace: w.namespace, GenerateName: "event-"},
				InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: w.namespace, Name: pod.Name, UID: pod.UID},
				Reason:         "FailedMount", Message: "secret ca not found", Type: corev1.EventTypeWarning, LastTimestamp: metav1.Now(),
			}))
		}, "ContainerCreating: secret ca not found"},
		"nobody looks after it": {func(*world, *corev1.Pod) {}, "nothing says why"},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate()
			w.pass()
			pod := w.startPod(w.job())
			row.status(w, pod)
			must(t, w.k.Status().Update(t.Context(), pod))
			w.clock.SetTime(pod.CreationTimestamp.Add(podStartTimeout - time.Second))
			w.pass()
			w.expect(stateMeasures)
			w.later(time.Second)
			w.pass()
			w.expect(waits("PodNotStarted"))
			w.expectMessage(pod.Name, row.want)
			// It runs after all, for as long as it takes.
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: containerName, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
			must(t, w.k.Status().Update(t.Context(), pod))
			w.later(time.Hour)
			w.pass()
			if got := w.state("gate"); !strings.HasPrefix(got, "Pending/Evaluating") {
				t.Errorf("the gate is %s", got)
			}
		})
	}
}
