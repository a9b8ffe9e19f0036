// CoreDNS with only the plugins the local cluster uses; the full build brings every cloud's client along.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() {
	// The plugins a Corefile may name, in the order a query passes them. The full build generates a longer list.
	dnsserver.Directives = []string{"bind", "errors", "template", "kubernetes"}
	coremain.Run()
}
