package forgetest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
)

// Version is the forge that `make forge` installs, and Solc the only compiler in its
// home.
const (
	Version = "1.7.1"
	Solc    = "0.8.30"
)

// pathVariable names a directory laid out like .cache/forge, for a checkout without
// one.
const pathVariable = "PROCTOR_TEST_FORGE"

// Tools returns the directory of the real forge, to put first in PATH, and the home
// directory in which forge finds the compiler without a network, to put in HOME.
func Tools(t testing.TB) (bin, home string) {
	t.Helper()
	needs.WholeSuite(t)
	dir := findTools(t)
	bin, home = filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	name := "forge"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, path := range []string{filepath.Join(bin, name), filepath.Join(home, ".svm", Solc, "solc-"+Solc)} {
		if _, err := os.Stat(path); err != nil {
			needs.Missing(t, "the real forge is not installed: there is no "+path+". Run `make forge` (it needs npm), or set "+pathVariable)
		}
	}
	return bin, home
}

// Environment is all that forge needs, without the caller's variables: FOUNDRY_
// variables would configure it.
func Environment(t testing.TB) []string {
	t.Helper()
	bin, home := Tools(t)
	return []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + home,
		"TMPDIR=" + os.TempDir(),
		"NO_COLOR=1",
		"LC_ALL=C",
	}
}

// findTools returns the directory of the tools.
func findTools(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(pathVariable); dir != "" {
		return dir
	}
	return needs.Installed(t, "forge")
}
