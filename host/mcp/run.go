package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/tasks"
	"github.com/proctorhq/proctor/host/repeat"
	"github.com/proctorhq/proctor/host/upload"
)

type runTestsArgs struct {
	api.UploadRequest
	answering
	placing
}

func (a *runTestsArgs) Params() []api.Param {
	return append(a.UploadRequest.Params(), a.waitParam(), a.outputParam(), a.serverPlace())
}

func runTests() tool {
	return tool{
		name: "run_tests", hints: runs, long: true, always: true,
		description: "Run the tests. Gives the verdict and first failures with sources; last_test_failures the rest. " +
			"Narrow with affected/packages/filter while iterating; finish with everything. If a call is cut off, its run goes on: get_run within 5 minutes.",
		action: take(handleRunTests),
	}
}

func handleRunTests(ctx context.Context, c *call, args runTestsArgs) (answer, error) {
	if args.Files != nil && args.Affected != "" {
		return answer{}, &arguments.Error{Reason: "run_tests: sources have no revision to compare them with. Leave out affected, or sources."}
	}
	if args.Files != nil && args.Repeat > 1 {
		return answer{}, &arguments.Error{Reason: "run_tests: a run of sources is not repeated. Leave out repeat, or sources."}
	}
	where, packages, note, err := findTested(ctx, c, args)
	if err != nil {
		return answer{}, err
	}
	args.Packages = packages
	c.session.hearOf(args.Workspace)
	if args.Cached == nil {
		args.Cached = new(bool) // an agent that verifies its edit wants evidence
	}
	args.OnlyHarmless = true
	args.Check = args.Repeat <= 1 // the next runs would say the same
	args.Where, args.OneLanguage, args.RunID, args.Timeout = where, true, ledger.NewRunID(), api.ClampTimeout(args.Timeout)
	do := c.session.runWork(args.RunRequest)
	if args.Files != nil {
		do = c.session.runSources(args.UploadRequest)
	}
	// The same tests again are the same run, however long the call wants to wait.
	same := args.UploadRequest
	same.Where, same.RunID, same.Timeout = api.Where{}, "", 0
	t := task{id: args.RunID, tool: c.tool, where: where, args: same, timeout: args.Timeout, tests: true}
	a, err := c.startJob(ctx, t, do, args.Wait, args.Output)
	if note != "" && err == nil {
		a.addLine(note)
	}
	return a, err
}

// findTested returns the workspace whose tests a call means, and the packages there.
func findTested(ctx context.Context, c *call, args runTestsArgs) (where api.Where, packages []string, note string, err error) {
	if args.Files == nil {
		return findProject(ctx, c, args.Workspace, args.Packages)
	}
	where, err = c.findWhere(ctx, args.Workspace)
	if args.Workspace == "" {
		where, err = placeAround(c, where, err)
	}
	return where, args.Packages, "", err
}

// placeAround returns where an upload looks for a project whose dependencies it may use.
// Unless the call names one, it needs none. A limit to some directories applies to it,
// too.
func placeAround(c *call, where api.Where, err error) (api.Where, error) {
	at := c.session.server.cfg.Place
	var none *noPlaceError
	switch {
	case len(at.Allowed) > 0:
		return where, err
	case errors.As(err, &none):
		return api.Where{Dir: at.Dir}, nil
	}
	where.Exact = false
	return where, err
}

// runWork is the work of a run.
func (s *session) runWork(req api.RunRequest) work {
	return func(ctx context.Context, l api.Listener) (outcome, error) {
		runs, err := repeat.Run(ctx, s.keeper, req, l)
		if len(runs) == 0 {
			return outcome{}, err
		}
		return outcome{run: &runs[0]}, nil
	}
}

// runSources is the work of a run of sources that came with the call. Nothing of it is
// on record: its output is kept with the job.
func (s *session) runSources(req api.UploadRequest) work {
	return func(ctx context.Context, l api.Listener) (o outcome, err error) {
		up, err := upload.RunUpload(ctx, s.keeper, req, l)
		defer func() {
			if cerr := up.Close(context.WithoutCancel(ctx)); err == nil {
				err = cerr
			}
		}()
		if len(up.Runs) == 0 {
			return outcome{}, err
		}
		o.run = &up.Runs[0]
		// Results that cannot be read do not cost the verdict: an answer says what is missing.
		o.run.Results, _ = up.Results(context.WithoutCancel(ctx), *o.run)
		raw, err := up.Raw(context.WithoutCancel(ctx), *o.run)
		if err == nil {
			o.raw = &raw
		}
		return o, err
	}
}

// startJob starts a job, or joins one that is already doing the same, waits for it as the
// call wants, and returns the outcome.
func (c *call) startJob(ctx context.Context, t task, do work, wait *time.Duration, output string) (answer, error) {
	j, note, err := c.joinJob(ctx, t, do)
	if err != nil {
		return answer{}, err
	}
	var limit *time.Duration
	if _, isTask := tasks.In(ctx); wait != nil && !isTask { // a task is a way to wait
		d := min(max(*wait, 0), api.MaxTimeout)
		limit = &d
	}
	if err := j.await(ctx, c, limit, limit != nil); err != nil {
		return answer{}, err
	}
	ctx = context.WithoutCancel(ctx) // its outcome is reported in any case
	a, err := c.ofJob(ctx, j, output, false)
	if note != "" && err == nil {
		a.addLine(note)
	}
	return a, err
}

// joinJob returns the job for a task, of which the call is a follower: one that is already
// doing the same, if its run shows what a new one would, or a new one, which waits until
// that has ended. The note says which.
func (c *call) joinJob(ctx context.Context, t task, do work) (j *job, note string, err error) {
	var passed []*job
	for {
		j, attached := c.session.jobs.start(t, do, passed)
		if !attached {
			return j, note, nil
		}
		ok, why := j.isCurrent(ctx, t.timeout)
		switch {
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		case ok && j.addFollower():
			note = "this is run " + j.id + ", which the same call started " + ago(j.begun) + " ago"
			if t.timeout != j.timeout {
				note += ", with its time-out of " + inSeconds(j.timeout)
			}
			return j, note, nil
		case ok: // stopped meanwhile, as its last follower wanted
			continue
		}
		note = "run " + j.id + ", which the same call started " + ago(j.begun) + " ago, " + why + ": this is run " + t.id + ", which follows it"
		passed = append(passed, j)
	}
}
