package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// How a Job may go, by the kubelet's and the Job controller's doing.
const (
	jobRuns     = iota // to its end
	jobStarts          // a pod runs, and nothing more
	jobKilled          // exit code 137, and no message
	jobEvicted         // the node is drained before the container ends
	jobLosesPod        // the pod is deleted before anybody reads it
	jobTooLate         // the deadline is over
	jobLags            // the container has ended, and the Job does not know
	jobStaleSet        // the golden set that is mounted is the one before
	jobCutShort        // half of a message
	jobWays
)

// openJobs are the Jobs that have not ended, by name.
func (w *world) openJobs() []*batchv1.Job {
	var open []*batchv1.Job
	for _, key := range w.api.keys() {
		if job, ok := w.api.objects[key].(*batchv1.Job); ok && !finished(job) {
			open = append(open, job)
		}
	}
	return open
}

func finished(job *batchv1.Job) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed {
			return true
		}
	}
	return false
}

// runJob takes one Job on. faults go wrong at the pod's calls of the engine.
func (w *world) runJob(job *batchv1.Job, way int, faults []fault) {
	pod := w.podOf(job)
	if way == jobStarts {
		return
	}
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	ended := corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error", FinishedAt: now}
	complete := false
	if way == jobRuns || way == jobLags || way == jobStaleSet || way == jobCutShort {
		ended = w.measure(job, way, faults)
		complete = ended.ExitCode == 0
	}
	if w.violation != nil || w.api.objects[keyOf(job)] == nil {
		return // deleted while it ran, and its pod with it
	}
	if way == jobLosesPod {
		_ = w.api.delete(keyOf(pod))
	} else {
		w.api.editStatus(pod, func() {
			pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &ended}
			if way == jobEvicted {
				pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue})
			}
		})
	}
	if way == jobLags {
		return
	}
	condition := batchv1.JobCondition{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded}
	switch {
	case complete:
		condition = batchv1.JobCondition{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}
	case way == jobTooLate:
		condition.Reason = batchv1.JobReasonDeadlineExceeded
	}
	changed := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: job.Name}}
	w.api.editStatus(changed, func() { changed.Status.Conditions = []batchv1.JobCondition{condition} })
}

// podOf is the Job's running pod, which it starts if there is none.
func (w *world) podOf(job *batchv1.Job) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: job.Name + "-pod"}}
	if get(w.api.objects, keyOf(pod), pod) == nil {
		return pod
	}
	pod.Labels = maps.Clone(job.Spec.Template.Labels)
	pod.Labels[batchv1.JobNameLabel] = job.Name
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}
	pod.Spec = job.Spec.Template.Spec
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: job.Spec.Template.Spec.Containers[0].Name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
	}}
	if w.api.create(pod) != nil {
		return pod
	}
	start := metav1.NewTime(time.Now().Truncate(time.Second))
	changed := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: job.Name}}
	w.api.editStatus(changed, func() { changed.Status.StartTime = &start })
	return pod
}

// measure does what the pod does, with the product's own code, and keeps what
// really was measured.
func (w *world) measure(job *batchv1.Job, way int, faults []fault) corev1.ContainerStateTerminated {
	m := &measurement{job: job.Name, gate: metav1.GetControllerOf(job).UID}
	w.measurements = append(w.measurements, m)
	raw, err := w.evaluate(job, m, way, faults)
	ended := corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: metav1.NewTime(time.Now().Truncate(time.Second))}
	if err != nil {
		w.tell("  Job %s failed: %v", job.Name, err)
		ended.ExitCode, ended.Reason = 1, "Error"
		raw, _ = evaluate.AsFailure(err).Encode()
	}
	if way == jobCutShort {
		raw = raw[:len(raw)/2]
	}
	m.told = err == nil && way != jobCutShort
	ended.Message = string(raw)
	w.tell("  Job %s measured %+v", job.Name, *m)
	return ended
}

func (w *world) evaluate(job *batchv1.Job, m *measurement, way int, faults []fault) ([]byte, error) {
	planMap, _ := w.api.objects[objectKey{"configmap", job.Name}].(*corev1.ConfigMap)
	if planMap == nil {
		return nil, fmt.Errorf("the plan is gone")
	}
	plan := &evaluate.Plan{}
	if err := json.Unmarshal([]byte(planMap.Data["plan.json"]), plan); err != nil {
		return nil, err
	}
	m.key = plan.EvaluationKey
	m.golden = w.versions[len(w.versions)-1]
	if way == jobStaleSet {
		m.golden = w.versions[max(0, len(w.versions)-2)]
	}
	if plan.Candidate != nil {
		m.candidateUUID = plan.Candidate.UUID
	}
	if plan.Live != nil {
		m.liveUUID = plan.Live.UUID
	}
	files := []golden.Source{{Name: plan.GoldenSource, Raw: []byte(goldenText(w.goldens[m.golden]))}}
	digest, err := golden.DigestFiles(files)
	if err != nil {
		return nil, err
	}
	if digest != plan.GoldenDigest {
		return nil, evaluate.NewFailure(evaluate.ReasonGoldenSetChanged, fmt.Errorf("the golden set is another one"))
	}
	set, err := evaluate.ParseGoldenSet(plan, files)
	if err != nil {
		return nil, err
	}
	c, err := engine.New(engine.Config{URL: plan.URL, Transport: &podTransport{w: w, m: m, plan: plan, faults: faults}})
	if err != nil {
		return nil, err
	}
	result, err := evaluate.Run(w.ctx, c, set, plan, nil)
	if err != nil {
		return nil, err
	}
	return result.Summary(plan).Encode()
}

// podTransport is a pod's way to the engine.
type podTransport struct {
	w      *world
	m      *measurement
	plan   *evaluate.Plan
	faults []fault
	calls  int
	// one call at a time: what a call does takes no time, so nobody waits for long.
	mu sync.Mutex
}

func (t *podTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	call := readCall(request)
	// The pod asks about both indices at once. Each call takes a time of its own, so
	// they reach the engine in the same order in every run.
	hash := fnv.New32a()
	fmt.Fprint(hash, call.method, call.path)
	select {
	case <-request.Context().Done():
		return nil, request.Context().Err()
	case <-time.After(time.Duration(hash.Sum32()%1_000_000) * time.Nanosecond):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.calls
	t.calls++
	for _, f := range t.faults {
		if f.Call != n {
			continue
		}
		t.w.tell("    the pod: %s (%s)", f, call)
		switch f.Kind {
		case act:
			if f.After {
				defer t.w.act(f.Arg)
			} else {
				t.w.act(f.Arg)
			}
		case lose:
			if call.op == "_msearch" && !isLookup(call.body) {
				t.m.broken = true
				return t.incomplete(call, f.Arg), nil
			}
		case refuse, late:
			return brokenAnswer(request, f.Arg, true)
		}
	}
	t.w.seq++
	response := t.w.serve(call)
	if t.w.tracing {
		t.w.tell("    pod %d. %s: %d", n, call, response.StatusCode)
	}
	t.sawSearch(call)
	if call.op == "_refresh" && t.plan.Live != nil && call.index == t.plan.Live.Name {
		t.w.violate("I9", "the pod refreshes the live index %s", call.index)
	}
	return response, nil
}

// incomplete is an answer of 200 in which one search has no result that counts.
func (t *podTransport) incomplete(call *engineCall, arg int) *http.Response {
	response := t.w.serve(call)
	var answer map[string]any
	_ = json.NewDecoder(response.Body).Decode(&answer)
	results, _ := answer["responses"].([]any)
	result, _ := results[arg%len(results)].(map[string]any)
	switch arg % 3 {
	case 0:
		result["timed_out"] = true
	case 1:
		result["_shards"] = map[string]any{"total": 1, "successful": 0, "failed": 1}
	default:
		results[arg%len(results)] = map[string]any{"status": 500, "error": map[string]any{"type": "simulated", "reason": "simulated"}}
	}
	raw, _ := json.Marshal(answer)
	response.Body = io.NopCloser(bytes.NewReader(raw))
	return response
}

// sawSearch keeps what a search really found.
func (t *podTransport) sawSearch(call *engineCall) {
	if call.op != "_msearch" {
		return
	}
	var header struct{ Index string }
	line, rest, _ := cutLine(call.body)
	_ = json.Unmarshal(line, &header)
	if isLookup(rest) {
		return
	}
	state, ok := t.w.cluster().Look(header.Index)
	if !ok {
		return
	}
	judged := t.w.goldens[t.m.golden]
	if t.plan.Candidate != nil && header.Index == t.plan.Candidate.Name {
		t.m.candidates = append(t.m.candidates, recall(state.Shown, judged))
		t.m.contents = append(t.m.contents, content(state))
		t.m.candidate = t.m.contents[0]
		return
	}
	t.m.lives = append(t.m.lives, recall(state.Shown, judged))
}
