package procgroup

import "golang.org/x/sys/unix"

// limitData bounds the memory of a process and of its children. Errors do not matter: a
// process that has ended needs no limit, and ours accept one.
func limitData(pid int, bytes uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}, nil)
}
