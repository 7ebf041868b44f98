package plugin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// startMargin is how much longer go-plugin's own limit is than ours, so that ours is
// the one reported.
const startMargin = 10 * time.Second

// resultWindow is how much of the results may be in flight. It is fixed: looking for
// the best window, grpc-go sends a ping with every message.
const resultWindow = 256 << 10

// launch starts a process, connects to it and asks who it is. The error is one of this
// package, or that of ctx.
func launch(ctx context.Context, config Config, last bool) (*instance, error) {
	if err := config.Candidate.Verify(ctx); err != nil {
		return nil, err
	}
	base, err := runDirBase(config.RunDir)
	if err != nil {
		return nil, err
	}
	prepared := procgroup.Prepare()
	defer prepared.Discard()
	dir, err := newRunDir(ctx, base)
	if err != nil {
		return nil, err
	}
	logger := config.logger()
	i := &instance{config: config, dir: dir, journal: newJournal(logger), last: last}
	i.process = newProcess(config.Candidate, dir, i.journal, prepared)
	i.client = goplugin.NewClient(i.clientConfig(quietLogger{logger}))
	if err := i.connect(ctx); err != nil {
		_ = i.stop(ctx, 0)
		return nil, err
	}
	if err := i.describe(ctx); err != nil {
		_ = i.stop(ctx, 0)
		return nil, err
	}
	return i, nil
}

func (i *instance) clientConfig(logger hclog.Logger) *goplugin.ClientConfig {
	return &goplugin.ClientConfig{
		HandshakeConfig:  client.Handshake(),
		VersionedPlugins: client.Plugins(),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           logger,
		SkipHostEnv:      true,
		StartTimeout:     i.config.StartTimeout + startMargin,
		// Only the user can reach a socket in our directory; a port is open to everyone
		// on the machine.
		AutoMTLS: runtime.GOOS == "windows",
		// The system chooses a free port; go-plugin would count up from 10000.
		MinPort: 0, MaxPort: 1,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: i.dir.path},
		SyncStdout:       &lineWriter{line: i.journal.stdout},
		SyncStderr:       &lineWriter{line: i.journal.stderr},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(sdk.MaxMessage), grpc.MaxCallSendMsgSize(sdk.MaxMessage)),
			grpc.WithInitialWindowSize(resultWindow), grpc.WithInitialConnWindowSize(resultWindow),
		},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			host := i.config.Environ
			if host == nil {
				host = os.Environ()
			}
			i.process.env = append(composeEnvironment(host, cmd.Env, i.dir),
				sdk.EnvLogLevel+"="+strings.ToLower(logger.GetLevel().String()))
			return i.process, nil
		},
	}
}

// connect starts the process and dials it. go-plugin takes no context, so it works in a
// goroutine that ends with the process.
func (i *instance) connect(ctx context.Context) error {
	timer := time.NewTimer(i.config.StartTimeout)
	defer timer.Stop()
	var err error
	connected := make(chan struct{})
	go func() {
		defer close(connected)
		err = i.dial()
	}()
	select {
	case <-connected:
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("start %s: %w", i.who(), context.Cause(ctx))
		}
		return i.diagnose(err)
	case <-timer.C:
		_ = i.process.Kill(ctx)
		await(connected, killLimit)
		return i.diagnoseSilence()
	case <-ctx.Done():
		_ = i.process.Kill(ctx)
		await(connected, killLimit)
		return fmt.Errorf("start %s: %w", i.who(), context.Cause(ctx))
	}
}

func (i *instance) dial() error {
	rpc, err := i.client.Client()
	if err != nil {
		return err
	}
	dispensed, err := rpc.Dispense(sdk.PluginName)
	if err != nil {
		return err
	}
	detector, ok := dispensed.(*client.Detector)
	if !ok {
		return fmt.Errorf("dispensed a %T", dispensed)
	}
	i.detector = detector
	return nil
}

func (i *instance) describe(ctx context.Context) error {
	identity, err := invoke(ctx, i, "Describe", i.config.DescribeTimeout,
		func(ctx context.Context, d *client.Detector) (client.Identity, error) {
			return d.Describe(ctx, i.config.HostVersion)
		})
	if err != nil {
		return err
	}
	if v := checkIdentity(identity, i.config.Candidate.Name); v != nil {
		return i.violated("Describe", v)
	}
	if l := i.config.Candidate.Lock; l != nil && !l.Built && identity.Version != l.Version {
		return i.violated("Describe", violates("version", "it was published as %s and calls itself %q", l.Version, cleanLine(identity.Version, 64)))
	}
	i.identity = identity
	return nil
}

// Variables the SDK and go-plugin read.
const (
	lifelineVariable  = "PROCTOR_LIFELINE=stdin"
	socketDirVariable = "PLUGIN_UNIX_SOCKET_DIR="
)

// composeEnvironment composes a plugin's environment from the host's, the variables of
// go-plugin and the private directory.
func composeEnvironment(host, handshake []string, dir *runDir) []string {
	env := sdk.PluginEnvironment(host)
	for _, pair := range handshake {
		if !strings.HasPrefix(pair, socketDirVariable) {
			env = append(env, pair)
		}
	}
	env = append(env, lifelineVariable, socketDirVariable+dir.sockets, "TMPDIR="+dir.temp)
	if runtime.GOOS == "windows" {
		env = append(env, "TEMP="+dir.temp, "TMP="+dir.temp)
	}
	return env
}
