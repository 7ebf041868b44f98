package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// wrapping is a module in which an edit of one body makes the checks of go vet refuse another
// package, whose tests do not execute it.
var wrapping = files{
	"core/core.go": `package core

import "fmt"

var names = []string{"a"}

// Logf joins.
func Logf(format string, args ...any) string { return fmt.Sprint(format, args) }

func Name() string { return names[0] }

func Lost() string { return names[0] }
`,
	"core/core_test.go": "package core\n\nimport \"testing\"\n\nfunc TestName(t *testing.T) {\n\tif Name() != \"a\" {\n\t\tt.Error()\n\t}\n}\n",
	"dep/dep.go":        "package dep\n\nimport \"example.com/m/core\"\n\nfunc Idle() string { return core.Logf(\"%d\", \"x\") }\n",
	"dep/dep_test.go":   "package dep\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/core\"\n)\n\nfunc TestDep(t *testing.T) {\n\tif core.Name() != \"a\" {\n\t\tt.Error()\n\t}\n}\n",
	"use/use_test.go":   "package use\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/core\"\n)\n\nvar _ = core.Lost\n\nfunc TestUse(t *testing.T) {}\n",
}

func TestAnAffectedRunOnlyChecksWhatStartsAsBefore(t *testing.T) {
	t.Parallel()
	w := newModule(t, wrapping)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "one")
	w.setenv("GOFLAGS=-ldflags=-w") // vet, too
	w.index()
	kept := filepath.Join(w.home, "kept")
	renewTree(t, kept, filepath.Join(w.dir, ".proctor"))
	const noMinus = "core [] invalid operation: operator - not defined on \"\" (constant of type string)\ndep [use] invalid operation: operator - not defined on \"\" (constant of type string)\n"
	for _, c := range []struct {
		name, before, after string
		code                int
		verdict             api.Verdict
		built               string // by go test, and by go vet
		broken              string
	}{
		{"what nobody notices", `fmt.Sprint(format, args)`, `fmt.Sprint(args, format)`, exitNothingRan, api.NothingRan, "core / dep use", ""},
		{"what vet notices elsewhere", `fmt.Sprint(format, args)`, `fmt.Sprintf(format, args...)`, exitFailed, api.BuildFailed, "core / dep use", "dep [] core.Logf format %d has arg \"x\" of wrong type string\n"},
		{"what does not compile", `fmt.Sprint(format, args)`, `"" - fmt.Sprint(format, args)`, exitFailed, api.BuildFailed, "core / dep use", noMinus},
		{"another reference", `Lost() string { return names[0] }`, `Lost() string { return Name() }`, exitNothingRan, api.NothingRan, "core dep use / ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			renewTree(t, filepath.Join(w.dir, ".proctor"), kept)
			core := strings.Replace(wrapping["core/core.go"], c.before, c.after, 1)
			if core == wrapping["core/core.go"] {
				t.Fatal("nothing is edited")
			}
			w.write(files{"core/core.go": core})
			run, r := w.object("run", "--affected")
			if run.Verdict != c.verdict || r.code != c.code {
				t.Errorf("%s, exit %d: %s\n%s", run.Verdict, r.code, run.Reason, r.stderr)
			}
			if got := builtBy(run); got != c.built {
				t.Errorf("built %q, want %q", got, c.built)
			}
			var broken []string
			for _, f := range run.Failures {
				broken = append(broken, fmt.Sprintln(f.Suite, f.Blocks, f.Message))
			}
			if got := strings.ReplaceAll(strings.Join(broken, ""), "example.com/m/", ""); got != c.broken {
				t.Errorf("broken:\n%s\nwant:\n%s", got, c.broken)
			}
		})
	}
}

// builtBy returns the packages of the commands of a run: those of go test, and behind a slash
// those of go vet.
func builtBy(run api.Run) string {
	var by [2][]string
	for _, command := range run.Commands {
		at := slices.Index([]string{"test", "vet"}, command.Argv[1])
		for _, word := range command.Argv {
			if name, ours := strings.CutPrefix(word, "example.com/m/"); ours {
				by[at] = append(by[at], name)
			}
		}
	}
	return strings.Join(by[0], " ") + " / " + strings.Join(by[1], " ")
}
