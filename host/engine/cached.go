package engine

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
)

// A result from a runner's cache comes from an earlier run, and no runner says which. Go's
// cache depends on the test binary, its flags, and the variables and files of the module
// that the tests looked at, but not on files elsewhere, other programs, the network or the
// clock; and its pass may be older than the failure that made a test outstanding. So a
// cached pass never clears anything: suites with something outstanding run.

// wantsCached reports whether the runner may answer from its cache, with the reason if it
// may not although that was requested.
func (l *launch) wantsCached(before outstanding.Set) (wants bool, why []api.Note) {
	req, options := l.req, l.options
	asked := req.Cached != nil && *req.Cached
	switch {
	case l.keeper.Box != nil || !asked && (req.Cached != nil || options.Cached == nil || !*options.Cached):
		return false, nil
	case !asked && (!l.project.ID.Cached || req.IsByChange()):
		return false, nil
	case !l.project.ID.Cached:
		return false, api.Notes(api.NoteCached, "every test ran: "+l.project.ID.Language+" has no cache of results")
	case req.IsByChange():
		return false, api.Notes(api.NoteCached, "no result is from the cache: tests selected by changes always run")
	}
	if everything := whyEverything(before); everything != "" {
		return false, api.Notes(api.NoteCached, "no result is from the cache: "+everything+", so all of them ran")
	}
	return true, nil
}

// trustsSuite reports whether nothing of a suite is outstanding.
func (p *Plan) trustsSuite(suite string) bool {
	return !slices.ContainsFunc(p.before.Entries, func(e outstanding.Entry) bool { return e.Suite == suite })
}

// executeUntrusted runs the suites that the runner took from its cache although
// something in them is outstanding. What cannot run stays outstanding.
func (x *execution) executeUntrusted(ctx context.Context) {
	suites := x.first.Col.Untrusted()
	if len(suites) == 0 {
		return
	}
	if left, ok := x.first.timeLeft(leastFallback); ok && x.err == nil && ctx.Err() == nil {
		req := x.plan.request
		req.Selection.Suites, req.Deadline, req.AllowCached, req.Cover = suites, left, false, false
		composed, err := x.plan.Project.Plugin.TestCmd(ctx, req)
		if err == nil {
			x.run.Commands = append(x.run.Commands, CommandsOf(composed)...)
			x.err = x.first.Execute(ctx, composed.Commands)
		}
	}
	if told := x.first.Col.TellUntrusted(); len(told) > 0 {
		x.run.Warnings = append(x.run.Warnings, api.Note{
			Code: api.NoteCached, Advice: api.Advice{Operation: api.AdviseRerun},
			Text: "from the cache, which proves nothing about outstanding tests: " + prose.Listed(told, len(told), maxPassedOtherwise, prose.Line),
		})
	}
}
