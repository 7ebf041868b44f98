package artifacts

import "golang.org/x/sys/unix"

// startTime returns when a process began, in Unix seconds; 0 if unknown.
func startTime(pid int) int64 {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return info.Proc.P_starttime.Sec
}
