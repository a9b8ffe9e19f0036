package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// authority is a certificate authority of a test's own.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string // its certificate, in PEM form
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	certificate, key := issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotAfter: time.Now().Add(time.Hour),
	}, nil)
	return &authority{
		certificate: certificate, key: key,
		file: writeFile(t, "ca.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}))),
	}
}

// issue makes a certificate that the authority has signed; without one it signs
// itself.
func issue(t *testing.T, template *x509.Certificate, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.certificate, by.key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

// Credentials that the proxy knows.
const (
	proxyUser     = "gate"
	proxyPassword = "hunter2-of-the-gate"
	proxyAPIKey   = "a2V5LW9mLXRoZS1nYXRl"
	rightlessKey  = "cmlnaHRsZXNzLWtleQ=="
)

// tlsProxy stands before an engine as an ingress does: with TLS, and asking for
// credentials. Its answers to wrong ones are not an engine's.
func tlsProxy(t *testing.T, engine string, by *authority, notAfter time.Time) string {
	t.Helper()
	backend, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(backend)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		switch strings.ToLower(scheme) + " " + value {
		case "basic " + base64.StdEncoding.EncodeToString([]byte(proxyUser+":"+proxyPassword)), "apikey " + proxyAPIKey:
			forward.ServeHTTP(w, r)
		case "apikey " + rightlessKey:
			http.Error(w, "<html>forbidden</html>", http.StatusForbidden)
		default:
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		}
	}))
	certificate, key := issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "test proxy"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: notAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, by)
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}}, MinVersion: tls.VersionTLS12,
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail are what is tested
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func TestAnEngineBehindTLS(t *testing.T) {
	trusted, stranger := newAuthority(t), newAuthority(t)
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	testengine.EachInTurn(t, func(t *testing.T, _, engine string) {
		index := loadShoes(t, engine, "shoes", "shoes", "socks")
		gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: recall@5, min: "0.1"}`))
		golden := goldenFile(t, shoesGolden)
		proxy := tlsProxy(t, engine, trusted, time.Now().Add(time.Hour))
		expired := tlsProxy(t, engine, trusted, time.Now().Add(-time.Hour))
		user := map[string]string{"USERNAME": proxyUser, "PASSWORD": proxyPassword}
		for name, test := range map[string]struct {
			url         string
			ca          string
			credentials map[string]string
			code        int
			reason      string
			message     string
		}{
			"a user":                         {proxy, trusted.file, user, 0, "ThresholdsMet", ""},
			"an API key":                     {proxy, trusted.file, map[string]string{"API_KEY": proxyAPIKey}, 0, "ThresholdsMet", ""},
			"another authority":              {proxy, stranger.file, user, 3, "UntrustedTLS", "--ca-file"},
			"no authority":                   {proxy, "", user, 3, "UntrustedTLS", "--ca-file"},
			"a name that is not the proxy's": {strings.Replace(proxy, "127.0.0.1", "localhost", 1), trusted.file, user, 3, "UntrustedTLS", "localhost"},
			"a certificate of the past":      {expired, trusted.file, user, 3, "UntrustedTLS", "expired"},
			"HTTP where TLS is spoken":       {strings.Replace(proxy, "https", "http", 1), trusted.file, user, 3, "NotAnEngine", "400"},
			"TLS where HTTP is spoken":       {strings.Replace(plain.URL, "http", "https", 1), trusted.file, user, 3, "UntrustedTLS", "http://"},
			"no credentials":                 {proxy, trusted.file, nil, 3, "Unauthorized", "401"},
			"a wrong password":               {proxy, trusted.file, map[string]string{"USERNAME": proxyUser, "PASSWORD": "wrong-hunter2"}, 3, "Unauthorized", "401"},
			"a wrong API key":                {proxy, trusted.file, map[string]string{"API_KEY": "d3Jvbmcta2V5LWh1bnRlcjI="}, 3, "Unauthorized", "401"},
			"a key without rights":           {proxy, trusted.file, map[string]string{"API_KEY": rightlessKey}, 3, "Unauthorized", "403"},
			"two kinds of credentials":       {proxy, trusted.file, map[string]string{"USERNAME": proxyUser, "PASSWORD": proxyPassword, "API_KEY": proxyAPIKey}, 3, "Usage", "more than one kind"},
		} {
			t.Run(name, func(t *testing.T) {
				for variable, value := range test.credentials {
					t.Setenv("ELASTICSEARCH_"+variable, value)
				}
				args := []string{"-f", gate, "--golden-set", golden, "--url", test.url, "--candidate", index}
				if test.ca != "" {
					args = append(args, "--ca-file", test.ca)
				}
				doc, result := runJSON(t, args...)
				if result.code != test.code || doc.Reason != test.reason || !strings.Contains(doc.Message, test.message) {
					t.Errorf("got code %d, %s: %s", result.code, doc.Reason, doc.Message)
				}
				if test.code != 0 {
					wantOneSentence(t, doc, result)
				}
				inText := runCLI(t, append([]string{"evaluate"}, args...)...)
				wantNoSecrets(t, test.credentials, result, inText)
			})
		}
	})
}

// wantOneSentence checks a refusal: standard error has the document's message and
// nothing else.
func wantOneSentence(t *testing.T, doc document, result ran) {
	t.Helper()
	if doc.Message == "" || strings.ContainsAny(doc.Message, "\r\n") || result.errOut != "Error: "+doc.Message+"\n" {
		t.Errorf("standard error is %q, and the message %q", result.errOut, doc.Message)
	}
}

// wantNoSecrets checks that no password or key was printed, as it is or as the
// header has it.
func wantNoSecrets(t *testing.T, credentials map[string]string, results ...ran) {
	t.Helper()
	secrets := []string{credentials["PASSWORD"], credentials["API_KEY"]}
	if credentials["USERNAME"] != "" {
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(credentials["USERNAME"]+":"+credentials["PASSWORD"])))
	}
	for _, result := range results {
		for _, secret := range secrets {
			if secret != "" && strings.Contains(result.out+result.errOut, secret) {
				t.Errorf("a secret is printed: %s%s", result.out, result.errOut)
			}
		}
	}
}
