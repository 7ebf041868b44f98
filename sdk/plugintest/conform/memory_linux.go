package conform

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// residentMemory returns a process's current and peak resident memory in bytes.
func residentMemory(pid int) (now, peak int64, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		name, rest, _ := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		if name != "VmHWM" && name != "VmRSS" || len(fields) == 0 {
			continue
		}
		kib, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return 0, 0, false
		}
		if name == "VmHWM" {
			peak = kib << 10
		} else {
			now = kib << 10
		}
	}
	return now, peak, now > 0
}
