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
	"go.temporal.io/api/taskqueue/v1"
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
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/workspace"
)

// Main runs the command of the process.
func Main() {
	f := &fleet{}
	cli.MainOf(fleetcall.Extension{Run: f.run, Flags: f.bindRun, Commands: f.commands})
}

// fleet is where runs go.
type fleet struct {
	// The flags: the server and the store, how to divide, what to fetch from, and which run
	// to follow.
	server, store  string
	shards, remote string
	attach         string
	silence        time.Duration
	// namespace is that of the server, once it is connected.
	namespace string
}

// variableStore names the store where no flag does. The server is TEMPORAL_ADDRESS, with
// Temporal's other variables for namespaces, certificates and keys.
const variableStore = "PROCTOR_FLEET_STORE"

// bindPlace declares the flags of every command that is part of a fleet.
func (f *fleet) bindPlace(set *pflag.FlagSet) {
	set.StringVar(&f.server, "server", "", "the Temporal server, as `HOST:PORT` (default: TEMPORAL_ADDRESS, or that of proctor-fleet dev here)")
	set.StringVar(&f.store, "store", "", "where the machines exchange sources and results: a `DIR` that all see, or s3://ENDPOINT/BUCKET (default: "+variableStore+", or that of proctor-fleet dev here)")
}

func (f *fleet) bindRun(set *pflag.FlagSet) {
	f.bindPlace(set)
	set.StringVar(&f.shards, "shards", "auto", "divide into `N` equal parts; auto is many, large ones first, for the slots that there are")
	set.StringVar(&f.remote, "remote", "", "fetch the sources from this `URL` (default: the remote origin, or with a server here the repository itself)")
	set.StringVar(&f.attach, "attach", "", "follow a `RUN` that goes on without its terminal, and merge it")
	set.DurationVar(&f.silence, "silence", 10*time.Second, "hand out again what a machine runs that was not heard for this `TIME`")
}

// home is where proctor-fleet dev keeps its things.
func home(h *ledger.Keeper) string { return filepath.Join(h.Cfg.StateHome, "fleet") }

// connect connects to the server and opens the store.
func (f *fleet) connect(ctx context.Context, h *ledger.Keeper, identity string) (client.Client, store.Store, error) {
	getenv := func(name string) string { return workspace.Getenv(h.Cfg.Env, name) }
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, nil, fmt.Errorf("the settings of Temporal: %w", err)
	}
	options.HostPort = cmp.Or(f.server, options.HostPort, defaultServer)
	options.Namespace = cmp.Or(options.Namespace, defaultNamespace)
	options.Identity, options.Logger = identity, silent{}
	s, err := store.Open(ctx, cmp.Or(f.store, getenv(variableStore), filepath.Join(home(h), "store")), getenv)
	if err != nil {
		return nil, nil, &api.UsageError{Reason: err.Error()}
	}
	dialing, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	c, err := client.DialContext(dialing, options)
	if err != nil {
		return nil, nil, &serverError{address: options.HostPort, err: err}
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

// run runs tests on the fleet. The first listener shows what happens on the way.
func (f *fleet) run(ctx context.Context, h *ledger.Keeper, req api.RunRequest, listeners ...api.Listener) ([]api.Run, error) {
	if req.Shard != "" || req.Attempt != 0 {
		return nil, &api.UsageError{Reason: "a fleet runs all parts, so --shard and --attempt have no meaning", Fix: "leave them out"}
	}
	if req.IsByChange() {
		return nil, &api.UsageError{Reason: "a fleet cannot select tests by changes", Fix: "run --affected here, or everything on the fleet"}
	}
	c, s, err := f.connect(ctx, h, "proctor-fleet run")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	presses := watchInterrupts(ctx)
	var j job.Job
	if f.attach != "" {
		if j, err = job.Load(ctx, s, f.attach); err != nil {
			return nil, &api.UsageError{Reason: err.Error()}
		}
	} else if j, err = f.plan(ctx, h, c, s, req); err != nil {
		return nil, err
	}
	if err := f.begin(ctx, c, j); err != nil {
		return nil, err
	}
	follower := follow{fleet: f, job: j, client: c, store: s, live: listeners[0], notice: h.Cfg.Notice, presses: presses}
	if err := follower.run(ctx); err != nil {
		return nil, err
	}
	return merged(ctx, h, s, j, req.Where, listeners[1:])
}

// plan plans a run, and stores what its machines need.
func (f *fleet) plan(ctx context.Context, h *ledger.Keeper, c client.Client, s store.Store, req api.RunRequest) (j job.Job, err error) {
	slots, err := f.countSlots(ctx, c)
	if err != nil {
		return j, err
	}
	split, err := f.splitter(slots)
	if err != nil {
		return j, err
	}
	if req.Timings == "" {
		remove, err := recordedTimings(ctx, h, &req)
		if err != nil {
			return j, err
		}
		defer remove()
	}
	divisions, err := engine.Divide(ctx, h, req, split)
	if err != nil {
		return j, err
	}
	dir, err := filepath.Abs(req.Where.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return j, err
	}
	git, err := workspace.FindTool("git", h.Cfg.Env)
	if err != nil {
		return j, err
	}
	tree, err := source.Capture(ctx, source.Config{
		Git: git, Env: h.Cfg.Env, Dir: dir, Remote: f.remote, Local: isHere(f.server),
		Put: func(ctx context.Context, pack []byte) (string, error) { return store.PutSum(ctx, s, pack) },
	})
	if err != nil {
		return j, err
	}
	j = job.Job{ID: ledger.NewRunID(), Request: req, Divisions: divisions, Sources: tree, Workspace: dir, Slots: slots}
	j.Request.Timings = ""
	return j, j.Save(ctx, s)
}

// begin has the engine run a run, unless it does or did: one that nobody started, or that
// the engine has forgotten, goes on from what is stored.
func (f *fleet) begin(ctx context.Context, c client.Client, j job.Job) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: workflowID(j.ID), TaskQueue: work.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
	}, work.Name, work.Input{Job: j.ID, Batches: len(j.Batches()), Window: 2 * j.Slots, Silence: f.silence})
	var began *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &began) {
		return nil
	}
	return err
}

// workflowID is the id of a run's workflow.
func workflowID(job string) string { return "proctor-run-" + job }

// isHere reports whether a server is on this machine, so that its workers are, too.
func isHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// countSlots counts the slots of the workers that ask for work, and waits a while for the
// first: it may just have started.
func (f *fleet) countSlots(ctx context.Context, c client.Client) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, firstWorker)
	defer cancel()
	for {
		answer, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
			Namespace: f.namespace, TaskQueue: &taskqueue.TaskQueue{Name: work.Queue}, TaskQueueType: enums.TASK_QUEUE_TYPE_ACTIVITY,
		})
		if err != nil && ctx.Err() == nil {
			return 0, fmt.Errorf("the workers cannot be counted: %w", err)
		}
		slots := 0
		seen := map[string]bool{}
		for _, p := range answer.GetPollers() {
			if recent := time.Since(p.GetLastAccessTime().AsTime()) < askedWithin; recent && !seen[p.GetIdentity()] {
				seen[p.GetIdentity()] = true
				slots += work.SlotsOf(p.GetIdentity())
			}
		}
		if slots > 0 {
			return slots, nil
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return 0, &api.UsageError{Reason: "no worker asks for work", Fix: "start some with `proctor-fleet worker`, or a server with workers here with `proctor-fleet dev`"}
		}
	}
}

// firstWorker is how long a run waits for a worker.
const firstWorker = 10 * time.Second

// askedWithin is when a worker has asked that lives: it asks once a minute at least.
const askedWithin = 90 * time.Second

// splitter returns how --shards divides.
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

// recordedTimings has the request use the durations on record here, if there are any.
func recordedTimings(ctx context.Context, h *ledger.Keeper, req *api.RunRequest) (remove func(), err error) {
	timings, err := query.Timings(ctx, h, api.TimingsRequest{Where: req.Where, Runs: api.DefaultTimedRuns})
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
