package fingerprint

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Config says what to fingerprint, and how.
type Config struct {
	// Root is a directory of the workspace. If it is in a git repository, all of that
	// counts.
	Root string
	// Env is the environment for git; nil means that of this process. Its GIT_
	// variables are dropped: they may name another repository, or programs.
	Env []string
	// Git is the absolute path of git; if empty, everything below Root is read.
	Git string
	// Outputs are slash-separated paths, relative to Root, of files and directories
	// that the tests' runner writes. Untracked ones are not sources.
	Outputs []string
	// Written are files that this process writes, such as its redirected output. Untracked
	// ones are not sources.
	Written []fs.FileInfo
	// Since is the time from which modifications count: Changed reports files modified
	// then or later, even before Take. Zero means the time of Take.
	Since time.Time
	// Now is the clock that files are compared with; nil means the real one.
	Now func() time.Time
	// MaxFiles and MaxBytes bound what is examined and read; exceeding them is a
	// [*TooLargeError]. Zero means 1,000,000 files, or 200,000 without git, and 4 GiB,
	// or 1 GiB without git.
	MaxFiles int
	MaxBytes int64
}

// The bounds. Without git, nothing distinguishes sources from what was built or
// downloaded, and every run would have to read it all.
const (
	maxFiles     = 1_000_000
	maxBytes     = 4 << 30
	maxFilesWalk = 200_000
	maxBytesWalk = 1 << 30
)

// outputs returns the Outputs relative to a top, without the top itself.
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

// workers is how many goroutines examine files. More than a few do not help, and the
// tests run at the same time.
func workers() int { return min(max(runtime.GOMAXPROCS(0), 2), 8) }
