package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/host/upload"
	"github.com/proctorhq/proctor/sdk"
)

// UploadRequest asks for a run of source files that somebody handed over.
type UploadRequest struct {
	// RunRequest is as for any run. Where is the project whose dependencies the
	// sources may use; it need not be one. Languages has at most one.
	RunRequest
	// Sources is a directory, or a .json file with an object of paths and
	// contents; Files are these themselves. One of the two is given.
	Sources string
	Files   map[string]string
	// AllowUnsandboxed: where no sandbox is available, run without.
	AllowUnsandboxed bool
}

// UploadUnavailableError says that an upload was not run for want of a sandbox.
type UploadUnavailableError struct{ Err error }

func (e *UploadUnavailableError) Error() string {
	return fmt.Sprintf("the sources were not run: %v; or, if you trust the sources with all that you may do yourself, give --allow-unsandboxed", e.Err)
}
func (e *UploadUnavailableError) Unwrap() error { return e.Err }

// UploadWorkspace stands for the workspace in the runs of an upload, which has
// none that lasts.
const UploadWorkspace = "(upload)"

// Upload is what became of an upload. It holds everything of it that there is:
// [Upload.Close] removes it.
type Upload struct {
	Runs []record.Run

	host *Host
	dir  *upload.Dir
}

// RunUpload runs the tests of a set of sources in a throw-away workspace, in a
// sandbox. The outstanding tests and the records of the session are not touched.
// The Upload is never nil, and has to be closed; an error is as for [Host.Run].
func (h *Host) RunUpload(ctx context.Context, req UploadRequest, obs Observer) (*Upload, error) {
	u := &Upload{}
	files, err := req.files(ctx)
	if err != nil {
		if upload.IsRefused(err) {
			err = &UsageError{Reason: err.Error()}
		}
		return u, err
	}
	program, err := sandbox.Available(ctx, h.cfg.Env)
	var none *sandbox.UnavailableError
	switch {
	case err == nil:
	case !errors.As(err, &none):
		return u, err
	case !req.AllowUnsandboxed:
		return u, &UploadUnavailableError{Err: err}
	}
	taker, err := h.taker(ctx, req, files)
	if err != nil {
		return u, err
	}
	if u.dir, err = upload.NewDir(ctx, ""); err != nil {
		return u, err
	}
	if u.host, err = h.boxed(program, taker, u.dir, files); err != nil {
		return u, err
	}
	remarks := remarks{fmt.Sprintf("an upload; files: %d; nothing of this run is kept", len(files))}
	if none != nil {
		remarks = append(remarks, "NOT SANDBOXED: the sources run with all rights of the user, as --allow-unsandboxed says; "+none.Error())
	}
	remarks = append(remarks, taker.scaffold.Warnings...)
	inner := req.RunRequest
	inner.Where = Where{Dir: u.dir.Workspace(), Exact: true}
	inner.Languages = []string{taker.project.id.Name}
	u.Runs, err = u.host.Run(ctx, inner, remarks.observer(obs))
	for i := range u.Runs {
		remarks.add(&u.Runs[i])
	}
	return u, err
}

// files are the sources, checked.
func (r UploadRequest) files(ctx context.Context) ([]sdk.SourceFile, error) {
	if r.Files == nil {
		return upload.Read(ctx, r.Sources)
	}
	var files []sdk.SourceFile
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		files = append(files, sdk.SourceFile{Path: path, Content: []byte(r.Files[path])})
	}
	return files, upload.Check(files)
}

// Raw returns the runner's own output of one of the runs; see [Host.Raw].
func (u *Upload) Raw(ctx context.Context, run record.Run) (report.RawOutput, error) {
	if u.host == nil {
		return report.RawOutput{}, nil
	}
	run.Workspace = u.dir.Workspace()
	return u.host.Raw(ctx, run)
}

// Close removes everything of the upload. It may be called again.
func (u *Upload) Close(ctx context.Context) error {
	if u.host != nil {
		u.host.Close(ctx)
	}
	if u.dir == nil {
		return nil
	}
	return u.dir.Remove()
}
