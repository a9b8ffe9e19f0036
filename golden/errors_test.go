package golden

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// gates wraps queries into a golden set, each on a line of its own from line 2 on.
func gates(queries ...string) string {
	return "{\"queries\": [\n" + strings.Join(queries, ",\n") + "\n]}"
}

// judges is a query with judgments.
func judges(judgments string) string { return `{"id":"q","query":"a","judgments":[` + judgments + `]}` }

func TestParseRefuses(t *testing.T) {
	const source = "ConfigMap shop/golden-es, key es.json"
	long := strings.Repeat("é", 100)
	for _, row := range []struct {
		name, text string
		opts       Options
		want       string // after the source
	}{
		// The file.
		{"an empty file", "", Options{}, `: it is empty; write at least one query with its judgments`},
		{"blanks only", " \n\t\r\n", Options{}, `: it is empty; write at least one query with its judgments`},
		{"a byte order mark only", "\xef\xbb\xbf", Options{}, `: it is empty; write at least one query with its judgments`},
		{"UTF-16", "\xff\xfe{\x00}\x00", Options{}, `: it is UTF-16; save it as UTF-8`},
		{"bytes that are not UTF-8", "{\n\"é\": \"\xe9\"}", Options{}, `: line 2, column 7: the bytes there are not UTF-8; save the file as UTF-8`},
		{"YAML", "queries:\n- query: a", Options{}, `: it is neither JSON, nor a table whose first line names its columns (such as query, docid and rating), nor qrels or topics of TREC; write one of these, or name its format`},
		{"a comma too many", "{\"queries\": [\n  {\"query\": \"é\"},\n]}", Options{}, `: line 3, column 1: it is not JSON: invalid character ']' looking for beginning of value; correct the text there`},
		{"a comma too few", "{\"queries\": [\n  {\"query\": \"é\" \"id\": \"b\"}]}", Options{}, `: line 2, column 17: it is not JSON: invalid character '"' after object key:value pair; correct the text there`},
		{"the end too early", "{\"queries\": [\n  {\"query\": \"a\"}", Options{}, `: line 2, column 17: it is not JSON: unexpected end of JSON input; correct the text there`},
		{"the end too early and line ends", "{\"queries\": [\n\n\n", Options{}, `: line 1, column 14: it is not JSON: unexpected end of JSON input; correct the text there`},
		{"a line end inside a string", "{\"name\": \"a\nb\"}", Options{}, `: line 1, column 12: it is not JSON: invalid character '\n' in string literal; correct the text there`},
		{"a word that is no value", "{\n\"name\": nul}", Options{}, `: line 2, column 12: it is not JSON: invalid character '}' in literal null (expecting 'l'); correct the text there`},
		{"NaN", gates(judges("{\"id\":\"d\",\n\"grade\":NaN}")), Options{}, `: line 3, column 9: it is not JSON: invalid character 'N' looking for beginning of value; correct the text there`},
		{"a second golden set behind the first", gates(judges(`{"id":"d","grade":1}`)) + "\n\n {}", Options{}, `: line 5, column 2: more text follows the end of the golden set; remove it`},
		{"a stray bracket behind the end", gates(judges(`{"id":"d","grade":1}`)) + "]", Options{}, `: line 3, column 3: more text follows the end of the golden set; remove it`},
		{"an array", `[{"query":"a"}]`, Options{}, `: line 1: golden set is an array; write an object`},
		{"YAML by another name", "queries:\n- query: a", Options{Format: FormatGate}, `: line 1, column 1: it is not JSON: invalid character 'q' looking for beginning of value; correct the text there`},
		{"a string", `"a"`, Options{Format: FormatGate}, `: line 1: golden set is a string; write an object`},
		{"null", `null`, Options{Format: FormatGate}, `: line 1: golden set is null; write an object, or leave it out where it is not needed`},
		{"no queries", `{"name":"a"}`, Options{}, `: the golden set holds no queries; write at least one with its judgments`},
		{"an empty list of queries", `{"queries":[]}`, Options{}, `: the golden set holds no queries; write at least one with its judgments`},
		{"another schema", "{\n\"schema\":\"relevancegate.dev/golden/v2\"}", Options{}, `: line 2: the schema "relevancegate.dev/golden/v2" is not known; write "relevancegate.dev/golden/v1"`},
		{"half of a surrogate pair", "{\n\"name\":\"a \\uD83D b\"}", Options{}, `: line 2: the string holds half of a surrogate pair (\ud800 to \udfff alone); write the whole character`},
		{"half of a surrogate pair in a field's name", `{"a\udc00":1}`, Options{}, `: line 1: the string holds half of a surrogate pair (\ud800 to \udfff alone); write the whole character`},

		// Options.
		{"an unknown format", gates(), Options{Format: "YAML"}, `: the format "YAML" is not known; use Auto, Gate, Article, Short, Quepid, TREC, RankEval, RRE, CSV or JSONL`},
		{"a maxGrade above 30", gates(), Options{MaxGrade: 31}, `: maxGrade 31 is not a highest grade; use a whole number from 1 to 30`},
		{"a negative maxGrade", gates(), Options{MaxGrade: -1}, `: maxGrade -1 is not a highest grade; use a whole number from 1 to 30`},

		// Fields.
		{"a misspelt field of the set", "{\n\"querys\":[]}", Options{}, `: line 2: a golden set has no field "querys"; did you mean "queries"?`},
		{"a misspelt field of a query", gates(`{"query":"a","judgements":[]}`), Options{}, `: line 2: a query has no field "judgements"; did you mean "judgments"?`},
		{"a field in the wrong case", gates(`{"Query":"a"}`), Options{}, `: line 2: a query has no field "Query"; did you mean "query"?`},
		{"a misspelt field of a judgment", gates(judges(`{"id":"d","grad":1}`)), Options{}, `: line 2: a judgment has no field "grad"; did you mean "grade"?`},
		{"a field like no other", gates(judges(`{"id":"d","rating":1}`)), Options{}, `: line 2: a judgment has no field "rating"; its fields are id, grade, why, judge, at`},
		{"a misspelt field of the article's form", `{"queries":[{"query":"a","judgments":[{"externalID":"d","relevance":1}]}]}`, Options{}, `: line 1: a judgment has no field "externalID"; did you mean "externalId"?`},
		{"a field of our form in the article's", `{"culture":"es","queries":[{"query":"a","judgments":[{"externalId":"d","grade":1}]}]}`, Options{}, `: line 1: a judgment has no field "grade"; its fields are externalId, relevance, why`},
		{"an endless field name", `{"` + long + `":1}`, Options{}, `: line 1: a golden set has no field "` + strings.Repeat("é", 40) + `…"; its fields are schema, name, queries`},
		{"a field twice", gates(judges("{\"id\":\"d\",\n\"grade\":1,\n\"grade\":2}")), Options{}, `: line 4: the field "grade" stands twice in one judgment; keep one of the two`},
		{"a field twice, once escaped", gates(`{"query":"a","quer\u0079":"b"}`), Options{}, `: line 2: the field "query" stands twice in one query; keep one of the two`},
		{"queries twice", "{\"queries\":[],\n\"queries\":[]}", Options{}, `: line 2: the field "queries" stands twice in one golden set; keep one of the two`},

		// Queries.
		{"no text", gates(`{"id":"q"}`), Options{}, `: line 2: query "q" has no query text; write one`},
		{"no text and no id", gates(`{"query":"a"}`, `{}`), Options{}, `: line 3: the query that begins on line 3 has no query text; write one`},
		{"a blank text", gates(`{"query":" \t\u00a0"}`), Options{}, `: line 2: the query that begins on line 2 has no query text; write one`},
		{"a text that is null", gates(`{"query":null}`), Options{}, `: line 2: query is null; write a string in quotation marks, or leave it out where it is not needed`},
		{"a text that is a number", gates(`{"query":12}`), Options{}, `: line 2: query is a number; write a string in quotation marks`},
		{"an empty id", gates(`{"id":"","query":"a"}`), Options{}, `: line 2: the id of a query is empty; write one, or leave it out`},
		{"an id that is a number", gates(`{"id":7,"query":"a"}`), Options{}, `: line 2: id is a number; write a string in quotation marks`},
		{"an id twice", gates(`{"id":"q","query":"a"}`, `{"id":"r","query":"b"}`, `{"id":"q","query":"c"}`), Options{}, `: line 4: query "q" stands twice (first on line 2); keep one of the two, or give each an id of its own`},
		{"a text twice without ids", gates(`{"query":"a"}`, `{"query":"a"}`), Options{}, `: line 3: query "q-ca978112ca" stands twice (first on line 2); keep one of the two, or give each an id of its own`},
		{"a query that is a string", gates(`"a"`), Options{}, `: line 2: query is a string; write an object`},
		{"queries that are an object", `{"queries":{}}`, Options{}, `: line 1: queries is an object; write an array`},
		{"a weight of 0", gates(`{"id":"q","query":"a","weight":0}`), Options{}, `: line 2: the weight 0 of query "q" is not above 0; write a number above 0, or remove the query`},
		{"a negative weight", gates(`{"id":"q","query":"a","weight":-1.5}`), Options{}, `: line 2: the weight -1.5 of query "q" is not above 0; write a number above 0, or remove the query`},
		{"an endless weight", gates(`{"id":"q","query":"a","weight":1e999}`), Options{}, `: line 2: weight 1e999 is too large; write a number above 0`},
		{"a weight that is a string", gates(`{"query":"a","weight":"1"}`), Options{}, `: line 2: weight is a string; write a number above 0`},
		{"expectNoResults as a string", gates(`{"query":"a","expectNoResults":"true"}`), Options{}, `: line 2: expectNoResults is a string; write true or false`},
		{"expectNoResults with a relevant document", gates("{\"id\":\"q\",\"query\":\"a\",\"expectNoResults\":true,\"judgments\":[\n{\"id\":\"d\",\"grade\":0},\n{\"id\":\"e\",\"grade\":1}]}"), Options{}, `: line 4: query "q" expects no results, yet document "e" is relevant to it; remove one of the two`},
		{"segments that are a string", gates(`{"query":"a","segments":"head"}`), Options{}, `: line 2: segments is a string; write an array`},
		{"a segment that is a number", gates(`{"query":"a","segments":[1]}`), Options{}, `: line 2: a segment is a number; write a string in quotation marks`},
		{"an empty segment", gates(`{"id":"q","query":"a","segments":[""]}`), Options{}, `: line 2: a segment of query "q" is empty; write a name, or remove it`},
		{"a segment twice", gates(`{"id":"q","query":"a","segments":["s","s"]}`), Options{}, `: line 2: query "q" is in the segment "s" twice; keep one of the two`},
		{"params that are an array", gates(`{"id":"q","query":"a","params":[1]}`), Options{}, `: line 2: the params of query "q" are no object; write {"name": value}`},
		{"params that hide the query", gates(`{"id":"q","query":"a","params":{"query":"b"}}`), Options{}, `: line 2: the params of query "q" name one "query", which stands for the query's text; give it another name`},
		{"a param twice", gates("{\"query\":\"a\",\"params\":{\"b\":1,\n\"b\":2}}"), Options{}, `: line 3: the field "b" stands twice in params; keep one of the two`},
		{"endless params", gates(`{"query":"a","params":` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + `}`), Options{}, `: line 2: params nests deeper than 100 levels; make it flatter`},
		{"endless nesting", gates(`{"query":"a","params":` + strings.Repeat("[", 100_000)), Options{}, `: line 2, column 10020: it is not JSON: invalid character '[' exceeded max depth; correct the text there`},

		// Judgments.
		{"a document twice", gates("{\"id\":\"zapatillas\",\"query\":\"a\",\"judgments\":[\n{\"id\":\"p-3\",\"grade\":1},\n{\"id\":\"p-4\",\"grade\":1},\n{\"id\":\"p-3\",\"grade\":1}]}"), Options{}, `: line 5: query "zapatillas" judges document "p-3" twice (first on line 3); keep one of the two`},
		{"a document twice in the article's form", "{\"queries\":[{\"query\":\"a\",\"judgments\":[\n{\"externalId\":\"d\",\"relevance\":1},\n{\"externalId\":\"d\",\"relevance\":2}]}]}", Options{}, `: line 3: query "q-ca978112ca" judges document "d" as 2 and as 1 (first on line 2); keep one of the two`},
		{"a document twice in a judgment of many lines", gates(judges("{\n\"id\":\"d\",\n\"grade\":1\n},{\n\"id\":\"d\",\n\"grade\":1}")), Options{}, `: line 5: query "q" judges document "d" twice (first on line 2); keep one of the two`},
		{"no document", gates(judges(`{"grade":1}`)), Options{}, `: line 2: a judgment of query "q" has no id; write the document's id`},
		{"an empty document", gates(judges(`{"id":"","grade":1}`)), Options{}, `: line 2: a judgment of query "q" has no id; write the document's id`},
		{"a document that is a number", gates(judges(`{"id":5,"grade":1}`)), Options{}, `: line 2: id is a number; write a string in quotation marks`},
		{"no grade", gates(judges(`{"id":"d"}`)), Options{}, `: line 2: query "q" judges document "d" without a grade; write a number from 0 to 30`},
		{"no relevance", "{\"queries\":[{\"judgments\":[\n{\"externalId\":\"d\"}],\"query\":\"a\"}]}", Options{MaxGrade: 3}, `: line 2: the query that begins on line 1 judges document "d" without a relevance; write a number from 0 to 3`},
		{"a grade that is null", gates(judges(`{"id":"d","grade":null}`)), Options{}, `: line 2: grade is null; write a number from 0 to 30, or leave it out where it is not needed`},
		{"a grade that is a string", gates(judges(`{"id":"d","grade":"3"}`)), Options{MaxGrade: 3}, `: line 2: grade is a string; write a number from 0 to 3`},
		{"a grade that is the string NaN", gates(judges(`{"id":"d","grade":"NaN"}`)), Options{}, `: line 2: grade is a string; write a number from 0 to 30`},
		{"a grade that is true", gates(judges(`{"id":"d","grade":true}`)), Options{}, `: line 2: grade is true; write a number from 0 to 30`},
		{"a negative grade", gates(judges(`{"id":"d","grade":-1}`)), Options{}, `: line 2: the grade -1 of query "q" is negative; write 0 for a document that is not relevant, or remove the judgment`},
		{"a grade above 30", gates(judges("{\"id\":\"d\",\n\"grade\":30.5}")), Options{}, `: line 3: the grade 30.5 of query "q" is above 30, the highest there is; correct it`},
		{"a grade above maxGrade", gates(judges(`{"id":"d","grade":4}`)), Options{MaxGrade: 3}, `: line 2: the grade 4 of query "q" is above maxGrade 3; correct it, or declare a higher maxGrade`},
		{"a grade a little above maxGrade", gates(judges(`{"id":"d","grade":3.0000001}`)), Options{MaxGrade: 3}, `: line 2: the grade 3.0000001 of query "q" is above maxGrade 3; correct it, or declare a higher maxGrade`},
		{"an endless grade", gates(judges(`{"id":"d","grade":1e400}`)), Options{}, `: line 2: grade 1e400 is too large; write a number from 0 to 30`},
		{"no why though one is asked for", gates(judges(`{"id":"d","grade":1,"why":" "}`)), Options{RequireWhy: true}, `: line 2: query "q" judges document "d" without a why, and requireWhy asks for one; write the reason`},
		{"a why that is null", gates(judges(`{"id":"d","grade":1,"why":null}`)), Options{}, `: line 2: why is null; write a string in quotation marks, or leave it out where it is not needed`},
	} {
		t.Run(row.name, func(t *testing.T) {
			for form, raw := range map[string][]byte{"plain": []byte(row.text), "packed": packed(t, []byte(row.text))} {
				set, err := Parse(source, raw, row.opts)
				if err == nil {
					t.Fatalf("%s: no error but %+v", form, set)
				}
				if err.Error() != source+row.want {
					t.Errorf("%s:\n%s, want\n%s", form, err, source+row.want)
				}
				if set != nil || strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("%s: the error is not alone, or not one line", form)
				}
			}
		})
	}
}

// TestErrorsKeepQueryTextsSecret makes sure that a message names a query by its id: messages end up in status.
func TestErrorsKeepQueryTextsSecret(t *testing.T) {
	const secret = "a very private query"
	for _, query := range []string{
		`{"query":"a very private query","judgments":[{"id":"d","grade":1},{"id":"d","grade":1}]}`,
		`{"query":"a very private query"},{"query":"a very private query"}`,
		`{"query":"a very private query","weight":0}`,
		`{"query":"a very private query","grade":0}`,
		`{"query":"a very private query","judgments":[{"id":"d","grade":-1}]}`,
	} {
		if _, err := Parse("f", []byte(gates(query)), Options{}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s\ngives %v", query, err)
		}
	}
	set, err := Parse("f", []byte(gates(`{"query":"a very private query"}`)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Validate("f", 1); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("Validate gives %v", err)
	}
}

func TestGzipRefused(t *testing.T) {
	good := packed(t, []byte(gates(judges(`{"id":"d","grade":1}`))))
	broken := bytes.Clone(good)
	broken[len(broken)-6] ^= 0xff // in the checksum
	for _, row := range []struct {
		name, want string
		raw        []byte
	}{
		{"cut off", "it begins like a gzip file but ends too early; pack it again", good[:len(good)-9]},
		{"the magic bytes only", "it begins like a gzip file but ends too early; pack it again", good[:2]},
		{"a wrong checksum", "it begins like a gzip file but cannot be unpacked (gzip: invalid checksum); pack it again", broken},
		{"rubbish behind it", "it begins like a gzip file but cannot be unpacked (gzip: invalid header); pack it again", append(bytes.Clone(good), "rubbish, and more of it"...)},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := Parse("f", row.raw, Options{}); err == nil || err.Error() != "f: "+row.want {
				t.Errorf("Parse: %v, want %s", err, row.want)
			}
			if digest, err := Digest(row.raw); err == nil || err.Error() != row.want || digest != "" {
				t.Errorf("Digest: %q, %v, want %s", digest, err, row.want)
			}
		})
	}
	if _, err := Parse("f", packed(t, good), Options{}); err == nil || err.Error() != "f: it is packed by gzip twice; pack it once" {
		t.Errorf("packed twice: %v", err)
	}
}

// bomb is about 1 MiB that stands for 1 GiB, with a size at its end that lies.
func bomb(t *testing.T) []byte {
	t.Helper()
	raw := bytes.Repeat(packed(t, make([]byte, 1<<20)), 1024)
	copy(raw[len(raw)-4:], []byte{1, 0, 0, 0})
	return raw
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestUnpackingStopsAtTheLimit(t *testing.T) {
	const limit = 3 << 20
	const want = "it is larger than 3 MiB when unpacked; split the golden set"
	for name, raw := range map[string][]byte{"packed": bomb(t), "plain": make([]byte, limit+1)} {
		var written counter
		if err := copyUnpacked(&written, raw, limit); err == nil || err.Error() != want {
			t.Errorf("copyUnpacked of a %s file: %v", name, err)
		}
		if written > limit+1 {
			t.Errorf("%d bytes of a %s file were unpacked", written, name)
		}
		if got, err := unpack(raw, limit); err == nil || err.Error() != want || got != nil {
			t.Errorf("unpack of a %s file: %v", name, err)
		}
	}
	for name, raw := range map[string][]byte{"packed": packed(t, make([]byte, limit)), "plain": make([]byte, limit)} {
		if got, err := unpack(raw, limit); err != nil || len(got) != limit {
			t.Errorf("a %s file of just the limit: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestMoreThan256MiBAreRefused(t *testing.T) {
	const want = "it is larger than 256 MiB when unpacked; split the golden set"
	raw := make([]byte, MaxUnpacked+1)
	if _, err := Parse("f", raw, Options{}); err == nil || err.Error() != "f: "+want {
		t.Errorf("Parse: %v", err)
	}
	if _, err := Digest(raw); err == nil || err.Error() != want {
		t.Errorf("Digest: %v", err)
	}
}

func TestTheCallerMayLowerTheLimit(t *testing.T) {
	for name, raw := range map[string][]byte{"packed": bomb(t), "plain": make([]byte, 1<<20+1)} {
		_, err := Parse("f", raw, Options{MaxBytes: 1 << 20})
		if !errors.Is(err, ErrTooLarge) || err.Error() != "f: it is larger than 1 MiB when unpacked; split the golden set" {
			t.Errorf("%s: %v", name, err)
		}
	}
	text := []byte(gates(`{"query":"a"}`))
	if _, err := Parse("f", text, Options{MaxBytes: int64(len(text))}); err != nil {
		t.Error(err)
	}
	for _, limit := range []int64{-1, MaxUnpacked + 1} {
		if _, err := Parse("f", text, Options{MaxBytes: limit}); err == nil {
			t.Errorf("the limit %d is taken", limit)
		}
	}
}

func TestUnpackedHintIsBounded(t *testing.T) {
	lie := append(make([]byte, 20), 0xff, 0xff, 0xff, 0xff)
	if got := unpackedHint(lie, MaxUnpacked); got > len(lie)*maxRatio+bytes.MinRead {
		t.Errorf("24 bytes make room for %d", got)
	}
	if got := unpackedHint(append(make([]byte, 1<<20), 0xff, 0xff, 0xff, 0xff), 1<<20); got > 1<<20+bytes.MinRead {
		t.Errorf("the hint %d is above the limit", got)
	}
}
