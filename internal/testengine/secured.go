package testengine

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// EnvSecured names the environment variable with the folder of a secured node that
// hack/searchnode has started: the files url, ca.crt and password.
const EnvSecured = "RELEVANCE_GATE_TEST_SECURED_ENGINE"

// SecuredEngine is an engine with TLS and users. The requests that this package
// sends to it are those of its administrator.
type SecuredEngine struct {
	URL    string
	CAFile string // path of the authority to trust, in PEM form
	Admin  User

	client *http.Client
}

// User is a user of a secured engine.
type User struct {
	Name, Password string
}

// Secured is the secured engine. Without one the test is skipped.
func Secured(t *testing.T) *SecuredEngine {
	t.Helper()
	if os.Getenv(EnvSecured) == "" {
		t.Skipf("This test needs a secured search engine: start one with hack/searchnode/searchnode start --engine opensearch-secured and set %s to its folder.", EnvSecured)
	}
	engine, err := secured()
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// User makes a user with a role of its own, given as OpenSearch's security plugin
// takes it:
//
//	{"cluster_permissions": [ACTION, ...], "index_permissions": [{"index_patterns": [PATTERN, ...], "allowed_actions": [ACTION, ...]}]}
//
// Both stay until the engine is stopped, as deleting them takes as long as making them.
func (e *SecuredEngine) User(t *testing.T, role string) User {
	t.Helper()
	user := User{Name: "user-" + strings.ToLower(rand.Text()[:10]), Password: rand.Text()}
	body, err := json.Marshal(map[string]any{"password": user.Password, "opendistro_security_roles": []string{user.Name}})
	if err != nil {
		t.Fatal(err)
	}
	e.putSecurity(t, "roles/"+user.Name, role)
	e.putSecurity(t, "internalusers/"+user.Name, string(body))
	return user
}

// putSecurity tells the security plugin. It keeps all users in one document, and so
// answers 409 to one of two calls at the same time.
func (e *SecuredEngine) putSecurity(t *testing.T, path, body string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		status, answer := Try(t, "PUT", e.URL+"/_plugins/_security/api/"+path, body)
		if status == http.StatusOK || status == http.StatusCreated {
			return
		}
		if status != http.StatusConflict || time.Now().After(deadline) {
			t.Fatalf("PUT %s answered %d: %s", path, status, answer)
		}
	}
}

// secured reads what EnvSecured names.
var secured = sync.OnceValues(func() (*SecuredEngine, error) {
	folder := os.Getenv(EnvSecured)
	e := &SecuredEngine{CAFile: filepath.Join(folder, "ca.crt"), Admin: User{Name: "admin"}}
	for file, into := range map[string]*string{"url": &e.URL, "password": &e.Admin.Password} {
		raw, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", EnvSecured, err)
		}
		*into = strings.TrimSpace(string(raw))
	}
	ca, err := os.ReadFile(e.CAFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvSecured, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New(e.CAFile + " holds no certificate")
	}
	e.client = &http.Client{
		Timeout:   client.Timeout,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
	}
	return e, nil
})

// clientFor is what sends the request. One to the secured engine gets its
// administrator's credentials.
func clientFor(request *http.Request) *http.Client {
	if request.URL.Scheme != "https" {
		return client
	}
	engine, err := secured()
	if err != nil || !strings.HasPrefix(request.URL.String(), engine.URL) {
		return client
	}
	request.SetBasicAuth(engine.Admin.Name, engine.Admin.Password)
	return engine.client
}
