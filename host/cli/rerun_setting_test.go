package cli

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// A terminal and the server of an agent have different environments as a rule.
func TestARerunTakesTheSettingsUnderWhichTestsFailed(t *testing.T) {
	beside := func(name, body string) string {
		return "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Args\n\nfunc " + name + "(t *testing.T) {\n\tran(t)\n\t" + body + "\n}\n"
	}
	const flags = "GOFLAGS=-vet=off"
	first := func() files {
		return files{"a/a_test.go": tests("a", "TestA", broken, "TestOK", pass), "a/gone_test.go": beside("TestGone", broken)}
	}
	second := files{"a/b_test.go": beside("TestB", broken)}
	steps := func(before, now []string) []step {
		return []step{
			{env: append(before, "PROCTOR_SESSION=terminal"), code: 1, verdict: api.Failed, outstanding: 2},
			// The environment is the same, so a test that is no longer listed is gone.
			{env: append(now, "PROCTOR_SESSION=agent"), remove: []string{"a/gone_test.go"}, write: second, code: 1, verdict: api.Failed, outstanding: 2},
			{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestA, a TestB", requested: "a TestA: passed, a TestB: passed"},
			{call: "rerun", ran: "-", says: []string{"nothing to rerun"}},
		}
	}
	renamed := []step{
		{env: []string{flags + " -tags=x"}, code: 1, verdict: api.Failed, outstanding: 1},
		// Its file has another name, and it is as red as before.
		{env: []string{flags}, remove: []string{"a/a_test.go"}, write: files{"a/z_test.go": "//go:build x\n\n" + tests("a", "TestA", broken), "b/b_test.go": tests("b", "TestB", pass)},
			verdict: api.Passed, ran: "b TestB", outstanding: 1},
		{env: []string{flags + " -tags=x"}, code: 1, verdict: api.Failed, outstanding: 1},
	}
	tell(t, []story{
		{name: "home", tree: first(), steps: steps(nil, []string{"HOME=" + t.TempDir()})},
		{name: "a file that was renamed", tree: files{"a/a_test.go": "//go:build x\n\n" + tests("a", "TestA", broken)}, steps: renamed},
	})
}

// A build that is broken in two settings is one broken package, and outstanding in both.
func TestAPackageThatIsBrokenInTwoSettingsCountsOnce(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": "package a\n\nvar x int = \"\"\n", "b/b_test.go": tests("b", "TestB", pass)})
	w.proctor("run", "./a").expect(t, exitFailed)
	w.proctor("run", "./a", "-tags", "x").expect(t, exitFailed)
	run, r := w.object("run", "./b")
	r.expect(t, exitPassed)
	if run.Outstanding != 1 || run.OutstandingCounts != (api.OutstandingCounts{Suites: 1}) {
		t.Errorf("%d outstanding: %+v", run.Outstanding, run.OutstandingCounts)
	}
	w.proctor("run", "./b").expect(t, exitPassed, "1 package still outstanding")
	w.proctor("rerun", "--list").expect(t, exitPassed, "with runner arguments -tags", "1 package outstanding")
	w.proctor("rerun", "--list", "--limit", "1").expect(t, exitPassed, "(1 more of these; raise --limit)", "1 package outstanding")
	w.write(files{"a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("run", "./a").expect(t, exitPassed, "1 package still outstanding")
	w.proctor("rerun").expect(t, exitPassed, "nothing is outstanding any more")
}

// The parent of a known failure, too, may have failed in another setting by itself.
func TestAKnownFailureInOneSettingIsNotKnownInAnother(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, known string
		outstanding       int
	}{
		{"a test", `if testing.Short() { t.Error("another") } else { t.Error("known") }`, "TestA", 1},
		{"a parent", `t.Run("known", func(t *testing.T) { t.Error("known") }); if testing.Short() { t.Error("another") }`, "TestA/known", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": tests("a", "TestA", tt.body, "TestOK", pass)})
			w.proctor("run").expect(t, exitFailed)
			w.proctor("quarantine", "add", tt.known, "--reason", "x").expect(t, exitPassed)
			w.proctor("run", "-short").expect(t, exitFailed)
			run, r := w.object("run")
			r.expect(t, exitPassed)
			if run.Outstanding != tt.outstanding || run.OutstandingUnquarantined() != 1 {
				t.Errorf("%d outstanding, %d in quarantine", run.Outstanding, run.OutstandingQuarantined)
			}
			w.proctor("rerun").expect(t, exitFailed, "another")
		})
	}
}

// A rerun that rewrites what tests expect would turn them green whatever they print.
func TestWhatWasRedWhileItRewroteWhatItExpectsRunsAgainToCompare(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/golden": "good", "a/a_test.go": `package a

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "")

func TestGolden(t *testing.T) {
	if *update {
		os.WriteFile("golden", []byte("bad"), 0o644)
		t.Fatal("red while updating")
	}
	if golden, _ := os.ReadFile("golden"); string(golden) != "good" {
		t.Fatal("it is not good")
	}
}
`})
	for _, args := range [][]string{{"-update"}, {"--", "-args", "-update"}} {
		w.proctor(append([]string{"run"}, args...)...).expect(t, exitFailed, "red while updating")
		w.proctor("rerun").expect(t, exitFailed, "it is not good")
		w.write(files{"a/golden": "good"})
		if r := w.proctor("rerun"); r.code != exitPassed || strings.Contains(r.stdout, "-update") {
			t.Errorf("%q: exit %d: %s", args, r.code, r.stdout)
		}
		w.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
	}
}
