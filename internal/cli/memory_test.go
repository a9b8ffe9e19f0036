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

func TestAMemoryLimitThatWasGivenStays(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	boundMemory(func(string) string { return "1GiB" })
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d, want %d as before", got, before)
	}
	boundMemory(func(string) string { return "" })
	if got := debug.SetMemoryLimit(-1); got != memoryLimit(containerLimit) {
		t.Errorf("the limit is %d, want %d", got, memoryLimit(containerLimit))
	}
}
