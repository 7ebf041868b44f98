package conform

import (
	"context"
	"runtime"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/plugintest/process"
)

// checkTLS starts the plugin with a certificate of the host, and tries to connect with
// it, with another one, and without any.
func checkTLS(ctx context.Context, s *subject, p *probe) {
	if s.starved(p) {
		return
	}
	const advice = "serve TLS with a certificate of your own, accept only the one in PLUGIN_CLIENT_CERT, and send yours (DER, base64 without padding) as the sixth field of the handshake"
	ours, err := process.NewIdentity()
	if err != nil {
		p.skip("cannot make a certificate: " + err.Error())
		return
	}
	stranger, err := process.NewIdentity()
	if err != nil {
		p.skip("cannot make a certificate: " + err.Error())
		return
	}
	started, greeting, err := s.launch(ctx, append(s.room.Environment(versionsSpoken()), "PLUGIN_CLIENT_CERT="+ours.PEM), false)
	if err != nil {
		p.fail("with PLUGIN_CLIENT_CERT: "+reasonOf(err), advice)
		return
	}
	defer func() { started.Kill(); s.keepStrays(started) }()
	if greeting.Certificate == nil {
		switch {
		case runtime.GOOS == "windows", s.Manifest != nil && !s.Manifest.NoTLS:
			p.fail("with PLUGIN_CLIENT_CERT the handshake has no certificate", advice+`; or, if it never serves TLS, say "tls": "none" in the manifest`)
		case s.Manifest != nil:
			p.exempt(`the manifest says "tls": "none", so the plugin works only over Unix sockets`)
		default:
			p.exempt(`the plugin ignores PLUGIN_CLIENT_CERT, which its manifest must say with "tls": "none"; no manifest was given (--manifest)`)
		}
		return
	}
	for _, c := range []struct {
		who      string
		identity *process.Identity
		in       bool
	}{{"the host's certificate", ours, true}, {"another certificate", stranger, false}, {"no TLS", nil, false}} {
		err := describeOver(ctx, greeting, c.identity)
		switch {
		case c.in && err != nil:
			p.fail("Describe with "+c.who+" ended with: "+err.Error(), advice)
		case !c.in && status.Code(err) == codes.OK:
			p.fail("Describe with "+c.who+" was answered", advice)
		}
	}
}

func describeOver(ctx context.Context, g process.Greeting, identity *process.Identity) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := process.Dial(g, identity)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, err = client.New(conn).Describe(ctx, "over TLS")
	return err
}
