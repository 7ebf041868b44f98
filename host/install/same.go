package install

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// sameRelease compares a release with what is locked of the same version: a published
// version never changes, on any platform.
func sameRelease(lockPath string, old lock.Entry, o order) error {
	if old.ModuleSum != o.release.ModuleSum {
		return &held.MismatchError{Name: o.release.Name, Version: o.release.Version, Path: o.address(), Expected: old.ModuleSum,
			Actual: o.release.ModuleSum, By: filepath.Base(lockPath) + ", module_sum", Fetched: true, Expect: expectLocked(o.release.Name)}
	}
	for _, p := range slices.Sorted(maps.Keys(old.Hashes)) {
		o.wants = []want{{sha256Only(old.Hashes[p]), held.By(lockPath, p), expectLocked(o.release.Name)}}
		if err := o.compare(o.release.Hashes[p]); err != nil {
			return err
		}
	}
	return nil
}

// sha256Only drops hashes of unknown schemes.
func sha256Only(h lock.Hashes) lock.Hashes {
	if !strings.HasPrefix(h.Archive, lock.HashScheme) {
		h.Archive = ""
	}
	if !strings.HasPrefix(h.Bin, lock.HashScheme) {
		h.Bin = ""
	}
	return h
}

// mergeHashes adds the hashes already locked for the same version, which are never changed.
func mergeHashes(lockPath, name string, locked, entry lock.Entry) (lock.Entry, error) {
	all := maps.Clone(entry.Hashes)
	for p, h := range locked.Hashes {
		if all == nil {
			all = map[manifest.Platform]lock.Hashes{}
		}
		now, both := all[p]
		old := sha256Only(h)
		if both && (old.Bin != "" && old.Bin != now.Bin || old.Archive != "" && now.Archive != "" && old.Archive != now.Archive) {
			return entry, &held.MismatchError{Name: name, Version: entry.Version, Path: entry.Source, Expected: old.Bin, Actual: now.Bin,
				By: held.By(lockPath, p), Fetched: true, Expect: "look at the lock file, which another proctor has just changed, and try again"}
		}
		if !both || now.Archive == "" {
			all[p] = h
		}
	}
	entry.Hashes = all
	return entry, nil
}
