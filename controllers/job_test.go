package controllers

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// goldenShards are where makeGate's golden set is.
var goldenShards = []shard{{"golden", "es.json"}}

func makeGate(name string, edits ...func(*v1alpha1.RelevanceGate)) *v1alpha1.RelevanceGate {
	gate := &v1alpha1.RelevanceGate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID("uid-of-" + name[:min(len(name), 40)])},
		Spec: v1alpha1.RelevanceGateSpec{
			GoldenSet: v1alpha1.GoldenSet{ConfigMapRef: &v1alpha1.ConfigMapKeyRef{Name: "golden", Key: "es.json"}},
		},
	}
	gate.SetDefaults()
	for _, edit := range edits {
		edit(gate)
	}
	return gate
}

func TestJobNames(t *testing.T) {
	long := strings.Repeat("a", 253)
	for title, gate := range map[string]*v1alpha1.RelevanceGate{
		"a short name":                      makeGate("products"),
		"the longest name there is":         makeGate(long),
		"a name with dots":                  makeGate("a.b.c"),
		"a name whose cut ends in a dot":    makeGate(strings.Repeat("a", 49) + ".b"),
		"a name whose cut ends in a hyphen": makeGate(strings.Repeat("a", 49) + "-b"),
		"a name of 63 characters":           makeGate(strings.Repeat("a", 63)),
	} {
		name := jobName(gate, "sha256:key", 1)
		if len(name) > 63 || len(validation.IsValidLabelValue(name)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
			t.Errorf("%s: %q is no name for a Job", title, name)
		}
		for key, value := range childLabels(gate) {
			if errs := validation.IsValidLabelValue(value); len(errs) > 0 {
				t.Errorf("%s: the label %s=%q: %v", title, key, value, errs)
			}
		}
	}
}

func TestJobNamesTellApartWhatDiffers(t *testing.T) {
	first, second := makeGate(strings.Repeat("a", 70)+"x"), makeGate(strings.Repeat("a", 70)+"y")
	second.UID = "another"
	names := map[string]string{}
	for title, name := range map[string]string{
		"the gate":                jobName(first, "key", 1),
		"a gate with equal start": jobName(second, "key", 1),
		"another key":             jobName(first, "other", 1),
		"another attempt":         jobName(first, "key", 2),
		"attempt 11, not 1 and 1": jobName(first, "key1", 1),
	} {
		if same, taken := names[name]; taken {
			t.Errorf("%s and %s share the name %s", title, same, name)
		}
		names[name] = title
	}
	if jobName(first, "key", 1) != jobName(first.DeepCopy(), "key", 1) {
		t.Error("the same work has two names")
	}
}

func TestTheJobsPodIsRestricted(t *testing.T) {
	job := buildJob(makeGate("products"), "name", "image", goldenShards)
	pod := job.Spec.Template.Spec
	container := pod.Containers[0]
	for title, ok := range map[string]bool{
		"no API token":                 !*pod.AutomountServiceAccountToken,
		"no service variables":         !*pod.EnableServiceLinks,
		"never restarted":              pod.RestartPolicy == corev1.RestartPolicyNever && *job.Spec.BackoffLimit == 0,
		"not root":                     *pod.SecurityContext.RunAsNonRoot && *container.SecurityContext.RunAsNonRoot,
		"no user or group of its own":  pod.SecurityContext.RunAsUser == nil && container.SecurityContext.RunAsUser == nil && pod.SecurityContext.RunAsGroup == nil && container.SecurityContext.RunAsGroup == nil && pod.SecurityContext.FSGroup == nil,
		"default seccomp":              pod.SecurityContext.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault,
		"no more privileges":           !*container.SecurityContext.AllowPrivilegeEscalation && container.SecurityContext.Privileged == nil,
		"no capabilities":              reflect.DeepEqual(container.SecurityContext.Capabilities, &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}),
		"nothing to write to":          *container.SecurityContext.ReadOnlyRootFilesystem && container.VolumeMounts[0].ReadOnly,
		"no host namespaces":           !pod.HostNetwork && !pod.HostPID && !pod.HostIPC,
		"one container, one volume":    len(pod.Containers) == 1 && len(pod.InitContainers) == 0 && len(pod.Volumes) == 1,
		"result by file":               container.TerminationMessagePolicy == corev1.TerminationMessageReadFile,
		"it ends":                      *job.Spec.ActiveDeadlineSeconds == 600+startGraceSeconds,
		"not removed before it's read": job.Spec.TTLSecondsAfterFinished == nil,
	} {
		if !ok {
			t.Errorf("%s: %+v", title, pod)
		}
	}
}

func TestChildrenAreOfTheGateAndCopyNothingOfIt(t *testing.T) {
	gate := makeGate("products", func(gate *v1alpha1.RelevanceGate) {
		gate.Labels = map[string]string{"argocd.argoproj.io/instance": "gitops"}
		gate.Annotations = map[string]string{"kustomize.toolkit.fluxcd.io/name": "gitops"}
		gate.Spec.Evaluation.PodMetadata = &v1alpha1.PodMetadata{
			Labels:      map[string]string{"team": "search", v1alpha1.LabelManagedBy: "somebody"},
			Annotations: map[string]string{"sidecar.istio.io/inject": "false"},
		}
	})
	job := buildJob(gate, "name", "image", goldenShards)
	plan := buildPlanConfigMap(gate, "name", []byte("{}"))
	raw, err := json.Marshal([]any{job, plan})
	must(t, err)
	if strings.Contains(string(raw), "gitops") {
		t.Errorf("labels or annotations of the gate reached a child: %s", raw)
	}
	for _, child := range []metav1.Object{job, plan} {
		owner := metav1.GetControllerOf(child)
		if child.GetNamespace() != "shop" || owner == nil || owner.UID != gate.UID || owner.BlockOwnerDeletion != nil {
			t.Errorf("%s/%s is owned by %+v", child.GetNamespace(), child.GetName(), owner)
		}
	}
	pod := job.Spec.Template
	if pod.Labels["team"] != "search" || pod.Annotations["sidecar.istio.io/inject"] != "false" || pod.Labels[v1alpha1.LabelManagedBy] != v1alpha1.AppName {
		t.Errorf("the pod's metadata is %v %v", pod.Labels, pod.Annotations)
	}
	if !*plan.Immutable {
		t.Error("the plan can be changed")
	}
}

func TestWhatTheGateChoosesOfThePodReachesIt(t *testing.T) {
	gate := makeGate("products", func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Evaluation.ServiceAccountName = "reader"
		gate.Spec.Evaluation.NodeSelector = map[string]string{"disk": "ssd"}
		gate.Spec.Evaluation.Tolerations = []corev1.Toleration{{Key: "search"}}
		gate.Spec.Evaluation.ImagePullSecrets = []v1alpha1.SecretRef{{Name: "pull"}}
	})
	pod := buildJob(gate, "name", "registry/image@sha256:1", goldenShards).Spec.Template.Spec
	if pod.ServiceAccountName != "reader" || pod.NodeSelector["disk"] != "ssd" || pod.Tolerations[0].Key != "search" ||
		pod.ImagePullSecrets[0].Name != "pull" || pod.Containers[0].Image != "registry/image@sha256:1" {
		t.Errorf("%+v", pod)
	}
	if *pod.AutomountServiceAccountToken {
		t.Error("a service account of the user's brings its token along")
	}
}

func TestThePodGetsTheCredentialsOfItsGateOnly(t *testing.T) {
	engineSecret := func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Engine.CredentialsSecretRef = &v1alpha1.SecretRef{Name: "write"}
	}
	for title, row := range map[string]struct {
		edits []func(*v1alpha1.RelevanceGate)
		want  []string
	}{
		"none":       {nil, nil},
		"the gate's": {[]func(*v1alpha1.RelevanceGate){engineSecret}, []string{"write/username", "write/password", "write/api-key", "write/token"}},
		"the pod's own, if it's set": {[]func(*v1alpha1.RelevanceGate){engineSecret, func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Evaluation.CredentialsSecretRef = &v1alpha1.SecretRef{Name: "read"}
		}}, []string{"read/username", "read/password", "read/api-key", "read/token"}},
		"a CA": {[]func(*v1alpha1.RelevanceGate){func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Engine.CASecretRef = &v1alpha1.SecretKeyRef{Name: "ca", Key: "root.pem"}
		}}, []string{"ca/root.pem"}},
	} {
		var got []string
		for _, source := range buildJob(makeGate("products", row.edits...), "name", "image", goldenShards).Spec.Template.Spec.Volumes[0].Projected.Sources {
			if source.Secret == nil {
				continue
			}
			for _, item := range source.Secret.Items {
				got = append(got, source.Secret.Name+"/"+item.Key)
				if credentials := strings.HasPrefix(item.Path, "credentials/"); credentials != ptr.Deref(source.Secret.Optional, false) {
					t.Errorf("%s: %s is optional: %v", title, item.Path, source.Secret.Optional)
				}
			}
		}
		if !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: the pod gets %v, want %v", title, got, row.want)
		}
	}
}

func TestResources(t *testing.T) {
	list := func(cpu, memory string) corev1.ResourceList {
		list := corev1.ResourceList{}
		if cpu != "" {
			list[corev1.ResourceCPU] = resource.MustParse(cpu)
		}
		if memory != "" {
			list[corev1.ResourceMemory] = resource.MustParse(memory)
		}
		return list
	}
	for title, row := range map[string]struct {
		own              *corev1.ResourceRequirements
		requests, limits corev1.ResourceList
	}{
		"a quota wants all four, so all four are set": {nil, list("100m", "64Mi"), list("1", "512Mi")},
		"own values win": {&corev1.ResourceRequirements{Requests: list("200m", ""), Limits: list("", "1Gi")}, list("200m", "64Mi"), list("1", "1Gi")},
		"an own limit below the default request lowers the request": {&corev1.ResourceRequirements{Limits: list("50m", "32Mi")}, list("50m", "32Mi"), list("50m", "32Mi")},
		"an own request above the default limit raises the limit":   {&corev1.ResourceRequirements{Requests: list("2", "1Gi")}, list("2", "1Gi"), list("2", "1Gi")},
	} {
		got := resources(row.own)
		for name := range row.limits {
			request, limit := got.Requests[name], got.Limits[name]
			if request.Cmp(row.requests[name]) != 0 || limit.Cmp(row.limits[name]) != 0 {
				t.Errorf("%s: %s is %s of %s", title, name, request.String(), limit.String())
			}
		}
	}
}

func TestOnlyCompleteAndFailedEndAJob(t *testing.T) {
	condition := func(kind batchv1.JobConditionType, status corev1.ConditionStatus) batchv1.JobCondition {
		return batchv1.JobCondition{Type: kind, Status: status, Reason: "Why", Message: "because"}
	}
	yes, no := corev1.ConditionTrue, corev1.ConditionFalse
	for title, row := range map[string]struct {
		conditions []batchv1.JobCondition
		done       bool
		why        string
	}{
		"none":                             {nil, false, ""},
		"SuccessCriteriaMet alone":         {[]batchv1.JobCondition{condition(batchv1.JobSuccessCriteriaMet, yes)}, false, ""},
		"FailureTarget alone":              {[]batchv1.JobCondition{condition(batchv1.JobFailureTarget, yes)}, false, ""},
		"suspended":                        {[]batchv1.JobCondition{condition(batchv1.JobSuspended, yes)}, false, ""},
		"Complete behind its criterion":    {[]batchv1.JobCondition{condition(batchv1.JobSuccessCriteriaMet, yes), condition(batchv1.JobComplete, yes)}, true, "complete"},
		"Complete before its criterion":    {[]batchv1.JobCondition{condition(batchv1.JobComplete, yes), condition(batchv1.JobSuccessCriteriaMet, yes)}, true, "complete"},
		"Failed behind FailureTarget":      {[]batchv1.JobCondition{condition(batchv1.JobFailureTarget, yes), condition(batchv1.JobFailed, yes)}, true, "Why: because"},
		"Failed before FailureTarget":      {[]batchv1.JobCondition{condition(batchv1.JobFailed, yes), condition(batchv1.JobFailureTarget, yes)}, true, "Why: because"},
		"Complete that is False":           {[]batchv1.JobCondition{condition(batchv1.JobComplete, no)}, false, ""},
		"Complete False, then Failed True": {[]batchv1.JobCondition{condition(batchv1.JobComplete, no), condition(batchv1.JobFailed, yes)}, true, "Why: because"},
	} {
		done, why := jobFinished(&batchv1.Job{Status: batchv1.JobStatus{Conditions: row.conditions}})
		if done != row.done || why != row.why {
			t.Errorf("%s: done %v because of %q", title, done, why)
		}
	}
}
