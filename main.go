// Relevance Gate lets a search alias move to a new index only if the index
// answers a golden set of judged queries well enough.
package main

import (
	"os"

	"github.com/relevance-gate/relevance-gate/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}
