package testbin

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// GoEnv returns settings for environments without other settings of the user who runs the
// tests: where the go command's caches are, and that programs collect no garbage below a
// gigabyte. Most end within a tenth of a second, and the go command costs a quarter less.
var GoEnv = sync.OnceValue(func() []string {
	names := []string{"GOCACHE", "GOMODCACHE"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		panic(err)
	}
	settings := strings.Split(strings.ReplaceAll(strings.TrimSpace(string(out)), "\r", ""), "\n")
	for i, name := range names {
		settings[i] = name + "=" + settings[i]
	}
	return append(settings, "GOGC=off", "GOMEMLIMIT=1GiB")
})

// Home creates a home folder for a user of the go command, which is removed at the end of
// the test.
func Home(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	if err := FurnishHome(home); err != nil {
		t.Fatal(err)
	}
	return home
}

// FurnishHome turns Go's telemetry off in a home folder: its collector outlives the go
// command that starts it, and would write into a folder that is being removed.
func FurnishHome(home string) error {
	for _, config := range []string{".config", "Library/Application Support"} {
		dir := filepath.Join(home, filepath.FromSlash(config), "go", "telemetry")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "mode"), []byte("off 2024-01-01"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// UserEnv returns the environment of a user who lives in home: without settings of whoever
// runs the tests, but with their build cache.
func UserEnv(home string) []string {
	kept := []string{"PATH", "TMPDIR", "LANG", "SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT"}
	env := slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		return !slices.Contains(kept, name)
	})
	return append(append(env, GoEnv()...), "HOME="+home, "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS="+GoFlags())
}

// GoFlags returns a value of GOFLAGS for modules of tests: without vet, and with a program
// that was linked before, by this run of the suite or by one of the last days. That saves
// most of what a test of a small module costs.
func GoFlags() string {
	if runtime.GOOS == "windows" { // It has no shell for the linker.
		return "-vet=off"
	}
	return "-vet=off -ldflags=-w -toolexec=" + linker()
}

// linkedFor is how long a linked program is kept without being used: over a weekend.
const linkedFor = 3 * 24 * time.Hour

// linker is the path of the program [linkOnce].
var linker = sync.OnceValue(func() string {
	dir, err := folder()
	if err != nil {
		panic(err)
	}
	dir = filepath.Join(dir, "linked-"+runtime.Version())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		panic(err)
	}
	old, err := os.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	for _, program := range old {
		if info, err := program.Info(); err == nil && time.Since(info.ModTime()) > linkedFor {
			os.Remove(filepath.Join(dir, program.Name()))
		}
	}
	path := filepath.Join(dir, fmt.Sprintf("linkonce-%d", os.Getpid()))
	if err := os.WriteFile(path, []byte(linkOnce), 0o755); err != nil {
		panic(err)
	}
	return path
})

const linkOnce = `#!/bin/sh
flatten() {
	IFS=/
	set -f -- $1
	IFS=_
	flat=$*
	unset IFS
}
if [ "$2" = -V=full ]; then
	flatten "$1"
	said=${0%/*}/version-$flat
	[ "$said" -nt "$1" ] && read -r version <"$said" && echo "$version" && exit
	"$@" >"$said.$$" && mv "$said.$$" "$said"
	exec "$@"
fi
case $1 in
*/link) ;;
*) exec "$@" ;;
esac
for argument; do
	case $argument in
	-buildid=*)
		flatten "$argument"
		linked=${0%/*}/$flat
		;;
	esac
	[ "$before" = -o ] && output=$argument
	before=$argument
done
[ -f "$linked" ] && exec cp "$linked" "$output"
"$@" && cp "$output" "$linked.$$" && mv "$linked.$$" "$linked"
`

// places is a folder for the modules of this process, or none if another process runs the
// same tests. It is the same in each run of the suite: the go command's cache depends on
// the path of the sources, too.
var places = sync.OnceValue(func() (p struct {
	dir  string
	lock *flock.Flock // until the process ends
}) {
	tests, err := os.Executable()
	if err != nil {
		panic(err)
	}
	programs, err := folder()
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("proctor-%x", sha256.Sum256([]byte(programs+filepath.Base(tests))))[:24])
	p.lock = flock.New(dir + ".lock")
	if free, err := p.lock.TryLock(); err != nil || !free || os.RemoveAll(dir) != nil || os.Mkdir(dir, 0o700) != nil {
		return p
	}
	p.dir = dir
	return p
})

// Place creates a folder for a module, which is removed at the end of the test.
func Place(t testing.TB) string {
	t.Helper()
	root := places().dir
	if root == "" {
		return t.TempDir()
	}
	for n := 0; ; n++ {
		dir := filepath.Join(root, fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, t.Name(), n)))[:16])
		err := os.Mkdir(dir, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		})
		return dir
	}
}
