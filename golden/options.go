package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/sentence"
)

// Format names the form of a golden set's file.
type Format string

// The formats that are read. Each has a file with its reader and its writer.
const (
	FormatAuto     Format = "Auto"     // found out from the content: detect.go
	FormatGate     Format = "Gate"     // Relevance Gate's own
	FormatArticle  Format = "Article"  // the form with externalId and relevance
	FormatShort    Format = "Short"    // the form with q and judgments by document id
	FormatQuepid   Format = "Quepid"   // exports of Quepid: a case, a snapshot, ratings as JSON or CSV
	FormatTREC     Format = "TREC"     // topics, qrels, or both in one file
	FormatRankEval Format = "RankEval" // a request of Elasticsearch's _rank_eval
	FormatRRE      Format = "RRE"      // ratings of the Rated Ranking Evaluator
	FormatCSV      Format = "CSV"      // a table with a header, a judgment a row; also by tabs or semicolons
	FormatJSONL    Format = "JSONL"    // a query or a judgment a line
)

// readable are the formats to read, in the order in which messages name them.
var readable = []Format{FormatAuto, FormatGate, FormatArticle, FormatShort, FormatQuepid, FormatTREC, FormatRankEval, FormatRRE, FormatCSV, FormatJSONL}

// ReadFormat finds a format to read by its name, in any case.
func ReadFormat(name string) (Format, error) {
	for _, format := range readable {
		if strings.EqualFold(name, string(format)) {
			return format, nil
		}
	}
	return "", unknownFormat(name)
}

func unknownFormat(name string) error {
	return fmt.Errorf("the format %s is not known; use %s", quote(name), sentence.Or(readable))
}

// highestGrade is the highest grade there is: with it 2^grade is still exact.
const highestGrade = 30

// Options say how to read a golden set.
type Options struct {
	Format   Format // empty is Auto
	MaxGrade int    // the declared highest grade, 1..30; 0 when none is declared, then grades may be 0..30
	// Grades are words that stand for grades from 0 to 30, such as "Exact", in tables, lines of JSON and qrels.
	Grades     map[string]float64
	RequireWhy bool  // a judgment without a reason is an error
	MaxBytes   int64 // how many bytes the unpacked set may have, all its files together; 0 is MaxUnpacked

	// TextOptional takes queries without a text, such as qrels alone give. They cannot be searched, so they are an error
	// without it.
	TextOptional bool
	// Places keeps where every query and judgment stands, 4 bytes each.
	Places bool
	// Problems, if set, is told what breaks a rule about the content, and reading goes on without the thing that broke
	// it. Text that cannot be read at all is an error with it too.
	Problems func(Problem)
}

func (o Options) maxBytes() int {
	if o.MaxBytes > 0 {
		return int(o.MaxBytes)
	}
	return MaxUnpacked
}

// check refuses options that make no sense.
func (o Options) check() error {
	if o.Format != "" && !slices.Contains(readable, o.Format) {
		return unknownFormat(string(o.Format))
	}
	if o.MaxBytes < 0 || o.MaxBytes > MaxUnpacked {
		return fmt.Errorf("maxBytes %d is not a size of a golden set; use a number from 1 to %d", o.MaxBytes, MaxUnpacked)
	}
	if o.MaxGrade < 0 || o.MaxGrade > highestGrade {
		return fmt.Errorf("maxGrade %d is not a highest grade; use a whole number from 1 to %d", o.MaxGrade, highestGrade)
	}
	return nil
}
