package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/upload"
)

// selection are the arguments that say which tests are meant.
type selection struct {
	Language      string   `json:"language,omitempty"`
	Packages      []string `json:"packages,omitempty"`
	MatchPath     string   `json:"match_path,omitempty"`
	MatchContract string   `json:"match_contract,omitempty"`
	Filter        string   `json:"filter,omitempty"`
}

// selectionParams are the parameters of a selection.
func selectionParams() []param {
	return []param{
		languageParam(),
		{name: "packages", kind: "array", description: "Package patterns (Go). Default ./..."},
		{name: "match_path", kind: "string", description: "Test file glob (Foundry)."},
		{name: "match_contract", kind: "string", description: "Contract name regex (Foundry)."},
		{name: "filter", kind: "string", description: "Test name regex."},
	}
}

// languages is the language that is meant, as the facade wants it.
func (s selection) languages() []string { return languages(s.Language) }

func languages(language string) []string {
	if language == "" {
		return nil
	}
	return []string{language}
}

func languageParam() param {
	return param{name: "language", kind: "string", description: "Needed if several are detected."}
}

func workspaceParam() param {
	return param{name: "workspace", kind: "string", description: "Default: the server's."}
}

// lastWorkspaceParam is that of a tool that is about a run.
func lastWorkspaceParam() param {
	return param{name: "workspace", kind: "string", description: "Default: the last run's."}
}

func timeoutParam() param {
	return param{name: "timeout", kind: "number", standard: int(api.DefaultTimeout.Seconds()), description: "Seconds until the run is killed (exit 124). Max 1800."}
}

func waitParam() param {
	return param{name: "wait", kind: "number", description: "Answer after so many seconds, running or not; then get_run. Default: wait to the end."}
}

func outputParam() param {
	return param{name: "output", kind: "string", enum: []string{"summary", "raw"}, description: "raw: the runner's own output."}
}

// likeRunTests are parameters that mean what they mean there: a definition is read
// in every conversation, needed or not.
func likeRunTests(params ...param) []param {
	for i := range params {
		params[i].description, params[i].standard = "As in run_tests.", nil
	}
	return params
}

type runTestsArgs struct {
	selection
	Affected   string            `json:"affected,omitempty"`
	EVMVersion string            `json:"evm_version,omitempty"`
	Sources    map[string]string `json:"sources,omitempty"`
	Precise    bool              `json:"precise,omitempty"`
	Timeout    number            `json:"timeout"`
	Wait       *number           `json:"wait"`
	Output     string            `json:"output"`
	Workspace  string            `json:"workspace"`
}

func runTests() tool {
	return tool{
		name: "run_tests", hints: runs, always: true,
		description: "Run the tests: always executes, never cached. Gives the verdict and the first failures; last_test_failures has all. " +
			"Narrow with affected/packages/filter while iterating; finish with a run of everything. The run of a call that is cut off goes on: get_run within 5 minutes.",
		params: append(selectionParams(),
			param{name: "affected", kind: "string", description: "Git revision, as HEAD: run what changes since then can break."},
			param{name: "evm_version", kind: "string", description: "Foundry."},
			param{name: "sources", kind: "object", description: "Foundry: run these files {path: content} in a sandbox instead."},
			param{name: "precise", kind: "boolean", description: "Foundry: find the failing lines by a second run."},
			timeoutParam(), waitParam(), outputParam(), workspaceParam(),
		),
		handle: take(handleRunTests),
	}
}

func handleRunTests(ctx context.Context, c *call, args runTestsArgs) (answer, error) {
	if args.Sources != nil && args.Affected != "" {
		return answer{}, &argumentError{"run_tests: sources have no revision that they changed since. Leave out affected, or sources."}
	}
	where, err := c.where(ctx, args.Workspace)
	if args.Sources != nil && args.Workspace == "" {
		where, err = c.around(where, err)
	}
	if err != nil {
		return answer{}, err
	}
	c.names(args.Workspace)
	req := api.RunRequest{
		Where: where, Languages: args.languages(), OneLanguage: true, RunID: ledger.NewRunID(),
		Packages: args.Packages, MatchPath: args.MatchPath, MatchContract: args.MatchContract, Filter: args.Filter,
		Affected: args.Affected, EVMVersion: args.EVMVersion, Precise: args.Precise, Timeout: args.Timeout.seconds(),
	}
	do := c.session.run(req)
	if args.Sources != nil {
		do = c.session.runSources(req, args.Sources)
	}
	// The same tests again are the same run, however long the call wants to wait.
	same := args
	same.Timeout, same.Wait, same.Output, same.Workspace = 0, nil, "", ""
	t := task{id: req.RunID, tool: "run_tests", where: where, args: same, timeout: api.ClampTimeout(req.Timeout), tests: true}
	return c.start(ctx, t, do, args.Wait, args.Output)
}

// around is where an upload looks for a project whose dependencies it may use. It
// needs none, unless somebody names one. A limit to some directories holds for it,
// too.
func (c *call) around(where api.Where, err error) (api.Where, error) {
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

// run is the work of a run.
func (s *session) run(req api.RunRequest) work {
	return func(ctx context.Context, l api.Listener) (outcome, error) {
		runs, err := engine.Run(ctx, s.host, req, l)
		if len(runs) == 0 {
			return outcome{}, err
		}
		return outcome{run: &runs[0]}, nil
	}
}

// runSources is the work of a run of sources that came with the call. Nothing of it
// is on record: its output is kept with the job.
func (s *session) runSources(req api.RunRequest, files map[string]string) work {
	return func(ctx context.Context, l api.Listener) (o outcome, err error) {
		up, err := upload.RunUpload(ctx, s.host, api.UploadRequest{RunRequest: req, Files: files}, l)
		defer func() {
			if cerr := up.Close(context.WithoutCancel(ctx)); err == nil {
				err = cerr
			}
		}()
		if len(up.Runs) == 0 {
			return outcome{}, err
		}
		o.run = &up.Runs[0]
		raw, err := up.Raw(context.WithoutCancel(ctx), *o.run)
		if err == nil {
			o.raw = &raw
		}
		return o, err
	}
}

// start starts a job, or joins the one that is doing the same already, waits for it
// as the call wants, and says what became of it.
func (c *call) start(ctx context.Context, t task, do work, wait *number, output string) (answer, error) {
	j, note, err := c.joined(ctx, t, do)
	if err != nil {
		return answer{}, err
	}
	var limit *time.Duration
	if wait != nil {
		d := api.ClampTimeout(wait.seconds())
		if wait.seconds() <= 0 {
			d = 0
		}
		limit = &d
	}
	if _, err := j.follow(ctx, c, limit); err != nil {
		return answer{}, err
	}
	if limit != nil {
		j.keep()
	}
	ctx = context.WithoutCancel(ctx) // what became of it is told in any case
	a, err := c.ofJob(ctx, j, output, false)
	if note != "" && err == nil {
		a.add(note)
	}
	return a, err
}

// joined is the job that does a task: one that is doing the same already, if its run
// shows what a new one would, or a new one, which waits until that has ended. The
// note says which.
func (c *call) joined(ctx context.Context, t task, do work) (j *job, note string, err error) {
	var passed []*job
	for {
		j, attached := c.session.desk.start(t, do, passed)
		if !attached {
			return j, note, nil
		}
		ok, why := j.serves(ctx, t.timeout)
		switch {
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		case ok:
			note = "this is run " + j.id + ", which the same call had begun " + ago(j.begun) + " ago"
			if t.timeout != j.timeout {
				note += ", with its time-out of " + inSeconds(j.timeout)
			}
			return j, note, nil
		}
		note = "run " + j.id + ", which the same call had begun " + ago(j.begun) + " ago, " + why + ": this is run " + t.id + ", which follows it"
		passed = append(passed, j)
	}
}
