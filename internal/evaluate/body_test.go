package evaluate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestCheckBodyRefusesWhatWouldChangeTheRanking(t *testing.T) {
	for name, body := range map[string]string{
		"from above 0":        `{"query": {"match": {"a": "{{query}}"}}, "from": 10}`,
		"from as a text":      `{"query": {"match": {"a": "{{query}}"}}, "from": "10"}`,
		"search_after":        `{"query": {"match": {"a": "{{query}}"}}, "search_after": [1]}`,
		"pit":                 `{"query": {"match": {"a": "{{query}}"}}, "pit": {"id": "x"}}`,
		"timeout":             `{"query": {"match": {"a": "{{query}}"}}, "timeout": "1s"}`,
		"terminate_after":     `{"query": {"match": {"a": "{{query}}"}}, "terminate_after": 1}`,
		"no query":            `{"query": {"match_all": {}}}`,
		"query only as a key": `{"query": {"match": {"{{query}}": "a"}}}`,
		"query only in a dropped field": `{"query": {"match_all": {}},
			"highlight": {"highlight_query": {"match": {"a": "{{query}}"}}}}`,
		"a section of mustache": `{"query": {"match": {"a": "{{#query}}x{{/query}}"}}}`,
		"three braces":          `{"query": {"match": {"a": "{{{query}}}"}}}`,
		"over 64 KiB":           `{"query": {"match": {"a": "{{query}}` + strings.Repeat("x", 64<<10) + `"}}}`,
		"a list":                `["{{query}}"]`,
		"no JSON":               `{"query": {{query}}}`,
		"two documents":         `{"query": {"match": {"a": "{{query}}"}}} {}`,
		"nothing":               ``,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := CheckBody(json.RawMessage(body))
			if err == nil {
				t.Fatal("the body was accepted")
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is not one sentence: %q", err)
			}
		})
	}
}

func TestCheckBodyDropsWhatIsOurs(t *testing.T) {
	dropped, err := CheckBody(json.RawMessage(`{
		"query": {"match": {"a": "{{query}}"}}, "from": 0, "sort": ["_score"], "min_score": 1,
		"size": 1, "_source": true, "fields": ["a"], "aggs": {}, "aggregations": {}, "highlight": {},
		"suggest": {}, "explain": true, "profile": true, "track_total_hits": true}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"_source", "aggregations", "aggs", "explain", "fields", "highlight",
		"profile", "size", "suggest", "track_total_hits",
	}
	if !slices.Equal(dropped, want) {
		t.Errorf("dropped %v, want %v", dropped, want)
	}
}
