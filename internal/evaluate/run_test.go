package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// shelf makes an index with one document that "shoes" finds.
func shelf(t *testing.T, url string) string {
	t.Helper()
	index := testengine.Index(t, url, "shelf", "")
	testengine.Put(t, url, index, "a", `{"name": "shoes", "sku": "x"}`)
	return index
}

// manyQueries are more than fit into two of the largest chunks.
func manyQueries() *golden.Set {
	set := &golden.Set{}
	for i := range 2*maxChunk + 1 {
		query := makeQuery(fmt.Sprintf("q%03d", i), 1, "a:1")
		query.Text = "shoes"
		set.Queries = append(set.Queries, query)
	}
	return set
}

func shelfPlan(t *testing.T, candidate, live string) *Plan {
	t.Helper()
	plan := makePlan(t, 2, "recall@5")
	plan.Candidate.Name, plan.Live.Name = candidate, live
	plan.Search.Body = json.RawMessage(`{"query": {"match": {"name": "{{query}}"}}}`)
	plan.MaxConcurrentSearches = 4
	return plan
}

func newClient(t *testing.T, url string) *engine.Client {
	t.Helper()
	client, err := engine.New(engine.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestProgressReachesTheEnd(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		set, plan := manyQueries(), shelfPlan(t, shelf(t, url), shelf(t, url))
		chunk := chunkSize(len(set.Queries), min(senders, plan.MaxConcurrentSearches))
		chunks := (len(set.Queries) + chunk - 1) / chunk
		last, calls := 0, 0
		report, err := Run(t.Context(), newClient(t, url), set, plan, func(done, total int, _ string) {
			if calls++; done <= last || total != 4*len(set.Queries) {
				t.Errorf("%d of %d after %d", done, total, last)
			}
			last = done
		})
		if err != nil {
			t.Fatal(err)
		}
		if last != 4*len(set.Queries) || calls != 4*chunks {
			t.Errorf("%d of %d searches were told in %d calls", last, 4*len(set.Queries), calls)
		}
		wantScores(t, report, "recall@5=1.000000/1.000000")
		if report.Measurement.CandidateChanged || *report.MissingDocs != 0 {
			t.Errorf("got %+v", report.Measurement)
		}
	})
}

func TestACandidateThatChangesMeanwhileIsFound(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		for name, change := range map[string]func(index string){
			"a document is written again": func(index string) {
				testengine.Put(t, url, index, "a", `{"name": "shoes", "sku": "x"}`)
			},
			"it is made anew": func(index string) {
				testengine.Do(t, "DELETE", url+"/"+index, "")
				testengine.Create(t, url, index, "")
				testengine.Put(t, url, index, "a", `{"name": "shoes", "sku": "x"}`)
			},
		} {
			t.Run(name, func(t *testing.T) {
				candidate := shelf(t, url)
				changed := false
				report, err := Run(t.Context(), newClient(t, url), manyQueries(), shelfPlan(t, candidate, shelf(t, url)), func(int, int, string) {
					if !changed {
						changed = true
						change(candidate)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if !report.Measurement.CandidateChanged {
					t.Error("the change was not seen")
				}
			})
		}
	})
}

func TestALiveIndexThatIsMadeAnewMeanwhileIsAFailure(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		live := shelf(t, url)
		changed := false
		_, err := Run(t.Context(), newClient(t, url), manyQueries(), shelfPlan(t, shelf(t, url), live), func(int, int, string) {
			if !changed {
				changed = true
				testengine.Do(t, "DELETE", url+"/"+live, "")
				testengine.Create(t, url, live, "")
				testengine.Put(t, url, live, "a", `{"name": "shoes"}`)
			}
		})
		var failure *Failure
		if !errors.As(err, &failure) || failure.Reason != ReasonLiveChanged {
			t.Errorf("got %v", err)
		}
	})
}

func TestALiveIndexThatIsSearchedDifferently(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		plan := shelfPlan(t, shelf(t, url), shelf(t, url))
		plan.Search.LiveBody = json.RawMessage(`{"query": {"match": {"other": "{{query}}"}}}`)
		report, err := Run(t.Context(), newClient(t, url), manyQueries(), plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantScores(t, report, "recall@5=1.000000/0.000000")
	})
}

func TestMissingDocumentsAreNotToldWhereCopiesHideThem(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		index := testengine.Index(t, url, "shelf", `{"settings": {"number_of_replicas": 0}, "mappings": {"properties": {"sku": {"type": "keyword"}}}}`)
		var lines strings.Builder
		for range lookupSize + 1 {
			lines.WriteString("{\"index\": {}}\n{\"name\": \"boots\", \"sku\": \"copied\"}\n")
		}
		testengine.Do(t, "POST", url+"/"+index+"/_bulk?refresh=true", lines.String())
		set := &golden.Set{Queries: []golden.Query{makeQuery("q1", 1, "copied:1 gone:1")}}
		plan := shelfPlan(t, index, index)
		plan.Live, plan.Search.IDField = nil, "sku"
		report, err := Run(t.Context(), newClient(t, url), set, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		if report.MissingDocs != nil {
			t.Errorf("%d documents are said to be missing", *report.MissingDocs)
		}
	})
}

func TestChunksKeepAllSendersBusy(t *testing.T) {
	for _, test := range []struct{ queries, workers, want int }{
		{22, 3, minChunk},
		{225, 3, 19}, // 12 chunks, 4 for each
		{225, 1, 57},
		{10_000, 3, maxChunk},
	} {
		if got := chunkSize(test.queries, test.workers); got != test.want {
			t.Errorf("%d queries, %d senders: %d, want %d", test.queries, test.workers, got, test.want)
		}
	}
}
