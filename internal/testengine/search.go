package testengine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Search says what the fake engine finds in an index, best first. body is the
// search body as it was sent.
type Search func(index string, body []byte) []Found

// Found is one hit of the fake engine.
type Found struct {
	ID    string
	Score float64
}

// multiSearch answers one `_msearch`. It holds no lock, so that slow searches
// run side by side.
func (f *Cluster) multiSearch(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // The client has gone.
	}
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, 64<<10)
	defer out.Flush() //nolint:errcheck // The client has gone.
	fmt.Fprint(out, `{"took":1,"responses":[`)
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	for i := 0; i+1 < len(lines); i += 2 {
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		f.searchOne(out, lines[i], lines[i+1])
	}
	fmt.Fprint(out, `]}`)
}

// searches tells whether there is an index of that name to search in.
func (f *Cluster) searches(index string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.indices[index] != nil
}

func (f *Cluster) searchOne(out *bufio.Writer, header, body []byte) {
	var where struct {
		Index string `json:"index"`
	}
	var wanted struct {
		Size int `json:"size"`
	}
	if json.Unmarshal(header, &where) != nil || json.Unmarshal(body, &wanted) != nil {
		fmt.Fprint(out, `{"error":{"type":"parsing_exception","reason":"no JSON"},"status":400}`)
		return
	}
	if !f.searches(where.Index) {
		fmt.Fprintf(out, `{"error":{"type":"index_not_found_exception","reason":"no such index [%s]"},"status":404}`, where.Index)
		return
	}
	found := f.search(where.Index, body)
	fmt.Fprintf(out, `{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},`+
		`"hits":{"total":{"value":%d,"relation":"eq"},"max_score":1.0,"hits":[`, len(found))
	index := strconv.AppendQuote(nil, where.Index)
	for i, hit := range found[:min(wanted.Size, len(found))] {
		line := out.AvailableBuffer()
		if i > 0 {
			line = append(line, ',')
		}
		line = append(append(line, `{"_index":`...), index...)
		line = append(append(line, `,"_type":"_doc","_id":"`...), hit.ID...)
		line = strconv.AppendFloat(append(line, `","_score":`...), hit.Score, 'f', -1, 32)
		_, _ = out.Write(append(line, '}'))
	}
	fmt.Fprint(out, `]},"status":200}`)
}
