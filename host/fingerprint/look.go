package fingerprint

import (
	"errors"
	"io/fs"
)

// stats examines files of a directory. slab has room for those that count.
func (w *walk) stats(d *dir, children []child, before *dir, slab []file) error {
	for i := range children {
		c := &children[i]
		if c.skip || c.kind == directory {
			continue
		}
		f := &slab[0]
		slab = slab[1:]
		f.Path, f.repo = d.path+c.name, d.repo
		st, err := lstat(absolute(w.top, f.Path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !replaced(err) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		if err != nil || st.kind != c.kind {
			w.vanished(f.Path)
			continue
		}
		f.stat, f.racy = st, st.racy(w.taken)
		c.file = f
		known, _ := before.find(c.name, c.kind)
		w.settle(f, known.file)
		if w.again && isRule(c.name) && (known.file == nil || f.read || f.Hash != known.file.Hash) {
			w.rules.Store(true)
		}
	}
	return nil
}

// settle determines the mode of a file, and its hash if already known.
func (w *walk) settle(f, known *file) {
	var t *tracked
	if f.repo.gitDir != "" {
		t = f.repo.entry(f.repo.inside(f.Path))
	}
	f.Mode = f.repo.settings.mode(f.stat, t)
	switch {
	case known != nil && known.stat == f.stat && !known.racy && !known.moved:
		f.Hash, f.clean = known.Hash, known.clean
	case t != nil && !w.again && t.matches(f.stat, f.repo.written):
		f.Hash, f.clean = t.hash, true
	default:
		f.read = true
	}
}

// mode returns the mode that counts. On file systems without executable bits or links,
// git knows.
func (s settings) mode(st stat, t *tracked) Mode {
	switch {
	case st.kind == symlink, s.noLinks && t != nil && t.mode&gitTypes == gitLinkMode:
		return Symlink
	case s.noModes && t != nil:
		return fileMode(t.mode)
	case st.executable && !s.noModes:
		return Executable
	}
	return Regular
}
