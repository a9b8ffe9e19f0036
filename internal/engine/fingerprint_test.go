package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// shop answers for one index with two shards; each part can be replaced.
func shop(replace map[string]answer) fake {
	parts := map[string]answer{
		"/":                 {body: `{"cluster_uuid":"c1","version":{"number":"8.19.0"},"tagline":"You Know, for Search"}`},
		"/shop/_settings":   {body: `{"shop":{"settings":{"index.uuid":"u1","index.number_of_shards":"2","index.blocks.write":"true"}}}`},
		"/shop/_stats/docs": stats("u1", shard(0, 4, 4, 4), shard(1, -1, -1, -1)),
		"/shop/_count":      {body: `{"count":5,"_shards":{"total":2,"successful":2,"failed":0}}`},
		"/shop/_mapping":    {body: `{"shop":{"mappings":{"properties":{"a":{"type":"text"},"b":{"type":"long"}}}}}`},
	}
	for path, a := range replace {
		parts[path] = a
	}
	return func(_, path, _ string) answer {
		a, ok := parts[path]
		if !ok {
			return answer{status: 404, body: `{"error":{"type":"resource_not_found_exception","reason":"no"},"status":404}`}
		}
		return a
	}
}

func stats(uuid string, shards ...string) answer {
	return answer{body: `{"_shards":{"total":4,"successful":2,"failed":0},"indices":{"shop":{"uuid":"` + uuid + `","shards":{` + strings.Join(shards, ",") + `}}}}`}
}

// shard has a replica that lags behind, which does not count.
func shard(number, maxSeqNo, local, global int) string {
	const one = `{"routing":{"primary":%v},"commit":{"user_data":{"history_uuid":"h%d"}},"seq_no":{"max_seq_no":%d,"local_checkpoint":%d,"global_checkpoint":%d}}`
	return fmt.Sprintf(`"%d":[`+one+`,`+one+`]`, number, false, number, maxSeqNo, 0, 0, true, number, maxSeqNo, local, global)
}

func TestFingerprint(t *testing.T) {
	f, err := newFake(t, shop(nil)).FullFingerprint(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if f.ClusterUUID != "c1" || f.UUID != "u1" || f.Docs != 5 || len(f.Shards) != 2 ||
		f.Shards[0] != (ShardState{0, "h0", 4}) || f.Shards[1] != (ShardState{1, "h1", -1}) {
		t.Errorf("fingerprint = %+v", f)
	}
	content, err := newFake(t, shop(nil)).Fingerprint(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if !content.Equal(f.Content()) || content.Equal(f) {
		t.Errorf("content = %+v, want that of %+v without the cluster", content, f)
	}
	if digest := f.Digest(); !strings.HasPrefix(digest, "sha256:") || len(digest) != 7+64 {
		t.Errorf("digest = %s", digest)
	}
}

func TestWhatChangesAFingerprint(t *testing.T) {
	settings := func(more string) answer {
		return answer{body: `{"shop":{"settings":{"index.uuid":"u1","index.number_of_shards":"2"` + more + `}}}`}
	}
	const set = `,"index.analysis.filter.syn.synonyms_set":"syn"`
	rules := func(rule string) answer {
		return answer{body: `{"count":1,"synonyms_set":[{"id":"1","synonyms":"` + rule + `"}]}`}
	}
	for name, test := range map[string]struct {
		before, after map[string]answer
		same          bool
	}{
		"nothing": {same: true},
		"the mapping's order": {same: true,
			after: map[string]answer{"/shop/_mapping": {body: `{"shop":{"mappings":{"properties":{ "b":{"type":"long"}, "a":{"type":"text"}}}}}`}}},
		"the mapping": {
			after: map[string]answer{"/shop/_mapping": {body: `{"shop":{"mappings":{"properties":{"a":{"type":"keyword"},"b":{"type":"long"}}}}}`}}},
		"blocks, replicas, refresh and routing": {same: true, after: map[string]answer{"/shop/_settings": settings(
			`,"index.hidden":"true","index.blocks.read_only":"true","index.verified_read_only":"true","index.verified_before_close":"true","index.number_of_replicas":"3",
			"index.auto_expand_replicas":"0-1","index.refresh_interval":"-1","index.routing.allocation.include._tier_preference":"data_content"`)}},
		"a routing that decides where documents are": {after: map[string]answer{"/shop/_settings": settings(`,"index.routing_partition_size":"2"`)}},
		"a similarity":        {after: map[string]answer{"/shop/_settings": settings(`,"index.similarity.default.b":"0"`)}},
		"the documents":       {after: map[string]answer{"/shop/_count": {body: `{"count":6,"_shards":{"total":2,"successful":2,"failed":0}}`}}},
		"an update":           {after: map[string]answer{"/shop/_stats/docs": stats("u1", shard(0, 5, 5, 5), shard(1, -1, -1, -1))}},
		"a shard's history":   {after: map[string]answer{"/shop/_stats/docs": stats("u1", strings.ReplaceAll(shard(0, 4, 4, 4), "h0", "h9"), shard(1, -1, -1, -1))}},
		"the cluster":         {after: map[string]answer{"/": {body: `{"cluster_uuid":"c2","version":{"number":"8.19.0"},"tagline":"You Know, for Search"}`}}},
		"the cluster's build": {same: true, after: map[string]answer{"/": {body: `{"cluster_uuid":"c1","version":{"number":"9.1.0"},"tagline":"You Know, for Search"}`}}},
		"a synonym set's rules": {
			before: map[string]answer{"/shop/_settings": settings(set), "/_synonyms/syn": rules("tv, television")},
			after:  map[string]answer{"/shop/_settings": settings(set), "/_synonyms/syn": rules("tv, telly")}},
		"a synonym set that stays": {same: true,
			before: map[string]answer{"/shop/_settings": settings(set), "/_synonyms/syn": rules("tv, television")},
			after:  map[string]answer{"/shop/_settings": settings(set), "/_synonyms/syn": rules("tv, television")}},
		"a synonym set that may not be read": {same: true,
			before: map[string]answer{"/shop/_settings": settings(set), "/_synonyms/syn": {status: 403, body: `{"error":{"type":"security_exception","reason":"no"},"status":403}`}},
			after:  map[string]answer{"/shop/_settings": settings(set), "/_synonyms/syn": {status: 400, body: `{"error":"no handler found for uri [/_synonyms/syn] and method [GET]"}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := newFake(t, shop(test.before)).FullFingerprint(t.Context(), "shop")
			if err != nil {
				t.Fatal(err)
			}
			after, err := newFake(t, shop(test.after)).FullFingerprint(t.Context(), "shop")
			if err != nil {
				t.Fatal(err)
			}
			if got := before.Equal(after); got != test.same {
				t.Errorf("same = %v, want %v\n%+v\n%+v", got, test.same, before, after)
			}
		})
	}
}

func TestFingerprintOfLargeSynonymSets(t *testing.T) {
	settings := answer{body: `{"shop":{"settings":{"index.uuid":"u1","index.number_of_shards":"2","index.analysis.filter.syn.synonyms_set":"syn"}}}`}
	base := shop(map[string]answer{"/shop/_settings": settings})
	// A set of two pages: the second page must count.
	read := func(last string) string {
		page := 0
		c := newFake(t, func(method, path, body string) answer {
			if path != "/_synonyms/syn" {
				return base(method, path, body)
			}
			page++
			if page == 1 {
				return answer{body: `{"count":2,"synonyms_set":[{"id":"1","synonyms":"a, b"}]}`}
			}
			return answer{body: `{"count":2,"synonyms_set":[{"id":"2","synonyms":"` + last + `"}]}`}
		})
		f, err := c.FullFingerprint(t.Context(), "shop")
		if err != nil || page != 2 {
			t.Fatalf("%d pages, %v", page, err)
		}
		return f.SynonymSets["syn"]
	}
	if read("c, d") == read("c, e") {
		t.Error("a change on the second page does not show")
	}
}

func TestNoFingerprint(t *testing.T) {
	for name, test := range map[string]struct {
		replace map[string]answer
		is      error
		kind    string
	}{
		"a write is being processed":       {map[string]answer{"/shop/_stats/docs": stats("u1", shard(0, 4, 3, 3), shard(1, -1, -1, -1))}, ErrNotSettled, ""},
		"a replica has not confirmed":      {map[string]answer{"/shop/_stats/docs": stats("u1", shard(0, 4, 4, 3), shard(1, -1, -1, -1))}, ErrNotSettled, ""},
		"another index by now":             {map[string]answer{"/shop/_stats/docs": stats("u2", shard(0, 4, 4, 4), shard(1, -1, -1, -1))}, ErrNotSettled, ""},
		"a shard without its history":      {map[string]answer{"/shop/_stats/docs": stats("u1", strings.ReplaceAll(shard(0, 4, 4, 4), `"h0"`, `""`), shard(1, -1, -1, -1))}, ErrNotSettled, ""},
		"a primary is not assigned":        {map[string]answer{"/shop/_stats/docs": stats("u1", shard(0, 4, 4, 4))}, nil, "unavailable"},
		"the name is an alias":             {map[string]answer{"/shop/_settings": {body: `{"shop-v1":{"settings":{"index.uuid":"u1"}}}`}}, nil, ""},
		"the index is missing":             {map[string]answer{"/shop/_settings": {status: 404, body: `{"error":{"type":"index_not_found_exception","reason":"no"},"status":404}`}}, nil, "not found"},
		"a shard fails to count":           {map[string]answer{"/shop/_count": {body: `{"count":5,"_shards":{"total":2,"successful":1,"failed":1}}`}}, nil, ""},
		"the count is missing":             {map[string]answer{"/shop/_count": {body: `{"_shards":{"total":2,"successful":2,"failed":0}}`}}, nil, "not an engine"},
		"the mapping is missing":           {map[string]answer{"/shop/_mapping": {body: `{}`}}, nil, "not an engine"},
		"a synonym set's engine is down":   {map[string]answer{"/shop/_settings": {body: `{"shop":{"settings":{"index.uuid":"u1","index.number_of_shards":"2","index.analysis.filter.s.synonyms_set":"syn"}}}`}, "/_synonyms/syn": {status: 503}}, nil, "unavailable"},
		"the settings are without a count": {map[string]answer{"/shop/_settings": {body: `{"shop":{"settings":{"index.uuid":"u1"}}}`}}, nil, "not an engine"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newFake(t, shop(test.replace)).FullFingerprint(t.Context(), "shop")
			if err == nil || test.is != nil && !errors.Is(err, test.is) || kinds(err) != test.kind {
				t.Errorf("error = %v, want %v, %q", err, test.is, test.kind)
			}
		})
	}
}
