package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary stand for the fake plugins of these tests, under their
// names: see fakeplugin_test.go.
func TestMain(m *testing.M) {
	if servesFakePlugin(filepath.Base(os.Args[0])) {
		return
	}
	os.Exit(m.Run())
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
