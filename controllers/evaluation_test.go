package controllers

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

const stateUsedUp = "Inconclusive/EvaluationError: Evaluated=False/EvaluationError Passed=Unknown/EvaluationError Ready=False/EvaluationError Stalled=True/EvaluationError -> Failed"

func TestTheCandidateMustHoldStillBeforeItIsMeasured(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.SettleSeconds = ptr.To[int32](30) })
	w.pass()
	w.expect(waits("Settling"))
	w.later(29 * time.Second)
	w.index(w.candidate, map[string]string{"d9": "grey glove"}) // begins the 30 seconds anew
	w.pass()
	w.later(29 * time.Second)
	if due := w.pass(); due > time.Second {
		t.Errorf("the next pass is due in %s, one second before the candidate has settled", due)
	}
	w.expect(waits("Settling"))
	w.expectJobs(0)
	w.later(time.Second)
	w.pass()
	w.expect(stateMeasures)
	w.expectJobs(1)
}

func TestWhatDecidesTheResultStartsAJobAndNothingElseDoes(t *testing.T) {
	body := func(text string) func(*world) {
		return func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Search.Body = &runtime.RawExtension{Raw: []byte(text)} })
		}
	}
	for title, row := range map[string]struct {
		change func(w *world)
		jobs   int
		want   string
	}{
		"another golden set":                        {func(w *world) { w.golden("golden", strings.Replace(goldenText, "grade\": 1", "grade\": 2", 1)) }, 2, stateMeasures},
		"another search":                            {body(`{"query": {"match": {"name": {"query": "{{query}}", "boost": 2}}}}`), 2, stateMeasures},
		"the search with its keys in another order": {body(`{"query": { "match":{"name":"{{query}}"}}}`), 1, stateFailed},
		"another metric": {func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[2].Name = "precision@1" })
		}, 2, stateMeasures},
		"another content": {func(w *world) { w.index(w.candidate, map[string]string{"d9": "grey glove"}) }, 2, stateMeasures},
		"another live index": {func(w *world) {
			other := testengine.Index(w.t, w.engine, "live", "")
			w.index(other, goodDocs)
			w.pointAlias(other)
		}, 2, stateMeasures},
		"looser limits": {func(w *world) {
			w.edit(func(gate *v1alpha1.RelevanceGate) {
				gate.Spec.Metrics[0].Min, gate.Spec.Metrics[0].MaxDrop, gate.Spec.Metrics[1].Min = "0.10", "1", "0.10"
			})
		}, 1, statePromoted},
		"writes to the live index": {func(w *world) { w.index(w.live, map[string]string{"d9": "grey glove"}) }, 1, stateFailed},
		"a restart of the manager": {func(w *world) { w.r = w.newReconciler() }, 1, stateFailed},
		"another image":            {func(w *world) { w.r.JobImage = "relevance-gate:next" }, 1, stateFailed},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, badDocs)
			w.gate()
			w.measured()
			w.expect(stateFailed)
			first := w.job()
			row.change(w)
			w.pass()
			w.expect(row.want)
			w.expectJobs(row.jobs)
			if again := w.jobNamed(first.Name); again.ResourceVersion != first.ResourceVersion {
				t.Error("the first Job was written")
			}
			if row.jobs > 1 {
				w.runJob()
				w.pass()
				if w.read().Status.Evaluation.CompletedAt == nil {
					t.Errorf("the second evaluation has no result: %s", w.state("gate"))
				}
			}
		})
	}
}

func TestALiveIndexThatGrowsInterruptsNoEvaluation(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(policy(v1alpha1.PolicyOff))
	w.pass()
	w.index(w.live, map[string]string{"d5": "x", "d6": "x", "d7": "x"})
	w.pass()
	w.expect(stateMeasures)
	w.runJob()
	w.pass()
	w.expect("Passed/ThresholdsMet: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Ready=True/ThresholdsMet -> Current")
}

func TestAnEvaluationThatIsOutdatedIsStopped(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.pass()
	first := w.job()
	w.golden("golden", strings.Replace(goldenText, "grade\": 1", "grade\": 2", 1))
	w.pass()
	w.expect(stateMeasures)
	if second := w.job(); second.Name == first.Name {
		t.Error("the outdated Job goes on")
	}
	jobs := w.jobs()
	if slices.ContainsFunc(jobs, func(job batchv1.Job) bool { return job.UID == first.UID && job.DeletionTimestamp == nil }) {
		t.Errorf("the outdated Job is still there")
	}
}

func TestAResultThatIsStoredOutlivesItsJob(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.pass()
	if job := w.job(); job.Spec.TTLSecondsAfterFinished != nil {
		t.Error("the Job may be removed before its result is stored")
	}
	w.runJob()
	w.pass()
	job := w.job()
	if ptr.Deref(job.Spec.TTLSecondsAfterFinished, 0) != finishedJobTTLSeconds {
		t.Errorf("the Job's lifetime is %v", job.Spec.TTLSecondsAfterFinished)
	}
	plan := &corev1.ConfigMap{}
	must(t, w.k.Get(t.Context(), client.ObjectKeyFromObject(job), plan))
	if !metav1.IsControlledBy(plan, job) {
		t.Errorf("the plan does not go with its Job: %v", plan.OwnerReferences)
	}
	w.delete(job)
	for range 3 {
		w.later(time.Minute)
		w.pass()
	}
	w.expect(stateFailed)
	w.expectJobs(0)
}

func TestALifetimeThatCouldNotBeSetIsSetLater(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.pass()
	w.runJob()
	w.writes.refuse = func(write string) error {
		if strings.HasPrefix(write, "patch *v1.Job") {
			return errors.New("the API server is busy")
		}
		return nil
	}
	if _, err := w.r.Reconcile(t.Context(), w.request("gate")); err == nil {
		t.Error("nobody tells of the failed write")
	}
	w.writes.refuse = nil
	w.pass()
	w.expect(stateFailed)
	if job := w.job(); job.Spec.TTLSecondsAfterFinished == nil {
		t.Error("the Job has no lifetime")
	}
}

func TestALostResultIsMeasuredAgainUpToTheLimit(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.Retries = ptr.To[int32](1) })
	w.pass()
	// The pod goes before it was read, and then its Job ends.
	job := w.job()
	w.delete(w.startPod(job))
	w.failJob(job, "BackoffLimitExceeded")
	if due := w.pass(); due != firstRetry {
		t.Errorf("the next attempt follows in %s", due)
	}
	w.expect(waits("ResultLost"))
	w.expectMessage("attempt 2 follows at")
	w.later(firstRetry)
	w.pass()
	w.expect(stateMeasures)
	// The second time Job and pod go at once.
	w.delete(w.job())
	w.pass()
	w.expect(stateUsedUp)
	w.expectMessage("2 attempts", "was deleted before its result was read")
	w.later(time.Hour)
	w.pass()
	w.expect(stateUsedUp)
	w.expectJobs(1)
	// An input that changes starts again.
	w.golden("golden", strings.Replace(goldenText, "grade\": 1", "grade\": 2", 1))
	w.measured()
	w.expect(statePromoted)
}

func TestAFailedJobIsRemovedAfterAWhile(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	job := w.job()
	w.failPod(job, evaluate.ReasonEngineUnavailable, "no route to host")
	w.pass()
	if again := w.jobNamed(job.Name); again.Spec.TTLSecondsAfterFinished == nil {
		t.Error("Jobs of failed attempts pile up")
	}
}

func TestAttemptsThatGiveNoResult(t *testing.T) {
	uncounted := func(reason, message string) func(*world, *batchv1.Job) {
		return func(w *world, job *batchv1.Job) { w.failPod(job, reason, message) }
	}
	for title, row := range map[string]struct {
		fail    func(w *world, job *batchv1.Job)
		reason  string
		counted bool
	}{
		"the engine is away":               {uncounted(evaluate.ReasonEngineUnavailable, "no route"), "EngineUnavailable", false},
		"another golden set was mounted":   {uncounted(evaluate.ReasonGoldenSetChanged, "stale"), "GoldenSetChanged", false},
		"the pod was told to stop":         {uncounted(evaluate.ReasonInterrupted, "stopped"), "EvaluationError", false},
		"the credentials were refused":     {uncounted(evaluate.ReasonUnauthorized, "401"), "EngineUnauthorized", true},
		"the certificate is not trusted":   {uncounted(evaluate.ReasonUntrustedTLS, "tls"), "EngineTLSError", true},
		"a reason that nobody knows":       {uncounted("no such reason!", "odd"), "EvaluationError", true},
		"killed for its memory":            {func(w *world, job *batchv1.Job) { w.endPod(job, 137, "") }, "EvaluationError", true},
		"success without a summary":        {func(w *world, job *batchv1.Job) { w.endPod(job, 0, "") }, "EvaluationError", true},
		"a summary and a failed container": {func(w *world, job *batchv1.Job) { w.endPod(job, 1, w.summary(job)) }, "EvaluationError", true},
		"a summary of another key": {func(w *world, job *batchv1.Job) {
			w.endPod(job, 0, strings.Replace(w.summary(job), w.read().Status.Evaluation.Key, "sha256:other", 1))
		}, "EvaluationError", true},
		"a summary of another candidate": {func(w *world, job *batchv1.Job) {
			w.endPod(job, 0, strings.Replace(w.summary(job), w.read().Status.Evaluation.Candidate.UUID, "other", 1))
		}, "EvaluationError", true},
		"a summary of other metrics": {func(w *world, job *batchv1.Job) {
			w.endPod(job, 0, strings.Replace(w.summary(job), `"scores":[`, `"scores":[[1,1],[1,1],`, 1))
		}, "EvaluationError", true},
		"the node was drained": {func(w *world, job *batchv1.Job) {
			w.endPod(job, 143, "", corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue})
		}, "ResultLost", false},
		"the Job's time was up and the pod was told to stop": {func(w *world, job *batchv1.Job) {
			w.failPod(job, evaluate.ReasonInterrupted, "stopped")
			w.failJob(job, "DeadlineExceeded")
		}, "EvaluationError", true},
		"the Job's time was up": {func(w *world, job *batchv1.Job) {
			w.startPod(job)
			w.failJob(job, "DeadlineExceeded")
		}, "EvaluationError", true},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.Retries = ptr.To[int32](0) })
			w.pass()
			row.fail(w, w.job())
			w.pass()
			if row.counted {
				w.expect(stateUsedUp)
			} else {
				want := waits(row.reason)
				if row.reason == "EngineUnavailable" {
					want = strings.Replace(want, "Evaluated=False/EngineUnavailable", "Evaluated=False/EvaluationError", 1)
				}
				w.expect(want)
			}
			failure := w.read().Status.Failure
			if failure.Reason != row.reason || (failure.Count == 1) != row.counted {
				t.Errorf("the failure is recorded as %+v", failure)
			}
			w.expectAlias(w.live)
		})
	}
}

func TestAttemptsThatAreNotCountedAreMadeWithoutEnd(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.Retries = ptr.To[int32](0) })
	w.pass()
	for _, wait := range []time.Duration{10, 20, 40, 80, 160, 320, 600, 600} {
		w.failPod(w.job(), evaluate.ReasonEngineUnavailable, "no route to host")
		if due := w.pass(); due.Round(time.Second) > wait*time.Second || due < wait*time.Second-time.Second {
			t.Fatalf("the next attempt follows in %s, want %s", due, wait*time.Second)
		}
		w.later(wait * time.Second)
		w.pass()
		if got := w.state("gate"); got != stateMeasures {
			t.Fatalf("the gate is %s", got)
		}
	}
	w.runJob()
	w.pass()
	w.expect(statePromoted)
}

func TestEveryPrefixOfASummaryIsRefused(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	summary := w.summary(w.job())
	gate := w.read()
	metrics, err := metricsOf(&gate.Spec)
	if err != nil {
		t.Fatal(err)
	}
	s := &scope{gate: gate, key: gate.Status.Evaluation.Key,
		inputs: inputs{golden: goldenFacts{digest: gate.Status.Evaluation.GoldenSet.Digest}, metrics: metrics}}
	read := func(text string) *evaluate.Summary {
		found, failed := s.read(&corev1.Pod{}, &corev1.ContainerStateTerminated{Message: text})
		if (found == nil) == (failed == nil) {
			t.Fatalf("%q is %v and %v", text, found, failed)
		}
		return found
	}
	if read(summary) == nil {
		t.Fatal("the whole summary is refused")
	}
	for end := range len(summary) {
		if read(summary[:end]) != nil {
			t.Errorf("the first %d of %d bytes are taken for a result", end, len(summary))
		}
	}
	if read(summary+"x") != nil {
		t.Error("a summary with something behind it is taken")
	}
}

func TestASidecarThatRunsOnHoldsUpNothing(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	pod := w.endPod(w.job(), 0, w.summary(w.job()))
	if len(pod.Status.ContainerStatuses) != 2 || pod.Status.ContainerStatuses[0].State.Running == nil {
		t.Fatal("there is no sidecar in this test")
	}
	w.pass()
	w.expect(statePromoted)
}

func TestAPodOfSomebodyElseIsNoResult(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	job := w.job()
	summary := w.summary(job)
	job.UID = "another"
	w.endPod(job, 0, summary)
	w.pass()
	w.expect(stateMeasures)
	w.expectAlias(w.live)
}

func TestAJobWithoutAPodIsReportedAfterAMinute(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.pass()
	job := w.job()
	w.clock.SetTime(job.CreationTimestamp.Add(podStartTimeout - time.Second))
	w.pass()
	w.expect(stateMeasures)
	w.clock.SetTime(job.CreationTimestamp.Add(podStartTimeout))
	w.pass()
	w.expect(waits("PodNotCreated"))
	w.expectMessage("no event says why")
	for i, message := range []string{"an older one", "pods is forbidden: exceeded quota: compute"} {
		must(t, w.k.Create(t.Context(), &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: w.namespace, GenerateName: "event-"},
			InvolvedObject: corev1.ObjectReference{Kind: "Job", Namespace: w.namespace, Name: job.Name, UID: job.UID},
			Reason:         "FailedCreate", Message: message, Type: "Warning",
			LastTimestamp: metav1.NewTime(time.Now().Add(time.Duration(i) * time.Minute)),
		}))
	}
	w.pass()
	w.expect(waits("PodNotCreated"))
	w.expectMessage("exceeded quota: compute")
	w.runJob() // the quota was raised
	w.pass()
	w.expect(statePromoted)
}

func TestTheAnnotationMeasuresOnceMore(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.measured()
	for i, value := range []string{"2026-01-01T00:00:00Z", "again", strings.Repeat("long", 1000)} {
		w.annotate(v1alpha1.AnnotationRequestedAt, value)
		w.pass()
		w.expect(stateMeasures)
		w.expectJobs(i + 2)
		w.runJob()
		w.pass()
		w.expect(stateFailed)
		w.expectJobs(i + 2)
	}
	w.edit(func(gate *v1alpha1.RelevanceGate) { delete(gate.Annotations, v1alpha1.AnnotationRequestedAt) })
	w.pass()
	w.expect(stateFailed)
	w.expectJobs(4)
}

func TestASuspendedGateIsClosedAndKeepsItsVerdict(t *testing.T) {
	suspend := func(on bool) func(*v1alpha1.RelevanceGate) {
		return func(gate *v1alpha1.RelevanceGate) { gate.Spec.Suspend = on }
	}
	w := onElasticsearch(t, goodDocs)
	w.gate(suspend(true))
	w.pass()
	w.expect("Pending/Suspended: Evaluated=False/Suspended Passed=Unknown/Suspended Ready=False/Suspended -> InProgress")
	w.expectJobs(0)
	w.edit(suspend(false))
	w.measured()
	w.expect(statePromoted)
	w.edit(suspend(true))
	w.proxy.take()
	w.proxy.answerWith("/", http.StatusServiceUnavailable, "text/plain", "down") // and nobody asks
	w.pass()
	w.expect("Passed/Suspended: Evaluated=True/ThresholdsMet Passed=True/ThresholdsMet Promoted=True/Promoted Ready=False/Suspended -> InProgress")
	if calls := w.proxy.take(); len(calls) > 0 {
		t.Errorf("a suspended gate calls its engine: %v", calls)
	}
	w.proxy.clear()
	w.edit(suspend(false))
	w.pass()
	w.expect(statePromoted)
}

func TestGoldenSetsThatCannotBeUsed(t *testing.T) {
	for title, row := range map[string]struct {
		edit    func(w *world, gate *v1alpha1.RelevanceGate)
		want    string
		message string
	}{
		"no ConfigMap":           {func(_ *world, gate *v1alpha1.RelevanceGate) { gate.Spec.GoldenSet.ConfigMapRef.Name = "none" }, stalls("GoldenSetNotFound"), "/none does not exist"},
		"no such key":            {func(_ *world, gate *v1alpha1.RelevanceGate) { gate.Spec.GoldenSet.ConfigMapRef.Key = "en.json" }, stalls("GoldenSetNotFound"), "has no key en.json; it has es.json"},
		"not JSON":               {func(w *world, _ *v1alpha1.RelevanceGate) { w.golden("golden", "{"+plantedQuery) }, stalls("InvalidGoldenSet"), "line 1"},
		"no queries":             {func(w *world, _ *v1alpha1.RelevanceGate) { w.golden("golden", `{"queries": []}`) }, stalls("InvalidGoldenSet"), "no queries"},
		"no good grades":         {func(_ *world, gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[1].RelevantFrom = 3 }, stalls("InvalidGoldenSet"), `query "scarves"`},
		"no reasons":             {func(_ *world, gate *v1alpha1.RelevanceGate) { gate.Spec.Judgments.RequireWhy = true }, stalls("InvalidGoldenSet"), "requireWhy"},
		"grades above the scale": {func(_ *world, gate *v1alpha1.RelevanceGate) { gate.Spec.GoldenSet.MaxGrade = ptr.To[int32](2) }, stalls("InvalidGoldenSet"), "above maxGrade 2"},
		"another digest": {func(_ *world, gate *v1alpha1.RelevanceGate) {
			gate.Spec.GoldenSet.Digest = "sha256:" + strings.Repeat("0", 64)
		}, waits("GoldenDigestMismatch"), "pins sha256:000"},
		"an unknown metric": {func(_ *world, gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[2].Name = "clicks@10" }, stalls("InvalidMetric"), "clicks@10"},
		"a search without the query": {func(_ *world, gate *v1alpha1.RelevanceGate) {
			gate.Spec.Search.Body = &runtime.RawExtension{Raw: []byte(`{"query": {"match_all": {}}}`)}
		}, stalls("InvalidSearch"), "{{query}}"},
		"a search that begins further down": {func(_ *world, gate *v1alpha1.RelevanceGate) {
			gate.Spec.Search.Body = &runtime.RawExtension{Raw: []byte(`{"from": 10, "query": {"match": {"name": "{{query}}"}}}`)}
		}, stalls("InvalidSearch"), "from above 0"},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(func(gate *v1alpha1.RelevanceGate) { row.edit(w, gate) })
			w.pass()
			w.expect(row.want)
			w.expectMessage(row.message)
			w.expectJobs(0)
			w.expectAlias(w.live)
			// Put right, it goes on.
			w.golden("golden", goldenText)
			w.edit(func(gate *v1alpha1.RelevanceGate) {
				good := w.gateSpec()
				gate.Spec.GoldenSet, gate.Spec.Metrics, gate.Spec.Search, gate.Spec.Judgments = good.GoldenSet, good.Metrics, good.Search, good.Judgments
			})
			w.measured()
			w.expect(statePromoted)
		})
	}
}

func TestAGoldenSetMayBePacked(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	must(t, w.k.Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "packed"}, BinaryData: map[string][]byte{"es.json": packed(t, []byte(goldenText))},
	}))
	w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.GoldenSet.ConfigMapRef.Name = "packed" })
	w.measured()
	w.expect(statePromoted)
}

// A ConfigMap holds 1 MiB, and that may unpack to more than the manager's memory.
func TestAGoldenSetThatUnpacksToTooMuchIsReadOnce(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	reads := 0
	w.r.Live = readerFunc(func(object client.Object) {
		if _, ok := object.(*corev1.ConfigMap); ok {
			reads++
		}
	}, w.r.Live)
	must(t, w.k.Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "bomb"}, BinaryData: map[string][]byte{"es.json": packed(t, make([]byte, maxGoldenBytes+1))},
	}))
	w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.GoldenSet.ConfigMapRef.Name = "bomb" })
	w.pass()
	w.expect(stalls("GoldenSetTooLarge"))
	w.expectMessage("ConfigMap "+w.namespace+"/bomb, key es.json", "larger than 16 MiB", "split")
	if reads != 1 {
		t.Errorf("the golden set was read %d times", reads)
	}
}

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := writer.Write(text)
	must(t, err)
	must(t, writer.Close())
	return out.Bytes()
}

func TestAnUnchangedGoldenSetIsReadOnce(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	reads := 0
	live := w.r.Live
	w.r.Live = readerFunc(func(object client.Object) {
		if _, ok := object.(*corev1.ConfigMap); ok {
			reads++
		}
	}, live)
	w.gate()
	w.measured()
	w.expect(stateFailed)
	if reads != 1 {
		t.Errorf("the golden set was read %d times", reads)
	}
}

func TestEvidenceThatIsTooThinIsInconclusive(t *testing.T) {
	state := func(reason string) string {
		return "Inconclusive/" + reason + ": Evaluated=True/" + reason + " Passed=Unknown/" + reason + " Ready=False/" + reason + " Stalled=True/" + reason + " -> Failed"
	}
	for title, row := range map[string]struct {
		edit   func(w *world, gate *v1alpha1.RelevanceGate)
		reason string
	}{
		"too few hits are judged": {func(w *world, gate *v1alpha1.RelevanceGate) {
			w.index(w.candidate, map[string]string{"x1": "hat", "x2": "hat hat", "x3": "scarf", "x4": "shoe"})
			gate.Spec.Judgments.MinJudged = "0.99"
		}, "TooFewJudged"},
		"the ids are of another field": {func(_ *world, gate *v1alpha1.RelevanceGate) { gate.Spec.Search.IDField = "name.keyword" }, "NothingJudged"},
		"queries end in errors": {func(_ *world, gate *v1alpha1.RelevanceGate) {
			// The engine's error repeats the text of the query.
			gate.Spec.Search.Body = &runtime.RawExtension{Raw: []byte(`{"query": {"query_string": {"query": "name:({{query}}", "default_field": "name"}}}`)}
		}, "InvalidSearch"},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(func(gate *v1alpha1.RelevanceGate) { row.edit(w, gate) })
			w.measured()
			if row.reason == "InvalidSearch" {
				w.expect(stalls("InvalidSearch"))
				w.expectMessage("no search was answered", "400")
				w.later(time.Hour)
				w.pass()
				w.expectJobs(1)
			} else {
				w.expect(state(row.reason))
			}
			w.expectAlias(w.live)
		})
	}
}

func TestTwoManagersStartOneJob(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	managers := []*Reconciler{w.r, w.newReconciler(), w.newReconciler()}
	for range 4 {
		var wait sync.WaitGroup
		for _, manager := range managers {
			wait.Add(1)
			go func() {
				defer wait.Done()
				if _, err := manager.Reconcile(t.Context(), w.request("gate")); err != nil {
					t.Error(err)
				}
			}()
		}
		wait.Wait()
	}
	w.expectJobs(1)
	w.runJob()
	for range 4 {
		for _, manager := range managers {
			if _, err := manager.Reconcile(t.Context(), w.request("gate")); err != nil {
				t.Error(err)
			}
		}
	}
	w.expect(statePromoted)
	w.expectJobs(1)
}

func TestTheNameOfAJobThatBelongsToSomebodyElseIsNotTaken(t *testing.T) {
	for title, foreign := range map[string]func(gate *v1alpha1.RelevanceGate, name string) client.Object{
		"a Job": func(gate *v1alpha1.RelevanceGate, name string) client.Object {
			job := buildJob(gate, name, "evil", goldenShards)
			job.OwnerReferences = nil
			return job
		},
		"a plan": func(gate *v1alpha1.RelevanceGate, name string) client.Object {
			plan := buildPlanConfigMap(gate, name, []byte("{}"))
			plan.OwnerReferences[0].UID = "another"
			return plan
		},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, badDocs)
			w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.Retries = ptr.To[int32](0) })
			w.measured()
			gate := w.read()
			must(t, w.k.Create(t.Context(), foreign(gate, jobName(gate, gate.Status.Evaluation.Key, 2))))
			w.annotate(v1alpha1.AnnotationRequestedAt, "now")
			w.pass()
			w.expect(stateUsedUp)
			w.expectMessage("belongs to somebody else")
		})
	}
}

func TestNoMoreEvaluationsRunThanMay(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.r.MaxEvaluations = 2
	names := []string{"a", "b", "c", "d", "e"}
	for _, name := range names {
		w.gateNamed(name, policy(v1alpha1.PolicyOff))
	}
	// The manager's cache does not show a new Job at once.
	w.r.Client = lateJobs(w.r.Client)
	for round := 0; ; round++ {
		if round == 20 {
			t.Fatal("not all of them come to an end")
		}
		var wait sync.WaitGroup
		for _, name := range names {
			wait.Add(1)
			go func() {
				defer wait.Done()
				if _, err := w.r.Reconcile(t.Context(), w.request(name)); err != nil {
					t.Error(err)
				}
			}()
		}
		wait.Wait()
		running, done := 0, 0
		for _, name := range names {
			gate := w.readNamed(name)
			evaluation := gate.Status.Evaluation
			switch {
			case evaluation.CompletedAt != nil:
				done++
			case evaluation.Job != "":
				running++
				job := w.jobNamed(evaluation.Job)
				w.endPod(job, 0, w.summary(job))
			default:
				w.expectOf(name, waits("Queued"))
			}
		}
		if running > 2 {
			t.Fatalf("%d evaluations run", running)
		}
		if done == len(names) {
			return
		}
		// The Job controller ends the Jobs whose pods have ended.
		for _, job := range w.jobs() {
			if finished, _ := jobFinished(&job); !finished && w.podsOf(&job) > 0 {
				w.failJob(&job, "ForTheTest")
			}
		}
	}
}

func TestNoMoreSearchesRunOnAnEngineThanMay(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.r.MaxEngineSearches = 5
	searches := func(n int32) func(*v1alpha1.RelevanceGate) {
		return func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Evaluation.MaxConcurrentSearches = n
			gate.Spec.Promotion.Policy = v1alpha1.PolicyOff
		}
	}
	for name, n := range map[string]int32{"four": 4, "one": 1, "two": 2, "eight": 8} {
		w.gateNamed(name, searches(n))
	}
	cached := w.r.Client
	w.r.Client = lateJobs(cached) // The manager's cache does not show a new Job at once.
	w.passOf("four")
	w.expectOf("four", stateMeasures)
	w.passOf("two")
	w.expectOf("two", waits("Queued"))
	w.passOf("one")
	w.expectOf("one", stateMeasures)
	w.passOf("eight")
	w.expectOf("eight", waits("Queued"))
	if message := w.readNamed("eight").Status.Message; !strings.Contains(message, "may send 5 searches at a time, this one would send 8 more, and the manager allows 5") {
		t.Errorf("it says %q", message)
	}

	w.r.Client = cached
	for _, name := range []string{"four", "one"} {
		job := w.jobNamed(w.readNamed(name).Status.Evaluation.Job)
		w.failJob(job, "ForTheTest")
	}
	w.passOf("eight") // alone it may ask for more than the limit
	w.expectOf("eight", stateMeasures)
	w.passOf("two")
	w.expectOf("two", waits("Queued"))
}

func TestAWriteOfSomebodyElseDuringThePassIsNotLost(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.proxy.before("GET /"+w.alias, func() {
		w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
			meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: "Foreign", Status: "True", Reason: "Foreign", Message: "kept"})
		})
	})
	if due := w.pass(); due != conflictRetry {
		t.Errorf("the next pass is due in %s", due)
	}
	if status := w.read().Status; status.Verdict != "" || len(w.events.all()) > 0 {
		t.Errorf("the pass wrote %q and told %v", status.Verdict, w.events.all())
	}
	w.pass()
	if got := w.state("gate"); got != stateMeasures {
		t.Errorf("the gate is %s", got)
	}
	if !meta.IsStatusConditionTrue(w.read().Status.Conditions, "Foreign") {
		t.Error("the condition of somebody else is lost")
	}
	w.expectJobs(1)
}

func TestEventsTellOfTransitionsOnly(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	for range 10 {
		w.pass()
	}
	w.runJob()
	w.writes.refuse = func(write string) error {
		if strings.HasSuffix(write, "/status") {
			return errors.New("the API server is busy")
		}
		return nil
	}
	if _, err := w.r.Reconcile(t.Context(), w.request("gate")); err == nil {
		t.Error("nobody tells of the failed write")
	}
	w.writes.refuse = nil
	if events := w.events.all(); len(events) != 1 || !strings.HasPrefix(events[0], "Normal Evaluating: Pending: Job gate-") {
		t.Fatalf("before the verdict: %v", events)
	}
	for range 10 {
		w.pass()
	}
	if events := w.events.all(); len(events) != 2 || !strings.HasPrefix(events[1], "Warning BelowThreshold: Failed: ndcg@10") {
		t.Fatalf("after the verdict: %v", events)
	}
}

func TestTheJobIsRefusedByTheAPIServer(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Evaluation.Retries = ptr.To[int32](0)
		gate.Spec.Evaluation.NodeSelector = map[string]string{"not a label": "x"}
	})
	w.pass()
	w.expect(stateUsedUp)
	w.expectMessage("could not be created")
}
