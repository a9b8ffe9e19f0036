package engine

import (
	"errors"
	"strings"
	"testing"
)

func TestAlias(t *testing.T) {
	missing := answer{status: 404, body: `{"error":{"type":"index_not_found_exception","reason":"no such index [products]"},"status":404}`}
	settingsOf := func(index string) answer {
		return answer{body: `{"` + index + `":{"settings":{"index.uuid":"u"}}}`}
	}
	for name, test := range map[string]struct {
		alias, settings answer
		want            string // names of the members
		is              error
		kind            string
	}{
		"on one index": {
			alias: answer{body: `{"products-v1":{"aliases":{"products":{},"other":{}}}}`}, want: "products-v1"},
		"on two indices, sorted": {
			alias: answer{body: `{"products-v2":{"aliases":{"products":{}}},"products-v1":{"aliases":{"products":{}}}}`}, want: "products-v1 products-v2"},
		"does not exist": {alias: missing, settings: missing, want: ""},
		"is an index": {
			alias: answer{body: `{"products":{"aliases":{}}}`}, settings: settingsOf("products"), is: ErrAliasIsIndex},
		"is a data stream, as Elasticsearch says it": {
			alias: answer{body: `{"products":{"aliases":{}}}`}, settings: settingsOf(".ds-products-2026.01.01-000001"), is: ErrAliasIsDataStream},
		"is a data stream, as OpenSearch says it": {
			alias: missing, settings: settingsOf(".ds-products-000001"), is: ErrAliasIsDataStream},
		"is a data stream, by its backing indices": {
			alias: answer{body: `{".ds-products-2026.01.01-000001":{"aliases":{}}}`}, is: ErrAliasIsDataStream},
		"points at an index outside the role": {
			alias: answer{status: 403, body: `{"error":{"type":"security_exception","reason":"no permissions"},"status":403}`}, kind: "unauthorized"},
		"another API answers": {alias: answer{body: `{"products":{}}`}, kind: "not an engine"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newFake(t, func(_, path, _ string) answer {
				if strings.HasSuffix(path, "/_settings") {
					return test.settings
				}
				return test.alias
			})
			members, err := c.Alias(t.Context(), "products")
			if test.is != nil && !errors.Is(err, test.is) || kinds(err) != test.kind || (err != nil) != (test.is != nil || test.kind != "") {
				t.Fatalf("error = %v, want %v, %q", err, test.is, test.kind)
			}
			var names []string
			for _, m := range members {
				names = append(names, m.Index)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("members = %q, want %q", got, test.want)
			}
		})
	}
}

func TestAliasProperties(t *testing.T) {
	c := newFake(t, always(answer{body: `{"products-v1":{"aliases":{"products":{"filter":{"term":{"a":"b"}},
		"index_routing":"1","search_routing":"2","is_write_index":false,"is_hidden":true}}}}`}))
	members, err := c.Alias(t.Context(), "products")
	if err != nil || len(members) != 1 {
		t.Fatalf("members = %v, %v", members, err)
	}
	m := members[0]
	if string(m.Filter) != `{"term":{"a":"b"}}` || m.IndexRouting != "1" || m.SearchRouting != "2" || *m.IsWriteIndex || !*m.IsHidden {
		t.Errorf("member = %+v", m)
	}
}

// The shapes are those that 7.17, 8 before and after 8.14, 9 and OpenSearch answer
// with.
func TestUpdateAliases(t *testing.T) {
	for name, test := range map[string]struct {
		answer answer
		kind   string
		want   string // part of the error; empty: none
	}{
		"7.17: acknowledged":                    {answer{body: `{"acknowledged":true}`}, "", ""},
		"8.14: acknowledged without errors":     {answer{body: `{"acknowledged":true,"errors":false}`}, "", ""},
		"8.14: a remove matched nothing":        {answer{body: `{"acknowledged":true,"errors":true,"action_results":[{"action":{"type":"remove","indices":["products-v1"],"aliases":["products"]},"status":404,"error":{"type":"aliases_not_found_exception","reason":"aliases [products] missing"}},{"action":{"type":"add"},"status":200}]}`}, "not found", "aliases [products] missing"},
		"errors without results":                {answer{body: `{"acknowledged":true,"errors":true}`}, "", "not carried out"},
		"not acknowledged in time":              {answer{body: `{"acknowledged":false}`}, "unavailable", "not acknowledged"},
		"before 8.14: the alias is not there":   {answer{status: 404, body: `{"error":{"type":"resource_not_found_exception","reason":"required alias [products] does not exist"},"status":404}`}, "not found", "required alias"},
		"8.14, OpenSearch: it is not there":     {answer{status: 404, body: `{"error":{"type":"aliases_not_found_exception","reason":"aliases [products] missing","resource.type":"aliases","resource.id":"products"},"status":404}`}, "not found", "missing"},
		"locked":                                {answer{status: 403, body: `{"error":{"type":"cluster_block_exception","reason":"index [products-v2] blocked by: [FORBIDDEN/5/index read-only (api)];"},"status":403}`}, "blocked", "FORBIDDEN/5"},
		"no right":                              {answer{status: 403, body: `{"error":{"type":"security_exception","reason":"action [indices:admin/aliases] is unauthorized"},"status":403}`}, "unauthorized", "indices:admin/aliases"},
		"the name is an index":                  {answer{status: 400, body: `{"error":{"type":"invalid_alias_name_exception","reason":"Invalid alias name [products]"},"status":400}`}, "", "invalid_alias_name_exception"},
		"must_exist is unknown":                 {answer{status: 400, body: `{"error":{"root_cause":[{"type":"x_content_parse_exception","reason":"[7:9] [remove] unknown field [must_exist]"}],"type":"x_content_parse_exception","reason":"[7:23] [aliases] failed to parse field [actions]"},"status":400}`}, "", "x_content_parse_exception"},
		"two write indices":                     {answer{status: 500, body: `{"error":{"type":"illegal_state_exception","reason":"alias [products] has more than one write index [a,b]"},"status":500}`}, "", "more than one write index"},
		"another API's 200":                     {answer{body: `{}`}, "not an engine", "not one of Elasticsearch"},
		"the master's queue is full":            {answer{status: 503, body: `{"error":{"type":"process_cluster_event_timeout_exception","reason":"failed to process cluster event (index-aliases) within 10s"},"status":503}`}, "unavailable", "503"},
		"the version 9 header on a version 8":   {answer{status: 400, body: `{"error":{"type":"media_type_header_exception","reason":"Accept version must be either version 8 or 7, but found 9"},"status":400}`}, "", "media_type_header_exception"},
		"the media type that OpenSearch refuse": {answer{status: 406, body: `{"error":"Content-Type header [application/vnd.elasticsearch+json; compatible-with=8] is not supported","status":406}`}, "not an engine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent string
			c := newFake(t, func(method, path, body string) answer {
				sent = method + " " + path + " " + body
				return test.answer
			})
			yes := true
			err := c.UpdateAliases(t.Context(), []AliasAction{
				RemoveAlias("products", "products-v1"),
				AddAlias("products", AliasMember{Index: "products-v2", IsWriteIndex: &yes}),
			})
			if kinds(err) != test.kind || (test.want == "" && test.kind == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want %q with %q", err, test.kind, test.want)
			}
			const want = `POST /_aliases {"actions":[{"remove":{"index":"products-v1","alias":"products","must_exist":true}},` +
				`{"add":{"index":"products-v2","alias":"products","is_write_index":true}}]}`
			if sent != want {
				t.Errorf("sent %s\nwant %s", sent, want)
			}
		})
	}
}
