package controllers

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"syscall"
)

// EngineHosts decides which search engines the manager talks to. A gate's
// author chooses the URL, so without a rule a gate could make the manager call
// anything that the manager's network reaches.
//
// Without globs every address is allowed but loopback, link-local (which
// holds the clouds' metadata services), multicast and unspecified ones. With
// globs the host of the URL must match one of them; its addresses are still
// held against the rule above, unless a glob matches the address itself.
type EngineHosts struct {
	globs []string
}

// cloudMetadata are metadata services outside the link-local ranges.
var cloudMetadata = map[netip.Addr]bool{
	netip.MustParseAddr("fd00:ec2::254"):   true,
	netip.MustParseAddr("100.100.100.200"): true,
	netip.MustParseAddr("168.63.129.16"):   true,
	netip.MustParseAddr("192.0.0.192"):     true,
}

// NewEngineHosts reads the comma-separated globs of the flag --engine-hosts,
// in the syntax of path.Match.
func NewEngineHosts(flag string) (EngineHosts, error) {
	var hosts EngineHosts
	for _, glob := range strings.Split(flag, ",") {
		glob = strings.ToLower(strings.TrimSpace(glob))
		if glob == "" {
			continue
		}
		if _, err := path.Match(glob, ""); err != nil {
			return EngineHosts{}, fmt.Errorf("--engine-hosts: %q is not a glob: %w", glob, err)
		}
		hosts.globs = append(hosts.globs, glob)
	}
	return hosts, nil
}

// AllowURL refuses a URL whose host no glob matches.
func (h EngineHosts) AllowURL(raw string) error {
	parsed, err := url.Parse(raw)
	if err != nil {
		// The parser's error repeats the URL, and with it any password.
		return errors.New("the engine's URL cannot be read; give one like https://search.example:9200")
	}
	if len(h.globs) > 0 && !h.matches(parsed.Hostname()) {
		return fmt.Errorf("the engine's host %s is not among those that the manager's flag --engine-hosts allows", parsed.Hostname())
	}
	return nil
}

// Control is a net.Dialer's control function: it sees the address that DNS
// gave, so a name cannot lead to a forbidden address.
func (h EngineHosts) Control(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the engine's address %s cannot be read: %w", address, err)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return fmt.Errorf("the engine's address %s cannot be read: %w", address, err)
	}
	ip = ip.Unmap().WithZone("")
	forbidden := ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || cloudMetadata[ip]
	if forbidden && !h.matches(ip.String()) {
		return &HostNotAllowedError{Address: ip.String()}
	}
	return nil
}

func (h EngineHosts) matches(host string) bool {
	for _, glob := range h.globs {
		if ok, _ := path.Match(glob, strings.ToLower(host)); ok {
			return true
		}
	}
	return false
}

// HostNotAllowedError surfaces when an engine's name leads to an address that
// the manager does not call.
type HostNotAllowedError struct{ Address string }

func (e *HostNotAllowedError) Error() string {
	return fmt.Sprintf("the engine's address %s is loopback, link-local or a metadata service; the manager's flag --engine-hosts must name it to allow it", e.Address)
}
