package install

import (
	"fmt"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// checkRollback returns an error if a source offers less than what is locked from it, unless
// the user named the version, or if it changed the locked version.
func checkRollback(w wish, old lock.Entry, r source.Release) error {
	meant := w.means(old.Version)
	if r.Signed != nil {
		x, err := index.Parse(r.Signed.Data)
		if err != nil {
			return err
		}
		was, ok := x.Plugins[r.Name].Versions[old.Version]
		if ok {
			err = samePublished(w.lock.path, r.Name, old, was)
		} else if !meant {
			err = fmt.Errorf("%s no longer has plugin %s %s, which %s names: an index never takes a version away, so this one is old or not the publisher's. Nothing was changed; to follow it, name a version: proctor plugin install %s#%s@VERSION",
				old.Source, r.Name, old.Version, w.lock.path, old.Source, r.Name)
		}
		if err != nil {
			return err
		}
	}
	if !meant && manifest.CompareVersions(r.Version, old.Version) < 0 {
		return fmt.Errorf("%s offers plugin %s %s, and %s names the newer %s already. Nothing was changed; to go back, name the version: proctor plugin install %s@%s",
			old.Source, r.Name, r.Version, w.lock.path, old.Version, r.Name, r.Version)
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
