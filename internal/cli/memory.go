package cli

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// memoryTarget is what a measurement may take before the garbage collector
	// works harder: a golden set of 2.6 million judgments stays below 512 MiB,
	// and small ones never come near it.
	memoryTarget = 448 << 20
	// memoryGrowth lets a heap grow to so many percent of what is in use before
	// the garbage collector runs: a small measurement then hardly collects at
	// all, and a large one is held back by the target.
	memoryGrowth = 800
	// containerLimit holds the memory that the container may have, in bytes, or
	// "max" (cgroup v2).
	containerLimit = "/sys/fs/cgroup/memory.max"
)

// boundMemory tells the garbage collector how much memory there is and that it
// may be used, unless the variables GOMEMLIMIT or GOGC have told it already.
func boundMemory(getenv func(string) string) {
	if getenv("GOMEMLIMIT") != "" || getenv("GOGC") != "" {
		return
	}
	debug.SetMemoryLimit(memoryLimit(containerLimit))
	debug.SetGCPercent(memoryGrowth)
}

// memoryLimit is an eighth less than the container's limit, as not all memory is
// the garbage collector's, or memoryTarget where there is no such limit.
func memoryLimit(file string) int64 {
	raw, err := os.ReadFile(file)
	if err != nil {
		return memoryTarget
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	if err != nil || limit <= 0 {
		return memoryTarget
	}
	return limit / 8 * 7
}
