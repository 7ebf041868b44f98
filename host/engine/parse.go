package engine

import (
	"context"
	"errors"
	"io/fs"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Parse reads a recorded output and says what it proves. Nothing is recorded.
func Parse(ctx context.Context, h *ledger.Keeper, req api.ParseRequest, listeners ...api.Listener) (api.Run, error) {
	candidates, found, err := h.Candidates(ctx, api.Where{Dir: req.Root}, []string{req.Plugin})
	if err != nil {
		return api.Run{}, err
	}
	if _, err := found.Lookup(req.Plugin); err != nil {
		return api.Run{}, err
	}
	p, err := h.Start(ctx, candidates[0])
	if err != nil {
		return api.Run{}, err
	}
	pr := project.Project{Plugin: p, ID: p.Identity()}
	pr.Ws = sdk.Workspace{Tools: map[string]string{}, Env: workspace.Pick(h.Cfg.Env, pr.ID.Env)}
	if req.Root != "" {
		root, err := workspace.FindRoot(req.Root, true, nil)
		var none *api.NoProjectError
		if err != nil && !errors.As(err, &none) {
			return api.Run{}, &api.UsageError{Reason: err.Error()}
		}
		pr.Root, pr.Ws.Root = root, root.Path
	}
	return parseProject(ctx, h, pr, req, listeners)
}

func parseProject(ctx context.Context, h *ledger.Keeper, p project.Project, req api.ParseRequest, listeners api.Listeners) (api.Run, error) {
	run := NewRun(h, p, api.KindParsed, ledger.NewRunID(), 0)
	exit := exitOf(req.ExitCode)
	x := &Execution{Host: h, Project: p, Listeners: listeners, NewFold: func() *outstanding.Fold { return nil }}
	x.Begin()
	x.Done = []executed{{exit: exit}}
	f := &Finisher{Host: h, Project: p, Run: x}
	err := ledger.Feed(ctx, p.Plugin, sdk.RunInfo{Workspace: p.Ws}, [2]string{req.Stdout, req.Stderr}, exit, x.Col)
	x.Col.EndCommand()
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return run, errors.Join(err, ctx.Err())
	case errors.As(err, &file):
		return run, unreadable(file)
	}
	f.ToolErr = err
	f.Fill(&run, x.Col.Tally, exit)
	f.Judge(&run, x.Col.Tally, exit)
	return run, nil
}

// exitOf is how the runner ended of which an output was recorded, as far as it is known.
func exitOf(code *int) sdk.Exit {
	if code == nil {
		return sdk.Exit{Unknown: true}
	}
	return sdk.Exit{Code: *code}
}
