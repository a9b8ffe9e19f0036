package alias

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func TestRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		read := func(name string) State {
			t.Helper()
			state, err := Read(t.Context(), s.c, name)
			if err != nil {
				t.Fatal(err)
			}
			return state
		}
		if state := read(s.alias); !state.Only(s.live) || state.Only(s.candidate) {
			t.Errorf("state = %v, want %v", state, s.live)
		}
		s.point(s.candidate.Index)
		if state := read(s.alias); len(state.Members) != 2 || state.Only(s.live) || state.Members[1].UUID != s.candidate.UUID {
			t.Errorf("state = %v, want both indices", state)
		}
		if state := read(s.live.Index); !state.IsIndex || state.String() != "a concrete index" {
			t.Errorf("state = %+v, want an index", state)
		}
		if state := read(s.alias + "-missing"); len(state.Members) != 0 || state.IsIndex || state.IsDataStream || state.String() != "no index" {
			t.Errorf("state = %+v, want nothing", state)
		}
	})
}

// The alias moves between the call for names and the call for UUIDs.
func TestReadWhileTheAliasMoves(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		moved := false
		s.wire.on("GET /"+s.alias+"/_settings", func(send func() (*http.Response, error)) (*http.Response, error) {
			if !moved {
				moved = true
				s.point(s.candidate.Index)
				s.unpoint(s.live.Index)
			}
			return send()
		})
		state, err := Read(t.Context(), s.c, s.alias)
		if err != nil || !state.Only(s.candidate) {
			t.Errorf("state = %v, %v; want %v", state, err, s.candidate)
		}
	})
}

func TestReadDataStream(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, name, url string) {
		if name != "opensearch" {
			t.Skip("Elasticsearch's data streams are a module that the test node lacks.")
		}
		s := newScene(t, url)
		stream := s.alias + "-stream"
		testengine.Do(t, "PUT", url+"/_index_template/"+stream, `{"index_patterns": ["`+stream+`"], "data_stream": {}}`)
		testengine.Do(t, "PUT", url+"/_data_stream/"+stream, "")
		defer testengine.Do(t, "DELETE", url+"/_index_template/"+stream, "")
		defer testengine.Do(t, "DELETE", url+"/_data_stream/"+stream, "")
		swap := s.swap(LockDuringSwap)
		swap.Alias = stream
		s.wantRefused(s.run(swap), ReasonAliasIsDataStream, false, s.live.Index)
	})
}

// An alias on a data stream, which Elasticsearch has: its members have no UUID.
func TestReadAliasOfADataStream(t *testing.T) {
	t.Parallel()
	c, err := engine.New(engine.Config{URL: "http://engine.example", Transport: roundTripper(func(r *http.Request) string {
		if strings.HasSuffix(r.URL.Path, "/_alias") {
			return `{"logs":{"aliases":{"shop":{}}}}`
		}
		return `{".ds-logs-2026.01.01-000001":{"settings":{"index.uuid":"u"}}}`
	})})
	if err != nil {
		t.Fatal(err)
	}
	state, err := Read(t.Context(), c, "shop")
	if err != nil || !state.IsDataStream || state.String() != "a data stream" {
		t.Errorf("state = %+v, %v; want a data stream", state, err)
	}
}

type roundTripper func(*http.Request) string

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f(r)))}, nil
}
