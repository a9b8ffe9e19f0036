package v1alpha1

// Annotations on a gate that ask for something. But for AnnotationApprovedBy and AnnotationRequestedAt, the first word of
// the value names what the request is about, so that it does nothing once the gate is about something else; what follows is
// free, and another text there makes it another request. The same value is never acted on twice.
const (
	// AnnotationApprove approves the promotion of the evaluation whose key it names.
	AnnotationApprove = Group + "/approve"
	// AnnotationApprovedBy is who approves, as claimed by whoever wrote it.
	AnnotationApprovedBy = Group + "/approvedBy"
	// AnnotationRollback asks to move the alias back from the index whose UUID it names, or from the one that the evaluation
	// whose key it names made live. The answer is in status.requests.rollback.
	AnnotationRollback = Group + "/rollback"
	// AnnotationAcceptDrift asks to take the index that it names, by name or UUID, for the right one: the alias was moved
	// there by hand, and on purpose. The answer is in status.requests.acceptDrift.
	AnnotationAcceptDrift = Group + "/acceptDrift"
	// AnnotationUnlock asks to give back the lock on the index that it names, by name or UUID. It is not taken again until
	// AnnotationRequestedAt asks for another evaluation. The answer is in status.requests.unlock.
	AnnotationUnlock = Group + "/unlock"
	// AnnotationRequestedAt asks for another evaluation whenever its value changes. The value that was acted on is echoed
	// in status.lastHandledReconcileAt.
	AnnotationRequestedAt = Group + "/requestedAt"
)

// Annotations on a Job.
const (
	// AnnotationCluster is the UUID of the engine's cluster.
	AnnotationCluster = Group + "/clusterUUID"
	// AnnotationSearches is how many searches the Job sends at a time.
	AnnotationSearches = Group + "/maxConcurrentSearches"
)

// Annotations on the ConfigMap with the report.
const (
	// AnnotationReportKey is the evaluation key of the report.
	AnnotationReportKey = Group + "/evaluationKey"
	// AnnotationReportJob is the Job that measured it; the same evaluation can be measured more than once.
	AnnotationReportJob = Group + "/job"
)

// Labels on what a gate makes. Values of labels hold 63 characters, so a longer name of a gate is cut; LabelGateUID
// tells two gates apart.
const (
	// LabelGate is the name of the gate, cut to 63 characters.
	LabelGate = Group + "/gate"
	// LabelGateUID is the UID of the gate.
	LabelGateUID = Group + "/gate-uid"
	// LabelAttempt is the number of the attempt.
	LabelAttempt = Group + "/attempt"

	// LabelName, LabelComponent and LabelManagedBy are the recommended labels of Kubernetes.
	LabelName      = "app.kubernetes.io/name"
	LabelComponent = "app.kubernetes.io/component"
	LabelManagedBy = "app.kubernetes.io/managed-by"
)

// Values of the recommended labels.
const (
	// AppName is the value of LabelName and LabelManagedBy.
	AppName = "relevance-gate"
	// ComponentEvaluation is the value of LabelComponent on Jobs and their pods.
	ComponentEvaluation = "evaluation"
	// ComponentReport is the value of LabelComponent on the ConfigMap with the report.
	ComponentReport = "report"
)

// reportSuffix follows the gate's name in that of its report. The rule on metadata.name leaves room for it.
const reportSuffix = "-report"

// ReportName returns the name of the ConfigMap that holds the gate's report.
func (g *RelevanceGate) ReportName() string {
	return g.Name + reportSuffix
}
