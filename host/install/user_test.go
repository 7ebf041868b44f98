package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// user installs plugins into their own home directory.
type user struct {
	t    testing.TB
	home string
	cfg  Config
	lock string
	// events are what was reported so far.
	events []string
	// trace is a file that every published program creates when executed.
	trace string
}

func newUser(t testing.TB) *user {
	t.Helper()
	home := t.TempDir()
	u := &user{t: t, home: home, lock: filepath.Join(home, "project", lock.ProjectFile), trace: filepath.Join(home, "executed")}
	u.cfg = Config{
		Store: filepath.Join(home, "data", "plugins"), Keys: filepath.Join(home, "config", "keys.json"),
		Locks:       []string{u.lock, filepath.Join(home, "config", lock.UserFile)},
		HostVersion: "1.2.3", Protocols: []int{1}, Env: os.Environ(),
		Events: Events{
			Pinned:    func(index, key string) { u.events = append(u.events, "pinned "+key) },
			Unsigned:  func(index string) { u.events = append(u.events, "unsigned") },
			Unchecked: func(index string) { u.events = append(u.events, "unchecked") },
			Unvouched: func(source string) { u.events = append(u.events, "unvouched") },
			Replacing: func(name, version, path string) { u.events = append(u.events, "replacing "+name) },
			Rebuilt:   func(name, version, path string) { u.events = append(u.events, "rebuilt "+name) },
			Fetching: func(name, version, address string) {
				u.events = append(u.events, "fetching "+name+" "+version+" from "+address)
			},
		},
	}
	t.Cleanup(func() {
		if _, err := os.Lstat(u.trace); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a plugin was executed")
		}
		removeAll(u.cfg.Store)
	})
	return u
}

func (u *user) installer() *Installer { return New(u.cfg) }

// program returns a plugin's binary.
func (u *user) program(text string) []byte { return program(u.trace, text) }

func (u *user) install(spec string) Plugin {
	u.t.Helper()
	p, err := u.try(Request{Spec: spec})
	if err != nil {
		u.t.Fatalf("install %s: %v", spec, err)
	}
	return p
}

func (u *user) try(req Request) (Plugin, error) {
	u.t.Helper()
	if req.Lock == "" {
		req.Lock = u.lock
	}
	a, err := u.installer().Install(u.t.Context(), req)
	if err != nil {
		return Plugin{}, err
	}
	if len(a.Plugins) != 1 || !a.OK() {
		u.t.Fatalf("got %+v, want one plugin", a)
	}
	return a.Plugins[0], nil
}

// refused expects an install to fail with an error of type E that contains all of these texts,
// and to change nothing.
func refused[E error](u *user, req Request, says ...string) E {
	u.t.Helper()
	before, entries := u.installed(), u.locked()
	var as E
	_, err := u.try(req)
	if !errors.As(err, &as) {
		u.t.Fatalf("%+v: %T %v, want a %T", req, err, err, as)
	}
	checkSays(u.t, err, says...)
	if after := u.installed(); !slices.Equal(before, after) {
		u.t.Errorf("installed before: %q, after the refusal: %q", before, after)
	}
	if after := u.locked(); string(after.Encode()) != string(entries.Encode()) {
		u.t.Errorf("the lock file changed:\n%s", after.Encode())
	}
	return as
}

// checkSays checks for texts in an error and its details.
func checkSays(t testing.TB, err error, says ...string) {
	t.Helper()
	text := err.Error() + "\n" + detail(err)
	for _, s := range says {
		if !strings.Contains(text, s) {
			t.Errorf("%q is missing in: %s", s, text)
		}
	}
}

// locked returns the lock file.
func (u *user) locked() lock.File {
	u.t.Helper()
	f, err := lock.Read(u.lock)
	if err != nil {
		u.t.Fatal(err)
	}
	return f
}

// installed lists the store, which must be intact, as "NAME VERSION HASH".
func (u *user) installed() []string {
	u.t.Helper()
	all, rejected, err := store.Open(u.cfg.Store).List(u.t.Context())
	if err != nil || len(rejected) > 0 {
		u.t.Errorf("the store is not intact: %v, %v", rejected, err)
	}
	var lines []string
	for _, p := range all {
		lines = append(lines, p.Manifest.Name+" "+p.Manifest.Version+" "+p.Receipt.Bin)
	}
	return lines
}

// whole checks that the store is intact, and that all of the lock file is installed.
func (u *user) whole() {
	u.t.Helper()
	u.installed()
	a, err := u.installer().Verify(u.t.Context(), u.lock)
	if err != nil || !a.OK() {
		u.t.Errorf("verify: %+v, %v", a, err)
	}
}

// wipe empties the store, as on another machine.
func (u *user) wipe() {
	u.t.Helper()
	if err := removeAll(u.cfg.Store); err != nil {
		u.t.Fatal(err)
	}
}

// removeAll removes a directory with read-only subdirectories.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
