package alias

import (
	"slices"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func TestNewest(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		prefix := testengine.Name(t, url, "dated")
		names, uuids := map[string]string{}, map[string]string{}
		create := func(key, name string) {
			t.Cleanup(func() { testengine.Remove(t, url, name) })
			testengine.Create(t, url, name, "")
			names[key], uuids[key] = name, testengine.UUID(t, url, name)
		}
		create("older, of another name", testengine.Name(t, url, "older"))
		// Names with dates, not in the order of creation.
		for _, suffix := range []string{"2026-11-28", "2026-11-30", "2026-11-29", "closed"} {
			create(suffix, prefix+"-"+suffix)
		}
		create("behind an alias", testengine.Name(t, url, "other"))
		testengine.Do(t, "POST", url+"/"+names["closed"]+"/_close", "")
		testengine.Do(t, "PUT", url+"/"+names["behind an alias"]+"/_alias/"+prefix+"-alias", "")
		client, err := engine.New(engine.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()

		for title, test := range map[string]struct {
			live     string
			onceLive []string
			want     string
		}{
			"the newest by creation, open and of that name": {names["2026-11-28"], nil, "2026-11-29"},
			"without a live one":                            {"", nil, "2026-11-29"},
			"none was created after the live one":           {names["2026-11-29"], nil, ""},
			"not one that was live":                         {names["2026-11-28"], []string{uuids["2026-11-29"]}, "2026-11-30"},
			"nothing but what was live":                     {"", []string{uuids["2026-11-28"], uuids["2026-11-29"], uuids["2026-11-30"]}, ""},
			"a live one that the pattern does not match":    {names["older, of another name"], nil, "2026-11-29"},
		} {
			got, err := Newest(t.Context(), client, prefix+"-*", test.live, test.onceLive)
			if err != nil || got != names[test.want] {
				t.Errorf("%s: %q, %v; want %q", title, got, err, names[test.want])
			}
		}
	})
}

func TestTheNameDecidesWithinAMillisecond(t *testing.T) {
	of := func(name, at string) created {
		return createdOf(name, engine.IndexSettings{Flat: map[string]string{"index.creation_date": at}})
	}
	want := []created{of("unknown", ""), of("b", "1"), of("a", "2"), of("c", "2"), of("a", "10")}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b created) int {
		if a.after(b) {
			return 1
		}
		return -1
	})
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
