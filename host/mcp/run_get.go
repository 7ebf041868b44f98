package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/query"
)

type getRunArgs struct {
	api.LastRun
	Wait   time.Duration
	Output string
	Offset int
	placing
}

func (a *getRunArgs) Params() []api.Param {
	return append(arguments.Reword(a.LastRun.Params(), "run_id", "Default: the last; also prev, or an id's beginning."),
		api.Param{Value: &a.Wait, Tool: "wait", Default: time.Duration(0), Max: int(api.MaxTimeout.Seconds()), Agent: "Seconds to wait for its end."},
		likeRunTests(outputParam(&a.Output)), api.Param{Value: &a.Offset, Tool: "offset"}, a.runPlace())
}

func getRun() tool {
	return tool{
		name: "get_run", hints: reads,
		description: "State or result of a run, also one running or whose call was cut off.",
		action:      take(handleGetRun),
	}
}

func handleGetRun(ctx context.Context, c *call, args getRunArgs) (answer, error) {
	wait := min(max(args.Wait, 0), api.MaxTimeout)
	c.offset = args.Offset
	if args.Language == "" || args.Ref != "" {
		j, err := c.findJob(ctx, args.Ref, args.Workspace)
		if err != nil {
			return answer{}, err
		}
		if j != nil {
			late := j.hasEnded()
			if err := j.follow(ctx, c, &wait); err != nil {
				return answer{}, err
			}
			a, err := c.ofJob(ctx, j, args.Output, late)
			if line := c.session.jobs.refusalIn(namedDir(args.Workspace, j.where)); err == nil && late && args.Ref == "" && line != "" {
				a.addLine(line)
			}
			return a, err
		}
	}
	where, err := c.whereRun(ctx, args.Workspace, args.Ref)
	if err != nil {
		return answer{}, err
	}
	args.Where = where
	return c.onRecord(ctx, args.LastRun, wait, args.Output)
}

// findJob returns the job of the run that a call means, in the workspace that it names,
// if any; nil if it is not one of this session.
func (c *call) findJob(ctx context.Context, id, workspace string) (*job, error) {
	dir := ""
	if workspace != "" {
		c.session.hearOf(workspace)
		where, err := c.findWhere(ctx, workspace)
		if err != nil {
			return nil, err
		}
		dir = where.Dir
	}
	j, _ := c.session.jobs.find(id, dir)
	return j, nil
}

// onRecord returns the answer about a recorded run: an earlier one, or another
// session's.
func (c *call) onRecord(ctx context.Context, req api.LastRun, wait time.Duration, output string) (answer, error) {
	run, age, err := query.Failures(ctx, c.session.keeper, req, api.MaxFailuresLimit)
	t := runTelling{age: &age}
	if err == nil && run.State == api.StateRunning && wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		begun := run // what is reported meanwhile
		defer c.sendProgress(ctx, func() status { return status{run: &begun, since: begun.StartedAt, foreign: true} })()
		err = ledger.AwaitRun(waiting, c.session.keeper, req.Where, run.RunID)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = nil
		}
		if err == nil {
			t.age = nil
			run, _, err = query.Failures(ctx, c.session.keeper, req, api.MaxFailuresLimit)
		}
	}
	if err != nil {
		return answer{}, err
	}
	t.run = run
	return c.ofRun(ctx, t, output)
}

type cancelRunArgs struct {
	Ref string
	placing
}

func (a *cancelRunArgs) Params() []api.Param {
	return []api.Param{{Value: &a.Ref, Tool: "run_id", Agent: "Default: the newest."}, a.runPlace()}
}

func cancelRun() tool {
	return tool{
		name: "cancel_run", hints: stops,
		description: "Stop a running or queued run of this session. Results are kept.",
		action:      take(handleCancelRun),
	}
}

func handleCancelRun(ctx context.Context, c *call, args cancelRunArgs) (answer, error) {
	j, err := c.findJob(ctx, args.Ref, args.Workspace)
	if err != nil {
		return answer{}, err
	}
	if args.Ref == "" {
		if j, err = c.newestGoing(ctx, j, args.Workspace); err != nil {
			return answer{}, err
		}
		if j != nil && j.hasEnded() {
			j = nil // an old result is no answer to a stop
		}
	}
	if j == nil {
		return c.notOurs(ctx, args)
	}
	return c.stopJob(ctx, j)
}

// newestGoing returns the newest job in progress of any kind, in the workspace that a
// call names, if any; or else the given job.
func (c *call) newestGoing(ctx context.Context, otherwise *job, workspace string) (*job, error) {
	dir := ""
	if workspace != "" {
		where, err := c.findWhere(ctx, workspace)
		if err != nil {
			return nil, err
		}
		dir = where.Dir
	}
	for _, j := range slices.Backward(c.session.jobs.unfinished()) {
		if dir == "" || j.isIn(dir) {
			return j, nil
		}
	}
	return otherwise, nil
}

// stopJob stops a job and returns the outcome.
func (c *call) stopJob(ctx context.Context, j *job) (answer, error) {
	if j.hasEnded() {
		line := "run " + j.id + " had already ended: nothing was stopped"
		a, err := c.ofJob(ctx, j, "", true)
		if err != nil {
			return newSentenceAnswer(line, errorSentence(err)), nil
		}
		a.addLine(line)
		return a, nil
	}
	j.stop(errStopped)
	if err := j.follow(ctx, c, nil); err != nil {
		return answer{}, err
	}
	a, err := c.ofJob(ctx, j, "", false)
	a.failed = false // stopping it was requested
	return a, err
}

// notOurs answers for a run that this session does not run.
func (c *call) notOurs(ctx context.Context, args cancelRunArgs) (answer, error) {
	if args.Ref == "" {
		there := ""
		if args.Workspace != "" {
			there = " there"
		}
		return newSentenceAnswer("no run of this session is running"+there+": nothing was stopped", ""), nil
	}
	where, err := c.whereRun(ctx, args.Workspace, args.Ref)
	if err != nil {
		return answer{}, err
	}
	run, _, err := query.Failures(ctx, c.session.keeper, api.LastRun{Where: where, Ref: args.Ref}, 1)
	if err != nil {
		return answer{}, err
	}
	if j, ok := c.session.jobs.find(run.RunID, ""); ok {
		return c.stopJob(ctx, j) // a prefix of its id does not suffice among the jobs alone
	}
	if run.State == api.StateRunning {
		return answer{}, &api.UsageError{
			Reason: fmt.Sprintf("run %s belongs to session %s", run.RunID, run.SessionID),
			Fix:    "only that session can stop it",
		}
	}
	return newSentenceAnswer(fmt.Sprintf("run %s had already ended: nothing was stopped", run.RunID), ""), nil
}
