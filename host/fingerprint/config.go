package fingerprint

import (
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Config says what is looked at, and how.
type Config struct {
	// Root is a directory of the workspace. Where it lies in a git repository the
	// whole of that is looked at.
	Root string
	// Env is the environment that git gets; none is that of this process. Its GIT_
	// variables are left out: they may name another repository, or programs.
	Env []string
	// Git is the absolute path of git; empty is none, and everything below Root is
	// read.
	Git string
	// Outputs are files and directories, relative to Root and with slashes, that the
	// tests' runner writes. What git does not track of them is no source.
	Outputs []string
	// Since is the moment from which on a change is one: files that were modified
	// then or later are reported by Changed, also when Take came after the change.
	// Zero is the moment of Take.
	Since time.Time
	// Now is the clock; nil is the real one. Files are compared with it.
	Now func() time.Time
	// MaxFiles and MaxBytes bound what is looked at and what is read; beyond them
	// there is a [*TooLargeError]. Zero is 1,000,000 files, or 200,000 without git,
	// and 4 GiB, or 1 GiB without git.
	MaxFiles int
	MaxBytes int64
}

// The bounds. Without git, nothing tells sources from what was built or
// downloaded, and all of it would have to be read for every run.
const (
	maxFiles     = 1_000_000
	maxBytes     = 4 << 30
	maxFilesWalk = 200_000
	maxBytesWalk = 1 << 30
)

// outputs are the Outputs relative to a top, the directory itself not among them.
func (c Config) outputs(top string) []string {
	root, err := workDir(c.Root)
	if err != nil {
		return nil
	}
	var paths []string
	for _, name := range c.Outputs {
		local := filepath.FromSlash(name)
		if !filepath.IsLocal(local) || filepath.Clean(local) == "." {
			continue
		}
		if rel, err := filepath.Rel(top, filepath.Join(root, local)); err == nil {
			paths = append(paths, filepath.ToSlash(rel))
		}
	}
	return paths
}

func (c Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c Config) env() []string {
	if c.Env != nil {
		return c.Env
	}
	return os.Environ()
}

func (c Config) limits(git bool) (files, bytes int64) {
	files, bytes = maxFilesWalk, maxBytesWalk
	if git {
		files, bytes = maxFiles, maxBytes
	}
	if c.MaxFiles > 0 {
		files = int64(c.MaxFiles)
	}
	if c.MaxBytes > 0 {
		bytes = c.MaxBytes
	}
	return files, bytes
}

// workers is how many goroutines look at files. More than a few do not help, and
// the tests run beside them.
func workers() int { return min(max(runtime.GOMAXPROCS(0), 2), 8) }
