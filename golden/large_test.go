package golden

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
)

// large is a golden set of many queries with 20 judgments each, a judgment a line.
func large(queries int) []byte {
	var out bytes.Buffer
	out.WriteString(`{"schema":"relevancegate.dev/golden/v1","queries":[`)
	for q := range queries {
		if q > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "\n{\"id\":\"q-%d\",\"query\":\"a query of some words %d\",\"judgments\":[", q, q)
		for d := range 20 {
			if d > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(&out, "\n  {\"id\":\"B%09d\",\"grade\":%d}", q*17+d*1000, d%4)
		}
		out.WriteString("]}")
	}
	out.WriteString("]}\n")
	return out.Bytes()
}

// TestLargeSetsStaySmall makes sure that what is kept of a golden set is little more than the judgments themselves, and
// that reading one makes no tree of everything on the way.
func TestLargeSetsStaySmall(t *testing.T) {
	const queries = 5000
	raw := large(queries)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	set, err := Parse("f", raw, Options{})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(set.Queries) != queries || set.JudgmentCount() != 20*queries {
		t.Fatalf("%d queries with %d judgments were read", len(set.Queries), set.JudgmentCount())
	}
	kept := int(after.HeapAlloc-before.HeapAlloc) / (20 * queries)
	if kept > 60 { // a Judgment has 32 bytes, its id 10, and a twentieth of a Query about 10
		t.Errorf("a judgment takes %d bytes", kept)
	}
	runtime.KeepAlive(raw)
}

func BenchmarkParse(b *testing.B) {
	raw := large(10_000)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("f", raw, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
