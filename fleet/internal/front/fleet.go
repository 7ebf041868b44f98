package front

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/fleet/internal/source"
	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/fleet/internal/work"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli"
	"github.com/proctorhq/proctor/host/cli/fleetcall"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/workspace"
)

// Main runs the command of the process.
func Main() {
	f := &fleet{}
	cli.MainOf(fleetcall.Extension{Run: f.run, Flags: f.bindRun, Commands: f.commands})
}

// fleet holds the flags that say where and how to run.
type fleet struct {
	server, store  string
	shards, remote string
	attach         string
	silence        time.Duration
	// namespace is the server's, once connected.
	namespace string
}

// variableStore names the store where no flag does. The server is TEMPORAL_ADDRESS, with
// Temporal's other variables for namespaces, certificates and keys.
const variableStore = "PROCTOR_FLEET_STORE"

// bindConnection declares the flags that all commands of a fleet share.
func (f *fleet) bindConnection(set *pflag.FlagSet) {
	set.StringVar(&f.server, "server", "", "the Temporal server, as `HOST:PORT` (default: TEMPORAL_ADDRESS, or proctor-fleet dev on this machine)")
	set.StringVar(&f.store, "store", "", "where the machines exchange sources and results: a `DIR` that all can see, or s3://ENDPOINT/BUCKET (default: "+variableStore+", or proctor-fleet dev's)")
}

func (f *fleet) bindRun(set *pflag.FlagSet) {
	f.bindConnection(set)
	set.StringVar(&f.shards, "shards", "auto", "divide into `N` equal parts; auto makes many, large ones first, to suit the slots available")
	set.StringVar(&f.remote, "remote", "", "fetch the sources from this `URL` (default: the remote origin, or the repository itself if the server is on this machine)")
	set.StringVar(&f.attach, "attach", "", "follow a `RUN` that was left running, and merge its results")
	set.DurationVar(&f.silence, "silence", 10*time.Second, "hand a machine's part to another when nothing was heard from it for `TIME`")
}

// home is where proctor-fleet dev keeps its data.
func home(k *ledger.Keeper) string { return filepath.Join(k.Cfg.StateHome, "fleet") }

// connect connects to the server and opens the store. If the user has named the server, a run
// waits for it.
func (f *fleet) connect(ctx context.Context, k *ledger.Keeper, identity string, waits bool) (client.Client, store.Store, error) {
	getenv := func(name string) string { return workspace.Getenv(k.Cfg.Env, name) }
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, nil, fmt.Errorf("the settings of Temporal: %w", err)
	}
	waits = waits && cmp.Or(f.server, options.HostPort) != ""
	options.HostPort = cmp.Or(f.server, options.HostPort, defaultServer)
	options.Namespace = cmp.Or(options.Namespace, defaultNamespace)
	options.Identity, options.Logger = identity, silent{}
	s, err := store.Open(ctx, cmp.Or(f.store, getenv(variableStore), filepath.Join(home(k), "store")), getenv)
	if err != nil {
		return nil, nil, &api.UsageError{Reason: err.Error()}
	}
	var c client.Client
	dial := func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, dialLimit)
		defer cancel()
		c, err = client.DialContext(ctx, options)
		return err
	}
	if waits {
		err = outlast(ctx, func(text string) { k.Cfg.Notice(options.HostPort + ": " + text) }, dial)
	} else {
		err = dial(ctx)
	}
	if err != nil {
		return nil, nil, &serverError{address: options.HostPort, err: err}
	}
	dialing, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	// A server without it would answer so only later; any other error is left to who meets it.
	var none *serviceerror.NamespaceNotFound
	if _, err := c.WorkflowService().DescribeNamespace(dialing, &workflowservice.DescribeNamespaceRequest{Namespace: options.Namespace}); errors.As(err, &none) {
		c.Close()
		return nil, nil, &api.UsageError{
			Reason: fmt.Sprintf("the Temporal server at %s has no namespace %s", options.HostPort, options.Namespace),
			Fix:    "create it (temporal operator namespace create " + options.Namespace + "), or name another by TEMPORAL_NAMESPACE",
		}
	}
	f.server, f.namespace = options.HostPort, options.Namespace
	return c, s, nil
}

const (
	defaultNamespace = "default"
	// dialLimit is how long a server may take to answer.
	dialLimit = 10 * time.Second
)

var defaultServer = net.JoinHostPort("127.0.0.1", fmt.Sprint(defaultPort))

// serverError reports that no server answers.
type serverError struct {
	address string
	err     error
}

func (e *serverError) Error() string {
	return fmt.Sprintf("no Temporal server answers at %s: start one here with `proctor-fleet dev`, or name yours with --server", e.address)
}

func (e *serverError) Unwrap() error  { return e.err }
func (e *serverError) Detail() string { return e.err.Error() }

// run runs tests on the fleet. The first listener shows progress.
func (f *fleet) run(ctx context.Context, k *ledger.Keeper, req api.RunRequest, listeners ...api.Listener) ([]api.Run, error) {
	if req.Shard != "" || req.Attempt != 0 {
		return nil, &api.UsageError{Reason: "a fleet runs all parts, so --shard and --attempt have no meaning", Fix: "leave them out"}
	}
	if req.IsByChange() {
		return nil, &api.UsageError{Reason: "a fleet cannot select tests by changes", Fix: "run --affected here, or everything on the fleet"}
	}
	if f.silence < work.LeastSilence {
		return nil, &api.UsageError{Reason: fmt.Sprintf("--silence %v is too short: machines that are alive would count as dead", f.silence), Fix: fmt.Sprintf("give at least %v", work.LeastSilence)}
	}
	c, s, err := f.connect(ctx, k, "proctor-fleet run", true)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	presses := watchInterrupts(ctx)
	var j job.Job
	if f.attach != "" {
		if j, err = job.Load(ctx, s, f.attach, k.Cfg.Version); err != nil {
			return nil, &api.UsageError{Reason: err.Error()}
		}
	} else if j, err = f.plan(ctx, k, c, s, req); err != nil {
		return nil, err
	}
	if err := f.startWorkflow(ctx, c, j, k.Cfg.Notice); err != nil {
		return nil, err
	}
	follower := follower{fleet: f, job: j, client: c, store: s, live: listeners[0], notice: k.Cfg.Notice, presses: presses}
	if err := follower.run(ctx); err != nil {
		return nil, err
	}
	return mergeReports(ctx, k, s, j, follower.took, req.Where, listeners[1:])
}

// plan plans a run, and stores what its machines need.
func (f *fleet) plan(ctx context.Context, k *ledger.Keeper, c client.Client, s store.Store, req api.RunRequest) (j job.Job, err error) {
	slots, err := countSlots(ctx, k.Cfg.Notice, func(ctx context.Context) ([]string, error) { return work.Workers(ctx, c, f.namespace) })
	if err != nil {
		return j, err
	}
	split, err := f.splitter(slots)
	if err != nil {
		return j, err
	}
	if req.Timings == "" {
		remove, err := useRecordedTimings(ctx, k, &req)
		if err != nil {
			return j, err
		}
		defer remove()
	}
	divisions, err := engine.Divide(ctx, k, req, split)
	if err != nil {
		return j, err
	}
	parts := 0
	for _, d := range divisions {
		parts += len(d.Parts)
	}
	if parts > work.MaxBatches {
		return j, &api.UsageError{Reason: fmt.Sprintf("%d parts in %d languages are more than the %d of a run on a fleet", parts, len(divisions), work.MaxBatches), Fix: "give fewer --shards, or run each language by itself with --lang"}
	}
	dir, err := filepath.Abs(req.Where.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return j, err
	}
	git, err := workspace.FindTool("git", k.Cfg.Env)
	if err != nil {
		return j, err
	}
	id := ledger.NewRunID()
	tree, err := source.Capture(ctx, source.Config{
		Git: git, Env: k.Cfg.Env, Dir: dir, Remote: f.remote, Local: isHere(f.server) && f.remote == "",
		Put: func(ctx context.Context, pack []byte) (string, error) {
			return store.PutSum(ctx, s, job.SourcesPrefix(id), pack)
		},
	})
	if err != nil {
		return j, err
	}
	j = job.Job{ID: id, Version: k.Cfg.Version, Request: req, Divisions: divisions, Sources: tree, Workspace: dir, Slots: slots}
	j.Request.Timings = ""
	return j, j.Save(ctx, s)
}

// startWorkflow starts the run's workflow unless the engine knows it already. A run that was
// never started, or that the engine has forgotten, continues from what is stored.
//
// An answer may be lost after the server has taken the run, so it is asked again: by its id the
// run starts only once.
func (f *fleet) startWorkflow(ctx context.Context, c client.Client, j job.Job, notice func(string)) error {
	err := outlast(ctx, notice, func(ctx context.Context) error {
		_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: workflowID(j.ID), TaskQueue: work.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true,
			WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		}, work.Name, work.Input{Job: j.ID, Batches: len(j.Batches()), Window: min(2*j.Slots, work.MaxWindow), Silence: f.silence})
		return err
	})
	var known *serviceerror.WorkflowExecutionAlreadyStarted
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("the Temporal server did not say that it took the run, which may go on there: %w; once it answers: proctor run --fleet --attach %s", err, j.ID)
	}
	return nil
}

// outlast calls the server again and again while it does not answer, as when it or its
// database is restarted, until the outage is too long. The user is told once.
func outlast(ctx context.Context, notice func(string), call func(context.Context) error) error {
	told := false
	for began := time.Now(); ; {
		err := call(ctx)
		if !isOutage(err) || ctx.Err() != nil || time.Since(began) >= outageLimit {
			return err
		}
		if !told {
			told = true
			notice(fmt.Sprintf("the Temporal server does not answer; waiting for it, for up to %v (%s)", outageLimit, prose.Line(err.Error())))
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
		}
	}
}

// outageLimit is how long a server and its database may take to restart while a run begins.
const outageLimit = time.Minute

// isOutage reports whether a server that gave this error may soon give another answer. Without
// its database, it says that there is no namespace, which is known to exist by then.
func isOutage(err error) bool {
	var unread *serviceerror.NamespaceNotFound
	var away *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	var busy *serviceerror.ResourceExhausted
	return errors.As(err, &unread) || errors.As(err, &away) || errors.As(err, &late) || errors.As(err, &busy) || errors.Is(err, context.DeadlineExceeded)
}

// workflowID is the id of a run's workflow.
func workflowID(job string) string { return "proctor-run-" + job }

// isHere reports whether a server is on this machine, which means that its workers are, too.
func isHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// countSlots counts the slots of the workers that are alive. It waits a while for the
// first, which may just be starting, and for a server that is restarted, which then has
// to hear from the workers again.
func countSlots(ctx context.Context, notice func(string), ask func(context.Context) (workers []string, err error)) (int, error) {
	heard := time.Now()
	for {
		var workers []string
		err := outlast(ctx, notice, func(ctx context.Context) (err error) {
			ctx, cancel := context.WithTimeout(ctx, dialLimit)
			defer cancel()
			if workers, err = ask(ctx); isOutage(err) {
				heard = time.Now()
			}
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("the workers cannot be counted: %w", err)
		}
		slots := 0
		for _, id := range workers {
			slots += work.SlotsOf(id)
		}
		if slots > 0 {
			return slots, nil
		}
		if time.Since(heard) >= firstWorkerLimit {
			return 0, &api.UsageError{Reason: "no workers are running", Fix: "start some with `proctor-fleet worker`, or a server with workers here with `proctor-fleet dev`"}
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// firstWorkerLimit is how long a run waits for a worker while the server answers.
const firstWorkerLimit = 10 * time.Second

// splitter returns the function that divides as --shards says.
func (f *fleet) splitter(slots int) (engine.Splitter, error) {
	if f.shards == "auto" {
		return func(suites []shard.Suite, t shard.Timings) [][]shard.Piece { return shard.Guided(suites, slots, t) }, nil
	}
	_, n, err := api.ParseShard("1/" + f.shards)
	if err != nil {
		return nil, &api.UsageError{Reason: fmt.Sprintf("--shards %q is not a number of parts", f.shards), Fix: fmt.Sprintf("give auto, or 1 to %d", api.MaxShards)}
	}
	return func(suites []shard.Suite, t shard.Timings) [][]shard.Piece { return shard.Split(suites, n, t) }, nil
}

// useRecordedTimings has the request use the durations on record here, if there are any.
func useRecordedTimings(ctx context.Context, k *ledger.Keeper, req *api.RunRequest) (remove func(), err error) {
	timings, err := query.Timings(ctx, k, api.TimingsRequest{Where: req.Where, Runs: api.DefaultTimedRuns})
	var none *api.UsageError
	if errors.As(err, &none) {
		return func() {}, nil
	}
	raw, merr := json.Marshal(timings)
	if err = errors.Join(err, merr); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "proctor-timings-*.json")
	if err != nil {
		return nil, err
	}
	_, err = file.Write(raw)
	req.Timings = file.Name()
	return func() { _ = os.Remove(file.Name()) }, errors.Join(err, file.Close())
}

// silent logs nothing.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
