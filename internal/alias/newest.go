package alias

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// Newest finds the newest open index whose name the pattern matches, that was
// created after the live index and whose UUID is not among onceLive; * in the
// pattern stands for any text. Of several that were created in the same millisecond
// the name decides, the later in byte order being the newer. live is the name of the
// live index, empty if there is none. The result is empty if there is no such index.
//
// Indices that begin with a dot are the engine's own; only a pattern that begins
// with one finds them.
func Newest(ctx context.Context, c *engine.Client, pattern, live string, onceLive []string) (string, error) {
	found, err := c.Settings(ctx, pattern)
	if err != nil {
		return "", fmt.Errorf("looking for indices that match %s: %w", pattern, err)
	}
	newest := created{at: -1}
	if live != "" {
		settings, matched := found[live]
		if !matched {
			of, err := c.Settings(ctx, live)
			if err != nil {
				return "", fmt.Errorf("asking when the live index was created: %w", err)
			}
			settings = of[live]
		}
		newest = createdOf(live, settings)
	}
	name := ""
	// The engine also lists what stands behind aliases and data streams that match.
	matches := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
	for _, index := range slices.Sorted(maps.Keys(found)) {
		settings := found[index]
		switch {
		case !matches.MatchString(index),
			strings.HasPrefix(index, ".") && !strings.HasPrefix(pattern, "."),
			settings.Closed,
			slices.Contains(onceLive, settings.UUID):
			continue
		}
		if of := createdOf(index, settings); of.after(newest) {
			name, newest = index, of
		}
	}
	return name, nil
}

// created says when an index was created.
type created struct {
	at   int64 // in milliseconds since 1970
	name string
}

func createdOf(index string, settings engine.IndexSettings) created {
	at, err := strconv.ParseInt(settings.Flat["index.creation_date"], 10, 64)
	if err != nil {
		at = 0 // An engine always tells; an index of unknown age is never the newest.
	}
	return created{at, index}
}

func (c created) after(other created) bool {
	return cmp.Or(cmp.Compare(c.at, other.at), cmp.Compare(c.name, other.name)) > 0
}
