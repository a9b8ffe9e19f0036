package controllers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/report"
)

// report is the ConfigMap with the gate's report, or nil.
func (w *world) report(gate string) *corev1.ConfigMap {
	w.t.Helper()
	configMap := &corev1.ConfigMap{}
	err := w.k.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: gate + "-report"}, configMap)
	if apierrors.IsNotFound(err) {
		return nil
	}
	must(w.t, err)
	return configMap
}

// document unpacks the report of the gate.
func (w *world) document(gate string) report.Document {
	w.t.Helper()
	configMap := w.report(gate)
	if configMap == nil {
		w.t.Fatal("there is no ConfigMap with the report")
	}
	zip, err := gzip.NewReader(bytes.NewReader(configMap.BinaryData[reportKey]))
	if err != nil {
		w.t.Fatalf("%v: %v", err, configMap.Data)
	}
	raw, err := io.ReadAll(zip)
	must(w.t, err)
	var document report.Document
	must(w.t, json.Unmarshal(raw, &document))
	return document
}

// told counts the events with that reason.
func (w *world) told(reason string) int {
	n := 0
	for _, event := range w.events.all() {
		if strings.Contains(event, " "+reason+": ") {
			n++
		}
	}
	return n
}

func TestTheReportIsKeptOnceForEachEvaluation(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.measured()
	w.expect(stateFailed)

	gate, configMap := w.read(), w.report("gate")
	if configMap == nil {
		t.Fatal("there is no report")
	}
	if owner := metav1.GetControllerOf(configMap); owner == nil || owner.UID != gate.UID || ptr.Deref(owner.BlockOwnerDeletion, false) {
		t.Errorf("the owner is %+v", owner)
	}
	job, key := configMap.Annotations[v1alpha1.AnnotationReportJob], configMap.Annotations[v1alpha1.AnnotationReportKey]
	if job != gate.Status.Evaluation.Job || key != gate.Status.Evaluation.Key {
		t.Errorf("the annotations are %v", configMap.Annotations)
	}
	document := w.document("gate")
	if document.Reason != report.ReasonMeasured || document.Measured.EvaluationKey != key || len(document.Queries) != 3 {
		t.Errorf("the report is %+v", document)
	}
	if worst := document.Queries[0]; worst.ID != "hats" || len(worst.CandidateHits) != 0 || len(worst.LiveHits) != 1 {
		t.Errorf("the worst query is %+v", worst)
	}

	t.Log("other limits and a restarted manager read no log")
	opened := w.logs.opened
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[1].Min = "0.99" })
	w.pass()
	w.r = w.newReconciler()
	w.expect(stateFailed)
	if again := w.report("gate"); w.logs.opened != opened || again.ResourceVersion != configMap.ResourceVersion {
		t.Errorf("the log was read %d times more, the report is of version %s, not %s", w.logs.opened-opened, again.ResourceVersion, configMap.ResourceVersion)
	}

	t.Log("the next evaluation replaces it")
	configMap.Data["mine"] = "x"
	must(t, w.k.Update(t.Context(), configMap))
	w.annotate(v1alpha1.AnnotationRequestedAt, "now")
	w.measured()
	w.expect(stateFailed)
	again := w.report("gate")
	if next := again.Annotations[v1alpha1.AnnotationReportJob]; next == job || next != w.read().Status.Evaluation.Job || again.Data["mine"] != "" {
		t.Errorf("the report is of Job %s, after %s: %v", next, job, again.Data)
	}
}

func TestAPromotedGateHasItsReportToo(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	w.measured()
	w.expect(statePromoted)
	if document := w.document("gate"); document.Measured.Candidate.Name != w.candidate {
		t.Errorf("the report is of %+v", document.Measured)
	}
	w.golden("golden", strings.Replace(goldenText, "grade\": 1", "grade\": 2", 1))
	w.measured()
	if document := w.document("gate"); document.Measured.Candidate != nil || document.Measured.Live.Name != w.candidate {
		t.Errorf("the report is of %+v, not of the live index alone", document.Measured)
	}
}

func TestAReportThatCannotBeKeptChangesNothing(t *testing.T) {
	for title, row := range map[string]struct {
		spoil func(w *world)
		note  string // in the ConfigMap; "": there is none of ours
		event string // "": none
		tries int
	}{
		"the log cannot be read": {func(w *world) { w.logs.err = errors.New("pods/log is forbidden") }, "There is no report: ", "pods/log is forbidden", maxReportTries},
		"a log without a report": {func(w *world) { w.logs.text.Reset() }, "There is no report: ", "frame 1 is missing", maxReportTries},
		"a cut log":              {func(w *world) { w.logs.text.Truncate(w.logs.text.Len() - 10) }, "There is no report: ", "frame", maxReportTries},
		"a changed log": {func(w *world) {
			text := w.logs.text.Bytes()
			text[len(text)-200] ^= 1
		}, "There is no report: ", "changed", maxReportTries},
		"the report of another evaluation": {func(w *world) {
			w.logs.text.Reset()
			must(w.t, evaluate.WriteFrames(&w.logs.text, []byte("{}"), "another key"))
		}, "There is no report: ", "missing", maxReportTries},
		"a report of another form": {func(w *world) {
			w.logs.text.Reset()
			must(w.t, evaluate.WriteFrames(&w.logs.text, []byte("{}"), w.read().Status.Evaluation.Key))
		}, "There is no report: ", "does not begin", maxReportTries},
		"a polluted log": {func(w *world) {
			text := strings.ReplaceAll(w.logs.text.String(), "\n", "\nsomebody else\n")
			w.logs.text.Reset()
			w.logs.text.WriteString(text)
		}, "The report of the evaluation", "", 1},
		"the API server refuses the ConfigMap": {func(w *world) {
			w.writes.refuse = func(write string) error {
				if strings.Contains(write, "ConfigMap") {
					return apierrors.NewForbidden(corev1.Resource("configmaps"), "gate-report", errors.New("no"))
				}
				return nil
			}
		}, "", "forbidden", maxReportTries},
		"the ConfigMap is somebody else's": {func(w *world) {
			must(w.t, w.k.Create(w.t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "gate-report"}, Data: map[string]string{"theirs": "x"},
			}))
		}, "", "belongs to somebody else", maxReportTries},
		"reports are switched off": {func(w *world) { w.r.Logs = nil }, "", "", 0},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, badDocs)
			w.gate()
			w.pass()
			w.runJob()
			row.spoil(w)
			w.pass()
			if got := w.state("gate"); got != stateFailed {
				t.Fatalf("the verdict waits for the report: %s", got)
			}
			for range maxReportTries {
				w.pass()
			}
			w.expect(stateFailed)
			if w.logs.opened != row.tries {
				t.Errorf("the log was read %d times, want %d", w.logs.opened, row.tries)
			}
			note := ""
			if configMap := w.report("gate"); configMap != nil {
				note = configMap.Data[noteKey]
				if theirs := configMap.Data["theirs"]; theirs != "" && len(configMap.Data) > 1 {
					t.Errorf("somebody else's ConfigMap was changed: %v", configMap.Data)
				}
			}
			if !strings.HasPrefix(note, row.note) || row.note == "" && note != "" {
				t.Errorf("the note is %q, want %q", note, row.note)
			}
			if told := w.told(v1alpha1.ReasonReportNotKept); told != map[bool]int{true: 1, false: 0}[row.event != ""] {
				t.Errorf("it was told %d times", told)
			}
			if events := strings.Join(w.events.all(), "\n"); !strings.Contains(events, row.event) {
				t.Errorf("the events are\n%s\nwant %q", events, row.event)
			}
		})
	}
}

func TestAPodThatIsGoneLeavesANote(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.pass()
	w.runJob()
	w.logs.err = errors.New("busy")
	w.pass()
	pods := &corev1.PodList{}
	must(t, w.k.List(t.Context(), pods, client.InNamespace(w.namespace)))
	for i := range pods.Items {
		w.delete(&pods.Items[i])
	}
	for range maxReportTries {
		w.pass()
	}
	w.expect(stateFailed)
	if note := w.report("gate").Data[noteKey]; !strings.Contains(note, "is gone, and its log with it") {
		t.Errorf("the note is %q", note)
	}
}

func TestAReportIsCopiedAtATime(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.pass()
	w.runJob()
	w.r.memory.reporting.Lock()
	if due := w.pass(); due > busyPoll {
		t.Errorf("it is tried again in %s", due)
	}
	if got := w.state("gate"); got != stateFailed || w.report("gate") != nil {
		t.Errorf("the gate is %s, the report %v", got, w.report("gate"))
	}
	w.r.memory.reporting.Unlock()
	w.pass()
	w.expect(stateFailed)
	w.document("gate")
}

func TestALargeReportIsCut(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	w.gate()
	w.pass()
	w.runJob()
	key := w.read().Status.Evaluation.Key
	large := &evaluate.Report{EvaluationKey: key, GoldenDigest: "sha256:" + strings.Repeat("0", 64)}
	random := rand.New(rand.NewPCG(1, 2))
	const queries = 8_000
	for i := range queries {
		// Texts that cannot be packed well, 200 bytes of chance each.
		var text strings.Builder
		for range 25 {
			fmt.Fprintf(&text, "%016x", random.Uint64())
		}
		large.Queries = append(large.Queries, evaluate.QueryResult{ID: fmt.Sprintf("q%d", i), Query: text.String(), Weight: 1})
	}
	w.logs.text.Reset()
	frames := evaluate.NewFrameWriter(&w.logs.text, key)
	must(t, report.WriteMeasurement(frames, large))
	must(t, frames.Close())
	// Under the race detector a try may take longer than it is given.
	for range maxReportTries {
		w.pass()
	}
	w.expect(stateFailed)
	document := w.document("gate")
	if document.QueriesLeftOut == 0 || len(document.Queries)+document.QueriesLeftOut != queries {
		t.Errorf("%d queries are listed, %d left out", len(document.Queries), document.QueriesLeftOut)
	}
	if note := w.report("gate").Data[noteKey]; !strings.Contains(note, fmt.Sprintf("no room for %d of", document.QueriesLeftOut)) {
		t.Errorf("the note is %q", note)
	}
}

func TestTheReportOfAGateWithALongName(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	name := strings.Repeat("g", 199) + "a"
	w.gateNamed(name)
	w.passOf(name)
	job := w.jobNamed(w.readNamed(name).Status.Evaluation.Job)
	raw, err := w.evaluation(job)
	must(t, err)
	w.endPod(job, 0, string(raw))
	w.passOf(name)
	w.expectOf(name, stateFailed)
	w.document(name)
}

func TestTheReportTakesNothingFromTheGate(t *testing.T) {
	gate := makeGate("products")
	gate.Labels, gate.Annotations = map[string]string{"team": "search"}, map[string]string{"note": "mine"}
	gate.Status.Evaluation = &v1alpha1.EvaluationStatus{Job: "products-1", Key: "sha256:1"}
	configMap := buildReportConfigMap(gate, []byte("x"), "a note")
	if configMap.Namespace != gate.Namespace || configMap.Labels["team"] != "" || configMap.Annotations["note"] != "" {
		t.Errorf("the ConfigMap is %+v", configMap.ObjectMeta)
	}
	if configMap.Labels[v1alpha1.LabelComponent] != v1alpha1.ComponentReport || configMap.Labels[v1alpha1.LabelGateUID] != string(gate.UID) {
		t.Errorf("the labels are %v", configMap.Labels)
	}
}
