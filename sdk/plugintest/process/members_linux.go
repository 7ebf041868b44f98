package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Members returns the processes of a plugin's group that have not ended: a plugin may
// be a script that starts the real one. known is false if the system cannot tell.
func (p *Process) Members() (pids []int, known bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// "PID (NAME) STATE PARENT GROUP ..."; a name may contain anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 3 || string(fields[2]) != strconv.Itoa(p.PID()) {
			continue
		}
		if state := fields[0][0]; state != 'Z' && state != 'X' {
			pids = append(pids, pid)
		}
	}
	return pids, true
}
