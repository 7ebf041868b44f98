package runner

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen makes a pipe hold pipeSize, and reports whether it does. A busy producer then
// waits less often for us to be scheduled. The system may refuse it to a user with many
// pipes, which is fine.
func widen(file *os.File) bool {
	conn, err := file.SyscallConn()
	if err != nil {
		return false
	}
	size := 0
	_ = conn.Control(func(fd uintptr) { size, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	return size >= pipeSize
}
