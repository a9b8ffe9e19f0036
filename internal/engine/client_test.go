package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

// answer is what a fake engine says.
type answer struct {
	status      int
	contentType string // empty: application/json
	body        string
	broken      error // ends the body
	err         error // instead of an answer
}

// fake is an engine made of a function. It serves as http.RoundTripper.
type fake func(method, path, body string) answer

func (f fake) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := []byte{}
	if request.Body != nil {
		sent, _ = io.ReadAll(request.Body)
	}
	a := f(request.Method, request.URL.Path, string(sent))
	if a.err != nil {
		return nil, a.err
	}
	if a.status == 0 {
		a.status = 200
	}
	if a.contentType == "" {
		a.contentType = "application/json"
	}
	return &http.Response{
		StatusCode: a.status,
		Header:     http.Header{"Content-Type": {a.contentType}},
		Body:       io.NopCloser(io.MultiReader(strings.NewReader(a.body), end{a.broken})),
		Request:    request,
	}, nil
}

// end is where a body ends: well, or with an error.
type end struct{ err error }

func (e end) Read([]byte) (int, error) { return 0, cmp.Or(e.err, io.EOF) }

// newFake makes a client for a fake engine. Its back-off does not sleep.
func newFake(t *testing.T, f fake) *Client {
	t.Helper()
	c, err := New(Config{URL: "http://engine.example:9200", Transport: f})
	if err != nil {
		t.Fatal(err)
	}
	c.sleep = func(context.Context, time.Duration) error { return nil }
	return c
}

// always answers every request the same.
func always(a answer) fake { return func(_, _, _ string) answer { return a } }

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, test := range map[string]struct {
		cfg  Config
		want string
	}{
		"credentials in the URL":          {Config{URL: "https://elastic:hunter2@search:9200"}, "holds credentials"},
		"a username in the URL":           {Config{URL: "https://hunter2@search:9200"}, "holds credentials"},
		"a URL that cannot be parsed":     {Config{URL: "https://elastic:hunter2@search:port"}, "cannot be parsed"},
		"no scheme":                       {Config{URL: "search:9200"}, "scheme and a host"},
		"another scheme":                  {Config{URL: "file:///etc/passwd"}, "scheme and a host"},
		"no host":                         {Config{URL: "http://:9200"}, "scheme and a host"},
		"a query":                         {Config{URL: "http://search:9200/?pretty"}, "query or a fragment"},
		"two kinds of credentials":        {Config{URL: "http://search:9200", Username: "a", Password: "hunter2", APIKey: "hunter2"}, "more than one kind"},
		"a password alone":                {Config{URL: "http://search:9200", Password: "hunter2"}, "without a username"},
		"an API key with a line break":    {Config{URL: "http://search:9200", APIKey: "hunter2\n"}, "line break"},
		"a CA certificate that is not":    {Config{URL: "https://search:9200", CACert: []byte("hunter2")}, "no certificate in PEM form"},
		"a distribution that is not ours": {Config{URL: "http://search:9200", Distribution: "Solr"}, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.cfg)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("New = %v, want an error with %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error repeats a secret: %v", err)
			}
		})
	}
}

func TestCredentialsAreSent(t *testing.T) {
	for name, test := range map[string]struct {
		cfg  Config
		want string
	}{
		"username and password": {Config{Username: "gate", Password: "secret"}, "Basic Z2F0ZTpzZWNyZXQ="},
		"API key":               {Config{APIKey: "a2V5"}, "APIKey a2V5"}, // engines take the word in any case
		"token":                 {Config{Token: "token"}, "Bearer token"},
		"none":                  {Config{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r.Header.Get("Authorization")
			}))
			defer server.Close()
			test.cfg.URL = server.URL
			c, err := New(test.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.Refresh(t.Context(), "products")
			if got != test.want {
				t.Errorf("Authorization = %q, want %q", got, test.want)
			}
		})
	}
}

// kinds lists the predicates that hold.
func kinds(err error) string {
	var held []string
	for _, kind := range []struct {
		name string
		is   func(error) bool
	}{
		{"not found", IsNotFound}, {"unavailable", IsUnavailable}, {"unauthorized", IsUnauthorized},
		{"blocked", IsBlocked}, {"TLS", IsTLS}, {"not an engine", IsNotAnEngine},
	} {
		if kind.is(err) {
			held = append(held, kind.name)
		}
	}
	return strings.Join(held, ", ")
}

func TestErrorsAreTyped(t *testing.T) {
	engineError := func(status int, kind, reason string) answer {
		return answer{status: status, body: fmt.Sprintf(
			`{"error":{"root_cause":[{"type":%q,"reason":%q}],"type":%q,"reason":%q},"status":%d}`, kind, reason, kind, reason, status)}
	}
	for name, test := range map[string]struct {
		answer answer
		kind   string
		want   string // part of the text
	}{
		"index missing":                    {engineError(404, "index_not_found_exception", "no such index [products]"), "not found", "no such index [products]"},
		"read_only block":                  {engineError(403, "cluster_block_exception", "index [products] blocked by: [FORBIDDEN/5/index read-only (api)];"), "blocked", "FORBIDDEN/5"},
		"a right is missing":               {engineError(403, "security_exception", "no permissions for [indices:admin/refresh]"), "unauthorized", "no permissions"},
		"Elasticsearch 401":                {engineError(401, "security_exception", "missing authentication credentials"), "unauthorized", "missing authentication"},
		"OpenSearch 401":                   {answer{status: 401, contentType: "text/plain", body: "Unauthorized hunter2"}, "unauthorized", "answered 401"},
		"a proxy's 403":                    {answer{status: 403, contentType: "text/html", body: "<html>hunter2"}, "unauthorized", "answered 403"},
		"a bad request":                    {engineError(400, "illegal_argument_exception", "no"), "", "illegal_argument_exception: no"},
		"queue full":                       {engineError(429, "es_rejected_execution_exception", "rejected"), "unavailable", "429"},
		"a proxy's 502":                    {answer{status: 502, contentType: "text/html", body: "<html>hunter2"}, "unavailable", "answered 502"},
		"security not ready":               {answer{status: 503, contentType: "text/plain", body: "OpenSearch Security not initialized."}, "unavailable", "answered 503"},
		"a proxy's 504":                    {answer{status: 504, body: ""}, "unavailable", "answered 504"},
		"a crash":                          {engineError(500, "null_pointer_exception", "null"), "", "null_pointer_exception"},
		"a redirect":                       {answer{status: 302, body: "hunter2"}, "not an engine", "redirect"},
		"HTML":                             {answer{contentType: "text/html", body: "<html>hunter2</html>"}, "not an engine", "not one of Elasticsearch"},
		"another API's answer":             {answer{body: `{"kind":"Secret","data":"hunter2"}`}, "not an engine", "not one of Elasticsearch"},
		"another API's 404":                {answer{status: 404, body: `{"kind":"Status","reason":"hunter2"}`}, "not an engine", "not one of Elasticsearch"},
		"another API's 404 with an error":  {answer{status: 404, body: `{"error":{"type":"x","reason":"hunter2"}}`}, "not an engine", "not one of Elasticsearch"},
		"another API's 400 with an error":  {answer{status: 400, body: `{"error":"hunter2","status":400}`}, "not an engine", "not one of Elasticsearch"},
		"an HTML 404":                      {answer{status: 404, contentType: "text/html", body: "<html>hunter2"}, "not an engine", "not one of Elasticsearch"},
		"an empty body":                    {answer{body: ""}, "not an engine", "not one of Elasticsearch"},
		"no such API, OpenSearch":          {answer{status: 400, body: `{"error":"no handler found for uri [/x] and method [GET]"}`}, "", "no such API"},
		"no such API, Elasticsearch":       {answer{status: 405, body: `{"error":"Incorrect HTTP method for uri [/x] and method [GET], allowed: [POST]","status":405}`}, "", "no such API"},
		"the connection is cut":            {answer{err: io.ErrUnexpectedEOF}, "unavailable", "EOF"},
		"nothing listens":                  {answer{err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, "unavailable", "refused"},
		"the name does not resolve":        {answer{err: &net.DNSError{Err: "no such host", Name: "engine.example"}}, "unavailable", "no such host"},
		"the deadline passed":              {answer{err: context.DeadlineExceeded}, "unavailable", "deadline"},
		"the caller gave up":               {answer{err: context.Canceled}, "", "canceled"},
		"http to a server that speaks TLS": {answer{err: http.ErrSchemeMismatch}, "TLS", "HTTPS"},
		"refused on every shard": {answer{status: 403, body: `{"_shards":{"total":2,"successful":0,"failed":2,"failures":[{"shard":0,"index":"products","status":"FORBIDDEN",
			"reason":{"type":"security_exception","reason":"no permissions for [indices:admin/refresh[s]]"}}]}}`}, "unauthorized", "no permissions"},
		"a shard failed": {answer{body: `{"_shards":{"total":2,"successful":1,"failed":1,"failures":[{"shard":0,"status":"INTERNAL_SERVER_ERROR",
			"reason":{"type":"io_exception","reason":"disk"}}]}}`}, "", "1 of 2 shards failed"},
	} {
		t.Run(name, func(t *testing.T) {
			err := newFake(t, always(test.answer)).Refresh(t.Context(), "products")
			if err == nil {
				t.Fatal("no error")
			}
			if got := kinds(err); got != test.kind {
				t.Errorf("kinds = %q, want %q (%v)", got, test.kind, err)
			}
			if !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "refreshing the index products") {
				t.Errorf("error = %q, want what was done and %q", err, test.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error repeats a body: %v", err)
			}
		})
	}
}

func TestSummaryLeavesTheReasonOut(t *testing.T) {
	err := fmt.Errorf("wrapped: %w", &Error{Op: "searching products", Status: 400, Type: "parsing_exception", Reason: "secret query"})
	if got, want := Summary(err), "searching products: the engine answered 400 parsing_exception"; got != want {
		t.Errorf("Summary = %q, want %q", got, want)
	}
	if got := Summary(errors.New("plain")); got != "plain" {
		t.Errorf("Summary = %q, want plain", got)
	}
}

func TestReasonsAreOneBoundedLine(t *testing.T) {
	reason := clean("a\nb\x00" + strings.Repeat("é", 2*maxReason))
	if strings.ContainsAny(reason, "\n\x00") || len([]rune(reason)) != maxReason+1 {
		t.Errorf("clean = %q", reason)
	}
}

func TestEveryCallHasADeadline(t *testing.T) {
	var left time.Duration
	c, err := New(Config{URL: "http://engine.example", Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		deadline, _ := r.Context().Deadline()
		left = time.Until(deadline)
		return nil, io.EOF
	})})
	if err != nil {
		t.Fatal(err)
	}
	near := func(got, want time.Duration) bool { return got <= want && got > want-10*time.Second }
	for _, callers := range []time.Duration{time.Hour, 20 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), callers)
		defer cancel()
		_ = c.Refresh(ctx, "products")
		if want := min(callers, callTimeout); !near(left, want) {
			t.Errorf("time left of the caller's %v = %v, want %v", callers, left, want)
		}
		_, _ = c.MultiSearch(ctx, MultiSearch{Index: "products"}, []json.RawMessage{json.RawMessage(`{}`)})
		if want := min(callers, searchTimeout); !near(left, want) {
			t.Errorf("time left to a search of the caller's %v = %v, want %v", callers, left, want)
		}
	}
	_ = c.Refresh(t.Context(), "products")
	if !near(left, callTimeout) {
		t.Errorf("time left without the caller's deadline = %v, want %v", left, callTimeout)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnswersAreReadUpToABound(t *testing.T) {
	c, err := New(Config{URL: "http://engine.example", Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		endless := io.NopCloser(io.MultiReader(strings.NewReader(`{"a":"`), zeros{}))
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: endless}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Refresh(t.Context(), "products"); !errors.Is(err, errTooLarge) {
		t.Errorf("error = %v, want %v", err, errTooLarge)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte("0"), len(p))), nil
}

func TestNothingIsSentTwice(t *testing.T) {
	for name, a := range map[string]answer{
		"bad gateway": {status: 502},
		"unavailable": {status: 503},
		"cut off":     {err: io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c := newFake(t, func(_, _, _ string) answer { calls++; return a })
			_ = c.UpdateAliases(t.Context(), []AliasAction{RemoveAlias("products", "products-v1")})
			if calls != 1 {
				t.Errorf("%d calls, want 1", calls)
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	followed := false
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer target.Close()
	server := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c, err := New(Config{URL: server.URL, Username: "gate", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Info(t.Context())
	if followed || !IsNotAnEngine(err) || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("followed = %v, error = %v; want an error that says redirect", followed, err)
	}
}

func TestAddressesCanBeRefused(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	notAllowed := errors.New("127.0.0.1 is not in --engine-hosts")
	c, err := New(Config{URL: server.URL, Control: func(string, string, syscall.RawConn) error { return notAllowed }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Info(t.Context())
	if !errors.Is(err, ErrAddressRefused) || !errors.Is(err, notAllowed) || IsUnavailable(err) {
		t.Errorf("error = %v, want ErrAddressRefused with its cause, and not unavailable", err)
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"_shards":{"total":1,"successful":1,"failed":0}}`)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs the failures that are wanted here
	server.StartTLS()
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()

	for name, test := range map[string]struct {
		cfg  Config
		want string
	}{
		"its CA is known":           {Config{URL: server.URL, CACert: ca}, ""},
		"its CA is unknown":         {Config{URL: server.URL}, "TLS"},
		"https to a plain server":   {Config{URL: strings.Replace(plain.URL, "http:", "https:", 1)}, "TLS"},
		"http to a server with TLS": {Config{URL: strings.Replace(server.URL, "https:", "http:", 1)}, "not an engine"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(test.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if got := kinds(c.Refresh(t.Context(), "products")); got != test.want {
				t.Errorf("kinds = %q, want %q", got, test.want)
			}
		})
	}
}

func TestNoProxyFromTheEnvironment(t *testing.T) {
	transport, err := newTransport(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if transport.Proxy != nil {
		t.Error("the transport uses a proxy, which would get around Control")
	}
}

func TestNamesThatAreNotOneName(t *testing.T) {
	c := newFake(t, func(method, path, _ string) answer {
		t.Errorf("the engine was asked: %s %s", method, path)
		return answer{}
	})
	for _, name := range []string{"", "*", "products-*", "a,b", "_all", "-a", "+a", "<a-{now/d}>", "a/b", "..", "a?b", "a#b", "a%2fb", "a b", "remote:a", "a\nb", `a"b`} {
		if err := c.Refresh(t.Context(), name); err == nil {
			t.Errorf("Refresh(%q) is allowed", name)
		}
		if _, err := c.Alias(t.Context(), name); err == nil {
			t.Errorf("Alias(%q) is allowed", name)
		}
		if err := c.UpdateAliases(t.Context(), []AliasAction{AddAlias("products", AliasMember{Index: name})}); err == nil {
			t.Errorf("UpdateAliases with the index %q is allowed", name)
		}
		if err := c.UpdateAliases(t.Context(), []AliasAction{RemoveAlias(name, "products-v1")}); err == nil {
			t.Errorf("UpdateAliases with the alias %q is allowed", name)
		}
	}
}

func TestInfo(t *testing.T) {
	const (
		elasticsearch = `{"cluster_uuid":"u1","version":{"number":"7.17.29"},"tagline":"You Know, for Search"}`
		opensearch    = `{"cluster_uuid":"u2","version":{"number":"2.19.6","distribution":"opensearch"},"tagline":"The OpenSearch Project: https://opensearch.org/"}`
	)
	for name, test := range map[string]struct {
		body, declared string
		want           Info
		kind           string
	}{
		"Elasticsearch":              {elasticsearch, "", Info{"u1", "7.17.29", Elasticsearch}, ""},
		"OpenSearch":                 {opensearch, "", Info{"u2", "2.19.6", OpenSearch}, ""},
		"OpenSearch in disguise":     {elasticsearch, OpenSearch, Info{"u1", "7.17.29", OpenSearch}, ""},
		"a cluster that is forming":  {strings.Replace(elasticsearch, "u1", "_na_", 1), "", Info{}, "unavailable"},
		"something else that is not": {`{"version":{"number":"1"},"tagline":"hello"}`, "", Info{}, "not an engine"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newFake(t, always(answer{body: test.body}))
			c.distribution = test.declared
			got, err := c.Info(t.Context())
			if got != test.want || kinds(err) != test.kind {
				t.Errorf("Info = %+v, %v; want %+v, %q", got, err, test.want, test.kind)
			}
		})
	}
}

// What an answer was decoded into outlives the next answer, whose text takes the
// place of its own.
func TestAnswersKeepTheirContent(t *testing.T) {
	calls := 0
	c := newFake(t, func(_, _, _ string) answer {
		calls++
		return answer{body: fmt.Sprintf(`{"products-v1":{"mappings":{"_meta":{"built":"%d"}}}}`, calls)}
	})
	first, err := c.Meta(t.Context(), "products-v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Meta(t.Context(), "products-v1"); err != nil {
		t.Fatal(err)
	}
	if got := string(first["built"]); got != `"1"` {
		t.Errorf("built = %s after another call, want 1", got)
	}
}
