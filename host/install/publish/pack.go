package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// Config says what to publish, and where.
type Config struct {
	// Out is the directory of the tree. It need not exist.
	Out string
	// Manifest is the author's, without platforms.
	Manifest manifest.Manifest
	// Binaries are the paths of the plugin's programs.
	Binaries map[manifest.Platform]string
	// License is the text added to every archive; nil means none.
	License []byte
}

// Result is the result of packing.
type Result struct {
	// Index is the path of the index.
	Index string
	// Written are the new or changed files, relative to the tree, in order; empty if
	// everything existed.
	Written []string
}

// published is the mode of published files, which anybody may read.
const published fs.FileMode = 0o644

// Pack adds a version of a plugin, or platforms to one, to a tree. It waits for other
// processes that pack into it. What was published with other
// content is a [*PublishedError].
func Pack(ctx context.Context, cfg Config) (Result, error) {
	release, err := lockTree(ctx, cfg.Out)
	if err != nil {
		return Result{}, err
	}
	defer release()
	t, err := open(cfg)
	if err != nil {
		return Result{}, err
	}
	for _, p := range slices.Sorted(maps.Keys(cfg.Binaries)) {
		if err := t.pack(ctx, p, cfg.Binaries[p]); err != nil {
			return Result{}, errors.Join(err, t.undo())
		}
	}
	if err := t.finish(); err != nil {
		return Result{}, errors.Join(err, t.undo())
	}
	return Result{Index: filepath.Join(cfg.Out, index.File), Written: t.written}, nil
}

// tree is a published tree being worked on.
type tree struct {
	cfg   Config
	index index.Index
	// whole is the manifest with all platforms.
	whole manifest.Manifest
	// added are the archives of this call.
	added   map[manifest.Platform]index.Archive
	written []string
	// unnamed are written archives that are not in the index yet.
	unnamed []string
}

// open reads a tree, and refuses what could not be added to it before anything is
// written.
func open(cfg Config) (*tree, error) {
	t := &tree{cfg: cfg, whole: cfg.Manifest, added: map[manifest.Platform]index.Archive{}}
	t.whole.Schema, t.whole.Platforms = manifest.Schema, map[manifest.Platform]manifest.Binary{}
	raw, err := os.ReadFile(filepath.Join(cfg.Out, index.File))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if t.index, err = index.ParseToWrite(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", cfg.Out, err)
		}
	}
	for p, a := range t.published() {
		t.whole.Platforms[p] = manifest.Binary{Bin: manifest.BinaryName(t.whole.Name, p), SHA256: a.BinSHA256}
	}
	if len(t.published()) > 0 {
		if err := t.add(t.published()); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// published returns the archives of this version in the index.
func (t *tree) published() map[manifest.Platform]index.Archive {
	return t.index.Plugins[t.whole.Name].Versions[t.whole.Version].Files
}

// add adds archives of this version to the index.
func (t *tree) add(files map[manifest.Platform]index.Archive) error {
	return t.index.Add(t.whole.Name, t.whole.Version, index.Version{
		Protocols: t.whole.Protocols, Summary: t.whole.Summary, Files: files,
	})
}

// place returns the path of a file of this version, relative to the tree.
func (t *tree) place(name string) string { return path.Join(t.whole.Name, t.whole.Version, name) }

// pack writes the archive of one platform.
func (t *tree) pack(ctx context.Context, p manifest.Platform, binary string) error {
	content, err := readBinary(binary, p)
	if err != nil {
		return err
	}
	// An archive describes only its own platform, so it stays the same when the version
	// gains another.
	own := t.whole
	own.Platforms = map[manifest.Platform]manifest.Binary{p: {Bin: manifest.BinaryName(own.Name, p), SHA256: hashOf(content)}}
	if err := own.Check(); err != nil {
		return err
	}
	t.whole.Platforms[p] = own.Platforms[p]
	files := map[string][]byte{manifest.File: own.Encode(), own.Platforms[p].Bin: content}
	if t.cfg.License != nil {
		files[store.LicenseFile] = t.cfg.License
	}
	url := t.place(archive.Name(own.Name, own.Version, p))
	sum, err := t.writeArchive(ctx, p, url, files)
	if err != nil {
		return err
	}
	t.added[p] = index.Archive{URL: url, SHA256: sum, BinSHA256: own.Platforms[p].SHA256}
	return nil
}

// finish writes the manifest with all platforms, and then the index.
func (t *tree) finish() error {
	if err := t.add(t.added); err != nil {
		return err
	}
	if err := t.whole.Check(); err != nil {
		return err
	}
	if err := t.write(t.place(manifest.File), t.whole.Encode()); err != nil {
		return err
	}
	return t.write(index.File, t.index.Encode())
}

// undo removes the archives that no index names.
func (t *tree) undo() error {
	var err error
	for _, name := range t.unnamed {
		err = errors.Join(err, os.Remove(filepath.Join(t.cfg.Out, filepath.FromSlash(name))))
	}
	return err
}

// write writes a file, unless it is up to date.
func (t *tree) write(name string, content []byte) error {
	target := filepath.Join(t.cfg.Out, filepath.FromSlash(name))
	if old, err := os.ReadFile(target); err == nil && string(old) == string(content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), newTree); err != nil {
		return err
	}
	t.written = append(t.written, name)
	return atomicfile.WriteBytes(target, published, content)
}
