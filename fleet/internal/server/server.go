package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// Server is a running server.
type Server struct {
	server  temporal.Server
	Address string
	// release lets another server use the directory.
	release func()
}

// InUseError reports that a server runs in a directory already.
type InUseError struct {
	Dir string
	// Process runs it, and Address is where it listens; empty if unknown.
	Process int
	Address string
}

func (e *InUseError) Error() string {
	if e.Address == "" {
		return fmt.Sprintf("another proctor-fleet dev is using %s: stop it, or name another directory by XDG_STATE_HOME", e.Dir)
	}
	return fmt.Sprintf("process %d, a proctor-fleet dev at %s, is using %s: run tests there, and add slots with `proctor-fleet worker --server %s`; or stop it, or name another directory by XDG_STATE_HOME",
		e.Process, e.Address, e.Dir, e.Address)
}

// localhost is where everything listens: the server authenticates nobody.
const localhost = "127.0.0.1"

// services is how many there are. Their ports start with the frontend's; their membership
// ports come after, unused because the hosts are given.
const services = 4

// MaxPort is the highest that leaves room for the others.
const MaxPort = 1<<16 - 2*services

// Start starts a server that keeps its state in a directory and listens on a port and the
// seven after it.
//
// The ports are the same at each start and the services' hosts are given, not discovered: a
// server that was killed would otherwise look for its earlier self for a minute.
func Start(ctx context.Context, dir string, port int, namespace string) (_ *Server, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the Temporal server has no directory: %w", err)
	}
	release, err := take(dir, port)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	if err := checkPorts(port); err != nil {
		return nil, err
	}
	cfg := Configure(&config.SQL{
		PluginName: sqlite.PluginName, DatabaseName: filepath.Join(dir, "temporal.db"),
		// A killed server must find everything it acknowledged.
		ConnectAttributes: map[string]string{"mode": "rwc", "_journal_mode": "wal", "_synchronous": "2"},
	}, port)
	if err := prepare(cfg, namespace); err != nil {
		return nil, err
	}
	s, err := Launch(cfg)
	if err != nil {
		return nil, err
	}
	address := cfg.PublicClient.HostPort
	if err := WaitReady(ctx, address, namespace); err != nil {
		return nil, errors.Join(err, s.Stop()) // before another may have the directory
	}
	return &Server{server: s, Address: address, release: release}, nil
}

// Launch starts the services of a server on a prepared database. They are not ready yet.
func Launch(cfg *config.Config) (temporal.Server, error) {
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, s := range cfg.Services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(net.JoinHostPort(localhost, strconv.Itoa(s.RPC.GRPCPort)))
	}
	s, err := temporal.NewServer(
		temporal.WithConfig(cfg), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts),
		temporal.WithLogger(log.NewNoopLogger()), temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): true,
			// With more partitions, parts of a run overtake each other: the longest must not come late.
			dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
			dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
		}),
	)
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("the Temporal server did not start: %w", err)
	}
	return s, nil
}

// Stop stops the server.
func (s *Server) Stop() error {
	defer s.release()
	return s.server.Stop()
}

// take takes a directory for this process: two servers in one database would spoil it.
func take(dir string, port int) (release func(), err error) {
	lock, about := flock.New(filepath.Join(dir, "lock")), filepath.Join(dir, "holder")
	taken, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the directory of the Temporal server: %w", err)
	}
	if !taken {
		return nil, readHolder(dir, about)
	}
	text := fmt.Sprintf(holderFormat, os.Getpid(), port)
	if err := os.WriteFile(about, []byte(text), 0o600); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return func() { _ = os.Remove(about); _ = lock.Unlock() }, nil
}

// holderFormat is what a process writes beside the lock of its directory: its number and its
// port.
const holderFormat = "%d " + localhost + ":%d\n"

// readHolder reads who holds a directory. Anybody may have written the file, and part of
// it is shown as a command, so only its numbers are taken.
func readHolder(dir, about string) *InUseError {
	e := &InUseError{Dir: dir}
	f, err := os.Open(about)
	if err != nil {
		return e
	}
	defer f.Close()
	var process uint32
	var port uint16
	if n, _ := fmt.Fscanf(io.LimitReader(f, 64), holderFormat, &process, &port); n == 2 {
		e.Process, e.Address = int(process), net.JoinHostPort(localhost, strconv.Itoa(int(port)))
	}
	return e
}

// checkPorts reports a port in use by number; the server would merely fail to start.
func checkPorts(port int) error {
	for p := port; p < port+2*services; p++ {
		l, err := net.Listen("tcp", net.JoinHostPort(localhost, strconv.Itoa(p)))
		if err != nil {
			return fmt.Errorf("port %d is not free (%w); the server needs %d to %d: give another with --port", p, err, port, port+2*services-1)
		}
		_ = l.Close()
	}
	return nil
}

// Configure returns the configuration of a server in one process on a database.
func Configure(sql *config.SQL, port int) *config.Config {
	cfg := &config.Config{
		Global: config.Global{Membership: config.Membership{MaxJoinDuration: startLimit / 2, BroadcastAddress: localhost}},
		Persistence: config.Persistence{
			DefaultStore: sql.PluginName, VisibilityStore: sql.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sql.PluginName: {SQL: sql}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
			ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: net.JoinHostPort(localhost, strconv.Itoa(port))},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            map[string]config.Service{},
		Archival:            config.Archival{History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"}},
		PublicClient:        config.PublicClient{HostPort: net.JoinHostPort(localhost, strconv.Itoa(port))},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}
	for i, name := range []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		cfg.Services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: port + i, MembershipPort: port + services + i, BindOnIP: localhost}}
	}
	return cfg
}

// startLimit is how long the services may take to start: a busy machine needs more than
// Temporal's 15 s. It allows twice as long as services look for each other, which ours do not.
const startLimit = 2 * time.Minute

// prepare creates the schema and the namespace if they do not exist.
func prepare(cfg *config.Config, namespace string) error {
	sql := cfg.Persistence.DataStores[sqlite.PluginName].SQL
	if _, err := os.Stat(sql.DatabaseName); errors.Is(err, fs.ErrNotExist) {
		// Renamed once whole: nothing repairs a file without a schema.
		making := *sql
		making.DatabaseName += ".new"
		_ = os.Remove(making.DatabaseName)
		if err := schema.SetupSchema(&making); err != nil {
			return fmt.Errorf("the database of the Temporal server: %w", err)
		}
		if err := os.Rename(making.DatabaseName, sql.DatabaseName); err != nil {
			return err
		}
	}
	ns, err := schema.NewNamespaceConfig(cfg.ClusterMetadata.CurrentClusterName, namespace, false, nil)
	if err == nil {
		err = schema.CreateNamespaces(sql, ns)
	}
	if err != nil {
		return fmt.Errorf("the namespace of the Temporal server: %w", err)
	}
	return nil
}

// readyPoll is how often a starting server is asked whether it is ready.
const readyPoll = 100 * time.Millisecond

// WaitReady waits until a server works. Its port answers earlier, so the questions are ones
// that need all of its services.
func WaitReady(ctx context.Context, address, namespace string) error {
	c, err := client.NewLazyClient(client.Options{HostPort: address, Namespace: namespace, Logger: silent{}})
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		asking, cancel := context.WithTimeout(ctx, time.Second)
		_, err := c.WorkflowService().DescribeTaskQueue(asking, &workflowservice.DescribeTaskQueueRequest{
			Namespace: namespace, TaskQueue: &taskqueue.TaskQueue{Name: "ready"}, TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
		})
		if err == nil {
			_, err = c.WorkflowService().ListWorkflowExecutions(asking, &workflowservice.ListWorkflowExecutionsRequest{Namespace: namespace, PageSize: 1})
		}
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the Temporal server at %s is not ready: %w", address, err)
		case <-time.After(readyPoll):
		}
	}
}

// silent logs nothing.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
