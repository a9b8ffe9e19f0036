package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// aHighUser is what a cluster that hands out user ids might choose.
const aHighUser = 1000730000

// The namespace enforces restricted Pod Security and a quota; the pod runs as
// the default ServiceAccount, which has no rights, and as a user that the image
// does not know, as on clusters that choose one for each namespace.
func TestTheEvaluationPodNeedsNothing(t *testing.T) {
	t.Parallel()
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "relevance-gate-e2e-user"},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				}}},
			},
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType: admissionregistrationv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{
					Expression: fmt.Sprintf(`Object{spec: Object.spec{securityContext: Object.spec.securityContext{runAsUser: %d}}}`, aHighUser),
				},
			}},
		},
	}
	binding := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy.Name},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: policy.Name},
	}
	for _, object := range []client.Object{policy, binding} {
		must(t, cluster.Create(t.Context(), object))
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			_ = cluster.Delete(ctx, object)
		})
	}

	makeIndex(t, "user-v1", false)
	makeIndex(t, "user-v2", false)
	makeAlias(t, "user", "user-v1")
	gate := makeGate(t, namespace, "user", func(s *v1alpha1.RelevanceGateSpec) { s.Promotion.Policy = v1alpha1.PolicyOff })
	var pod *corev1.Pod
	// The policy takes effect some time after it was made: ask again until a
	// pod shows it.
	for round := range 5 {
		waitFor(t, gate, func(s v1alpha1.RelevanceGateStatus) bool {
			return s.Verdict == v1alpha1.VerdictPassed && s.LastHandledReconcileAt == gate.Annotations[v1alpha1.AnnotationRequestedAt]
		})
		pods := &corev1.PodList{}
		must(t, cluster.List(t.Context(), pods, client.InNamespace(namespace), client.MatchingLabels{"batch.kubernetes.io/job-name": gate.Status.Evaluation.Job}))
		if len(pods.Items) != 1 {
			t.Fatalf("%d pods of Job %s", len(pods.Items), gate.Status.Evaluation.Job)
		}
		pod = &pods.Items[0]
		if ptr.Deref(pod.Spec.SecurityContext.RunAsUser, 0) == aHighUser {
			break
		}
		change(t, gate, func(g *v1alpha1.RelevanceGate) {
			metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.AnnotationRequestedAt, fmt.Sprint(round))
		})
	}
	if ptr.Deref(pod.Spec.SecurityContext.RunAsUser, 0) != aHighUser {
		t.Fatalf("the pod ran as %v, so the test shows nothing", pod.Spec.SecurityContext.RunAsUser)
	}
	if pod.Spec.ServiceAccountName != "default" || ptr.Deref(pod.Spec.AutomountServiceAccountToken, true) {
		t.Errorf("service account %s, token mounted %v", pod.Spec.ServiceAccountName, pod.Spec.AutomountServiceAccountToken)
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.Name != "plan" {
			t.Errorf("the pod has a volume %s", volume.Name)
		}
	}
}

// A quota that refuses the pod shows nowhere in the Job's status.
func TestAJobWithoutAPodSaysWhy(t *testing.T) {
	t.Parallel()
	makeIndex(t, "quota-v1", false)
	makeIndex(t, "quota-v2", false)
	makeAlias(t, "quota", "quota-v1")
	gate := makeGate(t, quotaNamespace, "quota", nil)
	waitFor(t, gate, reasonIs(v1alpha1.ReasonPodNotCreated))
	if !strings.Contains(gate.Status.Message, "no-pods") {
		t.Errorf("the message does not quote the quota: %s", gate.Status.Message)
	}
	expectAlias(t, "quota", "quota-v1")
	if gate.Status.Verdict != v1alpha1.VerdictPending {
		t.Errorf("verdict %s, want Pending", gate.Status.Verdict)
	}
}
