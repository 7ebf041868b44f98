package engine

import (
	"context"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
)

// see finds out what state of the sources the run saw, now that its commands have
// ended.
func (f *Finisher) see(ctx context.Context, run *api.Run) {
	if f.watch == nil {
		return
	}
	f.Seen = f.watch.End(context.WithoutCancel(ctx))
	switch {
	case f.Seen.Err != nil:
		run.Warnings = append(run.Warnings, "the state of the sources is not known: "+f.Seen.Err.Error())
	case len(f.Seen.Changed) > 0:
		run.MixedState = true
		run.Warnings = append(run.Warnings, ledger.MixedWarning(f.Seen.Changed))
	}
	run.Source = f.Seen.Source
}
