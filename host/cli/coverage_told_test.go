package cli

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestTestsChosenWithoutAChangeAreNotReportedAsChanged(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.index()
	w.write(files{"lib/lib_test.go": strings.Replace(layered["lib/lib_test.go"], `B() != 2`, `B() == 2`, 1)})
	w.proctor("run", "--affected").expect(t, exitFailed, "affected: chosen by what changed since HEAD", "   changed: lib/lib_test.go\n")
	w.write(layered)
	r := w.proctor("run", "--affected")
	r.expect(t, exitPassed, "affected: no file has changed since HEAD", "; chosen all the same: 1 test, because it is outstanding", "      lib TestB\n", "left out: ")
	if all := r.stdout + r.stderr; strings.Contains(all, "chosen by what changed") || strings.Contains(all, "changed: ") {
		t.Errorf("nothing changed:\n%s", all)
	}
}

func TestASuiteThatLeftNoCoverageIsNamed(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.write(files{"apart/apart_test.go": "package apart\n\nimport \"testing\"\n\nfunc TestApart(t *testing.T) { panic(1) }\n"})
	w.proctor("run", "--cover").expect(t, exitFailed, "the coverage figures lack example.com/m/apart", "\ncoverage: ")
}

func TestAnIndexThatWasCutOffSaysSoAndContinuesNextTime(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.proctor("covering", "index", "--budget", "10ms").expect(t, exitIncomplete, "note: the time ran out before the suites were listed: give more with --budget", "INCOMPLETE: nothing was indexed")
	w.write(files{"lib/hang_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestHang(t *testing.T) { select {} }\n"})
	r := w.proctor("covering", "index", "--budget", "8s")
	r.expect(t, exitIncomplete, "INCOMPLETE: ", "--budget")
	w.remove("lib/hang_test.go")
	if ix, r := w.indexed(); !ix.Complete || r.code != exitPassed {
		t.Errorf("the next one does not go on: %s, exit %d", states(ix), r.code)
	}
}

func TestAnUnknownListOfSuitesIsNotAnEmptyOne(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	ix, r := w.indexed("./nosuch")
	if r.code == exitPassed || r.code == exitNothingRan || ix.Complete || len(ix.Suites) > 0 && ix.Suites[0].State != api.IndexFailed {
		t.Errorf("exit %d: %s", r.code, r.stdout)
	}
}
