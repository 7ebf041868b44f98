package host

import (
	"context"
	"errors"
	"io/fs"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// ParseRequest asks to read a recorded output without running anything.
type ParseRequest struct {
	// Plugin is the plugin's name.
	Plugin string
	// Root is the workspace the output came from; empty is unknown.
	Root string
	// Stdout and Stderr are files; Stdout may be "-", Stderr empty.
	Stdout, Stderr string
	// ExitCode is the runner's, when ExitKnown.
	ExitCode  int
	ExitKnown bool
}

// Parse reads a recorded output and says what it proves. Nothing is recorded.
func (h *Host) Parse(ctx context.Context, req ParseRequest, obs Observer) (record.Run, error) {
	candidates, found, err := h.candidates(ctx, Where{Dir: req.Root}, []string{req.Plugin})
	if err != nil {
		return record.Run{}, err
	}
	if _, err := found.Lookup(req.Plugin); err != nil {
		return record.Run{}, err
	}
	p, err := h.start(ctx, candidates[0])
	if err != nil {
		return record.Run{}, err
	}
	pr := project{plugin: p, id: p.Identity()}
	pr.ws = sdk.Workspace{Tools: map[string]string{}, Env: workspace.Pick(h.cfg.Env, pr.id.Env)}
	if req.Root != "" {
		root, err := workspace.FindRoot(req.Root, true, nil)
		var none *workspace.NoProjectError
		if err != nil && !errors.As(err, &none) {
			return record.Run{}, &UsageError{Reason: err.Error()}
		}
		pr.root, pr.ws.Root = root, root.Path
	}
	return h.parse(ctx, pr, req, obs)
}

func (h *Host) parse(ctx context.Context, p project, req ParseRequest, obs Observer) (record.Run, error) {
	run := h.newRun(p, record.KindParsed, NewRunID(), 0)
	exit := sdk.Exit{Code: req.ExitCode, Unknown: !req.ExitKnown}
	x := &execution{host: h, project: p, observer: obs, newFold: func() *rerun.Fold { return nil }}
	x.begin(obs)
	x.done = []executed{{exit: exit}}
	f := &finisher{host: h, project: p, run: x}
	err := feed(ctx, p.plugin, sdk.RunInfo{Workspace: p.ws}, [2]string{req.Stdout, req.Stderr}, exit, x.col)
	x.col.endCommand()
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return run, errors.Join(err, ctx.Err())
	case errors.As(err, &file):
		return run, unreadable(file)
	}
	f.toolErr = err
	f.fill(&run, x.col.tally, exit)
	f.judge(&run, x.col.tally, exit)
	return run, nil
}
