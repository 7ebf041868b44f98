package install

import (
	"context"
	"errors"
	"strings"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
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
			return Answer{}, errors.New(file.lacks(req.Name) + "; see which there are: proctor plugin list")
		}
		names = []string{req.Name}
	}
	a := newAnswer("upgrade", req.Lock)
	a.DryRun = req.DryRun
	return file.forEach(ctx, a, names, func(e lockEntry) (Plugin, error) {
		return upgradePlugin(ctx, in, req, e)
	})
}

func upgradePlugin(ctx context.Context, in *Installer, req UpgradeRequest, e lockEntry) (Plugin, error) {
	p := e.answer(Unchanged)
	if strings.HasPrefix(e.Source, source.LocalPrefix) {
		p.Note = "it comes from a path; install that again to take what is there now"
		return p, nil
	}
	spec, err := e.origin()
	if err != nil {
		return p, err
	}
	spec.Constraint = e.Constraint
	src, closeSource, err := in.open(ctx, spec)
	if err != nil {
		return p, err
	}
	defer closeSource()
	r, err := src.Resolve(ctx, newQuery(in, e.name, spec.Constraint))
	if err != nil {
		return p, err
	}
	w := wish{lock: e.file, spec: spec, constraint: e.Constraint}
	if r.Version == e.Version {
		return keepVersion(ctx, in, e, r, p, req.DryRun)
	}
	if req.DryRun {
		if err := checkRollback(w, e.Entry, r); err != nil {
			return p, err
		}
		j, err := in.judge(claim{address: e.Source, signed: r.Signed, lock: e.file, spec: e.name})
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
func keepVersion(ctx context.Context, in *Installer, e lockEntry, r source.Release, p Plugin, dryRun bool) (Plugin, error) {
	j, err := in.judgeSame(e, r)
	if err != nil {
		return p, err
	}
	p.Newer = findNewer(in, p.Name, r)
	p.Note = describeNewest(p, e.Constraint)
	if dryRun {
		return p, nil
	}
	if err := pinIndexKey(ctx, in, e.Source, j); err != nil {
		return p, err
	}
	if j.key != "" && j.signer() != e.Signer {
		amended, err := amend(ctx, e, j.signer(), nil)
		p.Signer = amended.Signer
		return p, err
	}
	return p, nil
}

// describeNewest says why a plugin stays as it is.
func describeNewest(p Plugin, constraint string) string {
	note := "it is the newest version"
	if strings.TrimSpace(constraint) != "" {
		note += " within " + constraint
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
