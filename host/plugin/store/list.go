package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Rejected is something in the store that will not be used.
type Rejected struct {
	// Name and Version are those of the directories, and may be invalid; empty if
	// unknown.
	Name, Version string
	Path, Reason  string
}

// List returns everything in the store, sorted by name and version, and what is
// unusable with the reason, including plugins for other platforms, which may share a
// home directory. Names that begin with a dot are not plugins.
func (s *Store) List(ctx context.Context) ([]Installed, []Rejected, error) {
	names, err := listVisible(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list the installed plugins: %w", err)
	}
	l := &listing{store: s}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		l.name(name)
	}
	slices.SortFunc(l.found, func(a, b Installed) int {
		return cmp.Or(strings.Compare(a.Manifest.Name, b.Manifest.Name), manifest.CompareVersions(a.Manifest.Version, b.Manifest.Version))
	})
	slices.SortFunc(l.rejected, func(a, b Rejected) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), manifest.CompareVersions(a.Version, b.Version), strings.Compare(a.Path, b.Path))
	})
	return l.found, l.rejected, nil
}

type listing struct {
	store    *Store
	found    []Installed
	rejected []Rejected
}

func (l *listing) reject(name, version, path, format string, args ...any) {
	l.rejected = append(l.rejected, Rejected{name, version, path, fmt.Sprintf(format, args...)})
}

func (l *listing) name(name string) {
	dir := filepath.Join(l.store.dir, name)
	if !manifest.ValidName(name) {
		l.reject(name, "", dir, "it does not have the name of a plugin")
		return
	}
	versions, err := listInside(dir)
	if err != nil {
		l.reject(name, "", dir, "%s", reason(err))
	}
	for _, version := range versions {
		l.version(name, version)
	}
}

func (l *listing) version(name, version string) {
	dir := l.store.versionDir(name, version)
	if !manifest.ValidVersion(version) {
		l.reject(name, version, dir, "it does not have the name of a version")
		return
	}
	platforms, err := listInside(dir)
	if err != nil {
		l.reject(name, version, dir, "%s", reason(err))
	}
	for _, p := range platforms {
		l.platform(name, version, p)
	}
}

func (l *listing) platform(name, version, platform string) {
	path := filepath.Join(l.store.versionDir(name, version), platform)
	if p, ok := strings.CutSuffix(platform, lockSuffix); ok && manifest.Platform(p).Valid() {
		return
	}
	if !manifest.Platform(platform).Valid() {
		l.reject(name, version, path, "it does not have the name of a platform")
		return
	}
	if own := l.store.platform; platform != string(own) {
		l.reject(name, version, path, "it is for %s, and this is %s", platform, own)
		return
	}
	found, err := l.store.Lookup(name, version)
	var damaged *DamagedError
	var gone *NotInstalledError
	switch {
	case err == nil:
		l.found = append(l.found, found)
	case errors.As(err, &damaged):
		l.reject(name, version, damaged.Path, "%s", damaged.Reason)
	case !errors.As(err, &gone):
		l.reject(name, version, path, "%s", reason(err))
	}
}

// listInside returns the names in a directory of the store.
func listInside(dir string) ([]string, error) {
	if err := examine(dir, fs.FileMode.IsDir, "a directory"); err != nil {
		return nil, err
	}
	return listVisible(dir)
}

func listVisible(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}
