package artifacts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// startTime returns when a process began, in clock ticks since boot; 0 if unknown. See
// proc_pid_stat(5): field 22, counted after the parenthesized name.
func startTime(pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return 0
	}
	ticks, _ := strconv.ParseInt(fields[19], 10, 64)
	return ticks
}
