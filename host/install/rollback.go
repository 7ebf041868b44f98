package install

import (
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// checkRollback returns an error if a source offers less than what is locked from it, unless
// the user named the version, or if it changed the locked version.
func checkRollback(w wish, old lock.Entry, r source.Release) error {
	meant := w.means(old.Version)
	e := &RollbackError{Name: r.Name, Source: old.Source, Lock: w.lock.path, Locked: old.Version, Newest: r.Version}
	if r.Signed != nil {
		x, err := index.Parse(r.Signed.Data)
		if err != nil {
			return err
		}
		was, ok := x.Plugins[r.Name].Versions[old.Version]
		if ok {
			err = samePublished(w.lock.path, r.Name, old, was)
		} else if !meant {
			e.Missing, err = true, e
		}
		if err != nil {
			return err
		}
	}
	if !meant && manifest.CompareVersions(r.Version, old.Version) < 0 {
		return e
	}
	return nil
}

// samePublished returns an error if an index changed what it says about the locked
// version.
func samePublished(lockPath, name string, old lock.Entry, was index.Version) error {
	r := source.Release{Name: name, Version: old.Version, ModuleSum: old.ModuleSum, Hashes: map[manifest.Platform]lock.Hashes{}}
	for p, f := range was.Files {
		r.Hashes[p] = lock.Hashes{Archive: lock.Hash(f.SHA256), Bin: lock.Hash(f.BinSHA256)}
	}
	return sameRelease(lockPath, old, order{release: r, source: old.Source})
}
