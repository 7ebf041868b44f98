package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/sdk"
)

// UploadWorkspace stands for the workspace in the runs of an upload, which has no
// lasting one.
const UploadWorkspace = "(upload)"

// Upload is a finished upload. It holds everything there is of it, until
// [Upload.Close].
type Upload struct {
	Runs []api.Run

	keeper *ledger.Keeper
	dir    *workDir
}

// RunUpload runs the tests of a source set in a temporary workspace, in a sandbox. It
// does not affect the session's outstanding tests and records. The Upload is never nil,
// and must be closed; errors are as for [engine.Run].
func RunUpload(ctx context.Context, k *ledger.Keeper, req api.UploadRequest, listeners ...api.Listener) (*Upload, error) {
	u := &Upload{}
	// Untrusted sources must not run for ever.
	req.Timeout = cmp.Or(req.Timeout, api.DefaultTimeout)
	files, err := collectFiles(ctx, req)
	if err != nil {
		if isRefused(err) {
			err = &api.UsageError{Reason: err.Error()}
		}
		return u, err
	}
	program, err := sandbox.Available(ctx, k.Cfg.Env)
	var none *sandbox.UnavailableError
	switch {
	case err == nil:
	case !errors.As(err, &none):
		return u, err
	case !req.AllowUnsandboxed:
		return u, &api.UploadUnavailableError{Err: err}
	}
	target, err := findSourcePlugin(ctx, k, req, files)
	if err != nil {
		return u, err
	}
	if u.dir, err = newWorkDir(ctx, ""); err != nil {
		return u, err
	}
	if u.keeper, err = newBoxedKeeper(k, program, target, u.dir, files); err != nil {
		return u, err
	}
	remarks := notes{{Code: api.NoteUpload, Text: fmt.Sprintf("an upload; files: %d; nothing of this run is kept", len(files))}}
	if none != nil {
		remarks = append(remarks, api.Note{Code: api.NoteUnsandboxed, Text: "NOT SANDBOXED: the sources run with all rights of the user, as was allowed; " + none.Error()})
	}
	remarks = append(remarks, api.Notes(api.NotePlugin, target.scaffold.Warnings...)...)
	inner := req.RunRequest
	inner.Where = api.Where{Dir: u.dir.workspace(), Exact: true}
	inner.Languages = []string{target.project.ID.Name}
	u.Runs, err = engine.Run(ctx, u.keeper, inner, remarks.listener(api.Listeners(listeners)))
	for i := range u.Runs {
		remarks.add(&u.Runs[i])
	}
	return u, err
}

// collectFiles returns the sources, checked.
func collectFiles(ctx context.Context, r api.UploadRequest) ([]sdk.SourceFile, error) {
	if r.Files == nil {
		return readFiles(ctx, r.Sources)
	}
	var files []sdk.SourceFile
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		files = append(files, sdk.SourceFile{Path: path, Content: []byte(r.Files[path])})
	}
	return files, checkFiles(files)
}

// Raw returns the runner's own output of one of the runs; see [engine.ReadRawOutput].
func (u *Upload) Raw(ctx context.Context, run api.Run) (api.RawOutput, error) {
	if u.keeper == nil {
		return api.RawOutput{}, nil
	}
	run.Workspace = u.dir.workspace()
	return engine.ReadRawOutput(ctx, u.keeper, run)
}

// Results returns the results of the tests of one of the runs.
func (u *Upload) Results(ctx context.Context, run api.Run) ([]api.Result, error) {
	if u.keeper == nil {
		return nil, nil
	}
	shown, _, err := query.Show(ctx, u.keeper, api.LastRun{Where: api.Where{Dir: u.dir.workspace(), Exact: true}, Ref: run.RunID})
	return shown.Results, err
}

// Close removes everything of the upload. It may be called more than once.
func (u *Upload) Close(ctx context.Context) error {
	if u.keeper != nil {
		u.keeper.Close(ctx)
	}
	if u.dir == nil {
		return nil
	}
	return u.dir.remove()
}
