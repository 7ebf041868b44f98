package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/proctorhq/proctor/host/plugin/lock"
)

// lockFile is a lock file as it was when a command began; absent reports whether there
// was none.
type lockFile struct {
	path   string
	absent bool
	lock.File
}

// read reads a lock file, so that a broken one is found before anything is downloaded.
func (in *Installer) read(path string) (lockFile, error) {
	if err := in.checkConfig(path); err != nil {
		return lockFile{}, err
	}
	file, err := lock.Read(path)
	_, missing := os.Lstat(path)
	return lockFile{path: path, absent: errors.Is(missing, fs.ErrNotExist), File: file}, err
}

// names returns the names of all plugins, sorted.
func (l lockFile) names() []string { return slices.Sorted(maps.Keys(l.Plugins)) }

// signer returns who signs an index according to the plugins of a lock file, which must
// agree: an index has one signature for all of its content. Empty means unknown.
func (l lockFile) signer(c claim) (string, error) {
	signer, of := "", ""
	for _, name := range l.names() {
		e := l.Plugins[name]
		switch {
		case e.Source != c.address || e.Signer == "":
		case signer == "":
			signer, of = e.Signer, name
		case signer != e.Signer:
			return "", fmt.Errorf("%s names one signer of %s for plugin %s and another for %s, and an index has one; nothing was installed. Restore the file from version control, or give the key that its publisher names: proctor plugin install %s --key RW… --repin",
				l.path, c.address, of, name, c.spec)
		}
	}
	return signer, nil
}

// lacks says that the file does not name a plugin.
func (l lockFile) lacks(name string) string {
	if l.absent {
		return l.path + " does not exist yet, and names no plugin " + name
	}
	return l.path + " names no plugin " + name
}

// lockEntry is what a lock file says of a plugin.
type lockEntry struct {
	file lockFile
	name string
	lock.Entry
}

// entry returns what the file says of a plugin that it names.
func (l lockFile) entry(name string) lockEntry { return lockEntry{l, name, l.Plugins[name]} }

// answer returns the answer that an action was taken on the plugin as it is locked.
func (e lockEntry) answer(a Action) Plugin {
	return Plugin{Name: e.name, Version: e.Version, Source: e.Source, Signer: e.Signer, Action: a}
}

// sourceError returns an error of the source that is locked.
func (e lockEntry) sourceError(err error) error {
	return unobtainable(e.name, e.Version, e.Source, err)
}

// forEach handles plugins of a lock file one after the other, regardless of failures.
func (l lockFile) forEach(ctx context.Context, a Answer, names []string, do func(lockEntry) (Plugin, error)) (Answer, error) {
	for _, name := range names {
		e := l.entry(name)
		p, err := do(e)
		if err := ctx.Err(); err != nil {
			return a, err
		}
		if err != nil {
			if p.Name == "" {
				p = e.answer("")
			}
			p = p.failed(err)
		}
		a.Plugins = append(a.Plugins, p)
	}
	return a, nil
}
