// Package engine talks to Elasticsearch (7.17, 8, 9) and OpenSearch (2, 3).
//
// It uses the raw requests of go-elasticsearch (esapi) over elastic-transport,
// and so sends plain JSON, which every one of these engines takes. The client of
// go-elasticsearch itself is not used: it refuses OpenSearch, and its typed
// answers hide what the alias calls report.
//
// Every call has a deadline and reads at most a bounded answer. A redirect is
// never followed, no call is sent twice but searches, and an answer that is not
// an engine's is never repeated in an error.
package engine

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// callTimeout bounds every call but searches. The caller's deadline can be far
	// off, and an engine that swallows calls would hold the caller until then.
	callTimeout = 30 * time.Second
	// searchTimeout bounds one `_msearch`, which can hold many slow searches.
	searchTimeout = 2 * time.Minute
	// maxAnswer bounds what is read of an answer. The largest are mappings with
	// thousands of fields and searches for thousands of ids: a few MiB.
	maxAnswer = 64 << 20
)

// asEnginesWrite takes what encoding/json takes: an engine may repeat a name, and
// a document's text may be cut inside a character.
var asEnginesWrite = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Distribution names, as Config and Info spell them.
const (
	Elasticsearch = "Elasticsearch"
	OpenSearch    = "OpenSearch"
)

// Config says how to reach an engine. At most one of Username with Password,
// APIKey and Token is set.
type Config struct {
	URL          string
	Username     string
	Password     string
	APIKey       string
	Token        string
	CACert       []byte // PEM; empty: the system's authorities
	Distribution string // Elasticsearch or OpenSearch; empty: found out by Info

	// Control is called with every address before it is dialled, after names have
	// been resolved (net.Dialer.Control). What it returns comes back wrapped in
	// ErrAddressRefused. May be nil.
	Control func(network, address string, c syscall.RawConn) error

	// Transport replaces the HTTP transport. Only tests set it.
	Transport http.RoundTripper
}

// Client is one engine. It is safe for concurrent use.
type Client struct {
	transport    esapi.Transport
	distribution string
	closeIdle    func()

	// Replaced by tests of the back-off and of slow answers.
	sleep         func(context.Context, time.Duration) error
	random        func() float64
	searchTimeout time.Duration
}

// New checks the configuration and makes a client. It does not connect.
func New(cfg Config) (*Client, error) {
	address, err := parseURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	if err := cfg.checkCredentials(); err != nil {
		return nil, err
	}
	switch cfg.Distribution {
	case "", Elasticsearch, OpenSearch:
	default:
		return nil, fmt.Errorf("the distribution %q is unknown: give %s, %s or nothing", cfg.Distribution, Elasticsearch, OpenSearch)
	}

	roundTripper, closeIdle := cfg.Transport, func() {}
	if roundTripper == nil {
		own, err := newTransport(cfg)
		if err != nil {
			return nil, err
		}
		roundTripper, closeIdle = own, own.CloseIdleConnections
	}
	// The transport calls RoundTrip directly, and so follows no redirect.
	transport, err := elastictransport.NewClient(
		elastictransport.WithURLs(address),
		elastictransport.WithBasicAuth(cfg.Username, cfg.Password),
		elastictransport.WithAPIKey(cfg.APIKey),
		elastictransport.WithServiceToken(cfg.Token),
		elastictransport.WithUserAgent("relevance-gate"),
		elastictransport.WithTransport(roundTripper),
		// A repeated alias call can answer 404 although the first one worked.
		elastictransport.WithDisableRetry(),
	)
	if err != nil {
		return nil, fmt.Errorf("making the engine's client: %w", err)
	}
	return &Client{
		transport:     transport,
		distribution:  cfg.Distribution,
		closeIdle:     closeIdle,
		sleep:         sleep,
		random:        rand.Float64,
		searchTimeout: searchTimeout,
	}, nil
}

// Close closes idle connections. The client stays usable.
func (c *Client) Close() { c.closeIdle() }

func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error repeats the URL, and with it any password.
		return nil, errors.New("the engine's URL cannot be parsed: give one like https://search.example:9200")
	}
	switch {
	case u.User != nil:
		return nil, errors.New("the engine's URL holds credentials: remove them and give them separately")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("the engine's URL needs a scheme and a host: give one like https://search.example:9200")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the engine's URL has a query or a fragment: give one like https://search.example:9200")
	}
	return u, nil
}

func (cfg Config) checkCredentials() error {
	given := 0
	for _, set := range []bool{cfg.Username != "" || cfg.Password != "", cfg.APIKey != "", cfg.Token != ""} {
		if set {
			given++
		}
	}
	switch {
	case given > 1:
		return errors.New("more than one kind of credentials: give username and password, an API key, or a token")
	case cfg.Username == "" && cfg.Password != "":
		return errors.New("a password without a username: give both")
	case strings.ContainsAny(cfg.APIKey+cfg.Token, "\r\n"):
		return errors.New("the API key or token holds a line break: remove it")
	}
	return nil
}

// newTransport makes the HTTP transport: no proxy from the environment, because
// the address checked by Control must be the one that is talked to.
func newTransport(cfg Config) (*http.Transport, error) {
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(cfg.CACert) > 0 {
		tlsConfig.RootCAs = x509.NewCertPool()
		if !tlsConfig.RootCAs.AppendCertsFromPEM(cfg.CACert) {
			return nil, errors.New("the CA certificate holds no certificate in PEM form")
		}
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if cfg.Control != nil {
		dialer.Control = func(network, address string, c syscall.RawConn) error {
			if err := cfg.Control(network, address, c); err != nil {
				return fmt.Errorf("%w: %w", ErrAddressRefused, err)
			}
			return nil
		}
	}
	return &http.Transport{
		Proxy:               nil,
		DialContext:         dialer.DialContext,
		TLSClientConfig:     tlsConfig,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 8,
		IdleConnTimeout:     90 * time.Second,
		// Inside a cluster packing an answer costs both sides more than sending it.
		DisableCompression: true,
	}, nil
}

// buffers are reused from answer to answer, since those of searches are large.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// call sends one request and decodes the answer's JSON into answer. op says what
// is being done, for the error.
func (c *Client) call(ctx context.Context, op string, request esapi.Request, answer any) error {
	_, err := c.callStatus(ctx, op, request, answer)
	return err
}

// callStatus is call for the few requests whose answer also counts with one of
// the given statuses other than 200. It returns the status.
func (c *Client) callStatus(ctx context.Context, op string, request esapi.Request, answer any, alsoFine ...int) (int, error) {
	return c.callWithin(ctx, callTimeout, op, request, answer, alsoFine...)
}

// callWithin is callStatus with another limit. The caller's deadline holds too.
func (c *Client) callWithin(ctx context.Context, limit time.Duration, op string, request esapi.Request, answer any, alsoFine ...int) (int, error) {
	tooSlow := fmt.Errorf("no answer within %s: %w", limit, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, tooSlow)
	defer cancel()
	response, err := request.Do(ctx, c.transport)
	if err != nil {
		return 0, &Error{Op: op, err: causeOf(ctx, tooSlow, err)}
	}
	defer response.Body.Close()

	buffer, _ := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	if _, err := buffer.ReadFrom(io.LimitReader(response.Body, maxAnswer+1)); err != nil {
		return 0, &Error{Op: op, err: causeOf(ctx, tooSlow, fmt.Errorf("reading the answer: %w", err))}
	}
	body := buffer.Bytes() // decoding copies what it keeps
	if len(body) > maxAnswer {
		return 0, &Error{Op: op, Status: response.StatusCode, err: errTooLarge}
	}

	status := response.StatusCode
	fine := status >= 200 && status < 300
	for _, other := range alsoFine {
		fine = fine || status == other
	}
	if !fine {
		return status, failure(op, status, body)
	}
	if err := jsonv2.Unmarshal(body, answer, asEnginesWrite); err != nil {
		if bytes.HasPrefix(body, []byte("{")) && errors.Is(err, io.ErrUnexpectedEOF) {
			return status, &Error{Op: op, Status: status, err: errCutShort}
		}
		return status, &Error{Op: op, Status: status, err: ErrNotAnEngine}
	}
	return status, nil
}

// causeOf is err, or tooSlow where our own limit was the reason for it.
func causeOf(ctx context.Context, tooSlow, err error) error {
	if errors.Is(context.Cause(ctx), tooSlow) {
		return tooSlow
	}
	return err
}

// failure makes the error of an answer that is not a success. Only an engine's
// own error object is repeated.
func failure(op string, status int, body []byte) error {
	e := &Error{Op: op, Status: status}
	var answer struct {
		Error  json.RawMessage `json:"error"`
		Status int             `json:"status"`
		Shards json.RawMessage `json:"_shards"`
	}
	isJSON := json.Unmarshal(body, &answer) == nil
	var engineError errorBody
	switch {
	case status >= 300 && status < 400:
		e.err = errRedirect
	case isJSON && answer.Status == status && json.Unmarshal(answer.Error, &engineError) == nil && engineError.Type != "":
		engineError.fill(e)
	case isJSON && shardFailure(answer.Shards, e):
		// A refresh refused on every shard answers with the shards alone.
	case isJSON && noSuchAPI(answer.Error):
		e.Reason = "the engine has no such API"
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusRequestEntityTooLarge,
		status == http.StatusTooManyRequests, status >= 500:
		// Security plugins and proxies answer these in plain text or HTML; the
		// status says enough.
	default:
		e.err = ErrNotAnEngine
	}
	return e
}

// noSuchAPI recognises the two texts with which engines turn down an API that they
// do not have; they come as a string instead of an object.
func noSuchAPI(raw json.RawMessage) bool {
	var text string
	return json.Unmarshal(raw, &text) == nil &&
		(strings.HasPrefix(text, "no handler found for uri") || strings.HasPrefix(text, "Incorrect HTTP method for uri"))
}

// shards is the part of an answer that tells how many shards took part.
type shards struct {
	Total      int `json:"total"`
	Successful int `json:"successful"`
	Failed     int `json:"failed"`
	Failures   []struct {
		Reason errorBody `json:"reason"`
		Status any       `json:"status"` // a number or a name such as FORBIDDEN
	} `json:"failures"`
}

// err is the error of a 200 whose shards did not all succeed.
func (s *shards) err(op string) error {
	if s == nil {
		return &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
	}
	if s.Failed == 0 {
		return nil
	}
	e := &Error{Op: op, Status: http.StatusOK, err: fmt.Errorf("%d of %d shards failed", s.Failed, s.Total)}
	if len(s.Failures) > 0 {
		s.Failures[0].Reason.fill(e)
	}
	return e
}

// shardFailure fills e from a `_shards` object with failures, if raw is one.
func shardFailure(raw json.RawMessage, e *Error) bool {
	var s shards
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil || len(s.Failures) == 0 {
		return false
	}
	s.Failures[0].Reason.fill(e)
	return true
}

// acknowledged is the answer to changes of settings and aliases.
type acknowledged struct {
	Acknowledged *bool `json:"acknowledged"`
}

func (a acknowledged) err(op string) error {
	switch {
	case a.Acknowledged == nil:
		return &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
	case !*a.Acknowledged:
		return &Error{Op: op, Status: http.StatusOK, err: errNotAcknowledged}
	}
	return nil
}

// checkName refuses what is not the name of one index or alias: wildcards, lists,
// date math, exclusions and anything that would change the request's path.
func checkName(kind, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, `*?,<>|\/#%:" `) ||
		strings.ContainsAny(name[:1], "-+_") || strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return fmt.Errorf("%q is not the name of one %s", name, kind)
	}
	return nil
}

// body encodes what is sent. The values are ours, so encoding cannot fail.
func body(v any) *bytes.Reader {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding a request: %v", err))
	}
	return bytes.NewReader(raw)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
