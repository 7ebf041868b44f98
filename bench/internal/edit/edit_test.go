package edit_test

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// module writes a small module and returns its directory.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := edit.WriteFiles(dir, map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.21\n",
		"a.go":            "package m\n\nimport \"fmt\"\n\n// F adds.\nfunc F(a int) int {\n\tif a == 1 {\n\t\tfmt.Println(\"one\")\n\t}\n\ta += 2\n\treturn a + 1\n}\n\nfunc G() {}\n",
		"a_test.go":       "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F(1) != 4 {\n\t\tt.Error(\"no\")\n\t}\n}\n",
		"testdata/in.txt": "in", "testdata/x.go": "not Go",
		".git/config": "x", ".proctor/x": "x",
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// edited makes the edit that a seed determines.
func edited(t *testing.T, seed uint64) (what string, files map[string]string) {
	t.Helper()
	dir := module(t)
	m, err := edit.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if what, err = m.Random(rand.New(rand.NewPCG(seed, 0))); err != nil {
		t.Fatal(err)
	}
	return what, contents(t, dir)
}

func TestEditsChangeOneFileOfAnyKind(t *testing.T) {
	before := contents(t, module(t))
	kinds := map[string]bool{}
	for seed := range uint64(400) {
		what, after := edited(t, seed)
		kinds[what] = true
		var changed []string
		all := maps.Clone(before)
		maps.Copy(all, after)
		for name := range all {
			if was, then := before[name]; was != after[name] || !then {
				changed = append(changed, name)
			}
		}
		renamed := strings.HasPrefix(what, "a renamed file")
		if len(changed) != 1 && !(renamed && len(changed) == 2) {
			t.Errorf("%s: changed %q", what, changed)
		}
		for _, name := range changed {
			if strings.HasPrefix(name, ".") {
				t.Errorf("%s: changed %s", what, name)
			}
		}
	}
	for _, want := range []string{
		"an operator in a.go", "a condition in a.go", "a number in a.go", "a string in a.go", "a deleted statement in a.go", "a panic in a.go", "a return in a.go",
		"lines at the top in a.go", "a renamed file in a.go", "a removed file in a.go", "a syntax error in a.go", "a renamed test in a_test.go",
		"an added test in a_test.go", "changed data in testdata/in.txt", "removed data in testdata/x.go", "added data in testdata/in.txt", "the version of the language in go.mod",
	} {
		if !kinds[want] {
			t.Errorf("no seed makes %q", want)
		}
	}
}

func TestASeedMakesTheSameEdit(t *testing.T) {
	for seed := range uint64(20) {
		what, files := edited(t, seed)
		again, same := edited(t, seed)
		if diff := cmp.Diff(files, same); what != again || diff != "" {
			t.Errorf("seed %d: %s, then %s\n%s", seed, what, again, diff)
		}
	}
}

func TestASkippedTestSkipsFirst(t *testing.T) {
	dir := module(t)
	if err := edit.Skip(dir, "TestF"); err != nil {
		t.Fatal(err)
	}
	if text := contents(t, dir)["a_test.go"]; !strings.Contains(text, "func TestF(t *testing.T) {\n\tt.SkipNow()\n\tif F(1)") {
		t.Errorf("got\n%s", text)
	}
	if err := edit.Skip(dir, "TestNone"); !errors.Is(err, edit.ErrNotDeclared) {
		t.Error("a test that does not exist was skipped:", err)
	}
}

func TestAFaultIsOneLineAndCanBeFixed(t *testing.T) {
	dir := module(t)
	source := "package m\n\ntype T struct{ n int }\n\nvar all map[string]int\n\nfunc New() *T {\n\tall = make(map[string]int)\n\treturn &T{n: 1}\n}\n\nfunc (t *T) Add(by int) {\n\tif by > 0 && t.n < 10 {\n\t\tt.n += by\n\t\tprintln(\"added\")\n\t}\n}\n"
	testfiles.Write(t, filepath.Join(dir, "a.go"), source)
	before := contents(t, dir)
	m, err := edit.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range edit.FaultKinds() {
		made := 0
		for seed := range uint64(20) {
			f, done, err := m.Fault(kind, rand.New(rand.NewPCG(seed, 0)))
			if err != nil {
				t.Fatal(err)
			}
			wrong := contents(t, dir)
			if !done {
				if diff := cmp.Diff(before, wrong); diff != "" {
					t.Errorf("%s: no fault was made, but files changed:\n%s", kind, diff)
				}
				continue
			}
			made++
			line := strings.TrimSpace(strings.Split(wrong[f.File], "\n")[f.Line-1])
			if deleted := line == ""; deleted != (kind == "deleted statement") || !deleted && line != f.Text || deleted && !strings.Contains(source, f.Text) {
				t.Errorf("%s: line %d is %q, and the fault says %q", kind, f.Line, line, f.Text)
			}
			if err := f.Fix(dir); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("%s is not fixed:\n%s", kind, diff)
			}
		}
		if made == 0 {
			t.Errorf("no seed makes %q", kind)
		}
	}
}
