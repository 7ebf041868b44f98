package testbin

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Dir returns the folder, below bin/ of the repository, with up-to-date programs. If the
// tests run with the race detector, so do the programs. It panics if they cannot be built.
//
// The go command does not rebuild a program that is up to date, so only the first package
// of a suite waits for the linker. The folder is never removed.
var Dir = sync.OnceValue(func() string {
	dir, err := build()
	if err != nil {
		panic(err)
	}
	return dir
})

// Path returns the path of one of the programs.
func Path(program string) string {
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return filepath.Join(Dir(), program)
}

func build() (dir string, err error) {
	dir, err = folder()
	if err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer lock.Unlock()
	// With a stamp, the programs would be linked again for every commit. Without symbols
	// and DWARF, as in releases, they are linked in two thirds of the time.
	args, cgo := []string{"build", "-buildvcs=false", "-ldflags=-s -w"}, "0"
	if HasRaceDetector() {
		args, cgo = append(args, "-race"), "1"
	}
	cmd := exec.Command("go", append(args, "-o", dir+string(filepath.Separator), "./cmd/...")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	cmd.Dir = filepath.Dir(filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the programs under test: %w\n%s", err, out)
	}
	return dir, nil
}

// folder makes the folder of the programs, which may be empty.
var folder = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the repository: %w", err)
	}
	dir := filepath.Join(filepath.Dir(strings.TrimSpace(string(out))), "bin", "test")
	if HasRaceDetector() {
		dir += "-race"
	}
	return dir, os.MkdirAll(dir, 0o755)
})

// HasRaceDetector reports whether the tests run with the race detector, with which
// everything takes many times as long.
func HasRaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// PlayMoreAtOnce lets twice as many tests run at once as there are processors, unless
// -parallel says how many: they mostly wait for processes, some of which only sleep.
func PlayMoreAtOnce() {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if asked {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
}
