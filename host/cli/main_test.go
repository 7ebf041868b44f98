package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var (
	// binDir holds the binaries under test: proctor and, beside it, the
	// plugins.
	binDir string
	// built builds them, for the first test that needs them.
	built = sync.OnceValue(buildBinaries)
)

// TestMain removes the binaries in the end. The test binary also stands for the fake
// plugins of these tests, under their names: see fakeplugin_test.go.
func TestMain(m *testing.M) {
	if servesFakePlugin(filepath.Base(os.Args[0])) {
		return
	}
	code := m.Run()
	if binDir != "" {
		os.RemoveAll(binDir)
	}
	os.Exit(code)
}

func buildBinaries() error {
	var err error
	if binDir, err = os.MkdirTemp("", "proctor-e2e-bin-*"); err != nil {
		return err
	}
	args := []string{"build", "-o", binDir + string(filepath.Separator)}
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "../../cmd/proctor", "../../cmd/proctor-plugin-go", "../../cmd/proctor-plugin-forge")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the binaries under test: %w\n%s", err, out)
	}
	return nil
}

// binary is the path of a binary under test.
func binary(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(binDir, name)
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
