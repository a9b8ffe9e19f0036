package controllers

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

func TestTheWaitForAnEngineDoublesFromTenSecondsToTenMinutes(t *testing.T) {
	want := []time.Duration{10, 10, 20, 40, 80, 160, 320, 600, 600, 600}
	for failures, seconds := range want {
		if got := backoff(failures); got != seconds*time.Second {
			t.Errorf("after %d failures: %s, want %s", failures, got, seconds*time.Second)
		}
	}
	if got := backoff(1 << 30); got != lastRetry {
		t.Errorf("after very many failures: %s", got)
	}
}

func TestJitterStaysWithinATenthAndSpreads(t *testing.T) {
	start, seen := time.Unix(1_700_000_000, 0), map[time.Duration]bool{}
	for i := range 1000 {
		got := jittered(types.UID("gate"), start.Add(time.Duration(i)*time.Second), time.Minute)
		if got < 54*time.Second || got > 66*time.Second {
			t.Fatalf("%s is more than a tenth away from a minute", got)
		}
		seen[got] = true
	}
	if len(seen) < 200 {
		t.Errorf("only %d different intervals in 1000", len(seen))
	}
	first := jittered("a", start, time.Minute)
	if again := jittered("a", start, time.Minute); again != first {
		t.Error("the same gate at the same time has two intervals")
	}
	for _, interval := range []time.Duration{5 * time.Second, 24 * time.Hour} {
		if got := jittered("a", start, interval); got < interval*9/10 || got > interval*11/10 {
			t.Errorf("%s became %s", interval, got)
		}
	}
}

func TestEngineHosts(t *testing.T) {
	for title, row := range map[string]struct {
		flag, url, address string
		urlOK, addressOK   bool
	}{
		"any host by default":                    {"", "https://search.shop.svc:9200", "10.0.0.1:9200", true, true},
		"loopback is refused":                    {"", "http://localhost:9200", "127.0.0.1:9200", true, false},
		"all of loopback is":                     {"", "http://x", "127.8.8.8:80", true, false},
		"loopback of IPv6":                       {"", "http://[::1]:9200", "[::1]:9200", true, false},
		"loopback of IPv4 within IPv6":           {"", "http://x", "[::ffff:127.0.0.1]:80", true, false},
		"metadata of the clouds":                 {"", "http://metadata", "169.254.169.254:80", true, false},
		"metadata by IPv6":                       {"", "http://x", "[fd00:ec2::254]:80", true, false},
		"metadata outside the link-local ranges": {"", "http://x", "100.100.100.200:80", true, false},
		"link-local with a zone":                 {"", "http://x", "[fe80::1%eth0]:80", true, false},
		"unspecified":                            {"", "http://x", "0.0.0.0:9200", true, false},
		"multicast":                              {"", "http://x", "224.0.0.1:9200", true, false},
		"a glob that matches":                    {"*.shop.svc", "https://search.shop.svc:9200", "10.0.0.1:9200", true, true},
		"a glob that does not":                   {"*.shop.svc", "https://search.other.svc:9200", "10.0.0.1:9200", false, true},
		"case does not count":                    {"*.Shop.svc", "https://Search.SHOP.svc:9200", "10.0.0.1:9200", true, true},
		"one of several globs":                   {"a, *.b ,c", "https://x.b", "10.0.0.1:9200", true, true},
		"a name that leads to loopback":          {"*.shop.svc", "https://evil.shop.svc", "127.0.0.1:9200", true, false},
		"loopback that is named":                 {"127.0.0.1", "http://127.0.0.1:9200", "127.0.0.1:9200", true, true},
		"not the user's part":                    {"good", "http://good@evil:80", "10.0.0.1:80", false, true},
		"an address that is none":                {"", "http://x", "nonsense", true, false},
	} {
		hosts, err := NewEngineHosts(row.flag)
		must(t, err)
		if err := hosts.AllowURL(row.url); (err == nil) != row.urlOK {
			t.Errorf("%s: the URL: %v", title, err)
		}
		if err := hosts.Control("tcp", row.address, nil); (err == nil) != row.addressOK {
			t.Errorf("%s: the address: %v", title, err)
		}
	}
	if _, err := NewEngineHosts("["); err == nil {
		t.Error("a broken glob is taken")
	}
	err := EngineHosts{}.AllowURL("http://user:" + plantedSecret + "@host:port:1")
	if err == nil || errors.Unwrap(err) != nil {
		t.Errorf("a URL that cannot be read must not be repeated: %v", err)
	}
}
