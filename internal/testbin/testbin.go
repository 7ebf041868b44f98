// Package testbin builds proctor and its plugins for the tests of several packages, once
// for all of them and for all runs of the suite between two edits.
package testbin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Dir returns the folder, below bin/ of the repository, with programs that are up to date.
// Where the tests look for data races, the programs do too. It panics where they cannot be
// built.
//
// The go command leaves a program alone that is up to date, so that only the first
// package of a suite waits for the linker. Nobody removes the folder.
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
	// Stamped with a commit, every commit would be linked anew.
	args, cgo := []string{"build", "-buildvcs=false"}, "0" // as in releases
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

// HasRaceDetector reports whether the running tests look for data races: everything takes
// many times as long then.
func HasRaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
