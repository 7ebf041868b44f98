package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// LockRequest asks for hashes of platforms.
type LockRequest struct {
	Lock string
	// Platforms are the requested ones; empty means all that the sources have.
	Platforms []manifest.Platform
}

// Lock adds the hashes of platforms from the sources, whose signatures must be valid.
// It never changes an existing hash, and installs nothing.
func (in *Installer) Lock(ctx context.Context, req LockRequest) (Answer, error) {
	file, err := in.read(req.Lock)
	if err != nil {
		return Answer{}, err
	}
	for _, p := range req.Platforms {
		if !p.Valid() {
			return Answer{}, &UsageError{Reason: fmt.Sprintf("--platform %q is not a platform: give one as linux_amd64, or all", p)}
		}
	}
	return file.forEach(ctx, newAnswer("lock", req.Lock), file.names(), func(e lockEntry) (Plugin, error) {
		return lockPlugin(ctx, in, req, e)
	})
}

func lockPlugin(ctx context.Context, in *Installer, req LockRequest, e lockEntry) (Plugin, error) {
	p := e.answer(LockedAll)
	spec, err := source.FromLock(e.name, e.Source, e.Version)
	if err != nil {
		return p, e.sourceError(err)
	}
	if spec.Kind != source.Index {
		p.Action = Unchanged
		if p.Note = "a Go module is built on each platform; its hash is for all"; spec.Kind == source.Local {
			p.Note = "a path has the binary of one platform; publish an index with `proctor plugin pack`"
			return p, missingPlatform(req, e)
		}
		return p, nil
	}
	src, closeSource, err := in.open(ctx, spec)
	if err != nil {
		return p, err
	}
	defer closeSource()
	r, j, err := in.locate(ctx, e, src, spec, req.Platforms)
	if err != nil {
		return p, err
	}
	wanted := req.Platforms
	if len(wanted) == 0 {
		wanted = slices.Sorted(maps.Keys(r.Hashes))
	}
	added := map[manifest.Platform]lock.Hashes{}
	for _, platform := range wanted {
		h, ok := r.Hashes[platform]
		if !ok {
			return p, noPlatform(e.name, e.Version, e.Source, platform)
		}
		added[platform] = h
	}
	if err := pinIndexKey(ctx, in, e.Source, j); err != nil {
		return p, err
	}
	entry, err := amend(ctx, e, j.signer(), added)
	p.Signer, p.Platforms = entry.Signer, slices.Sorted(maps.Keys(entry.Hashes))
	return p, err
}

// amend adds hashes to an entry, if it is still the one they were looked up for.
func amend(ctx context.Context, e lockEntry, signer string, added map[manifest.Platform]lock.Hashes) (lock.Entry, error) {
	amended := e.Entry
	err := lock.Change(ctx, e.file.path, func(f *lock.File) error {
		now, ok := f.Plugins[e.name]
		if !ok || now.Version != e.Version || now.Source != e.Source {
			return fmt.Errorf("%s was changed meanwhile: plugin %s is a different one now; try again", e.file.path, e.name)
		}
		more := now
		more.Signer, more.Hashes = signer, added
		merged, err := mergeHashes(e.file.path, e.name, now, more)
		if err != nil {
			return err
		}
		amended, f.Plugins[e.name] = merged, merged
		return nil
	})
	return amended, err
}

// missingPlatform returns an error if a local plugin lacks a requested platform.
func missingPlatform(req LockRequest, e lockEntry) error {
	for _, platform := range req.Platforms {
		if e.Hashes[platform].Bin == "" {
			return noPlatform(e.name, e.Version, e.Source, platform)
		}
	}
	return nil
}

// locate resolves the locked version in an index, whose signature must be valid and
// whose hashes must be the locked ones.
func (in *Installer) locate(ctx context.Context, e lockEntry, src source.Source, spec source.Spec, also []manifest.Platform) (source.Release, judgment, error) {
	r, err := in.resolveAny(ctx, e, src, spec.Constraint, also)
	if err != nil {
		return r, judgment{}, e.sourceError(err)
	}
	j, err := in.judgeSame(e, r)
	return r, j, err
}

// judgeSame judges the index of a release of the locked version, which must be the locked one.
func (in *Installer) judgeSame(e lockEntry, r source.Release) (judgment, error) {
	j, err := in.judge(claim{address: e.Source, signed: r.Signed, lock: e.file, spec: e.name})
	if err != nil {
		return j, err
	}
	return j, sameRelease(e.file.path, e.Entry, order{release: r, source: e.Source})
}

// resolveAny resolves a locked version that may have no archive for this platform.
func (in *Installer) resolveAny(ctx context.Context, e lockEntry, src source.Source, constraint string, also []manifest.Platform) (source.Release, error) {
	tries := []manifest.Platform{in.cfg.Platform}
	tries = append(tries, slices.Sorted(maps.Keys(e.Hashes))...)
	tries = append(tries, also...)
	var first error
	for i, platform := range tries {
		if slices.Contains(tries[:i], platform) {
			continue
		}
		q := newQuery(in, e.name, constraint)
		q.Platform = platform
		r, err := src.Resolve(ctx, q)
		if err == nil && r.Version != e.Version {
			err = fmt.Errorf("it has version %s and %s is locked", r.Version, e.Version)
		}
		if err == nil {
			return r, nil
		}
		if _, ok := errors.AsType[*index.NoVersionError](err); !ok {
			return r, err
		}
		first = cmp.Or(first, err)
	}
	return source.Release{}, first
}
