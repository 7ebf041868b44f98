package upload

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// recordsName is where a workspace has its records.
const recordsName = ".proctor"

// newBoxedKeeper writes the workspace of an upload and returns a Keeper that runs
// everything in its box, and records it out of the box's reach.
func newBoxedKeeper(k *ledger.Keeper, program sandbox.Program, t sourcePlugin, dir *workDir, files []sdk.SourceFile) (*ledger.Keeper, error) {
	var mounts []string
	for _, l := range t.scaffold.Links {
		mounts = append(mounts, l.Path)
	}
	if err := dir.write(files, t.scaffold.Files, mounts); err != nil {
		if isRefused(err) {
			err = &api.UsageError{Reason: err.Error()}
		}
		return nil, err
	}
	// A file in place of the records keeps the tests from writing some themselves.
	seal := filepath.Join(dir.workspace(), recordsName)
	if err := os.WriteFile(seal, nil, 0o400); err != nil {
		return nil, fmt.Errorf("the throw-away workspace of an upload: %w", err)
	}
	cfg := sandbox.Config{
		Program:   program,
		Workspace: dir.workspace(), Home: dir.home(), Temp: dir.temp(), Inputs: dir.inputs(), Machine: dir.machine(),
		Sealed:   []string{seal},
		Readable: t.scaffold.Readable,
		Hidden:   []string{workspace.Getenv(k.Cfg.Env, "HOME"), dir.path},
	}
	for _, l := range t.scaffold.Links {
		link := sandbox.Link{Path: filepath.Join(dir.workspace(), filepath.FromSlash(l.Path)), Target: l.Target}
		cfg.Links = append(cfg.Links, link)
	}
	box, err := sandbox.New(cfg)
	if err != nil {
		return nil, err
	}
	inner := k.Cfg
	inner.StateHome = dir.records()
	inner.Env = sandbox.Environ(k.Cfg.Env, t.toolDirs(), dir.home(), dir.temp())
	for _, name := range slices.Sorted(maps.Keys(t.scaffold.Env)) {
		inner.Env = workspace.Setenv(inner.Env, name, t.scaffold.Env[name])
	}
	boxed := ledger.New(inner)
	boxed.Box = box
	return boxed, nil
}

// toolDirs returns the directories of a language's tools.
func (t sourcePlugin) toolDirs() []string {
	var dirs []string
	for _, name := range slices.Sorted(maps.Keys(t.project.Ws.Tools)) {
		if dir := filepath.Dir(t.project.Ws.Tools[name]); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// notes are what a reader of an upload's runs should know.
type notes []api.Note

// add adds the notes to a run, and removes what does not apply to one that is not kept.
func (r notes) add(run *api.Run) {
	run.Workspace, run.Outstanding, run.OutstandingCounts = UploadWorkspace, 0, api.OutstandingCounts{}
	run.Warnings = append(slices.Clone(r), run.Warnings...)
	run.Failures = slices.Clone(run.Failures)
	for i := range run.Failures {
		run.Failures[i] = dropRepro(run.Failures[i])
	}
}

// dropRepro removes the command that reproduces a failure: nothing is left for it to
// run.
func dropRepro(f api.Failure) api.Failure {
	f.Repro = ""
	return f
}

// listener passes events on, with the notes added to their runs.
func (r notes) listener(l api.Listener) api.Listener {
	return api.ListenerFunc(func(e api.Event) {
		switch happened := e.(type) {
		case *api.RunStarted:
			started := *happened
			r.add(&started.Run)
			e = &started
		case *api.FailureFound:
			e = &api.FailureFound{Failure: dropRepro(happened.Failure)}
		case *api.RunFinished:
			finished := *happened
			r.add(&finished.Run)
			e = &finished
		}
		l.Listen(e)
	})
}
