package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// Mirror copies everything that a lock file names, for all locked platforms, into a
// directory. It copies each index byte for byte with its signature, so that the copy
// serves like the original, and compares every hash.
func (in *Installer) Mirror(ctx context.Context, lockPath, dir string) (Answer, error) {
	file, err := in.read(lockPath)
	if err != nil {
		return Answer{}, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return Answer{}, err
	}
	a := newAnswer("mirror", lockPath)
	a.Mirror = dir
	m := mirror{in: in, lock: file, dir: dir, trees: map[string]*tree{}}
	sources := map[string]bool{}
	for _, e := range file.Plugins {
		sources[e.Source] = true
	}
	m.several = len(sources) > 1
	a, err = file.forEach(ctx, a, file.names(), func(e lockEntry) (Plugin, error) {
		p := e.answer(Mirrored)
		if err := m.add(ctx, e); err != nil {
			return p, err
		}
		p.Path, p.Platforms = m.place(e.Source), slices.Sorted(maps.Keys(e.Hashes))
		return p, nil
	})
	if err != nil {
		return a, err
	}
	return a, m.writeIndexes()
}

// mirror is a mirror being written.
type mirror struct {
	in   *Installer
	lock lockFile
	dir  string
	// several reports whether each source has a directory of its own.
	several bool
	// trees maps sources to their indexes.
	trees map[string]*tree
}

// tree is the copy of one index.
type tree struct {
	signed source.Signed
}

// place returns the directory for a source.
func (m *mirror) place(address string) string {
	if !m.several {
		return m.dir
	}
	return filepath.Join(m.dir, subdirectory(address))
}

// add copies the archives of one plugin.
func (m *mirror) add(ctx context.Context, e lockEntry) error {
	if e.ModuleSum != "" {
		return e.sourceError(errors.New("a Go module has no archives; the go command has mirrors of its own (GOPROXY=file://DIR)"))
	}
	spec, err := source.FromLock(e.name, e.Source, e.Version)
	if err != nil {
		return e.sourceError(err)
	}
	src, closeSource, err := m.in.open(ctx, spec)
	if err != nil {
		return err
	}
	defer closeSource()
	r, _, err := m.in.locate(ctx, e, src, spec, nil)
	if err != nil {
		return err
	}
	t, addresses, err := m.openTree(e, r)
	if err != nil {
		return err
	}
	for _, platform := range slices.Sorted(maps.Keys(e.Hashes)) {
		address, ok := addresses[platform]
		if !ok {
			return noPlatform(e.name, e.Version, e.Source, platform)
		}
		to := filepath.Join(m.place(e.Source), filepath.FromSlash(address))
		if err := m.copy(ctx, src, r, platform, e, to); err != nil {
			return err
		}
	}
	m.trees[e.Source] = t
	return nil
}

// openTree returns the index of a source and where its archives are. A local archive has no
// index, and gets one.
func (m *mirror) openTree(e lockEntry, r source.Release) (*tree, map[manifest.Platform]string, error) {
	addresses := map[manifest.Platform]string{}
	if r.Signed == nil {
		x, err := m.makeIndex(e, r)
		if err != nil {
			return nil, nil, e.sourceError(err)
		}
		addresses[m.in.cfg.Platform] = x.Plugins[e.name].Versions[e.Version].Files[m.in.cfg.Platform].URL
		return &tree{source.Signed{Data: x.Encode()}}, addresses, nil
	}
	x, err := index.Parse(r.Signed.Data)
	if err != nil {
		return nil, nil, err
	}
	for platform, file := range x.Plugins[e.name].Versions[e.Version].Files {
		addresses[platform] = file.URL
	}
	if old := m.trees[e.Source]; old != nil && !bytes.Equal(old.signed.Data, r.Signed.Data) {
		return nil, nil, fmt.Errorf("%s changed while it was copied; try again", e.Source)
	}
	return &tree{*r.Signed}, addresses, nil
}

// makeIndex makes an index for a local archive, and names the archive as its author would,
// since its own name can be anything.
func (m *mirror) makeIndex(e lockEntry, r source.Release) (index.Index, error) {
	platform := m.in.cfg.Platform
	if e.Hashes[platform].Archive == "" {
		return index.Index{}, errors.New("a directory has no archive to copy; make one with `proctor plugin pack` and install that")
	}
	h := sha256Only(e.Hashes[platform])
	if h.Archive == "" || h.Bin == "" {
		return index.Index{}, fmt.Errorf("%s has its hashes in a form that this proctor does not know: upgrade proctor", m.lock.path)
	}
	x := index.Index{Schema: index.Schema}
	return x, x.Add(e.name, e.Version, index.Version{Protocols: r.Protocols, Files: map[manifest.Platform]index.Archive{platform: {
		URL:    archive.Name(e.name, e.Version, platform),
		SHA256: strings.TrimPrefix(h.Archive, lock.HashScheme), BinSHA256: strings.TrimPrefix(h.Bin, lock.HashScheme),
	}}})
}

// copy copies one archive, if it is the locked one.
func (m *mirror) copy(ctx context.Context, src source.Source, r source.Release, platform manifest.Platform, e lockEntry, to string) error {
	expected := sha256Only(e.Hashes[platform]).Archive
	if expected == "" {
		return e.sourceError(fmt.Errorf("%s has no hash of its archive for %s that this proctor knows", m.lock.path, platform))
	}
	if there, err := store.Hash(ctx, to); err == nil && there == expected {
		return nil
	}
	// A mirror serves others, too.
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	m.in.cfg.Events.fetching(r.Name, r.Version+" "+string(platform), e.Source)
	temp, discard, err := temporary(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer discard()
	if err := src.Archive(ctx, r, platform, temp); err != nil {
		return e.sourceError(err)
	}
	actual, err := store.Hash(ctx, temp)
	if err != nil {
		return err
	}
	if actual != expected {
		return &held.MismatchError{Name: r.Name, Version: r.Version, Path: e.Source, Expected: expected, Actual: actual,
			By: held.By(m.lock.path, platform), Fetched: true, Expect: "ask the publisher of the index: its archive is not the one that it names"}
	}
	if err := os.Chmod(temp, 0o644); err != nil {
		return err
	}
	return atomicfile.Rename(temp, to)
}

// temporary returns the name of a file to create, in a directory of its own beside its
// destination.
func temporary(dir string) (path string, discard func(), err error) {
	own, err := os.MkdirTemp(dir, ".proctor-*")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(own, "archive"), func() { _ = os.RemoveAll(own) }, nil
}

// writeIndexes writes the indexes, once their archives exist.
func (m *mirror) writeIndexes() error {
	for _, address := range slices.Sorted(maps.Keys(m.trees)) {
		t, dir := m.trees[address], m.place(address)
		for _, file := range []struct {
			name string
			data []byte
		}{
			{index.File + index.SignatureSuffix, t.signed.Signature}, {index.KeyFile, t.signed.PublicKey}, {index.File, t.signed.Data},
		} {
			path := filepath.Join(dir, file.name)
			var err error
			if len(file.data) == 0 {
				if err = os.Remove(path); errors.Is(err, os.ErrNotExist) {
					err = nil
				}
			} else {
				err = atomicfile.WriteBytes(path, 0o644, file.data)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
