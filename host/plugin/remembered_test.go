//go:build unix

package plugin

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/testfiles"
)

// later is a clock by which every file of the test is settled.
func later() time.Time { return time.Now().Add(time.Hour) }

// beside creates plugins beside proctor, and a directory for what is remembered.
func beside(t *testing.T, names ...string) (candidates []Candidate, cache string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, "proctor-plugin-"+name)
		install(t, path, 0o755)
		candidates = append(candidates, Candidate{Name: name, Path: path, Beside: true})
	}
	return candidates, filepath.Join(t.TempDir(), "cache", "proctor")
}

// tell starts the candidates as a host does: each has its name as its marker.
func tell(candidates []Candidate, cache, root string, now func() time.Time) Matching {
	m := Match(candidates, nil, OpenRemembered(cache, now))
	for _, c := range m.Start {
		m.Remember(c, []string{c.Name + ".toml"}, root)
	}
	return m
}

func TestAPluginWithRememberedMarkersIsStartedWhereOneIs(t *testing.T) {
	t.Parallel()
	candidates, cache := beside(t, "one", "two")
	root := t.TempDir()
	if got := namesOf(tell(candidates, cache, root, later).Start); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("first it starts %v", got)
	}
	testfiles.Write(t, filepath.Join(root, "one.toml"), "")
	m := tell(candidates, cache, root, later)
	if len(m.Start) != 0 || !slices.Equal(m.Files(), []string{"one.toml", "two.toml"}) {
		t.Errorf("then it starts %v, with the files %v", namesOf(m.Start), m.Files())
	}
	in, err := m.In(root)
	if below := m.Below(t.Context(), root); err != nil || !slices.Equal(namesOf(in), []string{"one"}) || len(below) != 0 {
		t.Errorf("in the root %v, below it %v, error %v", namesOf(in), namesOf(below), err)
	}
	testfiles.Write(t, filepath.Join(root, "a", ".b", "node_modules", "TWO.toml"), "")
	if below := m.Below(t.Context(), root); !slices.Equal(namesOf(below), []string{"two"}) {
		t.Errorf("with one nested: %v", namesOf(below))
	}
}

func TestAPluginIsStartedUnlessItIsCertainlyNotNeeded(t *testing.T) {
	t.Parallel()
	candidates, cache := beside(t, "one")
	tell(candidates, cache, t.TempDir(), later)
	for name, make := range map[string]func(root string) error{
		"a link to a directory": func(root string) error { return os.Symlink(t.TempDir(), filepath.Join(root, "link")) },
		"a link in a circle":    func(root string) error { return os.Symlink("link", filepath.Join(root, "link")) },
		"a directory that cannot be read": func(root string) error {
			if os.Geteuid() == 0 {
				return os.Symlink(root, filepath.Join(root, "instead")) // root reads everything
			}
			return os.Mkdir(filepath.Join(root, "closed"), 0)
		},
		"many directories": func(root string) error {
			for i := range maxSeenDirs {
				if err := os.Mkdir(filepath.Join(root, "d"+time.Duration(i).String()), 0o755); err != nil {
					return err
				}
			}
			return nil
		},
		"the cache in it": func(root string) error {
			return os.CopyFS(filepath.Join(root, "proctor"), os.DirFS(cache))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, at := t.TempDir(), cache
			if err := make(root); err != nil {
				t.Fatal(err)
			}
			if name == "the cache in it" {
				at = filepath.Join(root, "proctor")
			}
			m := Match(candidates, nil, OpenRemembered(at, later))
			if below := m.Below(t.Context(), root); len(m.Start) != 0 || len(below) != 1 {
				t.Errorf("started at once %v, later %v", namesOf(m.Start), namesOf(below))
			}
		})
	}
	root := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(root, "dangling")); err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, filepath.Join(root, ".git", "one.toml"), "")
	if below := Match(candidates, nil, OpenRemembered(cache, later)).Below(t.Context(), root); len(below) != 0 {
		t.Errorf("what git keeps, and a link to nothing: %v", namesOf(below))
	}
}

func TestUntrustworthyMarkersAreNotUsed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, binary, file string){
		"the binary was replaced": func(t *testing.T, binary, _ string) {
			replaced := binary + ".new"
			install(t, replaced, 0o755)
			must(t, os.Rename(replaced, binary))
		},
		"the binary was touched": func(t *testing.T, binary, _ string) { must(t, os.Chtimes(binary, time.Now(), time.Unix(1, 0))) },
		"damaged":                func(t *testing.T, _, file string) { must(t, os.WriteFile(file, []byte(`[{"binary`), 0o600)) },
		"too large":              func(t *testing.T, _, file string) { must(t, os.Truncate(file, maxRemembered+1)) },
		"others may write it":    func(t *testing.T, _, file string) { must(t, os.Chmod(file, 0o666)) },
		"a link": func(t *testing.T, _, file string) {
			must(t, os.Rename(file, file+".real"))
			must(t, os.Symlink(file+".real", file))
		},
		"a pipe": func(t *testing.T, _, file string) {
			must(t, os.Remove(file))
			must(t, syscall.Mkfifo(file, 0o600))
		},
		"a marker that is a path": func(t *testing.T, _, file string) {
			raw, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, []byte(string(raw[:len(raw)-len(`"one.toml"]}]`)])+`"a/one.toml"]}]`), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			candidates, cache := beside(t, "one")
			root := t.TempDir()
			tell(candidates, cache, root, later)
			if m := Match(candidates, nil, OpenRemembered(cache, later)); len(m.Start) != 0 {
				t.Fatal("nothing is remembered")
			}
			spoil(t, candidates[0].Path, filepath.Join(cache, rememberedFile))
			if m := Match(candidates, nil, OpenRemembered(cache, later)); len(m.Start) != 1 {
				t.Error("the plugin is not asked")
			}
		})
	}
}

func TestAPluginWhoseMarkersCannotBeRememberedIsAskedAgain(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, again := range map[string]func(candidates []Candidate, cache string){
		"no cache":       func(c []Candidate, _ string) { tell(c, "", root, later) },
		"a relative one": func(c []Candidate, _ string) { tell(c, "cache", root, later) },
		"one that is a file": func(c []Candidate, cache string) {
			must(t, os.MkdirAll(filepath.Dir(cache), 0o755))
			testfiles.Write(t, cache, "")
			tell(c, cache, root, later)
		},
		"in the workspace":    func(c []Candidate, cache string) { tell(c, cache, filepath.Dir(filepath.Dir(cache)), later) },
		"a binary just built": func(c []Candidate, cache string) { tell(c, cache, root, time.Now) },
		"an invalid marker": func(c []Candidate, cache string) {
			m := Match(c, nil, OpenRemembered(cache, later))
			m.Remember(c[0], []string{"*.toml"}, root)
			m.Remember(c[0], nil, root)
		},
		"replaced while it started": func(c []Candidate, cache string) {
			m := Match(c, nil, OpenRemembered(cache, later))
			must(t, os.Chtimes(c[0].Path, time.Now(), time.Unix(1, 0)))
			m.Remember(c[0], []string{"one.toml"}, root)
		},
	} {
		t.Run(name, func(t *testing.T) {
			candidates, cache := beside(t, "one")
			again(candidates, cache)
			if m := Match(candidates, nil, OpenRemembered(cache, later)); len(m.Start) != 1 {
				t.Error("it is remembered")
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
