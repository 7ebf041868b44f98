//go:build unix

package parse

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Tests can replace their own sources with anything while they run.
func TestSourcesThatBecamePipesAreNeitherWaitedForNorRead(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": logSource})
	run.Command.Argv = []string{"go", "test", "-json", "./..."}
	pipe, zero := filepath.Join(run.Workspace.Root, "p_test.go"), filepath.Join(run.Workspace.Root, "z_test.go")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", zero); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p := New(Config{Run: run}, &discard{})
		s := &suite{name: pkg}
		if found := p.tree.source(s); len(found.files) != 3 || found.tests["TestA"].Line == 0 {
			t.Errorf("a readable file was not read: %+v", found)
		}
		if files := p.tree.filesDeclaring(p.tree.source(s), "failIt"); len(files) != 1 {
			t.Errorf("failIt is declared in %q", files)
		}
		if imported := p.tree.importsOf(pkg); !slices.Contains(imported, "testing") {
			t.Errorf("the package imports %q", imported)
		}
		if _, _, known := p.ender.countSelected(s); known {
			t.Error("the tests of files that cannot be read are counted")
		}
		for _, file := range []string{pipe, zero} {
			if p.tree.mentions(file, "x") || p.tree.parsed.file(file) != nil {
				t.Errorf("%s was read", file)
			}
		}
		at := importPlace(p.tree, &buildBlock{owner: pkg, lines: []string{"imports gone: not found"}})
		if at != (sdk.Location{}) {
			t.Errorf("the import is at %v", at)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the parser waits for a file")
	}
}
