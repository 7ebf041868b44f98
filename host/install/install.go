package install

import (
	"context"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Request asks for one plugin.
type Request struct {
	// Lock is the path of the lock file to update.
	Lock string
	// Spec is as in package source.
	Spec string
	// SHA256 is the expected hash of the archive, or of a local directory's binary.
	SHA256 string
	// Key is the public key of the index, or a file with it. Repin lets it replace a
	// pinned key.
	Key   string
	Repin bool
}

// Install puts a plugin into the store, and then into the lock file.
func (in *Installer) Install(ctx context.Context, req Request) (Answer, error) {
	w, err := in.plan(req)
	if err != nil {
		return Answer{}, err
	}
	src, closeSource, err := in.open(ctx, w.spec)
	if err != nil {
		return Answer{}, err
	}
	defer closeSource()
	release, err := src.Resolve(ctx, newQuery(in, w.spec.Name, w.spec.Constraint))
	if err != nil {
		return Answer{}, err
	}
	p, err := in.installRelease(ctx, w, src, release)
	if err != nil {
		return Answer{}, err
	}
	a := newAnswer("install", req.Lock)
	a.Plugins = append(a.Plugins, p)
	return a, nil
}

// installRelease installs a resolved release, having checked it against what is locked and
// pinned.
func (in *Installer) installRelease(ctx context.Context, w wish, src source.Source, r source.Release) (Plugin, error) {
	if !manifest.ValidName(r.Name) {
		return Plugin{}, rejected(r.Name, r.Version, w.spec.Locked(), "its name is not that of a plugin")
	}
	locked := w.spec.Locked()
	old, had := w.lock.Plugins[r.Name]
	same, spec := had && old.Source == locked, w.text
	if same {
		spec = r.Name
	}
	if same {
		if err := checkRollback(w, old, r); err != nil {
			return Plugin{}, err
		}
	}
	if w.constraint == "" && !w.latest && same && allowsVersion(old.Constraint, r.Version) {
		w.constraint = old.Constraint
	}
	judged, err := in.judge(claim{address: locked, signed: r.Signed, given: w.key, repin: w.repin, lock: w.lock, spec: spec})
	if err != nil {
		return Plugin{}, err
	}
	in.cfg.Events.resolved(r.Name, r.Version, locked)
	if r.Unvouched {
		in.cfg.Events.unvouched(locked)
	}
	if err := in.reach(stepResolved); err != nil {
		return Plugin{}, err
	}
	o := order{src: src, release: r, source: locked, signer: judged.signer(), repair: true,
		wants: []want{{w.hash, "--sha256", expectGiven}}}
	if same && old.Version == r.Version {
		if err := sameRelease(w.lock.path, old, o); err != nil {
			return Plugin{}, err
		}
		o.wants = append(o.wants, want{sha256Only(old.Hashes[in.cfg.Platform]), held.By(w.lock.path, in.cfg.Platform), expectLocked(r.Name)})
	}
	done, err := in.place(ctx, o)
	if err != nil {
		return Plugin{}, err
	}
	if err := pinIndexKey(ctx, in, locked, judged); err != nil {
		return Plugin{}, err
	}
	entry := lock.Entry{Version: r.Version, Constraint: w.constraint, Source: locked, Signer: judged.signer(),
		ModuleSum: r.ModuleSum, Hashes: hashesOf(in, r, done)}
	if err := writeLock(ctx, in, w, r.Name, entry); err != nil {
		return Plugin{}, err
	}
	in.cfg.Events.installed(r.Name, r.Version, done.Path, done.already)
	p := Plugin{Name: r.Name, Version: r.Version, Source: locked, Signer: judged.signer(), Action: Installed, Path: done.Path,
		Platforms: slices.Sorted(maps.Keys(entry.Hashes))}
	if done.already && same && old.Version == r.Version {
		p.Action = Unchanged
	}
	if had && old.Version != r.Version {
		p.From = old.Version
	}
	if had && !same {
		p.FromSource = old.Source
	}
	return p, nil
}

// allowsVersion reports whether a version satisfies a lock file's constraint.
func allowsVersion(constraint, version string) bool {
	c, err := manifest.ParseConstraint(constraint)
	return err == nil && c.Allows(version)
}

// hashesOf returns the hashes of all platforms that the source knows, and of what was
// installed.
func hashesOf(in *Installer, r source.Release, done placed) map[manifest.Platform]lock.Hashes {
	if r.ModuleSum != "" {
		return nil
	}
	all := maps.Clone(r.Hashes)
	if all == nil {
		all = map[manifest.Platform]lock.Hashes{}
	}
	if _, known := all[in.cfg.Platform]; !known {
		all[in.cfg.Platform] = lock.Hashes{Archive: done.Receipt.Archive, Bin: done.Receipt.Bin}
	}
	return all
}

// pinIndexKey remembers the key that vouched for an index.
func pinIndexKey(ctx context.Context, in *Installer, address string, j judgment) error {
	if j.key == "" {
		return nil
	}
	added, err := pinKey(ctx, in.cfg.Keys, address, j.key, j.repin, in.cfg.Now())
	if err != nil {
		return err
	}
	if added {
		in.cfg.Events.pinned(address, j.key)
	}
	return in.reach(stepPinned)
}

// writeLock adds an entry to the lock file. A new key of an index applies to everything
// from that index.
func writeLock(ctx context.Context, in *Installer, w wish, name string, entry lock.Entry) error {
	path := w.lock.path
	err := lock.Change(ctx, path, func(f *lock.File) error {
		if now, ok := f.Plugins[name]; ok && now.Version == entry.Version && now.Source == entry.Source {
			merged, err := mergeHashes(path, name, now, entry)
			if err != nil {
				return err
			}
			entry = merged
		}
		f.Plugins[name] = entry
		for other, e := range f.Plugins {
			if w.repin && e.Source == entry.Source {
				e.Signer = entry.Signer
				f.Plugins[other] = e
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return in.reach(stepWritten)
}
