package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// SyncRequest asks for everything that a lock file names.
type SyncRequest struct {
	Lock string
	// Check changes nothing, and reports what would change.
	Check bool
	// Mirror is the directory or address of a mirror that replaces the sources.
	Mirror string
}

// Sync makes the store match a lock file, hash for hash. It does not replace other
// installed content, and never writes the lock file.
func (in *Installer) Sync(ctx context.Context, req SyncRequest) (Answer, error) {
	file, err := in.read(req.Lock)
	if err != nil {
		return Answer{}, err
	}
	a := newAnswer("sync", req.Lock)
	a.DryRun = req.Check
	return file.forEach(ctx, a, file.names(), func(name string, e lock.Entry) (Plugin, error) {
		return syncPlugin(ctx, in, req, file, name, e)
	})
}

func syncPlugin(ctx context.Context, in *Installer, req SyncRequest, file lockFile, name string, e lock.Entry) (Plugin, error) {
	p := Plugin{Name: name, Version: e.Version, Source: e.Source, Signer: e.Signer, Action: Unchanged}
	installed, err := in.check(ctx, req.Lock, name, e)
	p.Path = installed.Path
	var missing *store.NotInstalledError
	if !errors.As(err, &missing) {
		return p, err
	}
	if req.Check {
		p.Action, p.Path = Missing, ""
		p.Note = "it is not installed; run `proctor plugin sync`"
		return p, nil
	}
	places, err := origins(req, file, name, e)
	if err != nil {
		return p, err
	}
	var done placed
	for _, place := range places {
		done, err = in.fetchLocked(ctx, file, name, e, place)
		if err == nil || !isAbsent(err) {
			break
		}
	}
	if isAbsent(err) && req.Mirror != "" {
		err = &SourceError{Name: name, Version: e.Version, Source: req.Mirror, Err: fmt.Errorf("it is not a mirror of %s, or lacks this version: %w", e.Source, err)}
	}
	if err != nil {
		return p, err
	}
	in.cfg.Events.installed(name, e.Version, done.Path, done.already)
	p.Action, p.Path = Installed, done.Path
	return p, nil
}

// origin is a place to get a locked plugin from.
type origin struct {
	spec source.Spec
	// mirror reports whether it is a copy: only its hashes count.
	mirror bool
}

// origins are the places to look for a locked plugin, likeliest first.
func origins(req SyncRequest, file lockFile, name string, e lock.Entry) ([]origin, error) {
	if req.Mirror == "" {
		spec, err := file.origin(name, e)
		return []origin{{spec: spec}}, err
	}
	if e.ModuleSum != "" {
		return nil, &SourceError{Name: name, Version: e.Version, Source: e.Source,
			Err: errors.New("a mirror has no Go modules; give the go command a copy of them, with GOPROXY=file://DIR, and sync without --mirror")}
	}
	root, err := mirrorRoot(req.Mirror)
	if err != nil {
		return nil, err
	}
	var places []origin
	for _, address := range []string{root + "/" + subdirectory(e.Source) + "/" + index.File, root + "/" + index.File} {
		spec, err := source.FromLock(name, address, e.Version)
		if err != nil {
			return nil, &SourceError{Name: name, Version: e.Version, Source: address, Err: err}
		}
		places = append(places, origin{spec, true})
	}
	return places, nil
}

// fetchLocked installs exactly what is locked.
func (in *Installer) fetchLocked(ctx context.Context, file lockFile, name string, e lock.Entry, from origin) (placed, error) {
	address := from.spec.Locked()
	failed := func(err error) error {
		return &SourceError{Name: name, Version: e.Version, Source: address, Err: err}
	}
	src, closeSource, err := in.open(ctx, from.spec)
	if err != nil {
		return placed{}, failed(err)
	}
	defer closeSource()
	r, err := src.Resolve(ctx, newQuery(in, name, from.spec.Constraint))
	if err != nil {
		return placed{}, failed(err)
	}
	if r.Name != name || r.Version != e.Version {
		return placed{}, failed(&ContentError{Name: name, Version: e.Version, Source: address, Reason: "it has " + r.Name + " " + r.Version + " now"})
	}
	if !from.mirror {
		if err := checkVouched(in, address, file, r); err != nil {
			return placed{}, err
		}
	}
	o := order{src: src, release: r, source: e.Source, signer: e.Signer, from: address,
		wants: []want{{sha256Only(e.Hashes[in.cfg.Platform]), held.By(file.path, in.cfg.Platform), expectLocked(name)}}}
	if err := sameRelease(file.path, e, o); err != nil {
		return placed{}, err
	}
	if err := in.reach(stepResolved); err != nil {
		return placed{}, err
	}
	return in.place(ctx, o)
}

// checkVouched checks the signature of an index whose signer is locked or pinned. Otherwise
// the hashes of the lock file suffice.
func checkVouched(in *Installer, address string, file lockFile, r source.Release) error {
	if r.Signed == nil {
		return nil
	}
	c := claim{address: address, signed: r.Signed, lock: file, spec: r.Name}
	key, _, err := in.expectedKey(c)
	switch {
	case err != nil:
		return err
	case key != "":
		_, err = in.judge(c)
	case len(r.Signed.Signature) > 0:
		in.cfg.Events.unchecked(address)
	default:
		in.cfg.Events.unsigned(address)
	}
	return err
}

// isAbsent reports whether a place lacks what was looked for, so that another may have
// it.
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
