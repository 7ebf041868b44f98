package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// pollInterval is how often the process tree is sampled. The kernel itself keeps each
// process's peak, so only growth in a program's last moments is missed.
const pollInterval = 10 * time.Millisecond

// watch follows a process and its descendants. The function it returns stops that and
// returns the peaks.
func watch(pid int) func() map[string]int64 {
	stop, result := make(chan struct{}), make(chan map[string]int64)
	go func() {
		peaks := map[string]int64{}
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for {
			sampleTree(pid, peaks)
			select {
			case <-stop:
				result <- peaks
				return
			case <-tick.C:
			}
		}
	}()
	return func() map[string]int64 { close(stop); return <-result }
}

func sampleTree(pid int, peaks map[string]int64) {
	name, peak, ok := peakOf(pid)
	if !ok {
		return
	}
	peaks[name] = max(peaks[name], peak)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		children, _ := os.ReadFile(t)
		for _, child := range bytes.Fields(children) {
			if n, err := strconv.Atoi(string(child)); err == nil {
				sampleTree(n, peaks)
			}
		}
	}
}

// peakOf reads the largest resident set of a living process.
func peakOf(pid int) (name string, peak int64, ok bool) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return "", 0, false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "", 0, false
	}
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) == 0 {
		return "", 0, false
	}
	const unit = 1 << 10 // the file uses KiB
	n, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return filepath.Base(exe), n * unit, err == nil
}
