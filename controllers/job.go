package controllers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

const (
	// containerName is the container whose termination message is the result.
	// Decisions look at it alone, so a sidecar that keeps running holds up
	// nothing.
	containerName = "evaluate"
	// mountPath is where the evaluation pod finds its plan.
	mountPath = "/etc/relevance-gate"
	// startGraceSeconds is what a Job may take to start its pod, on top of the
	// evaluation's own timeout, before Kubernetes ends it.
	startGraceSeconds = 300
	// finishedJobTTLSeconds is how long a Job outlives its recorded result.
	finishedJobTTLSeconds = 3600
	// maxJobName is the longest name whose pods can carry it as a label.
	maxJobName = 63
)

// jobName is the same for the same gate, evaluation key and attempt, so that
// two managers that start the same work collide on the name instead of doing
// it twice.
func jobName(gate *v1alpha1.RelevanceGate, key string, attempt int32) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", gate.UID, key, attempt))
	suffix := "-" + hex.EncodeToString(sum[:])[:12]
	name := gate.Name[:min(len(gate.Name), maxJobName-len(suffix))]
	// A Job's name is a label value of its pods: dots are allowed inside a
	// gate's name, but the part before the suffix must not end in one.
	return strings.TrimRight(name, ".-") + suffix
}

// childLabels mark what belongs to a gate. Nothing is copied from the gate's
// own labels: GitOps tools would adopt and prune the children.
func childLabels(gate *v1alpha1.RelevanceGate) map[string]string {
	name := strings.TrimRight(gate.Name[:min(len(gate.Name), maxJobName)], ".-")
	return map[string]string{
		v1alpha1.LabelName:      v1alpha1.AppName,
		v1alpha1.LabelComponent: v1alpha1.ComponentEvaluation,
		v1alpha1.LabelManagedBy: v1alpha1.AppName,
		v1alpha1.LabelGate:      name,
		v1alpha1.LabelGateUID:   string(gate.UID),
	}
}

// loadAnnotations say on a Job what it asks of which engine; see loadOf.
func loadAnnotations(gate *v1alpha1.RelevanceGate) map[string]string {
	annotations := map[string]string{v1alpha1.AnnotationSearches: strconv.Itoa(int(gate.Spec.Evaluation.MaxConcurrentSearches))}
	if evaluation := gate.Status.Evaluation; evaluation != nil && evaluation.Engine != nil {
		annotations[v1alpha1.AnnotationCluster] = evaluation.Engine.ClusterUUID
	}
	return annotations
}

// ownerOf makes the gate the controller of its children.
func ownerOf(gate *v1alpha1.RelevanceGate) []metav1.OwnerReference {
	return ownedBy(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind), gate)
}

// ownedBy makes owner the controller of a child, without blockOwnerDeletion,
// which some clusters allow only with a further right.
func ownedBy(kind schema.GroupVersionKind, owner metav1.Object) []metav1.OwnerReference {
	return []metav1.OwnerReference{{
		APIVersion: kind.GroupVersion().String(),
		Kind:       kind.Kind,
		Name:       owner.GetName(),
		UID:        owner.GetUID(),
		Controller: ptr.To(true),
	}}
}

// buildPlanConfigMap holds the plan of one evaluation. It is immutable: what
// was measured can be read off it for as long as the Job is there.
func buildPlanConfigMap(gate *v1alpha1.RelevanceGate, name string, plan []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:            name,
			Namespace:       gate.Namespace,
			Labels:          childLabels(gate),
			OwnerReferences: ownerOf(gate),
		},
		Immutable: ptr.To(true),
		Data:      map[string]string{"plan.json": string(plan)},
	}
}

// buildJob is the evaluation as a Job: a pure function of the gate, the name
// of its plan, the manager's image and where the golden set is.
//
// The pod needs no Kubernetes API and gets no token for it. It sets no user:
// the image has a numeric one, and clusters that hand out user ids may choose
// another.
func buildJob(gate *v1alpha1.RelevanceGate, name, image string, shards []shard) *batchv1.Job {
	evaluation := gate.Spec.Evaluation
	labels := childLabels(gate)
	var podLabels, podAnnotations map[string]string
	if meta := evaluation.PodMetadata; meta != nil {
		podLabels, podAnnotations = meta.Labels, meta.Annotations
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name:            name,
			Namespace:       gate.Namespace,
			Labels:          labels,
			Annotations:     loadAnnotations(gate),
			OwnerReferences: ownerOf(gate),
		},
		Spec: batchv1.JobSpec{
			// The controller counts attempts itself: the Job's own back-off
			// would hide why the first try failed.
			BackoffLimit:          ptr.To[int32](0),
			ActiveDeadlineSeconds: ptr.To(int64(evaluation.TimeoutSeconds) + startGraceSeconds),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      merged(podLabels, labels),
					Annotations: podAnnotations,
				},
				Spec: corev1.PodSpec{
					RestartPolicy:                corev1.RestartPolicyNever,
					AutomountServiceAccountToken: ptr.To(false),
					EnableServiceLinks:           ptr.To(false),
					ServiceAccountName:           evaluation.ServiceAccountName,
					NodeSelector:                 evaluation.NodeSelector,
					Tolerations:                  evaluation.Tolerations,
					ImagePullSecrets:             pullSecrets(evaluation.ImagePullSecrets),
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot:   ptr.To(true),
						SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{{
						Name:                     containerName,
						Image:                    image,
						ImagePullPolicy:          corev1.PullIfNotPresent,
						Args:                     []string{"measure", "--plan", mountPath},
						TerminationMessagePolicy: corev1.TerminationMessageReadFile,
						Resources:                resources(evaluation.Resources),
						SecurityContext: &corev1.SecurityContext{
							AllowPrivilegeEscalation: ptr.To(false),
							ReadOnlyRootFilesystem:   ptr.To(true),
							RunAsNonRoot:             ptr.To(true),
							Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
							SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
						},
						VolumeMounts: []corev1.VolumeMount{{Name: "plan", MountPath: mountPath, ReadOnly: true}},
					}},
					Volumes: []corev1.Volume{{
						Name: "plan",
						VolumeSource: corev1.VolumeSource{
							Projected: &corev1.ProjectedVolumeSource{Sources: planSources(gate, name, shards)},
						},
					}},
				},
			},
		},
	}
}

// planSources put plan, golden set, credentials and CA into one folder, as
// evaluate.LoadPlan reads it.
func planSources(gate *v1alpha1.RelevanceGate, plan string, shards []shard) []corev1.VolumeProjection {
	sources := []corev1.VolumeProjection{
		{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: plan},
			Items:                []corev1.KeyToPath{{Key: "plan.json", Path: "plan.json"}},
		}},
	}
	for i, part := range shards {
		path := evaluate.GoldenPath(i)
		if gate.Spec.GoldenSet.ConfigMapRef != nil {
			path = "golden"
		}
		sources = append(sources, corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: part.configMap},
			Items:                []corev1.KeyToPath{{Key: part.key, Path: path}},
		}})
	}
	if ref := evaluationCredentials(gate); ref != nil {
		for _, key := range credentialKeys {
			// One projection a key: a Secret has some of them, and a missing
			// item fails the whole projection unless it is optional.
			sources = append(sources, corev1.VolumeProjection{Secret: &corev1.SecretProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: ref.Name},
				Items:                []corev1.KeyToPath{{Key: key, Path: "credentials/" + key}},
				Optional:             ptr.To(true),
			}})
		}
	}
	if ca := gate.Spec.Engine.CASecretRef; ca != nil {
		sources = append(sources, corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: ca.Name},
			Items:                []corev1.KeyToPath{{Key: ca.Key, Path: "ca.crt"}},
		}})
	}
	return sources
}

func pullSecrets(refs []v1alpha1.SecretRef) []corev1.LocalObjectReference {
	var secrets []corev1.LocalObjectReference
	for _, ref := range refs {
		secrets = append(secrets, corev1.LocalObjectReference{Name: ref.Name})
	}
	return secrets
}

// resources are the gate's, over defaults that fit a namespace with a quota:
// such a namespace refuses a pod that names neither requests nor limits.
func resources(own *corev1.ResourceRequirements) corev1.ResourceRequirements {
	requirements := corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("100m"),
			corev1.ResourceMemory: resource.MustParse("64Mi"),
		},
		Limits: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("1"),
			corev1.ResourceMemory: resource.MustParse("512Mi"),
		},
	}
	if own != nil {
		for name, quantity := range own.Requests {
			requirements.Requests[name] = quantity
		}
		for name, quantity := range own.Limits {
			requirements.Limits[name] = quantity
		}
	}
	// The API server refuses a request above its limit. What the gate names
	// wins over a default.
	for name, request := range requirements.Requests {
		limit, limited := requirements.Limits[name]
		if !limited || limit.Cmp(request) >= 0 {
			continue
		}
		if own != nil && hasResource(own.Requests, name) {
			requirements.Limits[name] = request
		} else {
			requirements.Requests[name] = limit
		}
	}
	return requirements
}

func hasResource(list corev1.ResourceList, name corev1.ResourceName) bool {
	_, ok := list[name]
	return ok
}

// merged is both maps in one; the second wins.
func merged(first, second map[string]string) map[string]string {
	all := make(map[string]string, len(first)+len(second))
	for _, from := range []map[string]string{first, second} {
		for key, value := range from {
			all[key] = value
		}
	}
	return all
}
