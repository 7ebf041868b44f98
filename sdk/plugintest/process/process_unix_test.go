//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hangLimit ends a test that hangs.
const hangLimit = 30 * time.Second

// startShell starts a shell as a plugin.
func startShell(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(t.Context(), Config{Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func TestAMissingHandshakeErrorNamesTheCause(t *testing.T) {
	for script, says := range map[string]string{
		"echo no configuration >&2; exit 7": "exit status 7",
		"echo hello; cat":                   `the first line on standard output is "hello"`,
		"echo; cat":                         "is empty",
		"exec >&-; read -r _":               "nothing was printed",
	} {
		p := startShell(t, script)
		limit := hangLimit
		if says == "nothing was printed" {
			limit = time.Millisecond
		}
		_, err := p.Greeting(t.Context(), limit)
		var g *GreetingError
		if !errors.As(err, &g) || !strings.Contains(err.Error(), says) || g.Advice == "" {
			t.Errorf("%s: %v, want %q", script, err, says)
		}
		if strings.Contains(script, "configuration") && !strings.Contains(g.Stderr, "no configuration") {
			t.Errorf("standard error is %q", g.Stderr)
		}
		p.Kill()
	}
}

func TestCloseStdinEndsStandardInput(t *testing.T) {
	p := startShell(t, "echo '1|1|unix|/s|grpc|'; cat; exit 3")
	if _, err := p.Greeting(t.Context(), hangLimit); err != nil {
		t.Fatal(err)
	}
	p.CloseStdin()
	if !p.WaitFor(t.Context(), hangLimit) || p.Exit().ExitCode() != 3 {
		t.Error("the process did not end with its standard input")
	}
}

func TestProcessesLeftBehindAreFoundAndKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the members of a group are known on Linux only")
	}
	p := startShell(t, "sleep 300 >/dev/null 2>&1 & echo '1|1|unix|/s|grpc|'")
	if !p.WaitFor(t.Context(), hangLimit) {
		t.Fatal("the shell did not end")
	}
	if pids, known := p.Members(); !known || len(pids) != 1 {
		t.Fatalf("%v, %t", pids, known)
	}
	p.Kill()
	deadline := time.Now().Add(hangLimit)
	for {
		if pids, _ := p.Members(); len(pids) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the process left behind is still running")
		}
		runtime.Gosched()
	}
}

func TestAProgramThatCannotBeStartedIsNamed(t *testing.T) {
	_, err := Start(t.Context(), Config{Path: "/nowhere/plugin"})
	if _, ok := errors.AsType[*StartError](err); !ok || strings.Count(err.Error(), "/nowhere/plugin") != 1 {
		t.Error(err)
	}
}

func TestARoomHasItsOwnHomeAndTheUsersPath(t *testing.T) {
	t.Setenv("PATH", "relative"+string(filepath.ListSeparator)+"/usr/bin")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	room, err := NewRoom()
	if err != nil {
		t.Fatal(err)
	}
	defer room.Close()
	for _, env := range [][]string{room.Environment("1"), room.SmallEnvironment("1")} {
		if !slices.Contains(env, "PATH=/usr/bin") || strings.Contains(strings.Join(env, "\n"), "secret") {
			t.Errorf("%q", env)
		}
	}
	homes := slices.DeleteFunc(room.Environment("1"), func(pair string) bool { return !strings.HasPrefix(pair, "HOME=") })
	if !slices.Equal(homes, []string{"HOME=" + room.Home}) {
		t.Errorf("%q", homes)
	}
	if slices.ContainsFunc(room.SmallEnvironment("1"), func(pair string) bool { return strings.HasPrefix(pair, "HOME=") }) {
		t.Error("the small environment has a home")
	}
}

func TestAProbeOutputIsCompleteOrDropped(t *testing.T) {
	t.Setenv("OTHER_SETTING", "x")
	t.Setenv("OTHER_KEPT", "y")
	ws := sdk.Workspace{Root: t.TempDir()}
	probe := func(script string) sdk.Probe {
		return sdk.Probe{
			Name: "p", Argv: []string{"sh", "-c", script}, Env: map[string]string{"HERE": "{root}/x"}, UnsetEnv: []string{"other_*", "!OTHER_KEPT"},
		}
	}
	out, err := Probe(t.Context(), probe("pwd; echo $HERE-$OTHER_SETTING-$OTHER_KEPT; echo words >&2; exit 5"), ws)
	if want := ws.Root + "\n" + ws.Root + "/x--y\n"; err != nil || string(out.Stdout) != want || out.Stderr != "words" || out.ExitCode != 5 {
		t.Errorf("%v, %+v, want %q", err, out, want)
	}
	out, err = Probe(t.Context(), probe("head -c 262145 /dev/zero"), ws)
	if err != nil || len(out.Stdout) != 0 || out.ExitCode != -1 {
		t.Errorf("%v, %d bytes, exit code %d", err, len(out.Stdout), out.ExitCode)
	}
	_, err = Probe(t.Context(), sdk.Probe{Name: "p", Argv: []string{"no-such-program-anywhere"}}, ws)
	if _, ok := errors.AsType[*ProbeError](err); !ok {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Probe(ctx, probe("true"), ws); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestToolsAreFoundInTheDirectoriesOfThePlugin(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	path := filepath.Join(home, ".tools", "tool-of-these-tests")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := FindTools([]string{"tool-of-these-tests", "sh", "no-such-program-anywhere"}, []string{"/nowhere", "~/.tools"})
	if got["tool-of-these-tests"] != path || !filepath.IsAbs(got["sh"]) || len(got) != 2 {
		t.Errorf("%q", got)
	}
}
