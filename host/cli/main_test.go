package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/internal/testbin"
)

// TestMain lets the test binary stand for the fake plugins of these tests.
func TestMain(m *testing.M) {
	if fakeplugin.Serve() {
		return
	}
	testbin.PlayMoreAtOnce()
	os.Exit(m.Run())
}

// The fake plugins, and what they do.
const (
	fakeNoTool  = "notool"
	fakeCrash   = "crash"
	fakeMute    = "mute"
	fakeForeign = "foreign"
	// fakeShell takes the place of the plugin for Go.
	fakeShell = "go"
	// fakeMeasured reports tests of Solidity that measured gas.
	fakeMeasured = "solidity"
)

var fakes = map[string]fakeplugin.Script{
	fakeNoTool: {Tools: []string{"no-such-program-for-proctor"}},
	fakeCrash:  {Panic: "out of cheese"},
	fakeShell:  {Shell: true},
	fakeMute:   {Says: "Hello, I only want to chat."},
}

// fakePlugin makes a fake plugin available outside of any workspace.
func fakePlugin(t testing.TB, name string) string {
	t.Helper()
	return fakeplugin.New(t, name, fakes[name])
}

// goEnv asks the go command for settings.
func goEnv(t testing.TB, names ...string) map[string]string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	settings := map[string]string{}
	for i, name := range names {
		settings[name] = strings.TrimSuffix(values[i], "\r")
	}
	return settings
}
