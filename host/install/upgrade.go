package install

import (
	"context"
	"strings"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// UpgradeRequest asks for newer versions.
type UpgradeRequest struct {
	Lock string
	// Name is the plugin; empty means all.
	Name string
	// DryRun changes nothing, and reports what would change.
	DryRun bool
}

// Upgrade installs the newest versions that the lock file allows.
func (in *Installer) Upgrade(ctx context.Context, req UpgradeRequest) (Answer, error) {
	file, err := in.read(req.Lock)
	if err != nil {
		return Answer{}, err
	}
	names := file.names()
	if req.Name != "" {
		if _, ok := file.Plugins[req.Name]; !ok {
			return Answer{}, &NotLockedError{Name: req.Name, Lock: req.Lock, Absent: file.absent}
		}
		names = []string{req.Name}
	}
	a := newAnswer("upgrade", req.Lock)
	a.DryRun = req.DryRun
	return file.forEach(ctx, a, names, func(name string, e lock.Entry) (Plugin, error) {
		return upgradePlugin(ctx, in, req, file, name, e)
	})
}

func upgradePlugin(ctx context.Context, in *Installer, req UpgradeRequest, file lockFile, name string, e lock.Entry) (Plugin, error) {
	p := Plugin{Name: name, Version: e.Version, Source: e.Source, Signer: e.Signer, Action: Unchanged}
	if strings.HasPrefix(e.Source, source.LocalPrefix) {
		p.Note = "it comes from a path; install that again to take what is there now"
		return p, nil
	}
	spec, err := file.origin(name, e)
	if err != nil {
		return p, err
	}
	spec.Constraint = e.Constraint
	src, closeSource, err := in.open(ctx, spec)
	if err != nil {
		return p, err
	}
	defer closeSource()
	r, err := src.Resolve(ctx, newQuery(in, name, spec.Constraint))
	if err != nil {
		return p, err
	}
	w := wish{lock: file, spec: spec, constraint: e.Constraint}
	if r.Version == e.Version {
		return keepVersion(ctx, in, req, file, p, e, r)
	}
	if req.DryRun {
		if err := checkRollback(w, e, r); err != nil {
			return p, err
		}
		j, err := in.judge(claim{address: e.Source, signed: r.Signed, lock: file, spec: name})
		p.From, p.Version, p.Signer, p.Action = e.Version, r.Version, j.signer(), Upgraded
		return p, err
	}
	p, err = in.installRelease(ctx, w, src, r)
	p.Action = Upgraded
	return p, err
}

// keepVersion returns the answer for a plugin without a newer version. Its index must still
// be the trusted one, and say the same; if it was signed since, its key is pinned from
// now on.
func keepVersion(ctx context.Context, in *Installer, req UpgradeRequest, file lockFile, p Plugin, e lock.Entry, r source.Release) (Plugin, error) {
	j, err := in.judge(claim{address: e.Source, signed: r.Signed, lock: file, spec: p.Name})
	if err != nil {
		return p, err
	}
	if err := sameRelease(req.Lock, e, order{release: r, source: e.Source}); err != nil {
		return p, err
	}
	p.Newer = findNewer(in, p.Name, r)
	p.Note = describeNewest(p, e)
	if req.DryRun {
		return p, nil
	}
	if err := pinIndexKey(ctx, in, e.Source, j); err != nil {
		return p, err
	}
	if j.key != "" && j.signer() != e.Signer {
		e, err = amend(ctx, req.Lock, p.Name, e, j.signer(), nil)
		p.Signer = e.Signer
	}
	return p, err
}

// describeNewest says why a plugin stays as it is.
func describeNewest(p Plugin, e lock.Entry) string {
	note := "it is the newest version"
	if strings.TrimSpace(e.Constraint) != "" {
		note += " within " + e.Constraint
	}
	if p.Newer != "" {
		note += "; " + p.Newer + " is newer: proctor plugin install " + p.Name + "@" + latest
	}
	return note
}

// findNewer returns the newest version in an index, regardless of constraints, if it is
// newer than the release; empty for other sources.
func findNewer(in *Installer, name string, r source.Release) string {
	if r.Signed == nil {
		return ""
	}
	x, err := index.Parse(r.Signed.Data)
	if err != nil {
		return ""
	}
	v, err := x.Select(name, "", in.cfg.Platform, in.cfg.Protocols)
	if err != nil || manifest.CompareVersions(v, r.Version) <= 0 {
		return ""
	}
	return v
}
