package sdk

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// ServeConfig is a plugin: who it is and what it does.
type ServeConfig struct {
	Description Description
	Detector    Detector
	// Logger takes the messages of the transport; nil is [NewLogger].
	Logger hclog.Logger
}

// Serve is a plugin's main function. It answers the host that started this
// process and returns when the host goes away. Started by a person, it says
// what the program is, or its version for --version, and exits.
//
// Standard output belongs to the protocol. From here on os.Stdout is something
// else, so that a stray print does no harm; print to standard error, or log.
func Serve(cfg ServeConfig) {
	if err := cfg.validate(); err != nil {
		fmt.Fprintln(os.Stderr, "this plugin cannot be served:", err)
		os.Exit(exitMisconfigured)
	}
	if os.Getenv(EnvCookie) != Handshake().MagicCookieValue {
		os.Exit(startedByHand(cfg.Description, os.Args, os.Stdout, os.Stderr))
	}
	if cfg.Logger == nil {
		cfg.Logger = NewLogger(cfg.Description.Name)
	}
	if err := guardStdout(); err != nil {
		cfg.Logger.Warn("prints to standard output are not kept apart from the handshake", "error", err)
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  Handshake(),
		VersionedPlugins: map[int]plugin.PluginSet{ProtocolVersion: {PluginName: &served{cfg: cfg}}},
		Logger:           cfg.Logger,
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			s := newGRPCServer(opts)
			if os.Getenv(EnvLifeline) == LifelineStdin {
				go stopAtEnd(os.Stdin, s)
			}
			return s
		},
	})
}

// exitMisconfigured is the exit code of a plugin that cannot be served.
const exitMisconfigured = 1

// namePattern is what a plugin's name may be: it is part of a file name and of
// commands that people type.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (c ServeConfig) validate() error {
	switch d := c.Description; {
	case c.Detector == nil:
		return fmt.Errorf("ServeConfig.Detector is nil")
	case !namePattern.MatchString(d.Name):
		return fmt.Errorf("Description.Name is %q: it must match %s", d.Name, namePattern)
	case d.Language == "":
		return fmt.Errorf("Description.Language is empty: users select the plugin by it")
	case d.Version == "":
		return fmt.Errorf("Description.Version is empty")
	}
	return nil
}

// served is go-plugin's view of a detector.
type served struct {
	plugin.NetRPCUnsupportedPlugin
	cfg ServeConfig
}

func (p *served) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterDetectorServiceServer(s, &server{description: p.cfg.Description, detector: p.cfg.Detector})
	return nil
}

func (p *served) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, _ *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("a plugin does not call itself: a host uses package sdk/client")
}
