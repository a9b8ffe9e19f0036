package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/report"
)

// The kubelet's log of a real pod arrives whole, with the rights that the chart
// gives, and the report in it names the query that the bad candidate loses.
func TestTheReportIsInAConfigMap(t *testing.T) {
	t.Parallel()
	makeIndex(t, "report-v1", false)
	makeIndex(t, "report-v2", true)
	makeAlias(t, "report", "report-v1")
	gate := makeGate(t, namespace, "report", nil)
	waitFor(t, gate, reasonIs(v1alpha1.ReasonBelowThreshold))

	configMap := &corev1.ConfigMap{}
	eventually(t, verdictTimeout, func(ctx context.Context) error {
		if err := cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "report-report"}, configMap); err != nil {
			return err
		}
		if job := configMap.Annotations[v1alpha1.AnnotationReportJob]; job != gate.Status.Evaluation.Job {
			return fmt.Errorf("the report is of Job %q, not of %q", job, gate.Status.Evaluation.Job)
		}
		return nil
	})
	zip, err := gzip.NewReader(bytes.NewReader(configMap.BinaryData["report.json.gz"]))
	if err != nil {
		t.Fatalf("%v: %v", err, configMap.Data)
	}
	raw, err := io.ReadAll(zip)
	must(t, err)
	var document report.Document
	must(t, json.Unmarshal(raw, &document))
	if len(document.Queries) != len(shop)+1 || document.Measured.Candidate.Name != "report-v2" {
		t.Fatalf("the report has %d queries of %+v", len(document.Queries), document.Measured.Candidate)
	}
	worst := document.Queries[0]
	if len(worst.CandidateHits) != 0 || len(worst.LiveHits) != 1 || *worst.LiveHits[0].Grade != 3 {
		t.Errorf("the worst query is %+v", worst)
	}
}
