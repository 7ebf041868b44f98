package plugin

import (
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// Lock is what a lock file says about a plugin, and what was installed from it.
type Lock struct {
	// File is the path of the lock file; Project reports whether it is the project's.
	File    string
	Project bool
	// Version is the locked version.
	Version string
	// Expected is what the binary must match at every launch.
	Expected held.Expectation
	// Built reports whether the binary was built here from a Go module, so that its
	// version is the module's and its own account may differ.
	Built bool
	// Instead says what the user would have without the project's lock file; empty if
	// the same.
	Instead string
}

// addLocked adds what lock files name.
func (f *Finder) addLocked(ctx context.Context, found *Found, taken map[string]bool) error {
	project := ""
	// The search for a project in it reports that it is not a directory.
	if dir, err := os.Stat(f.config.Dir); err == nil && dir.IsDir() {
		var err error
		if project, err = lock.Find(f.config.Dir); err != nil {
			return err
		}
	}
	for _, path := range []string{project, f.config.UserLock} {
		if path == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := lock.Read(path)
		if err != nil {
			return err
		}
		found.Searched = append(found.Searched, path)
		if len(file.Plugins) > 0 || path == project {
			found.Locks = append(found.Locks, path)
		}
		for _, name := range slices.Sorted(maps.Keys(file.Plugins)) {
			if taken[name] {
				found.noteReplaced(name, file.Plugins[name].Version, "of "+path)
				continue
			}
			taken[name] = true
			l := Lock{File: path, Project: path == project, Version: file.Plugins[name].Version}
			if f.config.Store == nil {
				found.Refused = append(found.Refused, Refused{
					Name: name, Lock: path, Project: l.Project,
					Reason: path + " names it, and it is unknown where plugins are installed: set HOME or XDG_DATA_HOME",
				})
				continue
			}
			found.addInstalled(f.config.Store, name, file.Plugins[name], l)
		}
	}
	return nil
}

// noteReplaced records which plugin a name would stand for without the project's lock file.
func (f *Found) noteReplaced(name, version, whose string) {
	i := slices.IndexFunc(f.Candidates, func(c Candidate) bool { return c.Name == name })
	if i < 0 {
		return
	}
	if l := f.Candidates[i].Lock; l != nil && l.Project && l.Instead == "" && l.Version != version {
		l.Instead = strings.TrimSpace(version + " " + whose)
	}
}

// addInstalled adds one plugin named by a lock file, if the installed one is the right
// one, as far as that shows without reading the binary.
func (f *Found) addInstalled(s *store.Store, name string, entry lock.Entry, l Lock) {
	locked := held.Locked{Lock: l.File, Name: name, Entry: entry, Platform: manifest.ThisPlatform()}
	installed, expected, err := locked.Lookup(s)
	if err == nil {
		err = checkUsable(installed.Manifest)
	}
	if err != nil {
		f.Refused = append(f.Refused, Refused{
			Name: name, Path: installed.Path, Lock: l.File, Project: l.Project, Files: installed.Manifest.Detect.AnyFile, Reason: err.Error(), Err: err,
		})
		return
	}
	l.Expected, l.Built = expected, entry.ModuleSum != ""
	f.Candidates = append(f.Candidates, Candidate{Name: name, Path: installed.Path, Lock: &l, Files: installed.Manifest.Detect.AnyFile})
}

// checkUsable checks that this proctor and a plugin share a protocol.
func checkUsable(m manifest.Manifest) error {
	if err := m.Compatible(listProtocols()); err != nil {
		if other, ok := errors.AsType[*manifest.ProtocolError](err); ok {
			other.Locked = true // so that its advice can be followed
		}
		return err
	}
	if m.TLS == manifest.TLSNone && runtime.GOOS == "windows" {
		return errors.New("it does not serve TLS, without which other users of this system could connect to it; ask its author for a version that does")
	}
	return nil
}
