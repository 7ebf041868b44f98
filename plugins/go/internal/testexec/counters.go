package testexec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// The beginnings of the names of the files that an instrumented program leaves: what its
	// counters mean, and the counters.
	metaPrefix    = "covmeta."
	counterPrefix = "covcounters."
	// maxCounters bounds such a file, and maxCounterFiles how many one run may leave.
	maxCounters     = 256 << 20
	maxCounterFiles = 10_000
)

// counters reads what a test executed from the counters that its process leaves. That takes a
// third less of the processor for each test than a profile, which has all that the test did not
// execute, too.
type counters struct {
	// dir keeps what the counters mean, so that the next process need not write it again.
	dir string
	of  *profile.Counters
}

// learnCounters finds out from a run that left a profile how to read the counters of the next
// ones. If the counters of that run do not say exactly what its profile does, profiles are read
// on: the form of the files is Go's own.
func (m *measurement) learnCounters(dir string, executed sdk.BlockSet) {
	m.learned = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var found *profile.Counters
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), metaPrefix) {
			continue
		}
		data, err := readBounded(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		of, err := m.blocks.ReadCounters(data)
		if err != nil || of.Len() != m.blocks.Len() || entry.Name() != metaPrefix+of.Hash() {
			continue // of another program
		}
		counted, n, err := readCounters(dir, of, nil)
		if err != nil || n == 0 || !equalBlocks(counted, executed) || found != nil {
			return
		}
		found = of
	}
	kept := filepath.Join(m.work, "counters")
	if found == nil || os.Rename(dir, kept) != nil {
		return
	}
	m.counters = &counters{dir: kept, of: found}
	if m.counters.clear() != nil {
		m.counters = nil
	}
}

// clear removes what the last run left. The directory itself may be gone: a test can find it.
func (c *counters) clear() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.dir)
	for _, entry := range entries {
		if entry.Name() != metaPrefix+c.of.Hash() {
			err = errors.Join(err, os.RemoveAll(filepath.Join(c.dir, entry.Name())))
		}
	}
	return err
}

// read reads which blocks a run executed, or says why that is unknown. Only a process that
// ended all its tests leaves counters in the directory of its own; others, of processes that
// it started or that a test ended, are in inherited.
func (c *counters) read(inherited string, ended *os.ProcessState) (executed sdk.BlockSet, why string) {
	executed, n, err := readCounters(c.dir, c.of, nil)
	switch {
	case err != nil && !os.IsNotExist(err):
		return executed, err.Error()
	case n == 0:
		return nil, fmt.Sprintf("no coverage profile was left: %s", ended)
	}
	if executed, _, err = readCounters(inherited, c.of, executed); err != nil && !os.IsNotExist(err) {
		return executed, err.Error()
	}
	return executed, ""
}

// readCounters adds what the files of counters of one program in a directory have as executed
// to a set, and counts the files.
func readCounters(dir string, of *profile.Counters, executed sdk.BlockSet) (sdk.BlockSet, int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return executed, 0, err
	}
	n := 0
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), counterPrefix+of.Hash()+".") {
			continue
		}
		if n++; n > maxCounterFiles {
			return executed, n, errors.New("there are too many files of coverage counters")
		}
		data, err := readBounded(filepath.Join(dir, entry.Name()))
		if err == nil {
			executed, err = of.AddExecuted(executed, data)
		}
		if err != nil {
			return executed, n, err
		}
	}
	return executed, n, nil
}

// readBounded reads a regular file.
func readBounded(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCounters {
		return nil, fmt.Errorf("%s is no file of coverage counters", filepath.Base(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxCounters))
}

// equalBlocks reports whether two sets have the same blocks.
func equalBlocks(a, b sdk.BlockSet) bool {
	for at := range max(len(a), len(b)) {
		var x, y byte
		if at < len(a) {
			x = a[at]
		}
		if at < len(b) {
			y = b[at]
		}
		if x != y {
			return false
		}
	}
	return true
}
