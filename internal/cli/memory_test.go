package cli

import (
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestTheMemoryLimitIsTheContainers(t *testing.T) {
	for name, test := range map[string]struct {
		file string
		want int64
	}{
		"a limit":      {writeFile(t, "memory.max", "536870912\n"), 448 << 20},
		"a higher one": {writeFile(t, "memory.max", "1073741824\n"), 896 << 20},
		"none":         {writeFile(t, "memory.max", "max\n"), memoryTarget},
		"no sense":     {writeFile(t, "memory.max", "-1\n"), memoryTarget},
		"no file":      {filepath.Join(t.TempDir(), "memory.max"), memoryTarget},
	} {
		if got := memoryLimit(test.file); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestMemorySettingsThatWereGivenStay(t *testing.T) {
	limit, growth := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	defer debug.SetMemoryLimit(limit)
	defer debug.SetGCPercent(growth)
	check := func(wantLimit int64, wantGrowth int) {
		t.Helper()
		if got := debug.SetMemoryLimit(-1); got != wantLimit {
			t.Errorf("the limit is %d, want %d", got, wantLimit)
		}
		if got := debug.SetGCPercent(100); got != wantGrowth {
			t.Errorf("the growth is %d, want %d", got, wantGrowth)
		}
	}
	for _, given := range []string{"GOMEMLIMIT", "GOGC"} {
		boundMemory(func(name string) string { return map[string]string{given: "1"}[name] })
		check(limit, 100)
	}
	boundMemory(func(string) string { return "" })
	check(memoryLimit(containerLimit), memoryGrowth)
}
