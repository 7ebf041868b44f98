package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// Of two tests one fails. What hides it must not be a matter of the environment alone.
func hidden() files {
	return files{"a/a_test.go": tests("a", "TestA", pass), "a/b_test.go": "package a\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { t.Error(\"wrong\") }\n"}
}

// The go command looks for it in the directory in which it is called.
func TestARelativeEnvironmentFileOfGoNarrowsNoRunUnseen(t *testing.T) {
	t.Parallel()
	w := newModule(t, hidden())
	w.write(files{"narrow": "GOFLAGS=-run=TestA\n"})
	w.setenv("GOFLAGS=", "GOENV=narrow")
	w.proctor("run").expect(t, exitUsage, "GOENV")
}

func TestAnOverlayInTheEnvironmentHidesNothingUnseen(t *testing.T) {
	t.Parallel()
	w := newModule(t, hidden())
	w.write(files{"overlay.json": `{"Replace": {"` + filepath.ToSlash(filepath.Join(w.dir, "a", "b_test.go")) + `": ""}}`})
	w.setenv("GOFLAGS=-vet=off -overlay=" + filepath.Join(w.dir, "overlay.json"))
	w.proctor("run").expect(t, exitUsage, "-overlay")
}

// Every run refuses such a file: that is a problem.
func TestTheDoctorNamesAConfigurationThatRunsReject(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), ".proctor.toml": "[history]\nrun = 1\n"})
	w.proctor("run").expect(t, exitUsage, "history.run is unknown")
	r := w.proctor("doctor")
	r.expect(t, r.code, "problem", "history.run is unknown")
	if r.code == exitPassed || strings.Contains(r.stdout, "nothing is wrong") {
		t.Errorf("exit %d: %s", r.code, r.stdout)
	}
}

// A test that exists and was selected must be reported, whatever kept it from starting.
func TestATestMainThatNarrowsItsTestsIsNotGreen(t *testing.T) {
	t.Parallel()
	both := tests("a", "TestA", pass, "TestB", fail)
	setFlag := "\nfunc TestMain(m *testing.M) {\n\tflag.Parse()\n\tflag.Set(\"test.run\", \"TestA\")\n\tos.Exit(m.Run())\n}\n"
	w := newModule(t, files{"a/a_test.go": both, "a/main_test.go": "package a\n\nimport (\n\t\"flag\"\n\t\"os\"\n\t\"testing\"\n)\n" + setFlag})
	run, r := w.object("run")
	if run.Verdict != api.Incomplete || r.code != exitIncomplete || run.Counts.NeverStarted != 1 {
		t.Errorf("verdict %s (%s), exit %d, %+v", run.Verdict, run.Reason, r.code, run.Counts)
	}
}
