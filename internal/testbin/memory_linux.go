package testbin

import (
	"flag"
	"os"
	"syscall"

	"github.com/proctorhq/proctor/internal/needs"
)

// The file system in memory, and the room that the tests of a package need there.
const (
	memory     = "/dev/shm"
	memoryRoom = 1 << 30
)

// InMemory lets the tests of a process make their temporary directories in memory, if there
// is room: SQLite waits for the disk at the end of each transaction. It is for tests of many
// transactions which do not ask what survives a power failure, and start no program from
// such a directory. The whole suite and benchmarks use the disk.
func InMemory() {
	flag.Parse()
	if needs.IsWhole() || os.Getenv("TMPDIR") != "" || flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(memory, &s); err != nil || s.Bavail*uint64(s.Bsize) < memoryRoom {
		return
	}
	probe, err := os.MkdirTemp(memory, "proctor-")
	if err != nil {
		return
	}
	os.Remove(probe)
	os.Setenv("TMPDIR", memory)
}
