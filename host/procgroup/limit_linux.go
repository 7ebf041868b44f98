package procgroup

import "golang.org/x/sys/unix"

// limitData bounds the memory of a process and of those that it starts. A process
// that is gone already needs no limit, and one of our own takes it.
func limitData(pid int, bytes uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}, nil)
}
