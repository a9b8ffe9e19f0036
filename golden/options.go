package golden

import "fmt"

// Format names the form of a golden set's file.
type Format string

// The formats.
const (
	FormatAuto    Format = "Auto"    // found out from the keys of the file
	FormatGate    Format = "Gate"    // Relevance Gate's own: gate.go
	FormatArticle Format = "Article" // the form with externalId and relevance: article.go
)

// highestGrade is the highest grade there is: with it 2^grade is still exact.
const highestGrade = 30

// Options say how to read a golden set.
type Options struct {
	Format     Format // empty is Auto
	MaxGrade   int    // the declared highest grade, 1..30; 0 when none is declared, then grades may be 0..30
	RequireWhy bool   // a judgment without a reason is an error
	MaxBytes   int64  // how many bytes the unpacked set may have; 0 is MaxUnpacked
}

func (o Options) maxBytes() int {
	if o.MaxBytes > 0 {
		return int(o.MaxBytes)
	}
	return MaxUnpacked
}

// check refuses options that make no sense.
func (o Options) check() error {
	switch o.Format {
	case "", FormatAuto, FormatGate, FormatArticle:
	default:
		return fmt.Errorf("the format %s is not known; use %s or %s", quote(string(o.Format)), FormatAuto, FormatGate)
	}
	if o.MaxBytes < 0 || o.MaxBytes > MaxUnpacked {
		return fmt.Errorf("maxBytes %d is not a size of a golden set; use a number from 1 to %d", o.MaxBytes, MaxUnpacked)
	}
	if o.MaxGrade < 0 || o.MaxGrade > highestGrade {
		return fmt.Errorf("maxGrade %d is not a highest grade; use a whole number from 1 to %d", o.MaxGrade, highestGrade)
	}
	return nil
}
