package controllers

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

func noRetries(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.Retries = ptr.To[int32](0) }

// What mends these is in no evaluation key.
func TestAttemptsThatWereUsedUpStartAnewWithTheirRemedy(t *testing.T) {
	t.Run("more memory", func(t *testing.T) {
		w := onElasticsearch(t, goodDocs)
		w.gate(noRetries)
		w.pass()
		w.endPod(w.job(), 137, "")
		w.pass()
		w.expect(stateUsedUp)
		w.edit(func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Evaluation.Resources = &corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}
		})
		w.pass()
		w.expect(stateMeasures)
		if memory := w.job().Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String(); memory != "1Gi" {
			t.Errorf("the Job has %s", memory)
		}
		w.runJob()
		w.pass()
		w.expect(statePromoted)
	})
	t.Run("a corrected Secret", func(t *testing.T) {
		w := onElasticsearch(t, goodDocs)
		w.secret("measuring", map[string]string{"api-key": "wrong"})
		w.gate(noRetries, func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Evaluation.CredentialsSecretRef = &v1alpha1.SecretRef{Name: "measuring"}
		})
		w.pass()
		w.failPod(w.job(), evaluate.ReasonUnauthorized, "401")
		w.pass()
		w.expect(stateUsedUp)
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "measuring"}}
		must(t, w.k.Get(t.Context(), client.ObjectKeyFromObject(secret), secret))
		secret.Data["api-key"] = []byte("right")
		must(t, w.k.Update(t.Context(), secret))
		w.pass()
		w.expect(stateMeasures)
		w.expectJobs(2)
	})
}

func TestAFailureOfTheSameEvaluationBeforeIsNoAttempt(t *testing.T) {
	metric := func(name string) func(*v1alpha1.RelevanceGate) {
		return func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[2].Name = name }
	}
	w := onElasticsearch(t, goodDocs)
	w.gate(noRetries)
	w.pass()
	first := w.job()
	w.endPod(first, 137, "")
	w.failJob(first, "BackoffLimitExceeded")
	w.pass()
	w.expect(stateUsedUp)
	w.later(30 * time.Second)
	w.edit(metric("precision@1"))
	w.pass()
	w.expect(stateMeasures)
	w.edit(metric("precision@5"))
	w.pass()
	w.expect(stateMeasures)
	if again := w.job(); again.Name == first.Name {
		t.Error("the failed Job was taken for a new one")
	}
	w.runJob()
	w.pass()
	w.expect(statePromoted)
}

func TestASearchThatIsRefusedIsNotTriedAgain(t *testing.T) {
	for _, reason := range []string{evaluate.ReasonSearchRejected, evaluate.ReasonInvalidSearch, evaluate.ReasonInvalidPlan} {
		t.Run(reason, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate()
			w.pass()
			w.failPod(w.job(), reason, "the engine answered 400 parsing_exception")
			w.pass()
			w.expect(stalls("InvalidSearch"))
			w.expectMessage("400 parsing_exception")
			w.later(30 * time.Second)
			w.pass()
			w.expect(stalls("InvalidSearch"))
			w.expectJobs(1)
			// Its remedy may be on the engine's side.
			w.annotate(v1alpha1.AnnotationRequestedAt, "now")
			w.pass()
			w.expect(stateMeasures)
		})
	}
}

func TestAResultIsFoundThoughTheCacheOfPodsLagsBehind(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	job := w.job()
	w.endPod(job, 0, w.summary(job))
	w.failJob(job, "ForTheTest")
	w.r.Client = withoutPods{w.r.Client}
	w.pass()
	w.expect(statePromoted)
	w.expectJobs(1)
}

func TestTheJobsDeadlineIsCounted(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(noRetries)
	w.pass()
	// The Job's condition comes later than the end of its pod.
	job := w.job()
	job.Status.StartTime = ptr.To(metav1.NewTime(time.Now().Add(-time.Duration(*job.Spec.ActiveDeadlineSeconds) * time.Second)))
	must(t, w.k.Status().Update(t.Context(), job))
	pod := w.failPod(job, evaluate.ReasonInterrupted, "stopped")
	pod.Status.ContainerStatuses[1].State.Terminated.FinishedAt = metav1.NewTime(time.Now().Add(time.Second))
	must(t, w.k.Status().Update(t.Context(), pod))
	w.pass()
	w.expect(stateUsedUp)
}

func TestAPlanThatWasNotHandedOverIsHandedOverLater(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.writes.refuse = func(write string) error {
		if strings.HasPrefix(write, "patch *v1.ConfigMap") {
			return errors.New("killed")
		}
		return nil
	}
	if _, err := w.r.Reconcile(t.Context(), w.request("gate")); err == nil {
		t.Error("nobody tells of the failed write")
	}
	w.writes.refuse = nil
	w.pass()
	w.expect(stateMeasures)
	job, plan := w.job(), &corev1.ConfigMap{}
	must(t, w.k.Get(t.Context(), client.ObjectKeyFromObject(job), plan))
	if !metav1.IsControlledBy(plan, job) || len(plan.Data) == 0 {
		t.Errorf("the plan does not go with its Job: %v", plan.OwnerReferences)
	}
}
