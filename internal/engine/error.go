package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"unicode"
)

// Errors that callers compare with errors.Is.
var (
	// ErrNotAnEngine says that whatever answered is neither Elasticsearch nor
	// OpenSearch, or that a proxy answered in its place. The body is never
	// repeated: the address may be one that the user should not be able to read.
	ErrNotAnEngine = errors.New("the answer is not one of Elasticsearch or OpenSearch; check the engine's URL and any proxy in front of it")

	// ErrAliasIsIndex says that the name asked for is a concrete index.
	ErrAliasIsIndex = errors.New("the name is a concrete index, not an alias")

	// ErrAliasIsDataStream says that the name asked for is a data stream.
	ErrAliasIsDataStream = errors.New("the name is a data stream, not an alias")

	// ErrNotSettled says that writes are still being processed, so that the
	// index has no fingerprint at this moment. Ask again in a moment.
	ErrNotSettled = errors.New("the index is not settled: writes are still being processed")

	// ErrAddressRefused says that Config.Control refused the address, in
	// practice because --engine-hosts does not allow it.
	ErrAddressRefused = errors.New("the engine's address is refused")
)

var (
	errRedirect        = fmt.Errorf("a redirect, which is not followed; give the engine's own URL: %w", ErrNotAnEngine)
	errNotAcknowledged = errors.New("not acknowledged by every node in time")
	errCutShort        = fmt.Errorf("the answer was cut short: %w", io.ErrUnexpectedEOF)
	errTooLarge        = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
)

// maxReason bounds what is kept of an engine's reason; reasons can repeat whole
// documents and queries.
const maxReason = 500

// Error is what every method of Client returns when a call fails. It never holds
// credentials.
type Error struct {
	Op     string // what was being done, such as "reading the alias products"
	Status int    // HTTP status, or that of the item inside a 200; 0 when there was no answer
	Type   string // the engine's error.type, such as "cluster_block_exception"
	Reason string // the engine's error.reason, cut to a bound; of a search it can hold query text
	err    error
}

// Error is one sentence with everything known. For a search use Summary where
// query text must not appear.
func (e *Error) Error() string {
	s := Summary(e)
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s
}

// Unwrap returns the cause, such as a dial error or ErrNotAnEngine.
func (e *Error) Unwrap() error { return e.err }

// Summary is err's sentence without the engine's reason, which can hold query or
// document text. Use it for events, status and logs.
func Summary(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	s := e.Op
	if e.Status != 0 && e.Status != http.StatusOK {
		s += fmt.Sprintf(": the engine answered %d", e.Status)
		if e.Type != "" {
			s += " " + e.Type
		}
	}
	if e.err != nil {
		s += ": " + e.err.Error()
	}
	return s
}

// IsNotFound says that the index, alias or document asked for does not exist.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound && e.err == nil
}

// IsUnavailable says that the engine could not be reached, or is too busy, or is not ready;
// the same call may succeed later.
func IsUnavailable(err error) bool {
	if err == nil || IsTLS(err) || errors.Is(err, ErrAddressRefused) || errors.Is(err, context.Canceled) {
		return false
	}
	var e *Error
	if errors.As(err, &e) {
		switch e.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
	}
	var netErr net.Error // dial errors, DNS errors and timeouts; context.DeadlineExceeded is one
	return errors.As(err, &netErr) || IsConnectionLost(err) || errors.Is(err, errNotAcknowledged)
}

// IsConnectionLost says that the connection broke before the whole answer was
// there. Whether the engine carried out the call is not known, so only a call that
// changes nothing may be sent again.
func IsConnectionLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// IsUnauthorized says that the credentials are missing, wrong, or lack a right. A 403
// caused by a block on the index is not one; see IsBlocked.
func IsUnauthorized(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Status == http.StatusUnauthorized ||
		// A 403 without an engine's body comes from a proxy or an answer cut off.
		e.Status == http.StatusForbidden && (e.Type == "security_exception" || e.Type == "")
}

// IsBlocked says that a block on the index, such as read_only, refused the call.
func IsBlocked(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Type == "cluster_block_exception"
}

// IsTLS says that no trusted TLS connection could be made. Trying again does not help.
func IsTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		header       tls.RecordHeaderError
		alert        tls.AlertError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &header) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid) ||
		errors.Is(err, http.ErrSchemeMismatch)
}

// IsNotAnEngine says that something else than Elasticsearch or OpenSearch answered.
func IsNotAnEngine(err error) bool { return errors.Is(err, ErrNotAnEngine) }

// errorBody is the engine's error object, in the answer as a whole and in items.
type errorBody struct {
	Type      string      `json:"type"`
	Reason    string      `json:"reason"`
	RootCause []errorBody `json:"root_cause"`
}

// fill copies the engine's error into e. The root cause is preferred when the
// outer reason only says that something failed ("all shards failed").
func (b errorBody) fill(e *Error) {
	e.Type, e.Reason = b.Type, clean(b.Reason)
	if len(b.RootCause) > 0 && b.Type == "search_phase_execution_exception" {
		e.Type, e.Reason = b.RootCause[0].Type, clean(b.RootCause[0].Reason)
	}
}

// clean makes a reason fit for one line of text.
func clean(reason string) string {
	reason = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(reason, "?"))
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason]) + "…"
	}
	return reason
}
