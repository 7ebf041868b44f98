package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/plugintest"
	"github.com/proctorhq/proctor/sdk/server"
)

// envMode makes the test binary act as the named kind of plugin.
const envMode = "PROCTOR_SDK_TEST_PLUGIN"

func TestMain(m *testing.M) {
	switch os.Getenv(envMode) {
	case "":
		goleak.VerifyTestMain(m)
	case "toy":
		server.Serve(server.Config{Description: toyDescription, Detector: toy{}})
	case "misconfigured":
		server.Serve(server.Config{Description: sdk.Description{Name: "No Name"}, Detector: toy{}})
	case "chatty": // go-plugin logs before it prints the handshake
		logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: prints{}})
		server.Serve(server.Config{Description: toyDescription, Detector: toy{}, Logger: logger})
	}
}

// prints writes to the current standard output.
type prints struct{}

func (prints) Write(p []byte) (int, error) { return fmt.Print(string(p)) }

// pluginCommand returns the test binary as a plugin.
func pluginCommand(t *testing.T, mode string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append([]string{envMode + "=" + mode, "TMPDIR=" + t.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}, env...)
	return cmd
}

// launchPlugin starts the plugin like a host.
func launchPlugin(t *testing.T, cmd *exec.Cmd) (*plugin.Client, *client.Detector) {
	t.Helper()
	c := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  client.Handshake(),
		VersionedPlugins: client.Plugins(),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              cmd,
		SkipHostEnv:      true,
		Logger:           hclog.NewNullLogger(),
	})
	t.Cleanup(c.Kill)
	conn, err := c.Client()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := conn.Dispense(sdk.PluginName)
	if err != nil {
		t.Fatal(err)
	}
	return c, raw.(*client.Detector)
}

func TestAPluginServesItsHostAndEndsWithIt(t *testing.T) {
	c, d := launchPlugin(t, pluginCommand(t, "toy"))
	id, err := d.Describe(t.Context(), "test")
	if err != nil || id.Name != "toy" {
		t.Fatalf("Describe: %+v, %v", id, err)
	}
	events := plugintest.Parse(t, d, plugintest.Stdout("red", []byte("fail A: b\n"), sdk.Exit{Code: 1}), plugintest.WholeChunks)
	if len(events.Failures) != 1 {
		t.Errorf("got %+v", events)
	}
	c.Kill()
	if !c.Exited() {
		t.Error("the plugin is still running")
	}
}

func TestTheServedProcessPassesTheKit(t *testing.T) {
	c, _ := launchPlugin(t, pluginCommand(t, "toy"))
	conn, err := c.Client()
	if err != nil {
		t.Fatal(err)
	}
	plugintest.RunConn(t, conn.(*plugin.GRPCClient).Conn, plugintest.Config{Workspace: sdk.Workspace{Root: t.TempDir()}})
}

func TestStrayPrintsDoNotSpoilTheHandshake(t *testing.T) {
	_, d := launchPlugin(t, pluginCommand(t, "chatty"))
	if _, err := d.Describe(t.Context(), "test"); err != nil {
		t.Error(err)
	}
}

func TestAPluginStartedByHandExplainsItself(t *testing.T) {
	out, err := pluginCommand(t, "toy").CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(string(out), "proctor run --lang toy") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestAPluginPrintsItsVersion(t *testing.T) {
	cmd := pluginCommand(t, "toy")
	cmd.Args = append(cmd.Args, "--version")
	if out, err := cmd.Output(); err != nil || string(out) != "proctor-plugin-toy 0.1.0\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestAMisconfiguredPluginNamesTheMistake(t *testing.T) {
	out, err := pluginCommand(t, "misconfigured").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `Description.Name is "No Name"`) {
		t.Errorf("%v: %s", err, out)
	}
}

// startHosted starts the plugin with a cookie and a lifeline, and returns the
// handshake line.
func startHosted(t *testing.T, cmd *exec.Cmd) (lifeline io.Closer, handshake string) {
	t.Helper()
	handshakeCookie := sdk.EnvCookie + "=" + sdk.Cookie
	cmd.Env = append(cmd.Env, handshakeCookie, "PLUGIN_PROTOCOL_VERSIONS=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1024)
	n, err := stdout.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	return stdin, string(line[:n])
}

func TestAPluginEndsWithItsLifelineAndRemovesItsSocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("plugins listen on TCP there")
	}
	dir, err := os.MkdirTemp("", "sock") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cmd := pluginCommand(t, "toy", sdk.EnvLifeline+"="+sdk.LifelineStdin, plugin.EnvUnixSocketDir+"="+dir)
	lifeline, handshake := startHosted(t, cmd)
	if !strings.HasPrefix(handshake, "1|1|unix|"+dir+string(filepath.Separator)) {
		t.Errorf("handshake %q", handshake)
	}
	if err := lifeline.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the plugin ended with %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWithoutALifelineTheEndOfStdinIsIgnored(t *testing.T) {
	cmd := pluginCommand(t, "toy")
	cmd.Stdin = nil // at its end from the start
	_, d := launchPlugin(t, cmd)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := d.Describe(ctx, "test"); err != nil {
		t.Error(err)
	}
}
