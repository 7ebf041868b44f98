package source

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// local is a directory or an archive on this machine.
type local struct {
	cfg        Config
	path, name string
}

// Resolve reads the plugin. Hashes cover only the requested platform.
func (l *local) Resolve(ctx context.Context, q Query) (Release, error) {
	work, remove, err := l.cfg.workDir()
	if err != nil {
		return Release{}, err
	}
	defer remove()
	c, hash, err := l.copy(ctx, work, filepath.Join(work, "files"), q.Platform)
	if err != nil {
		return Release{}, err
	}
	m := c.manifest
	if name := cmp.Or(q.Name, l.name); name != "" && name != m.Name {
		return Release{}, errors.New(l.path + ": the plugin there is " + m.Name + ", and not " + name)
	}
	if err := within(q.Constraint, l.path, m.Name, m.Version); err != nil {
		return Release{}, err
	}
	if err := m.Compatible(q.Protocols); err != nil {
		return Release{}, err
	}
	return Release{
		Name: m.Name, Version: m.Version, Protocols: m.Protocols,
		Hashes: map[manifest.Platform]lock.Hashes{q.Platform: {Archive: hash, Bin: c.bin}},
	}, nil
}

// Fetch copies: a link would let the plugin change after it was installed.
func (l *local) Fetch(ctx context.Context, r Release, p manifest.Platform, dir string) (Fetched, error) {
	work, remove, err := l.cfg.workDir()
	if err != nil {
		return Fetched{}, err
	}
	defer remove()
	var hash string
	err = intoEmpty(dir, func() error {
		var c contents
		if c, hash, err = l.copy(ctx, work, dir, p); err != nil {
			return err
		}
		if known, ok := r.Hashes[p]; !ok || known.Archive != hash || known.Bin != c.bin {
			return &FetchError{Address: l.path, Reason: "it changed while it was being installed; try again"}
		}
		return c.agrees(announced{name: r.Name, version: r.Version, protocols: r.Protocols, address: l.path, by: "what was there before"}, p)
	})
	if err != nil {
		return Fetched{}, err
	}
	return Fetched{Archive: hash}, nil
}

// Archive copies an archive. A directory has none.
func (l *local) Archive(ctx context.Context, r Release, p manifest.Platform, file string) error {
	if info, err := os.Stat(l.path); err == nil && info.IsDir() {
		return errors.New(l.path + ": it is a directory, which has no archive; make one with `proctor plugin pack`")
	}
	hash, err := saveFile(ctx, l.path, file, publicFile)
	if err != nil {
		return err
	}
	if hash != r.Hashes[p].Archive {
		_ = os.Remove(file)
		return &FetchError{Address: l.path, Reason: "it changed while it was being copied; try again"}
	}
	return nil
}

// copy puts the files into a directory, creating it if missing, and returns the hash of
// the archive, if it is one.
func (l *local) copy(ctx context.Context, work, dir string, p manifest.Platform) (contents, string, error) {
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return contents{}, "", err
	}
	info, err := os.Stat(l.path)
	if err != nil {
		return contents{}, "", &FetchError{Address: l.path, Reason: reasonOf(err), Err: err}
	}
	if info.IsDir() {
		err := copyPlugin(ctx, l.path, dir, p)
		if err != nil {
			return contents{}, "", err
		}
		c, err := inspect(ctx, dir, p, l.path)
		return c, "", err
	}
	// The copy is hashed and unpacked, since the archive could change in between.
	packed := filepath.Join(work, "archive")
	hash, err := saveFile(ctx, l.path, packed, privateFile)
	if err != nil {
		return contents{}, "", err
	}
	defer os.Remove(packed)
	c, err := unpack(ctx, packed, dir, p, l.path)
	if isBare(packed, err) {
		err = errors.New(l.path + ": it is neither a .tar.gz or .zip archive nor a directory; a binary alone is run with --plugin NAME=" + l.path + " while it is developed, and packed with `proctor plugin pack` for others")
	}
	return c, hash, err
}

// copyPlugin copies only the files of a plugin from a directory.
func copyPlugin(ctx context.Context, from, to string, p manifest.Platform) error {
	m, err := readManifest(ctx, from)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New(from + ": " + unpacked(from))
	}
	if fault, ok := errors.AsType[*manifest.Error](err); ok && fault.Field == "platforms" {
		return errors.New(from + ": " + repository(from))
	}
	if err != nil {
		return err
	}
	if _, ok := m.Platforms[p]; !ok {
		return noBinary(from, m, p)
	}
	for name, mode := range map[string]os.FileMode{manifest.File: privateFile, m.Platforms[p].Bin: privateProgram, store.LicenseFile: privateFile} {
		err := copyOwnFile(ctx, from, to, name, mode)
		if err != nil && (name != store.LicenseFile || !errors.Is(err, fs.ErrNotExist)) {
			if path := filepath.Join(from, archive.Name(m.Name, m.Version, p)); name == m.Platforms[p].Bin && isFile(path) {
				return errors.New(from + ": it has archives in it, and not the binary: proctor plugin install " + path)
			}
			return err
		}
	}
	return nil
}

// usualOut is where the repository of a new plugin has its published tree.
const usualOut = "dist"

// repository returns advice for an author's repository, whose manifest has no platforms
// before packing.
func repository(dir string) string {
	if spec := treeIn(filepath.Join(dir, usualOut)); spec != "" {
		return "it is an author's repository; install what was packed of it: proctor plugin install " + spec
	}
	return "its " + manifest.File + " has no platforms, so it is an author's repository: make what is published with `proctor plugin pack`, and install that"
}

// treeIn returns the address of the index in a directory; empty if there is none.
func treeIn(dir string) string {
	path, err := filepath.Abs(filepath.Join(dir, index.File))
	if err != nil || !isFile(path) {
		return ""
	}
	return FileAddress(path)
}

// unpacked returns advice for a directory without a manifest.
func unpacked(dir string) string {
	if spec := treeIn(dir); spec != "" {
		return "it is a published tree, and not an unpacked archive: proctor plugin install " + spec
	}
	return "there is no " + manifest.File + " in it, as an unpacked archive of `proctor plugin pack` has"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
