package conform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/plugintest/process"
)

// expectEnd waits for the end of a process that was asked to end.
func expectEnd(ctx context.Context, p *probe, ending *process.Process, asked, advice string) {
	began := time.Now()
	switch ok := ending.WaitFor(ctx, patience); {
	case !ok:
		p.fail(fmt.Sprintf("the plugin is still running %v after %s", patience, asked), advice)
	case leavesProcesses(ctx, ending):
		p.fail("after "+asked+" the plugin ended, but left a process behind", advice+"; a script should start the actual plugin with exec")
	case time.Since(began) > promised:
		p.note(fmt.Sprintf("the plugin ended %v after %s, but should end within %v; is the machine busy?", time.Since(began).Round(time.Millisecond), asked, promised))
	}
}

// glance is how often a group of processes is checked.
const glance = 20 * time.Millisecond

// leavesProcesses reports whether something that a plugin started survives it for longer
// than a plugin may take to end.
func leavesProcesses(ctx context.Context, ended *process.Process) bool {
	limited, cancel := context.WithTimeout(ctx, promised)
	defer cancel()
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	for {
		if pids, known := ended.Members(); !known || len(pids) == 0 {
			return false
		}
		select {
		case <-ticker.C:
		case <-limited.Done():
			return true
		}
	}
}

// checkLifeline makes the main process believe that its host has ended.
func checkLifeline(ctx context.Context, s *subject, p *probe) {
	if !s.connect(ctx, p) {
		return
	}
	s.main.CloseStdin()
	expectEnd(ctx, p, s.main, "the end of standard input", "if PROCTOR_LIFELINE is stdin, read standard input in a thread of its own and exit at its end")
	s.retire()
}

// checkEnvironment starts a second process with few variables, which the next points also
// use. Its standard input is at its end, as under any other launcher.
func checkEnvironment(ctx context.Context, s *subject, p *probe) {
	if s.starved(p) {
		return
	}
	small, greeting, err := s.launch(ctx, s.room.SmallEnvironment(versionsSpoken()), true)
	if err != nil {
		p.fail("started with few variables, and its standard input at its end: "+reasonOf(err), "require no variables beyond those of the protocol, and check PROCTOR_LIFELINE before exiting at the end of standard input")
		return
	}
	s.small = small
	if s.smallConn, err = process.Dial(greeting, nil); err != nil {
		p.fail(err.Error(), "listen at the address in the handshake")
		return
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err = client.New(s.smallConn).Describe(limited, "few variables")
	// If it ended because of its standard input, the next point reports that.
	if err != nil && !small.WaitFor(ctx, patience) {
		p.fail("with few variables Describe ended with: "+err.Error(), "require no variables beyond those of the protocol")
	} else if err != nil && small.Exit().ExitCode() != 0 {
		p.fail("with few variables the plugin ended ("+small.Exit().String()+")"+lastStderr(small), "require no variables beyond those of the protocol")
	}
}

// starved reports whether the plugin never started, so that further starts would show
// nothing new.
func (s *subject) starved(p *probe) bool {
	if !s.known {
		p.skip("the plugin did not get as far as Describe; see the points before")
	}
	return !s.known
}

func reasonOf(err error) string {
	if g, ok := errors.AsType[*process.GreetingError](err); ok {
		return g.Reason + formatStderr(g.Stderr)
	}
	return err.Error()
}

// settled is how long a plugin that wrongly ends with its input needs to notice the
// end.
const settled = 300 * time.Millisecond

func checkNoLifeline(ctx context.Context, s *subject, p *probe) {
	if s.smallConn == nil {
		p.skip("the plugin did not start; see the point environment")
		return
	}
	if s.small.WaitFor(ctx, settled) {
		p.fail("without PROCTOR_LIFELINE the plugin ended with its standard input ("+s.small.Exit().String()+")", "check PROCTOR_LIFELINE before exiting at the end of standard input")
	}
}

func checkShutdown(ctx context.Context, s *subject, p *probe) {
	if s.smallConn == nil || hasEnded(s.small) {
		p.skip("there is no process to end; see the points environment and no-lifeline")
		return
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const advice = "serve plugin.GRPCController/Shutdown: stop the server and exit"
	err := s.smallConn.Invoke(limited, process.ShutdownMethod, &emptypb.Empty{}, &emptypb.Empty{})
	// The connection may close before the answer arrives.
	if code := status.Code(err); err != nil && code != codes.Unavailable && code != codes.Canceled {
		p.fail("Shutdown ended with: "+err.Error(), advice)
		return
	}
	expectEnd(ctx, p, s.small, "Shutdown", advice)
	if hasEnded(s.small) && s.small.Exit().ExitCode() != 0 {
		p.fail("after Shutdown the plugin ended with: "+s.small.Exit().String(), "exit with 0 after Shutdown")
	}
	s.small.Kill()
	s.keepStrays(s.small)
}

// futureVersion is a version of the protocol that does not exist.
const futureVersion = "99"

func checkVersions(ctx context.Context, s *subject, p *probe) {
	if s.starved(p) {
		return
	}
	const advice = "compare PLUGIN_PROTOCOL_VERSIONS with your own; without a common one exit with an error, or greet with one of yours"
	other, err := process.Start(ctx, process.Config{Path: s.Binary, Dir: s.room.Work, Env: s.room.Environment(futureVersion)})
	if err != nil {
		p.fail(err.Error(), advice)
		return
	}
	defer other.Kill()
	g, err := other.Greeting(ctx, patience)
	switch {
	case err == nil && g.Protocol == futureVersion:
		p.fail("the plugin claims to speak version "+futureVersion+" of the protocol, which does not exist", advice)
	case err == nil:
		p.note("without a common version the plugin greets with " + shorten(g.Protocol) + ", which a host rejects")
	case !other.WaitFor(ctx, time.Second):
		p.fail("without a common version: "+reasonOf(err), advice)
	case other.Exit().ExitCode() == 0:
		p.fail("without a common version the plugin ended with exit code 0", advice)
	case strings.TrimSpace(other.Stderr()) == "":
		p.fail("without a common version the plugin ended without a message on standard error", advice)
	}
}

func checkStdout(_ context.Context, s *subject, p *probe) {
	if s.starved(p) {
		return
	}
	for _, text := range s.strays {
		p.fail(fmt.Sprintf("the plugin printed to standard output: %.300q", text), "print to standard error, or log")
	}
}

func checkWrites(ctx context.Context, s *subject, p *probe) {
	if s.starved(p) {
		return
	}
	now, err := takeSnapshot(ctx, s.room)
	if err != nil {
		p.skip(err.Error())
		return
	}
	for _, change := range s.before.changes(now) {
		p.fail(change, "write to TMPDIR or not at all: put what a run needs into the inputs of its command")
	}
	p.note("only its home, its working directory and the workspace were checked")
}
