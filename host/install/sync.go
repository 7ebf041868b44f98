package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/held"
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
	return file.forEach(ctx, a, file.names(), func(e lockEntry) (Plugin, error) {
		return syncPlugin(ctx, in, req, e)
	})
}

func syncPlugin(ctx context.Context, in *Installer, req SyncRequest, e lockEntry) (Plugin, error) {
	p := e.answer(Unchanged)
	installed, err := in.check(ctx, e)
	p.Path = installed.Path
	if _, ok := errors.AsType[*store.NotInstalledError](err); !ok {
		return p, err
	}
	if req.Check {
		p.Action, p.Path = Missing, ""
		p.Note = "it is not installed; run `proctor plugin sync`"
		return p, nil
	}
	places, err := origins(req.Mirror, e)
	if err != nil {
		return p, err
	}
	var done placed
	for _, place := range places {
		done, err = in.fetchLocked(ctx, e, place)
		if err == nil || !isAbsent(err) {
			break
		}
	}
	if isAbsent(err) && req.Mirror != "" {
		err = unobtainable(e.name, e.Version, req.Mirror, fmt.Errorf("it is not a mirror of %s, or lacks this version: %w", e.Source, err))
	}
	if err != nil {
		return p, err
	}
	in.cfg.Events.installed(e.name, e.Version, done.Path, done.already)
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
func origins(mirror string, e lockEntry) ([]origin, error) {
	if mirror == "" {
		spec, err := e.origin()
		return []origin{{spec: spec}}, err
	}
	if e.ModuleSum != "" {
		return nil, e.sourceError(errors.New("a mirror has no Go modules; give the go command a copy of them, with GOPROXY=file://DIR, and sync without --mirror"))
	}
	root, err := mirrorRoot(mirror)
	if err != nil {
		return nil, err
	}
	var places []origin
	for _, address := range []string{root + "/" + subdirectory(e.Source) + "/" + index.File, root + "/" + index.File} {
		spec, err := source.FromLock(e.name, address, e.Version)
		if err != nil {
			return nil, unobtainable(e.name, e.Version, address, err)
		}
		places = append(places, origin{spec, true})
	}
	return places, nil
}

// fetchLocked installs exactly what is locked.
func (in *Installer) fetchLocked(ctx context.Context, e lockEntry, from origin) (placed, error) {
	address := from.spec.Locked()
	failed := func(err error) error {
		return unobtainable(e.name, e.Version, address, err)
	}
	src, closeSource, err := in.open(ctx, from.spec)
	if err != nil {
		return placed{}, failed(err)
	}
	defer closeSource()
	r, err := src.Resolve(ctx, newQuery(in, e.name, from.spec.Constraint))
	if err != nil {
		return placed{}, failed(err)
	}
	if r.Name != e.name || r.Version != e.Version {
		return placed{}, failed(rejected(e.name, e.Version, address, "it has "+r.Name+" "+r.Version+" now"))
	}
	if !from.mirror {
		if err := checkVouched(in, address, e.file, r); err != nil {
			return placed{}, err
		}
	}
	o := order{src: src, release: r, source: e.Source, signer: e.Signer, from: address,
		wants: []want{{sha256Only(e.Hashes[in.cfg.Platform]), held.By(e.file.path, in.cfg.Platform), expectLocked(e.name)}}}
	if err := sameRelease(e.file.path, e.Entry, o); err != nil {
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
