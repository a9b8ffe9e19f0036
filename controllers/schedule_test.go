package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// nightly measures once more every night at three.
func nightly(gate *v1alpha1.RelevanceGate) {
	gate.Spec.Schedule = &v1alpha1.Schedule{Cron: "0 3 * * *", TimeZone: "Europe/Madrid"}
}

// measuredBefore puts the last measurement back in time. The clock itself cannot
// run ahead of the API server's, which says when a Job was made.
func (w *world) measuredBefore(age time.Duration) {
	w.editStatus(func(status *v1alpha1.RelevanceGateStatus) {
		started := metav1.NewTime(w.clock.Now().Add(-age))
		status.Evaluation.StartedAt = &started
	})
}

var stateMeasuresLive = strings.Replace(stateMeasures, " Ready", " Promoted=True/Promoted Ready", 1)

func TestTheScheduleMeasuresTheLiveIndexAgain(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(nightly)
	w.measured()
	w.expect(statePromoted)
	w.expectJobs(1)
	w.measuredBefore(24 * time.Hour)
	// What the index holds has become worse since it was promoted.
	w.index(w.candidate, map[string]string{"d3": "red headgear"})
	w.proxy.take()
	w.pass()
	w.expect(stateMeasuresLive)
	w.runJob()
	w.pass()
	w.expect(stateLiveBelow)
	w.expectAlias(w.candidate)
	for _, request := range w.proxy.take() {
		if strings.Contains(request, "_refresh") || strings.HasPrefix(request, "PUT") || strings.Contains(request, "_aliases") {
			t.Errorf("the live index was touched: %s", request)
		}
	}
	w.pass()
	w.expectJobs(2)

	// The same numbers are measured anew, and nights that no manager saw count once.
	w.index(w.candidate, goodDocs)
	w.measuredBefore(3 * 24 * time.Hour)
	w.pass()
	w.expect(stateMeasuresLive)
	w.runJob()
	w.pass()
	w.expect(statePromoted)
	w.pass()
	w.expectJobs(3)
}

func TestAnotherVersionOfTheEngineIsMeasuredAtOnce(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate(nightly)
	w.measured()
	w.editStatus(func(status *v1alpha1.RelevanceGateStatus) { status.Evaluation.Engine.Version = "7.17.0" })
	w.pass()
	w.expect(stateMeasuresLive)
	w.runJob()
	w.pass()
	w.expect(statePromoted)
	w.pass()
	w.expectJobs(2)
}

func TestAScheduleThatCannotBeReadStalls(t *testing.T) {
	for title, schedule := range map[string]v1alpha1.Schedule{
		"spec.schedule.cron":     {Cron: "at three"},
		"never comes":            {Cron: "0 3 31 2 *"},
		"spec.schedule.timeZone": {Cron: "0 3 * * *", TimeZone: "Madrid"},
		`"Local" is not`:         {Cron: "0 3 * * *", TimeZone: "Local"},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Schedule = &schedule })
			w.pass()
			w.expect(stalls("InvalidSpec"))
			w.expectMessage(title)
			w.expectJobs(0)
		})
	}
}

func TestSchedulesGoByTheirTimeZone(t *testing.T) {
	from := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"": "03:00", "Europe/Madrid": "01:00", "Asia/Kolkata": "21:30"} {
		schedule, err := parseSchedule(&v1alpha1.Schedule{Cron: "0 3 * * *", TimeZone: zone})
		must(t, err)
		if got := schedule.Next(from).UTC().Format("15:04"); got != want {
			t.Errorf("%q: %s UTC, want %s", zone, got, want)
		}
	}
	if _, err := parseSchedule(&v1alpha1.Schedule{Cron: "0 3 * *"}); err == nil || !strings.Contains(fmt.Sprint(err), "five fields") {
		t.Errorf("four fields: %v", err)
	}
}

func TestTheNextPassIsNotAfterTheSchedule(t *testing.T) {
	now := time.Date(2026, 11, 30, 2, 59, 50, 0, time.UTC)
	gate := &v1alpha1.RelevanceGate{Spec: v1alpha1.RelevanceGateSpec{Evaluation: v1alpha1.Evaluation{PollSeconds: 60}}}
	s := &scope{gate: gate, now: now, nextScheduled: now.Add(10 * time.Second)}
	if next := s.nextPass(nil); next != 10*time.Second {
		t.Errorf("in %s, want 10s", next)
	}
	s.nextScheduled = now.Add(24 * time.Hour)
	if next := s.nextPass(nil); next < 54*time.Second || next > 66*time.Second {
		t.Errorf("in %s, want the poll interval", next)
	}
}
