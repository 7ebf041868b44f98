package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// checkHolds compares a published archive with the present content, by files and not by
// bytes: another release of Go compresses differently, and another proctor may write a
// manifest differently.
func (t *tree) checkHolds(ctx context.Context, p manifest.Platform, path string, files map[string][]byte) error {
	dir, err := os.MkdirTemp("", "proctor-pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := archive.Unpack(ctx, path, dir); err != nil {
		return err
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(files))
	for _, entry := range there {
		names = append(names, entry.Name())
	}
	// The manifest comes last: it has the program's hash, and so differs with it.
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	for _, name := range slices.Compact(names) {
		old, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		had := err == nil
		packed, has := files[name]
		if name == manifest.File {
			if m, err := manifest.Parse(old); err == nil {
				old = m.Encode()
			}
		}
		if had != has || !bytes.Equal(old, packed) {
			return t.publishedError(p, name, hashIf(had, old), hashIf(has, packed))
		}
	}
	return nil
}

func rank(name string) int {
	if name == manifest.File {
		return 1
	}
	return 0
}

func (t *tree) publishedError(p manifest.Platform, file, old, packed string) error {
	return &PublishedError{Name: t.whole.Name, Version: t.whole.Version, Platform: p, File: file, Published: old, Packed: packed}
}

// hashIf returns the hash of a file if it exists.
func hashIf(there bool, content []byte) string {
	if !there {
		return ""
	}
	return hashOf(content)
}
