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
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the repository: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(out)))
	dir = filepath.Join(root, "bin", "test")
	// Stamped with a commit, every commit would be linked anew.
	args := []string{"build", "-buildvcs=false"}
	if HasRaceDetector() {
		dir += "-race"
		args = append(args, "-race")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer lock.Unlock()
	cmd := exec.Command("go", append(args, "-o", dir+string(filepath.Separator), "./cmd/...")...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the programs under test: %w\n%s", err, out)
	}
	return dir, nil
}

// HasRaceDetector reports whether the running tests look for data races: everything takes
// many times as long then.
func HasRaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// GoCaches returns the go command's settings of its caches, for environments that have
// no other settings of whoever runs the tests.
var GoCaches = sync.OnceValue(func() []string {
	names := []string{"GOCACHE", "GOMODCACHE"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		panic(err)
	}
	settings := strings.Split(strings.ReplaceAll(strings.TrimSpace(string(out)), "\r", ""), "\n")
	for i, name := range names {
		settings[i] = name + "=" + settings[i]
	}
	return settings
})
