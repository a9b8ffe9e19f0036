package controllers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

const stateDown = "Pending/EngineUnavailable: Evaluated=False/EvaluationError Passed=Unknown/EngineUnavailable Ready=False/EngineUnavailable Reconciling=True/EngineUnavailable -> InProgress"

func TestAnEngineThatIsDownIsAskedAgainUntilItAnswers(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.gate()
	for _, part := range []string{"/", "/_stats"} { // altogether, or in one call of many
		w.proxy.answerWith(part, http.StatusServiceUnavailable, "text/html", "<html>"+plantedDocument)
		w.r = w.newReconciler()
		for _, wait := range []time.Duration{10, 20, 40, 80, 160, 320, 600, 600} {
			if due := w.pass(); due != wait*time.Second {
				t.Errorf("%s is asked again in %s, want %s", part, due, wait*time.Second)
			}
		}
		w.expect(stateDown)
	}
	w.proxy.clear()
	w.measured()
	w.expect(statePromoted)
	w.proxy.answerWith("/", http.StatusServiceUnavailable, "text/html", "<html>")
	if due := w.pass(); due != firstRetry {
		t.Errorf("the back-off did not begin anew: %s", due)
	}
	w.expect(strings.Replace(stateDown, " Ready", " Promoted=True/Promoted Ready", 1))
	w.proxy.clear()
	w.pass()
	w.expect(statePromoted)
	w.expectJobs(1)
}

func TestEnginesThatCannotBeUsed(t *testing.T) {
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(encrypted.Close)
	for title, row := range map[string]struct {
		prepare func(w *world)
		edit    func(gate *v1alpha1.RelevanceGate)
		want    string
		message string
	}{
		"nobody listens": {nil, func(gate *v1alpha1.RelevanceGate) { gate.Spec.Engine.URL = "http://127.0.0.1:1" }, stateDown, "tried again"},
		"wrong credentials": {func(w *world) {
			w.proxy.answerWith("/", 401, "application/json", securityError(401))
		}, nil, stalls("EngineUnauthorized"), "401"},
		"a right is missing": {func(w *world) {
			w.proxy.answerWith("/_alias", 403, "application/json", securityError(403))
		}, nil, stalls("EngineUnauthorized"), "403"},
		"an untrusted certificate": {nil, func(gate *v1alpha1.RelevanceGate) { gate.Spec.Engine.URL = encrypted.URL }, stalls("EngineTLSError"), "caSecretRef"},
		"a web page": {func(w *world) {
			w.proxy.answerWith("/", 200, "text/html", "<html>"+plantedDocument)
		}, nil, stalls("NotASearchEngine"), "check the engine's URL"},
		"other JSON": {func(w *world) {
			w.proxy.answerWith("/", 404, "application/json", `{"message": "`+plantedDocument+`"}`)
		}, nil, stalls("NotASearchEngine"), "check the engine's URL"},
		"a redirect": {func(w *world) { w.proxy.answerWith("/", 301, "text/html", "") }, nil, stalls("NotASearchEngine"), "redirect"},
		"an error that quotes the query": {func(w *world) {
			w.proxy.answerWith("/_alias", 500, "application/json", fmt.Sprintf(`{"error": {"type": "odd_exception", "reason": "near %s %s"}, "status": 500}`, plantedQuery, plantedDocument))
		}, nil, stateDown, "odd_exception"},
		"a loopback address":        {func(w *world) { w.r.Hosts = EngineHosts{} }, nil, stalls("EngineHostNotAllowed"), "--engine-hosts"},
		"a host that no glob names": {func(w *world) { w.r.Hosts, _ = NewEngineHosts("*.svc") }, nil, stalls("EngineHostNotAllowed"), "--engine-hosts"},
		"no Secret":                 {nil, credentials("none"), stalls("SecretNotFound"), "none does not exist"},
		"a Secret without credentials": {func(w *world) {
			w.secret("empty", map[string]string{"other": plantedSecret})
		}, credentials("empty"), stalls("InvalidSecret"), "has none of the keys"},
		"a Secret without the manager's label": {func(w *world) {
			w.r.CredentialsLabel = labels.SelectorFromSet(labels.Set{"engine": "true"})
			w.secret("other", map[string]string{"api-key": plantedSecret})
		}, credentials("other"), stalls("SecretNotAllowed"), "does not have the label engine=true"},
		"a pod's Secret without it": {func(w *world) {
			w.r.CredentialsLabel = labels.SelectorFromSet(labels.Set{"engine": "true"})
			w.secret("other", map[string]string{"api-key": plantedSecret})
		}, func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Evaluation.CredentialsSecretRef = &v1alpha1.SecretRef{Name: "other"}
		}, stalls("SecretNotAllowed"), "--engine-credentials-label"},
		"a CA without it": {func(w *world) {
			w.r.CredentialsLabel = labels.SelectorFromSet(labels.Set{"engine": "true"})
			w.secret("ca", map[string]string{"ca.crt": plantedSecret})
		}, func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Engine.CASecretRef = &v1alpha1.SecretKeyRef{Name: "ca", Key: "ca.crt"}
		}, stalls("SecretNotAllowed"), "label it"},
		"no Secret, and a label": {func(w *world) {
			w.r.CredentialsLabel = labels.SelectorFromSet(labels.Set{"engine": "true"})
		}, credentials("none"), stalls("SecretNotFound"), "none does not exist"},
		"a Secret with two kinds": {func(w *world) {
			w.secret("both", map[string]string{"token": plantedSecret, "api-key": plantedSecret})
		}, credentials("both"), stalls("InvalidSecret"), "more than one kind"},
		"no CA": {func(w *world) { w.secret("ca", map[string]string{"other": plantedSecret}) }, func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Engine.CASecretRef = &v1alpha1.SecretKeyRef{Name: "ca", Key: "ca.crt"}
		}, stalls("SecretNotFound"), "has no key ca.crt"},
		"a CA that is none": {func(w *world) { w.secret("ca", map[string]string{"ca.crt": plantedSecret}) }, func(gate *v1alpha1.RelevanceGate) {
			gate.Spec.Engine.CASecretRef = &v1alpha1.SecretKeyRef{Name: "ca", Key: "ca.crt"}
		}, stalls("InvalidSecret"), "PEM"},
	} {
		t.Run(title, func(t *testing.T) {
			w := onElasticsearch(t, goodDocs)
			if row.prepare != nil {
				row.prepare(w)
			}
			if row.edit == nil {
				row.edit = func(*v1alpha1.RelevanceGate) {}
			}
			w.gate(row.edit)
			w.pass()
			w.expect(row.want)
			w.expectMessage(row.message)
			w.expectJobs(0)
		})
	}
}

func TestCredentialsReachTheEngineAndNothingElse(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.secret("gate-es", map[string]string{"api-key": plantedSecret + "\n"})
	seen := map[string]bool{}
	w.proxy.mu.Lock()
	w.proxy.answer = func(_ http.ResponseWriter, request *http.Request) bool {
		w.proxy.mu.Lock()
		defer w.proxy.mu.Unlock()
		_, key, _ := strings.Cut(request.Header.Get("Authorization"), " ")
		seen[key] = true
		return false
	}
	w.proxy.mu.Unlock()
	w.gate(credentials("gate-es"))
	w.measured()
	w.expect(statePromoted)
	if len(seen) != 1 || !seen[plantedSecret] {
		t.Errorf("the engine saw %d kinds of credentials", len(seen))
	}
	// nothingLeaked looks for the secret everywhere else.
}

func TestASecretWithTheManagersLabelIsUsed(t *testing.T) {
	w := onElasticsearch(t, goodDocs)
	w.r.CredentialsLabel = labels.SelectorFromSet(labels.Set{"engine": "true"})
	must(t, w.k.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "gate-es", Labels: map[string]string{"engine": "true"}},
		StringData: map[string]string{"api-key": plantedSecret},
	}))
	w.gate(credentials("gate-es"))
	w.measured()
	w.expect(statePromoted)
}

func credentials(secret string) func(*v1alpha1.RelevanceGate) {
	return func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Engine.CredentialsSecretRef = &v1alpha1.SecretRef{Name: secret}
	}
}

func securityError(status int) string {
	return fmt.Sprintf(`{"error": {"type": "security_exception", "reason": "user %s may not"}, "status": %d}`, plantedSecret, status)
}
