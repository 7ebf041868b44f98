package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/internal/testbin"
)

func TestTheDoctorMakesNoRecords(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("doctor").expect(t, 0, "records    none yet")
	if _, err := os.Stat(filepath.Join(w.dir, ".proctor")); err == nil {
		t.Error("the doctor made a folder for records")
	}
	w.proctor("run").expect(t, 0)
	w.proctor("doctor").expect(t, 0, filepath.Join(w.dir, ".proctor"))
}

// Every run refuses while such a binary lies there: that is a problem.
func TestTheDoctorCallsARefusedPluginAProblem(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("who may write to a file is not looked at here")
	}
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	dir := t.TempDir()
	for _, name := range []string{"proctor", "proctor-plugin-go"} {
		if err := os.Link(testbin.Path(name), filepath.Join(dir, name)); err != nil {
			t.Skip("no hard links here:", err)
		}
	}
	open := filepath.Join(dir, "proctor-plugin-forge")
	if err := os.WriteFile(open, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"run", "doctor"} {
		cmd := w.command(command)
		cmd.Path = filepath.Join(dir, "proctor")
		r := w.wait(cmd)
		r.expect(t, exitTool, open)
		if command == "doctor" && (!strings.Contains(r.stdout, "problem") || strings.Contains(r.stdout, "nothing is wrong")) {
			t.Errorf("doctor says:\n%s", r.stdout)
		}
	}
}

// A package that go cannot load is a problem, although nothing of it runs.
func TestTheDoctorSeesThatTestsCannotBeListed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, mod, says string }{
		{"an invalid module file", "modul example.com/m\n", "go.mod:1"},
		{"a toolchain that is not there", "module example.com/m\n\ngo 1.24\n\ntoolchain go1.99.9-none\n", "go1.99.9-none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "go.mod": c.mod})
			w.setenv("GOTOOLCHAIN=path")
			r := w.proctor("doctor")
			r.expect(t, exitTool, "problem", c.says)
			if strings.Contains(r.stdout, "nothing is wrong") {
				t.Error(r.stdout)
			}
		})
	}
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("doctor").expect(t, 0, "would run  go test -json -count=1 -fullpath ./... ", "tests      1 in 1 package\n", "nothing is wrong")
	w = newModule(t, files{"a/a_test.go": tests("a", "TestA", pass) + "\nfunc BenchmarkB(b *testing.B) {}\n"})
	w.proctor("doctor").expect(t, 0, "tests      2 in 1 package; 1 only run on request\n")
}

// The consequences of a plugin that is not installed are not reported as a second
// problem.
func TestTheDoctorNamesAMissingPluginOnce(t *testing.T) {
	t.Parallel()
	d := api.Diagnosis{Refused: []api.RefusedReport{{Name: "bats", Reason: "not installed"}}}
	if text := render.Diagnosis(d); !strings.Contains(text, "refused    bats: not installed\n") {
		t.Error(text)
	}
}
