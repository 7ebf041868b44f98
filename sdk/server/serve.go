package server

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// Config is a plugin: who it is and what it does.
type Config struct {
	Description sdk.Description
	Detector    sdk.Detector
	// Logger receives the messages of the transport; nil means [NewLogger].
	Logger hclog.Logger
}

// Serve is a plugin's main function. It answers the host that started this process and
// returns when the host goes away. Started by a person, it prints what the program is,
// or its version for --version, and exits.
//
// Standard output belongs to the protocol. From here on os.Stdout is something else, so
// that a stray print does no harm. Print to standard error, or log.
//
// It sets GOMAXPROCS to 1. A detector that computes in parallel may raise it.
func Serve(cfg Config) {
	if err := cfg.validate(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot serve this plugin:", err)
		os.Exit(exitMisconfigured)
	}
	if os.Getenv(sdk.EnvCookie) != sdk.Cookie {
		os.Exit(explainByHand(cfg.Description, os.Args, os.Stdout, os.Stderr))
	}
	// One goroutine parses. With more processors, each message to the host wakes threads:
	// reading 1 M events takes a sixth more of the CPU and of the time.
	runtime.GOMAXPROCS(1)
	if cfg.Logger == nil {
		cfg.Logger = NewLogger(cfg.Description.Name)
	}
	if err := guardStdout(); err != nil {
		cfg.Logger.Warn("cannot separate prints to standard output from the handshake", "error", err)
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{ProtocolVersion: sdk.ProtocolVersion, MagicCookieKey: sdk.EnvCookie, MagicCookieValue: sdk.Cookie},
		VersionedPlugins: map[int]plugin.PluginSet{sdk.ProtocolVersion: {sdk.PluginName: &goPlugin{cfg: cfg}}},
		Logger:           cfg.Logger,
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			s := newGRPCServer(opts)
			if os.Getenv(sdk.EnvLifeline) == sdk.LifelineStdin {
				go stopAtEnd(os.Stdin, s)
			}
			return s
		},
	})
}

// exitMisconfigured is the exit code of a plugin that cannot be served.
const exitMisconfigured = 1

// namePattern matches valid plugin names, which are part of file names and of commands
// that people type.
var namePattern = lazyregexp.New(`^[a-z][a-z0-9-]*$`)

func (c Config) validate() error {
	switch d := c.Description; {
	case c.Detector == nil:
		return fmt.Errorf("Config.Detector is nil")
	case !namePattern.MatchString(d.Name):
		return fmt.Errorf("Description.Name is %q: it must match %s", d.Name, namePattern)
	case d.Language == "":
		return fmt.Errorf("Description.Language is empty: users select the plugin by it")
	case d.Version == "":
		return fmt.Errorf("Description.Version is empty")
	}
	return nil
}

// goPlugin is go-plugin's view of a detector.
type goPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	cfg Config
}

func (p *goPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterDetectorServiceServer(s, &service{description: p.cfg.Description, detector: p.cfg.Detector})
	return nil
}

func (p *goPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, _ *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("a plugin does not call itself: a host uses package sdk/client")
}

// explainByHand answers a person who started a plugin, and returns the exit code.
func explainByHand(d sdk.Description, args []string, stdout, stderr io.Writer) int {
	if len(args) > 1 && slices.Contains([]string{"--version", "-version", "version"}, args[1]) {
		fmt.Fprintf(stdout, "proctor-plugin-%s %s\n", d.Name, d.Version)
		return 0
	}
	fmt.Fprintf(stderr, "This is proctor's plugin for %s tests (proctor-plugin-%s %s).\n"+
		"It is started by proctor and does nothing on its own. In your project, run:\n\n"+
		"    proctor run --lang %s\n\n", d.Language, d.Name, d.Version, d.Language)
	return 1
}

// lifelineGrace is how long the server may take to stop after the host is gone. Nobody
// is waiting for it; it only removes its socket.
const lifelineGrace = time.Second

// stopAtEnd stops the server at the end of lifeline, which the host holds open as long
// as it lives.
func stopAtEnd(lifeline io.Reader, s *grpc.Server) {
	_, _ = io.Copy(io.Discard, lifeline)
	time.AfterFunc(lifelineGrace, func() { os.Exit(0) })
	s.Stop()
}

// NewLogger returns a logger whose messages the host reads from the plugin's standard
// error. The host chooses the level; the default is info.
func NewLogger(name string) hclog.Logger {
	level := hclog.LevelFromString(os.Getenv(sdk.EnvLogLevel))
	if level == hclog.NoLevel {
		level = hclog.Info
	}
	return hclog.New(&hclog.LoggerOptions{Name: name, Level: level, Output: os.Stderr, JSONFormat: true})
}

// modulePath is the module whose version is that of the SDK.
const modulePath = "github.com/proctorhq/proctor"

// sdkVersion returns the version of the SDK that is linked into this program, or
// "(devel)" if the build does not record it.
func sdkVersion() string {
	const unknown = "(devel)"
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	modules := append([]*debug.Module{&build.Main}, build.Deps...)
	for _, module := range modules {
		if module.Path == modulePath && module.Version != "" {
			return module.Version
		}
	}
	return unknown
}
