package fingerprint

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// list reads the names of a directory and decides which of them count.
func (w *walk) list(ctx context.Context, d, before *dir, path string) error {
	entries, err := readDir(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil // the tests cannot read it either
	}
	if errors.Is(err, fs.ErrNotExist) || err != nil && replaced(err) {
		w.vanished(d.path)
		return nil
	}
	if err != nil {
		return err
	}
	d.children = make([]child, 0, len(entries))
	for _, e := range entries {
		d.git = d.git || e.Name() == gitName
		if name := e.Name(); name != gitName && name != ownName {
			k := kindOf(e.Type())
			skip := k == other || w.isOutput(d, name, k) || d.repo.gitDir == "" && slices.Contains(versioned[:], name)
			d.children = append(d.children, child{name: name, kind: k, skip: skip})
		}
	}
	slices.SortFunc(d.children, order)
	if w.again {
		w.compareRules(d, before)
	}
	if d.repo.gitDir == "" {
		return nil
	}
	return w.judge(ctx, d, before)
}

// isOutput reports whether something is written by the runner or by us, and untracked.
func (w *walk) isOutput(d *dir, name string, k kind) bool {
	path := d.path + name
	named := slices.ContainsFunc(w.outputs, func(o string) bool { return path == o || strings.HasPrefix(path, o+"/") })
	if !named && len(w.cfg.Written) == 0 {
		return false
	}
	inside := d.repo.inside(d.path) + name
	untracked := d.repo.gitDir == "" || d.repo.entry(inside) == nil && !(k == directory && d.repo.holds(inside))
	return untracked && (named || w.writes(path, k))
}

// writes reports whether this process writes a file.
func (w *walk) writes(path string, k kind) bool {
	if k != regular {
		return false
	}
	info, err := os.Lstat(absolute(w.top, path))
	return err == nil && slices.ContainsFunc(w.cfg.Written, func(f fs.FileInfo) bool { return os.SameFile(f, info) })
}

// judge asks git about untracked names.
func (w *walk) judge(ctx context.Context, d, before *dir) error {
	var paths []string
	var asked []int
	for i := range d.children {
		c := &d.children[i]
		if c.skip {
			continue
		}
		path := d.repo.inside(d.path) + c.name
		if d.repo.entry(path) != nil || c.kind == directory && d.repo.holds(path) {
			continue
		}
		if w.again {
			if known, ok := before.find(c.name, c.kind); ok {
				c.skip = known.skip
				continue
			}
		}
		paths, asked = append(paths, path), append(asked, i)
	}
	ignored, err := d.repo.judge.ignored(ctx, paths)
	for n, i := range asked[:len(ignored)] {
		d.children[i].skip = ignored[n]
	}
	return err
}

// readDir lists a directory, unsorted.
func readDir(path string) ([]os.DirEntry, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock|noFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// isRule reports whether a file says what git ignores or converts.
func isRule(name string) bool { return name == ".gitignore" || name == attributesName }

// rule records an attributes file.
func (w *walk) rule(d *dir, name string) {
	if name != attributesName || d.repo.gitDir == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attributes[d.repo] = append(w.attributes[d.repo], absolute(w.top, d.path+name))
}

// compareRules records that a directory's rules changed, or that it became a
// repository.
func (w *walk) compareRules(d, before *dir) {
	if before != nil && before.git != d.git {
		w.rules.Store(true)
	}
	for _, name := range []string{".gitignore", attributesName} {
		_, now := d.find(name, regular)
		if _, then := before.find(name, regular); now != then {
			w.rules.Store(true)
		}
	}
}
