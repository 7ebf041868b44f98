//go:build unix

package plugin

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func runDirs(t *testing.T, base string) []string {
	t.Helper()
	entries, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(base, e.Name()))
	}
	return dirs
}

// age makes a directory look older than one just created.
func age(t *testing.T, dir string) {
	t.Helper()
	old := time.Now().Add(-2 * orphanAge)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
}

// deadPID is a pid that no process has.
const deadPID = 1<<31 - 2

func TestSweepTakesOnlyDirectoriesOfDeadHosts(t *testing.T) {
	base := filepath.Join(t.TempDir(), "run")
	own, err := newRunDir(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	mkdir := func(name string) string {
		dir := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Join(dir, "tmp", "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dead := strconv.Itoa(deadPID)
	gone := mkdir(dead + "-1")
	young := mkdir(dead + "-2")
	alive := mkdir(strconv.Itoa(os.Getppid()) + "-3")
	foreign := mkdir("somebody")
	formerSelf := mkdir(strconv.Itoa(os.Getpid()) + "-4")
	// The pid is dead here, but in another container the host lives.
	contained, err := newRunDir(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(base, dead+"-5")
	if err := os.Rename(contained.path, elsewhere); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{own.path, gone, alive, foreign, formerSelf, elsewhere} {
		age(t, dir)
	}
	sweep(t.Context(), base)
	for dir, want := range map[string]bool{
		own.path: true, gone: false, young: true, alive: true, foreign: true, formerSelf: false, elsewhere: true,
	} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: kept %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
	_ = contained.lock.Close()
	sweep(t.Context(), base)
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("the directory of a host that has died elsewhere was kept")
	}
}

func TestRunDirIsPrivateAndRemoved(t *testing.T) {
	base := filepath.Join(t.TempDir(), "run")
	d, err := newRunDir(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{base, d.path, d.work, d.temp} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
	if entries, _ := os.ReadDir(d.work); len(entries) != 0 {
		t.Error("the working directory is not empty")
	}
	if err := d.remove(); err != nil {
		t.Fatal(err)
	}
	if left := runDirs(t, base); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRunDirRefusesUnsafeBases(t *testing.T) {
	root := t.TempDir()
	open := filepath.Join(root, "open")
	file := filepath.Join(root, "file")
	link := filepath.Join(root, "link")
	private := filepath.Join(root, "private")
	for _, err := range []error{
		os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.WriteFile(file, nil, 0o600),
		os.Mkdir(private, 0o700), os.Symlink(private, link),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for dir, reason := range map[string]string{
		open: "others can access it", file: "directory", link: "not a directory",
	} {
		_, err := newRunDir(t.Context(), dir)
		if _, ok := errors.AsType[*RunDirError](err); !ok || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", dir, err, reason)
		}
	}
}

func TestRunDirBaseLeavesRoomForASocket(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/"+strings.Repeat("x", 90))
	t.Setenv("TMPDIR", "/"+strings.Repeat("t", 90))
	base, err := runDirBase("")
	if err != nil {
		t.Fatal(err)
	}
	// The longest names the parts can have.
	longest := base + "/" + strings.Repeat("9", 10) + "-" + strings.Repeat("9", 10) + "/plugin" + strings.Repeat("9", 10)
	if len(longest) > socketPathMax {
		t.Errorf("%s has %d bytes", longest, len(longest))
	}
	fits := "/" + strings.Repeat("f", socketPathMax-runDirNameMax-socketNameMax-1)
	if got, err := runDirBase(fits); err != nil || got != fits {
		t.Errorf("a path that just fits: %q %v", got, err)
	}
	var refused *RunDirError
	if _, err := runDirBase(fits + "f"); !errors.As(err, &refused) {
		t.Errorf("a path one byte too long: %v", err)
	}
}

func TestSocketPathMaxIsAcceptedByThisSystem(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := dir + "/" + strings.Repeat("s", socketPathMax-len(dir)-1)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

// A clock that is an hour ahead makes a new directory look old, and so does a file
// system whose clock is behind.
func TestADirectoryThatIsSweptWhileItIsMadeIsMadeAgain(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(base, 0o700); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var sweepers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				entries, _ := os.ReadDir(base)
				for _, e := range entries {
					removeUnlocked(filepath.Join(base, e.Name()))
				}
			}
		})
	}
	var made []*runDir
	for range 20 {
		d, err := newRunDir(t.Context(), base)
		if err != nil {
			t.Errorf("%v", err)
			break
		}
		made = append(made, d)
	}
	close(done)
	sweepers.Wait()
	for _, d := range made {
		for _, dir := range []string{d.work, d.temp} {
			if _, err := os.Stat(dir); err != nil {
				t.Errorf("it was swept while it was in use: %v", err)
			}
		}
		_ = d.remove()
	}
}
