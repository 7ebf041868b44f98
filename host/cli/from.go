package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/portable"
	"github.com/proctorhq/proctor/host/prose"
)

// askedRecord is the record that a question is put to: that of the workspace, or of --from.
type askedRecord struct {
	*ledger.Keeper
	where api.Where
	// path is as the user gave it; empty for the workspace.
	path string
	// elsewhere is the record of --from; nil for the workspace.
	elsewhere *portable.Record
	// whole says where to find all of an output that was cut.
	whole string
}

// openFrom opens the record that a question is put to. The returned function closes it.
func (a *app) openFrom(ctx context.Context, from string) (*askedRecord, func(), error) {
	k, done, err := keeperToAsk(ctx, a)
	if err != nil || from == "" {
		return &askedRecord{Keeper: k, where: a.where(), whole: "the record in .proctor has more"}, done, err
	}
	path, name, remove, err := a.fetchFrom(ctx, from)
	if err != nil {
		done()
		return nil, nil, err
	}
	r, err := portable.OpenRecord(ctx, k, a.where(), path, name)
	remove()
	if err != nil {
		done()
		return nil, nil, err
	}
	return &askedRecord{Keeper: r.Keeper, where: r.Where, path: from, elsewhere: r, whole: prose.Line(r.Name) + " has more"}, func() {
		if err := r.Close(ctx); err != nil {
			a.hint("what was read of %s could not be removed: %v", r.Name, err)
		}
		done()
	}, nil
}

// requests asks about the last run of each language, or the one that is named.
func (f *askedRecord) requests(ctx context.Context, req api.LastRun) ([]api.LastRun, error) {
	if f.elsewhere != nil {
		return f.elsewhere.Requests(req)
	}
	req.Where = f.where
	return ledger.SplitByLanguage(ctx, f.Keeper, req)
}

// fetchFrom returns the path of what --from names, and how it is called; empty is as the
// path. What is at an address is downloaded first: remove ends that.
func (a *app) fetchFrom(ctx context.Context, from string) (path, name string, remove func(), err error) {
	if !source.IsAddress(from) {
		return from, "", func() {}, nil
	}
	dir, err := os.MkdirTemp("", "proctor-download-*")
	if err != nil {
		return "", "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "report")
	if name, err = source.Download(ctx, a.env.Environ, from, path); err != nil {
		remove()
		return "", "", nil, err
	}
	return path, name, remove, nil
}
