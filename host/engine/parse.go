package engine

import (
	"context"
	"errors"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Parse reads recorded output and decides what it proves. Nothing is recorded.
func Parse(ctx context.Context, k *ledger.Keeper, req api.ParseRequest, listeners ...api.Listener) (api.Run, error) {
	candidates, found, err := k.Candidates(ctx, api.Where{Dir: req.Root}, []string{req.Plugin})
	if err != nil {
		return api.Run{}, err
	}
	if _, err := found.Lookup(req.Plugin); err != nil {
		return api.Run{}, err
	}
	p, err := k.Start(ctx, candidates[0])
	if err != nil {
		return api.Run{}, err
	}
	pr := project.Project{Plugin: p, ID: p.Identity()}
	pr.Ws = sdk.Workspace{Tools: map[string]string{}, Env: workspace.Pick(k.Cfg.Env, pr.ID.Env)}
	if req.Root != "" {
		root, err := workspace.FindRoot(req.Root, true, nil)
		var none *api.NoProjectError
		if err != nil && !errors.As(err, &none) {
			return api.Run{}, &api.UsageError{Reason: err.Error()}
		}
		pr.Root, pr.Ws.Root = root, root.Path
	}
	plan := NewPlan(k, pr, api.KindParsed, ledger.NewRunID(), 0)
	plan.output = &recordedOutput{paths: [2]string{req.Stdout, req.Stderr}, exit: exitOf(req.ExitCode)}
	done, err := Conduct(ctx, k, plan, listeners)
	return done.Run, err
}

// exitOf returns how the runner of recorded output ended; nil means unknown.
func exitOf(code *int) sdk.Exit {
	if code == nil {
		return sdk.Exit{Unknown: true}
	}
	return sdk.Exit{Code: *code}
}
