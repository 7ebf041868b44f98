package conform

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/process"
)

// checkByHand starts the plugin like a person does, without the host's variables.
func checkByHand(ctx context.Context, s *subject, p *probe) {
	var env []string
	for _, pair := range s.room.Environment(versionsSpoken()) {
		if !strings.HasPrefix(pair, sdk.EnvCookie+"=") && !strings.HasPrefix(pair, sdk.EnvLifeline+"=") {
			env = append(env, pair)
		}
	}
	started, err := process.Start(ctx, process.Config{Path: s.Binary, Dir: s.room.Work, Env: env, StdinEnded: true})
	if err != nil {
		p.fail(err.Error(), "give a program for this machine that you are allowed to execute")
		return
	}
	defer started.Kill()
	const advice = "check PROCTOR_PLUGIN first; without it print to standard error what the program is, and exit with 1"
	if !started.WaitFor(ctx, patience) {
		p.fail(fmt.Sprintf("started without PROCTOR_PLUGIN, the plugin is still running after %v", patience), advice)
		return
	}
	if started.Exit().ExitCode() <= 0 {
		p.fail("started without PROCTOR_PLUGIN, the plugin ended with: "+started.Exit().String(), advice)
	}
	first, rest := started.Stdout()
	if first+rest != "" {
		p.fail(fmt.Sprintf("the plugin printed to standard output: %.200q", first+rest), advice)
	}
	if strings.TrimSpace(started.Stderr()) == "" {
		p.fail("the plugin printed nothing to standard error", advice)
	}
}

func checkHandshake(ctx context.Context, s *subject, p *probe) {
	err := s.start(ctx)
	var greeting *process.GreetingError
	switch {
	case errors.As(err, &greeting):
		p.fail(greeting.Reason+formatStderr(greeting.Stderr), greeting.Advice)
		return
	case err != nil:
		p.fail(err.Error(), "make it a program that this machine can execute")
		return
	}
	g := s.greeting
	if g.Protocol != versionsSpoken() {
		p.fail(fmt.Sprintf("the plugin greets with version %.20q of the protocol, although the host speaks %s", g.Protocol, versionsSpoken()),
			"put the version that you chose from PLUGIN_PROTOCOL_VERSIONS into the second field")
		s.absent = "the plugin speaks another version of the protocol; see the point handshake"
	}
	if g.Certificate != nil {
		p.fail("the plugin sends a certificate, although no PLUGIN_CLIENT_CERT was given", "serve TLS only if PLUGIN_CLIENT_CERT is set")
		s.absent = "the plugin speaks TLS without PLUGIN_CLIENT_CERT; see the point handshake"
	}
	if g.After > promised {
		p.note(fmt.Sprintf("the handshake took %v, but should take less than %v; is the machine busy?", g.After.Round(1e6), promised))
	}
}

func checkSocket(_ context.Context, s *subject, p *probe) {
	checkAddress(p, s.greeting, s.room.Sockets)
}

func checkAddress(p *probe, g process.Greeting, sockets string) {
	const advice = "listen in PLUGIN_UNIX_SOCKET_DIR; a host rejects everything else"
	if runtime.GOOS == "windows" {
		host, _, err := net.SplitHostPort(g.Address)
		if ip := net.ParseIP(host); g.Network != "tcp" || err != nil || ip == nil || !ip.IsLoopback() {
			p.fail(fmt.Sprintf("the plugin listens on %s %.200q", g.Network, g.Address), "listen on 127.0.0.1")
		}
		return
	}
	if g.Network != "unix" {
		p.fail(fmt.Sprintf("the plugin listens on %s %.200q, which every user of the machine can reach", g.Network, g.Address), advice)
	} else if filepath.Dir(filepath.Clean(g.Address)) != sockets {
		p.fail(fmt.Sprintf("the socket %.200q is not in %s", g.Address, sockets), advice)
	}
}

func checkHealth(ctx context.Context, s *subject, p *probe) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const advice = "register the health service and set \"plugin\" to SERVING; go-plugin's pings ask for it"
	answer, err := healthpb.NewHealthClient(s.conn).Check(ctx, &healthpb.HealthCheckRequest{Service: process.HealthService})
	if err != nil {
		s.reportBroken(ctx, p, "grpc.health.v1.Health/Check of \"plugin\"", err)
	} else if answer.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		p.fail("the health of \"plugin\" is "+answer.GetStatus().String(), advice)
	}
}
