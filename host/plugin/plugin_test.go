//go:build unix

package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

func TestGoodPluginAnswersEveryCall(t *testing.T) {
	f := newFixture(t, "good")
	p := f.start(t)
	if id := p.Identity(); id.Name != "good" || id.Version != "1.2.3" || id.Language != "bad" {
		t.Errorf("identity is %+v", id)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "bad.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	detection, err := p.Detect(t.Context(), sdk.Workspace{Root: root})
	if err != nil || !detection.Detected {
		t.Errorf("Detect: %v %v", detection, err)
	}
	plan, err := p.TestCmd(t.Context(), sdk.TestRequest{})
	want := sdk.Plan{Commands: []sdk.Command{{Argv: []string{"true"}, Env: map[string]string{"GOFLAGS": "-mod=mod"}}}}
	if diff := cmp.Diff(want, plan); err != nil || diff != "" {
		t.Errorf("TestCmd: %v %s", err, diff)
	}
	if _, err := p.RerunCmd(t.Context(), sdk.RerunRequest{}); err != nil {
		t.Errorf("RerunCmd: %v", err)
	}
	var unsupported *UnsupportedError
	if _, err := p.ListCmd(t.Context(), sdk.ListRequest{}); !errors.As(err, &unsupported) {
		t.Errorf("ListCmd: %v", err)
	}
	if _, err := p.ParseList(t.Context(), sdk.ListRequest{}, sdk.Command{}, nil); !errors.As(err, &unsupported) {
		t.Errorf("ParseList: %v", err)
	}
	var seen events
	s, err := p.Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, &seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"one", "two"} {
		if err := s.Send(sdk.Stderr, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(sdk.Exit{}); err != nil || !slices.Equal(seen.notes, []string{"6 bytes"}) {
		t.Errorf("Parse: %v %v", seen.notes, err)
	}
}

func TestPluginGetsOnlyTheEnvironmentItNeeds(t *testing.T) {
	f := newFixture(t, "env-dump")
	p := f.start(t)
	plan, err := p.TestCmd(t.Context(), sdk.TestRequest{})
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for _, pair := range plan.Commands[0].Argv[1:] {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	dir := p.current.dir.path
	want := map[string]string{
		"HOME": f.home, "LANG": "C", "LC_ALL": "C", "PATH": "/bin", "TMPDIR": filepath.Join(dir, "tmp"),
		"PLUGIN_UNIX_SOCKET_DIR": dir, "PROCTOR_LIFELINE": "stdin", "PROCTOR_PLUGIN_LOG": "debug",
		"PROCTOR_PLUGIN": "proctor-detector", "PLUGIN_PROTOCOL_VERSIONS": "1", "PLUGIN_MIN_PORT": "0", "PLUGIN_MAX_PORT": "1",
	}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Error(diff)
	}
}

func TestPluginDoesNotGetOurStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin; _ = r.Close(); _ = w.Close() }()
	if _, err := w.WriteString("{\"jsonrpc\":\"2.0\"}\n"); err != nil {
		t.Fatal(err)
	}
	p := newFixture(t, "stdin-read").start(t)
	plan, err := p.TestCmd(t.Context(), sdk.TestRequest{})
	if err != nil || !slices.Equal(plan.Warnings, []string{"nothing"}) {
		t.Errorf("the plugin read %v %v", plan.Warnings, err)
	}
}

func TestCrashBetweenCallsIsRepairedOnceAndThenReported(t *testing.T) {
	f := newFixture(t, "good")
	p := f.start(t)
	call := func() error {
		_, err := p.TestCmd(t.Context(), sdk.TestRequest{})
		return err
	}
	kill(t, p, syscall.SIGKILL)
	if err := call(); err != nil {
		t.Fatalf("after the first crash: %v", err)
	}
	if p.Stopped() {
		t.Error("it says that it is no longer usable")
	}
	if !strings.Contains(f.log.String(), "restarting the plugin") || !strings.Contains(f.log.String(), "crashed between calls") {
		t.Errorf("the user was not told:\n%s", f.log)
	}
	kill(t, p, syscall.SIGKILL)
	for range 2 {
		err := call()
		if crash, ok := errors.AsType[*CrashedError](err); !ok || crash.Call != "" || !crash.GivenUp || crash.Exit.Signal != "SIGKILL" {
			t.Fatalf("after the second crash: %v", err)
		}
	}
	if n := len(f.pids()); n != 2 {
		t.Errorf("%d processes were started", n)
	}
	if !p.Stopped() {
		t.Error("it does not say that it is no longer usable")
	}
}

func TestPluginWorksAgainAfterItHung(t *testing.T) {
	f := newFixture(t, "hang-once")
	f.config.CallTimeout = short
	p := f.start(t)
	var hung *HungError
	if _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); !errors.As(err, &hung) || hung.GivenUp {
		t.Fatalf("got %v", err)
	}
	if _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentCallsShareOneRestart(t *testing.T) {
	f := newFixture(t, "crash-once")
	p := f.start(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(f.pids()); n != 2 {
		t.Errorf("%d processes were started", n)
	}
}

func TestFailedRestartIsNotTriedAgain(t *testing.T) {
	f := newFixture(t, "good")
	p := f.start(t)
	path := f.config.Candidate.Path
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	kill(t, p, syscall.SIGKILL)
	for range 2 {
		_, err := p.TestCmd(t.Context(), sdk.TestRequest{})
		if _, ok := errors.AsType[*HandshakeError](err); !ok || !strings.Contains(err.Error(), "no such file") {
			t.Fatalf("got %v", err)
		}
		// That it could be started now makes no difference.
		if err := os.Rename(path+".away", path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func TestCallerWhoGivesUpDoesNotBlameThePlugin(t *testing.T) {
	f := newFixture(t, "hang-once")
	p := f.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := p.TestCmd(ctx, sdk.TestRequest{})
	if !errors.Is(err, context.Canceled) || is[*HungError](err) {
		t.Fatalf("got %v", err)
	}
	if _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); err != nil {
		t.Fatalf("afterwards: %v", err)
	}
	if n := len(f.pids()); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

func TestStartCanBeCancelled(t *testing.T) {
	f := newFixture(t, "hang-start")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(f.pids()) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := Start(ctx, f.config); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestCloseEndsCallsThatAreUnderWay(t *testing.T) {
	f := newFixture(t, "hang")
	p := f.start(t)
	var closed *ClosedError
	failed := make(chan error, 1)
	go func() {
		_, err := p.TestCmd(context.Background(), sdk.TestRequest{})
		failed <- err
	}()
	time.Sleep(20 * time.Millisecond) // the call may also come too late, with the same result
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.As(err, &closed) {
		t.Errorf("the call says %v", err)
	}
	if _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); !errors.As(err, &closed) {
		t.Errorf("a later call says %v", err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Errorf("the second Close says %v", err)
	}
}

func TestCloseEndsStreamsThatAreUnderWay(t *testing.T) {
	p := newFixture(t, "never-eof").start(t)
	s, err := p.Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, &events{})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Close(sdk.Exit{}) }()
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var closed *ClosedError
	if err := <-failed; !errors.As(err, &closed) {
		t.Errorf("the stream says %v", err)
	}
}

func TestCloseOfAStoppedPluginIsBounded(t *testing.T) {
	f := newFixture(t, "good")
	f.config.CloseGrace = 50 * time.Millisecond
	p := f.start(t)
	kill(t, p, syscall.SIGSTOP)
	if err := p.Close(t.Context()); err != nil { // or it never returns
		t.Fatal(err)
	}
}

func TestCancelledParseLeavesThePluginAlone(t *testing.T) {
	f := newFixture(t, "never-eof")
	p := f.start(t)
	s, err := p.Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, &events{})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close(sdk.Exit{}) }()
	s.Cancel()
	if err := <-closed; !errors.Is(err, context.Canceled) {
		t.Errorf("Close says %v", err)
	}
	if _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); err != nil {
		t.Error(err)
	}
}

func TestParseWorksAgainAfterACrash(t *testing.T) {
	f := newFixture(t, "exit-mid-stream")
	p := f.start(t)
	parse := func() error {
		s, err := p.Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, &events{})
		if err != nil {
			return err
		}
		_ = s.Send(sdk.Stdout, []byte("x"))
		return s.Close(sdk.Exit{})
	}
	for _, givenUp := range []bool{false, true} {
		if err := parse(); !crashed(givenUp)(err) {
			t.Fatalf("got %v", err)
		}
	}
	if log := f.log.String(); !strings.Contains(log, "crashed in ParseTestFailures") || strings.Contains(log, "between calls") {
		t.Errorf("the log has another account of it:\n%s", log)
	}
}

func TestLongTextsAreBounded(t *testing.T) {
	p := newFixture(t, "long-texts").start(t)
	var seen events
	s, err := p.Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, &seen)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(sdk.Exit{}); err != nil {
		t.Fatal(err)
	}
	if got := seen.failures[0]; len(got.Test) > sdk.MaxName || len(got.Message) > sdk.MaxText {
		t.Errorf("name has %d bytes, message %d", len(got.Test), len(got.Message))
	}
}

// kill signals the plugin's process and, if that ends it, waits for the end.
func kill(t *testing.T, p *Plugin, sig syscall.Signal) {
	t.Helper()
	process := p.current.process
	pid, err := strconv.Atoi(process.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
	if sig == syscall.SIGKILL && !process.waitFor(patience) {
		t.Fatal("it does not end")
	}
}

func TestTheCallersDeadlineIsNotThePluginsFault(t *testing.T) {
	f := newFixture(t, "hang")
	p := f.start(t)
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		_, err := p.TestCmd(ctx, sdk.TestRequest{})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || is[*HungError](err) || is[*CallError](err) {
			t.Fatalf("got %v", err)
		}
		if err := parseUntil(t, p, 5*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) || is[*CallError](err) {
			t.Fatalf("a stream says %v", err)
		}
	}
	if n := len(f.pids()); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

// parseUntil abandons a parser that never ends after some time.
func parseUntil(t *testing.T, p *Plugin, limit time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s, err := p.Parse(ctx, sdk.RunInfo{}, client.ParseOptions{}, &events{})
	if err != nil {
		return err
	}
	return s.Close(sdk.Exit{})
}
