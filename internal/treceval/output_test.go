package treceval

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// result has a query that is missing, one whose id needs quoting, and a measure without a value for it.
func result(t *testing.T) *Result {
	t.Helper()
	qrels := "a 0 x 1\na 0 y 2\nb,|\" 0 x 1\n"
	_, r, err := try(t, qrels, "a Q0 y 1 2 t\na Q0 z 2 1 t\n", Options{Complete: true}, "num_ret", "map", "judged@2", "num_q", "runid")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGeometricMeanIsOfTheRun makes sure that no output shows the average precision of a query as gm_map.
func TestGeometricMeanIsOfTheRun(t *testing.T) {
	_, r, err := try(t, "a 0 x 1\n", "a Q0 x 1 2 t\n", Options{}, "gm_map", "num_ret")
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer, Print) error{
		"trec": r.WriteTrec, "csv": r.WriteCSV, "markdown": r.WriteMarkdown, "json": r.WriteJSON,
	} {
		var out strings.Builder
		if err := write(&out, Print{Queries: true, NoTotals: true}); err != nil || strings.Contains(out.String(), "1.0") {
			t.Errorf("%s: got %v\n%s", name, err, out.String())
		}
	}
}

func TestOutputs(t *testing.T) {
	r := result(t)
	for _, row := range []struct {
		name  string
		write func(io.Writer, Print) error
		print Print
		want  string
	}{
		{"trec", r.WriteTrec, Print{}, `
num_ret               	all	2
map                   	all	0.2500
judged@2              	all	0.5000
num_q                 	all	2
runid                 	all	t
`},
		{"trec, each query that has hits", r.WriteTrec, Print{Queries: true, NoTotals: true}, `
num_ret               	a	2
map                   	a	0.5000
judged@2              	a	0.5000
`},
		{"csv", r.WriteCSV, Print{Queries: true}, `
measure,query,value
num_ret,a,2
map,a,0.500000
judged@2,a,0.500000
num_ret,"b,|""",0
map,"b,|""",0.000000
judged@2,"b,|""",
num_ret,all,2
map,all,0.250000
judged@2,all,0.500000
num_q,all,2
runid,all,t
`},
		{"csv without totals", r.WriteCSV, Print{NoTotals: true}, `
measure,query,value
`},
		{"markdown", r.WriteMarkdown, Print{}, `
| measure | value |
|---|---:|
| num_ret | 2 |
| map | 0.2500 |
| judged@2 | 0.5000 |
| num_q | 2 |
| runid | t |
`},
		{"markdown, each query", r.WriteMarkdown, Print{Queries: true}, `
| query | num_ret | map | judged@2 | num_q | runid |
|---|---:|---:|---:|---:|---:|
| a | 2 | 0.5000 | 0.5000 | - | - |
| b,\|" | 0 | 0.0000 | - | - | - |
| all | 2 | 0.2500 | 0.5000 | 2 | t |
`},
		{"markdown, queries alone", r.WriteMarkdown, Print{Queries: true, NoTotals: true}, `
| query | num_ret | map | judged@2 | num_q | runid |
|---|---:|---:|---:|---:|---:|
| a | 2 | 0.5000 | 0.5000 | - | - |
| b,\|" | 0 | 0.0000 | - | - | - |
`},
		{"json", r.WriteJSON, Print{Queries: true}, `
{
  "schema": "relevancegate.dev/score/v1",
  "qrels": "qrels",
  "run": "run",
  "runName": "t",
  "relevantFrom": 1,
  "complete": true,
  "depth": 0,
  "judgedOnly": false,
  "notes": [
    "judged queries without hits, such as \"b,|\\\"\": 1; they count as queries that found nothing"
  ],
  "scores": [
    {
      "measure": "num_ret",
      "value": "2"
    },
    {
      "measure": "map",
      "value": "0.250000"
    },
    {
      "measure": "judged@2",
      "value": "0.500000"
    },
    {
      "measure": "num_q",
      "value": "2"
    },
    {
      "measure": "runid",
      "value": "t"
    }
  ],
  "queries": [
    {
      "id": "a",
      "missing": false,
      "scores": {
        "judged@2": "0.500000",
        "map": "0.500000",
        "num_ret": "2"
      }
    },
    {
      "id": "b,|\"",
      "missing": true,
      "scores": {
        "judged@2": null,
        "map": "0.000000",
        "num_ret": "0"
      }
    }
  ]
}
`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			if err := row.write(&out, row.print); err != nil {
				t.Fatal(err)
			}
			if out.String() != strings.TrimPrefix(row.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", out.String(), row.want)
			}
		})
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

var errFull = errors.New("the disk is full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestOutputsTellABrokenWriter(t *testing.T) {
	r := result(t)
	for name, write := range map[string]func(io.Writer, Print) error{
		"trec": r.WriteTrec, "csv": r.WriteCSV, "markdown": r.WriteMarkdown, "json": r.WriteJSON,
	} {
		for _, p := range []Print{{}, {Queries: true}} {
			if err := write(fullDisk{}, p); !errors.Is(err, errFull) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}
