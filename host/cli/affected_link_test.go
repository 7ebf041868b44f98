package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// linking is a module in which only a linked program of one package shows what edits of bodies
// in another do, although no test executes these.
var linking = files{
	"core/core.go": `package core

var names = []string{"a"}

func Name() string { return names[0] }

func At(i int) byte {
	var a [8]byte
	a[i&7] = 1
	return a[i&3]
}

func missing() int

func Lost() int {
	if 0 > 1 {
		return missing()
	}
	return len(names)
}

func Size[T any]() int {
	var a *[1]T
	return len(a)
}
`,
	"core/core_test.go": "package core\n\nimport \"testing\"\n\nfunc TestName(t *testing.T) {\n\tif Name() != \"a\" {\n\t\tt.Error()\n\t}\n}\n",
	"core/stub.s":       "\n",
	"dep/dep.go": `package dep

import "example.com/m/core"

//go:noinline
//go:nosplit
func Tight(i int) byte { return core.At(i) }

func Size() int { return core.Size[[1 << 30]byte]() }
`,
	"dep/dep_test.go": `package dep

import (
	"os"
	"testing"

	"example.com/m/mid"
)

func TestDep(t *testing.T) {
	if len(os.Args) > 1000 {
		println(Tight(len(os.Args)), mid.Lost(), Size())
	}
	if mid.Name() != "a" {
		t.Error()
	}
}
`,
	"mid/mid.go": `package mid

import "example.com/m/core"

func Name() string { return core.Name() }

//go:noinline
func Lost() int { return core.Lost() }
`,
}

func TestAnAffectedRunIsRedIfAProgramNoLongerLinks(t *testing.T) {
	t.Parallel()
	w := newModule(t, linking)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "one")
	w.setenv("GOFLAGS=-ldflags=-w") // vet, too
	w.index()
	kept := filepath.Join(w.home, "kept")
	renewTree(t, kept, filepath.Join(w.dir, ".proctor"))
	for _, c := range []struct{ name, before, after string }{
		{"a larger frame in a function that cannot grow its stack", "var a [8]byte", "var a [4096]byte"},
		{"what is not defined is reached", "if 0 > 1", "if 0 < 1"},
		{"a type that is too large where it is instantiated", "var a *[1]T", "var a *[1 << 30]T"},
	} {
		t.Run(c.name, func(t *testing.T) {
			renewTree(t, filepath.Join(w.dir, ".proctor"), kept)
			core := strings.Replace(linking["core/core.go"], c.before, c.after, 1)
			if core == linking["core/core.go"] {
				t.Fatal("nothing is edited")
			}
			w.write(files{"core/core.go": core})
			if run, r := w.object("run", "--affected"); run.Verdict != api.BuildFailed || r.code != exitFailed {
				t.Errorf("%s, exit %d: %s\n%s", run.Verdict, r.code, run.Reason, r.stderr)
			}
		})
	}
}
