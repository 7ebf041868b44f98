//go:build unix

package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// short is a deadline for what never happens.
const short = 300 * time.Millisecond

// misbehavior is one way for a plugin to misbehave, and the expected result. Each case
// also checks that no process, directory or goroutine is left.
type misbehavior struct {
	mode string
	// configure shortens the deadline under test.
	configure func(*Config)
	act       func(ctx context.Context, f *fixture) error
	// want examines the error; says lists what its text and detail must contain.
	want func(error) bool
	says []string
}

var misbehaviors = []misbehavior{
	{mode: "hang-start", configure: hasteStart, act: startOnly, want: is[*HandshakeError], says: []string{"no handshake within 300ms"}},
	{mode: "stop-start", configure: hasteStart, act: startOnly, want: is[*HandshakeError], says: []string{"no handshake within"}},
	{mode: "exit-start", act: startOnly, want: is[*HandshakeError], says: []string{"ended without a handshake", "exited with status 7", "no configuration found"}},
	{mode: "panic-start", act: startOnly, want: is[*HandshakeError], says: []string{"crashed before its handshake: panic: no luck today", "exited with status 2", "goroutine 1"}},
	{mode: "init-print", act: startOnly, want: is[*HandshakeError], says: []string{"not a handshake", "print to stderr instead", "printed to stdout: hello from init", "exited with status 3"}},
	{mode: "flood-greeting", act: startOnly, want: is[*HandshakeError], says: []string{"printed to stdout: not a handshake"}},
	{mode: "closes-stdout", act: startOnly, want: is[*HandshakeError], says: []string{"closed its standard output"}},
	{mode: "long-line", act: startOnly, want: is[*HandshakeError], says: []string{"printed to stdout: xxxx"}},
	{mode: "grandchild-exit", act: startOnly, want: is[*HandshakeError], says: []string{"printed to stdout: gone"}},
	{mode: "forged-tcp", act: startOnly, want: is[*HandshakeError], says: []string{"listens on tcp 127.0.0.1", "not a Unix socket"}},
	{mode: "forged-socket", act: startOnly, want: is[*HandshakeError], says: []string{"outside its own directory"}},
	{mode: "forged-version", act: startOnly, want: is[*HandshakeError], says: []string{"version 99 of the detector protocol", "newer proctor"}},
	{mode: "forged-netrpc", act: startOnly, want: is[*HandshakeError], says: []string{"netrpc", "gRPC only"}},
	{mode: "forged-nothing", act: startOnly, want: is[*HandshakeError], says: []string{"nothing listens on the socket"}},
	{mode: "forged-silence", configure: hasteStart, act: startOnly, want: is[*HandshakeError], says: []string{"within 300ms"}},
	{mode: "hang-describe", configure: func(c *Config) { c.DescribeTimeout = short }, act: startOnly, want: is[*HungError], says: []string{"hung in Describe", "no answer for 300ms"}},
	{mode: "wrong-name", act: startOnly, want: violating("name"), says: []string{`calls itself "somebody-else"`}},
	{mode: "no-version", act: startOnly, want: violating("version")},

	{mode: "panic", act: testCmd, want: is[*sdk.PanicError], says: []string{"plugin panic 1.2.3: TestCmd", "in the handler", "goroutine "}},
	{mode: "panic-goroutine", act: testCmd, want: crashed(true), says: []string{"crashed in TestCmd", "exited with status 2", "panic: in a goroutine", "goroutine ", "is not restarted again"}},
	{mode: "fatal", act: testCmd, want: crashed(true), says: []string{"fatal error: concurrent map"}},
	{mode: "refuse", act: testCmd, want: is[*sdk.Error], says: []string{"plugin refuse 1.2.3: TestCmd: install bad"}},
	{mode: "error", act: testCmd, want: is[*CallError], says: []string{"it does [31mnot[0m work"}},
	{mode: "stop", configure: hasteCalls, act: testCmd, want: is[*HungError], says: []string{"plugin stop 1.2.3 hung in TestCmd", "no answer for 300ms"}},
	{mode: "hang", configure: hasteCalls, act: testCmd, want: is[*HungError]},
	{mode: "drops-connection", act: testCmd, want: is[*ProtocolError], says: []string{"closed its connection"}},
	{mode: "big-reply", act: testCmd, want: is[*TooBigError], says: []string{"limit of 4194304 bytes in TestCmd"}},
	{mode: "huge-message", act: testCmd, want: is[*TooBigError], says: []string{"limit of 4194304 bytes in TestCmd"}},
	{mode: "bad-utf8", act: testCmd, want: is[*ProtocolError], says: []string{"UTF-8"}},
	{mode: "escape-dir", act: testCmd, want: violating("commands[0].dir"), says: []string{"leaves the workspace"}},
	{mode: "bad-env", act: testCmd, want: violating(`commands[0].env["LD_PRELOAD"]`)},
	{mode: "slow", act: testCmd},
	{mode: "grandchild", act: testCmd},
	{mode: "grandchild-escaped", act: testCmd},
	{mode: "flood-stdout", act: testCmd},
	{mode: "flood-stderr", act: testCmd},
	{mode: "bad-log", act: testCmd},
	{mode: "print", act: testCmd},
	{mode: "crash-once", act: testCmd},

	{mode: "exit-mid-stream", act: parse, want: crashed(false), says: []string{"crashed in ParseTestFailures", "exited with status 3"}},
	{mode: "panic-mid-stream", act: parse, want: is[*sdk.PanicError], says: []string{"ParseTestFailures", "at byte"}},
	{mode: "ends-early", act: parse, want: is[*ProtocolError], says: []string{"before it received the exit of the command"}},
	{mode: "never-read", configure: hasteParse, act: parse, want: is[*HungError], says: []string{"did not take output for 300ms"}},
	{mode: "never-eof", configure: hasteParse, act: parse, want: is[*HungError], says: []string{"no progress after the output had ended for 300ms"}},
	{mode: "pass-of-nothing", act: parseNothing, want: is[*ProtocolError], says: []string{"t passed in a command that printed nothing"}},
	{mode: "flood-events", act: parse, want: is[*ProtocolError], says: []string{"it reported ", "events for", "bytes of output"}},
	{mode: "flood-output", act: parse, want: is[*ProtocolError], says: []string{"bytes of text for", "bytes of output"}},
	{mode: "progress-only", configure: hasteParse, act: parse, want: is[*HungError], says: []string{"no progress after the output had ended"}},
	{mode: "chatter", configure: func(c *Config) { c.ParseEndTimeout = short }, act: parse, want: is[*HungError], says: []string{"it still reported after the output had ended for 300ms"}},
	{mode: "long-texts", act: parse},
}

func TestEveryMisbehaviorIsATypedErrorInBoundedTimeAndLeavesNothing(t *testing.T) {
	for _, m := range misbehaviors {
		t.Run(m.mode, func(t *testing.T) {
			f := newFixture(t, m.mode)
			if m.configure != nil {
				m.configure(&f.config)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			start := time.Now()
			err := m.act(ctx, f)
			if ctx.Err() != nil {
				t.Fatalf("took %s", time.Since(start))
			}
			if m.want == nil {
				if err != nil {
					t.Fatalf("got %v\n%s", err, f.log)
				}
				return
			}
			if !m.want(err) {
				t.Fatalf("got %T %v\n%s", err, err, f.log)
			}
			said := fmt.Sprint(err) + "\n" + detailOf(err)
			for _, text := range append(m.says, m.mode) {
				if !strings.Contains(said, text) {
					t.Errorf("the error does not say %q:\n%s", text, said)
				}
			}
		})
	}
}

func hasteStart(c *Config) { c.StartTimeout = short }
func hasteCalls(c *Config) { c.CallTimeout = short }
func hasteParse(c *Config) { c.ParseIdleTimeout = short }

// startOnly starts a plugin that should fail to start.
func startOnly(ctx context.Context, f *fixture) error {
	p, err := Start(ctx, f.config)
	if err == nil {
		return errors.Join(errors.New("it started"), p.Close(ctx))
	}
	return err
}

// testCmd makes a call, and another once the first is answered.
func testCmd(ctx context.Context, f *fixture) error {
	return withPlugin(ctx, f, func(p *Plugin) error {
		if _, err := p.TestCmd(ctx, sdk.TestRequest{}); err != nil {
			return err
		}
		_, err := p.TestCmd(ctx, sdk.TestRequest{})
		return err
	})
}

// parse sends more than the buffers between the processes hold.
func parse(ctx context.Context, f *fixture) error {
	return withPlugin(ctx, f, func(p *Plugin) error {
		s, err := p.Parse(ctx, sdk.RunInfo{}, client.ParseOptions{ProgressInterval: 10 * time.Millisecond}, &events{})
		if err != nil {
			return err
		}
		for range 32 {
			if err := s.Send(sdk.Stdout, bytes.Repeat([]byte("x"), 32<<10)); err != nil {
				return err
			}
		}
		return s.Close(sdk.Exit{})
	})
}

// parseNothing is parse for a command without output.
func parseNothing(ctx context.Context, f *fixture) error {
	return withPlugin(ctx, f, func(p *Plugin) error {
		s, err := p.Parse(ctx, sdk.RunInfo{}, client.ParseOptions{ProgressInterval: time.Second}, &events{})
		if err != nil {
			return err
		}
		return s.Close(sdk.Exit{})
	})
}

func withPlugin(ctx context.Context, f *fixture, use func(*Plugin) error) error {
	p, err := Start(ctx, f.config)
	if err != nil {
		return fmt.Errorf("it did not start: %w", err)
	}
	err = use(p)
	// A misbehaving plugin must not be able to hold up the end.
	if closeErr := p.Close(ctx); closeErr != nil {
		return closeErr
	}
	return err
}

func is[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

func crashed(givenUp bool) func(error) bool {
	return func(err error) bool {
		var crash *CrashedError
		return errors.As(err, &crash) && crash.GivenUp == givenUp
	}
}

func violating(field string) func(error) bool {
	return func(err error) bool {
		var broken *ProtocolError
		return errors.As(err, &broken) && broken.Field == field
	}
}

func detailOf(err error) string {
	var detailed interface{ Detail() string }
	if errors.As(err, &detailed) {
		return detailed.Detail()
	}
	return ""
}
