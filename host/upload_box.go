package host

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/host/upload"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// recordsName is where a workspace has its records.
const recordsName = ".proctor"

// boxed writes the workspace of an upload and makes a host that runs everything
// in its box, and records it where the box does not reach.
func (h *Host) boxed(program sandbox.Program, t taker, dir *upload.Dir, files []sdk.SourceFile) (*Host, error) {
	var mounts []string
	for _, l := range t.scaffold.Links {
		mounts = append(mounts, l.Path)
	}
	if err := dir.Write(files, t.scaffold.Files, mounts); err != nil {
		if upload.IsRefused(err) {
			err = &UsageError{Reason: err.Error()}
		}
		return nil, err
	}
	// A file in the place of the records keeps them out of the workspace, where
	// the tests could write some themselves.
	seal := filepath.Join(dir.Workspace(), recordsName)
	if err := os.WriteFile(seal, nil, 0o400); err != nil {
		return nil, fmt.Errorf("the throw-away workspace of an upload: %w", err)
	}
	cfg := sandbox.Config{
		Program:   program,
		Workspace: dir.Workspace(), Home: dir.Home(), Temp: dir.Temp(), Inputs: dir.Inputs(), Machine: dir.Machine(),
		Sealed:   []string{seal},
		Readable: t.scaffold.Readable,
		Hidden:   []string{workspace.Getenv(h.cfg.Env, "HOME"), dir.Path},
	}
	for _, l := range t.scaffold.Links {
		link := sandbox.Link{Path: filepath.Join(dir.Workspace(), filepath.FromSlash(l.Path)), Target: l.Target}
		cfg.Links = append(cfg.Links, link)
	}
	box, err := sandbox.New(cfg)
	if err != nil {
		return nil, err
	}
	inner := h.cfg
	inner.StateHome = dir.Records()
	inner.Env = sandbox.Environ(h.cfg.Env, t.toolDirs(), dir.Home(), dir.Temp())
	for _, name := range slices.Sorted(maps.Keys(t.scaffold.Env)) {
		inner.Env = workspace.Setenv(inner.Env, name, t.scaffold.Env[name])
	}
	boxed := New(inner)
	boxed.box = box
	return boxed, nil
}

// toolDirs are the directories of a language's tools.
func (t taker) toolDirs() []string {
	var dirs []string
	for _, name := range slices.Sorted(maps.Keys(t.project.ws.Tools)) {
		if dir := filepath.Dir(t.project.ws.Tools[name]); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// remarks are what a reader of the runs of an upload should know.
type remarks []string

// add puts the remarks into a run, and takes out what does not hold for one that
// is not kept.
func (r remarks) add(run *record.Run) {
	run.Workspace, run.Outstanding, run.OutstandingCounts = UploadWorkspace, 0, record.OutstandingCounts{}
	run.Warnings = append(slices.Clone(r), run.Warnings...)
	run.Failures = slices.Clone(run.Failures)
	for i := range run.Failures {
		run.Failures[i] = unrepeatable(run.Failures[i])
	}
}

// unrepeatable takes the command that shows a failure again out of it: there is
// nothing left that it could run.
func unrepeatable(f record.Failure) record.Failure {
	f.Repro = ""
	return f
}

// observer tells of runs with the remarks in them.
func (r remarks) observer(obs Observer) Observer {
	marked := obs
	marked.Started = func(run record.Run) { r.add(&run); obs.started(run) }
	if obs.Failure != nil {
		marked.Failure = func(f record.Failure) { obs.Failure(unrepeatable(f)) }
	}
	marked.Finished = func(run record.Run) { r.add(&run); obs.finished(run) }
	return marked
}
