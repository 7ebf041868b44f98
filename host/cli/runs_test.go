package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// shop is a module whose test fails when the price is wrong.
func shop(t *testing.T) *module {
	return newModule(t, files{
		"price/price.go":    "package price\n\nfunc Total(n int) int { return n * 3 }\n",
		"cart/cart.go":      "package cart\n\nimport \"example.com/m/price\"\n\nfunc Sum(n int) int { return price.Total(n) }\n",
		"cart/cart_test.go": shopTest,
	})
}

const shopTest = `package cart

import "testing"

func TestSum(t *testing.T) {
	if got := Sum(2); got != 6 {
		t.Errorf("Sum(2) = %d, want 6", got)
	}
}

func TestEmpty(t *testing.T) {
	if Sum(0) != 0 {
		t.Error("an empty cart costs something")
	}
}
`

// breakIt makes TestSum fail and TestEmpty vanish.
func breakIt(w *module) {
	test, _, _ := strings.Cut(shopTest, "func TestEmpty")
	w.write(files{
		"price/price.go":    "package price\n\nfunc Total(n int) int { return n * 4 }\n",
		"cart/cart_test.go": test,
	})
}

// answer calls proctor with --json and decodes the one object it must print.
func answer[T any](t *testing.T, w *module, args ...string) (v T) {
	t.Helper()
	r := w.proctor(append(args, "--json")...)
	if r.code != exitPassed {
		t.Fatalf("proctor %v: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
	}
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil || strings.Count(r.stdout, "\n") != 1 {
		t.Fatalf("proctor %v: %v\n%s", args, err, r.stdout)
	}
	return v
}

// says checks what a command prints, and its exit code.
func (w *module) says(code int, args string, texts ...string) reply {
	w.t.Helper()
	r := w.proctor(strings.Fields(args)...)
	if r.code != code {
		w.t.Errorf("proctor %s: exit %d, want %d\n%s%s", args, r.code, code, r.stdout, r.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.stdout+r.stderr, text) {
			w.t.Errorf("proctor %s: %q is missing in\n%s%s", args, text, r.stdout, r.stderr)
		}
	}
	return r
}

func TestRunsDiffAndWhyTellWhatHappened(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.says(exitPassed, "runs", "no run_tests call yet")
	w.says(exitPassed, "diff", "no run_tests call yet")
	w.says(exitUsage, "why TestSum", "no test")
	w.says(exitUsage, "runs export last")
	good, _ := w.object("run")
	w.says(exitUsage, "diff", "no two finished go runs are on record")
	breakIt(w)
	bad, _ := w.object("run")

	list := answer[api.Runs](t, w, "runs")
	if list.Schema != api.RunsSchema || list.Total != 2 || list.Runs[0].RunID != bad.RunID || list.Runs[1].RunID != good.RunID ||
		list.Runs[0].Source == nil || list.Runs[0].Source.Fingerprint == list.Runs[1].Source.Fingerprint || !list.Runs[0].Whole {
		t.Errorf("%+v", list)
	}
	w.says(exitPassed, "runs list --limit 1 --lang go --session this", bad.RunID, "(1 more run; raise --limit)")
	w.says(exitPassed, "runs --session other", "no run")
	w.says(exitPassed, "runs show "+good.RunID[:6], "passed     example.com/m/cart TestSum", "run "+good.RunID)
	w.says(exitPassed, "runs show prev", "run "+good.RunID)
	w.says(exitUsage, "runs show zzzzzzz", "no run")
	w.says(exitUsage, "runs frobnicate", "unknown command")
	w.says(exitUsage, "runs show")

	diff := answer[api.RunDiff](t, w, "diff")
	if diff.Schema != api.DiffSchema || diff.Counts.NewFailures != 1 || diff.Counts.Vanished != 1 || diff.Sources.Total != 2 || !diff.Sources.Known {
		t.Errorf("%+v", diff)
	}
	w.says(exitPassed, "diff", "new failures (1):\n   example.com/m/cart TestSum  cart/cart_test.go:7  (before: passed)  Sum(2) = 8, want 6",
		"vanished (1):\n   example.com/m/cart TestEmpty", "files:  2 files differ: cart/cart_test.go, price/price.go", "tests: 1 newly failing, 1 vanished")
	w.says(exitPassed, "diff "+bad.RunID+" "+good.RunID, "fixed (1):", "new tests (1):")
	w.says(exitUsage, "diff a b c")
	w.says(exitUsage, "diff --threshold lots")

	why := answer[api.Why](t, w, "why", "TestSum")
	if why.Schema != api.WhySchema || why.LastPass.RunID != good.RunID || why.FirstFailure.RunID != bad.RunID || why.SuspectsTotal != 2 ||
		why.Suspects[0].File != "cart/cart_test.go" || why.Suspects[0].Role != api.RoleTest || why.Suspects[1].File != "price/price.go" {
		t.Errorf("%+v", why)
	}
	w.write(files{"price/price.go": "package price\n\nfunc Total(n int) int { return n * 3 }\n"})
	w.says(exitPassed, "why cart/TestSum", "It last passed in run "+good.RunID, "Between that pass and the first failure 2 files changed.",
		"Between that pass and the working tree 1 file changed.", "Changed before it failed first:\n   cart/cart_test.go  the test's own file\n   price/price.go")
	w.says(exitPassed, "why TestEmpty", "It passed in run "+good.RunID, "It never failed on record")
	w.says(exitUsage, "why TestAbsent", "no test or file")

	// A rerun speaks of its own tests only.
	w.object("rerun")
	w.says(exitPassed, "diff", "now:    partial rerun", "fixed (1):")
	w.says(exitPassed, "diff "+good.RunID, "1 not run now")
	w.says(exitPassed, "why TestSum", "It passes since run", "Before that it failed in run "+bad.RunID)
}

func TestRunsTravelToAnotherWorkspace(t *testing.T) {
	t.Parallel()
	w := shop(t)
	breakIt(w)
	run, _ := w.object("run")
	w.says(exitPassed, "runs export last", "run "+run.RunID+" in proctor-"+run.RunID+".tar.gz")
	w.says(exitUsage, "runs export last", "is there already", "--force")
	w.says(exitPassed, "runs export last --force")
	archive := filepath.Join(w.dir, "proctor-"+run.RunID+".tar.gz")

	other := shop(t) // without any record
	other.says(exitPassed, "runs import "+archive, "imported run "+run.RunID)
	other.says(exitPassed, "runs import "+archive, "already on record: run "+run.RunID)
	other.says(exitPassed, "runs", run.RunID, "session import:e2e", "from proctor-"+run.RunID+".tar.gz")
	other.says(exitPassed, "runs show "+run.RunID[:5], "failed     example.com/m/cart TestSum", "Sum(2) = 8, want 6")
	other.says(exitPassed, "failures", "no run_tests call yet")
	other.says(exitPassed, "why TestSum", "It never passed on record", "session import:e2e")
	mine, _ := other.object("run")
	if mine.Verdict != api.Passed || mine.Outstanding != 0 {
		t.Errorf("%+v", mine)
	}
	other.says(exitPassed, "diff "+run.RunID[:5], "from proctor-"+run.RunID+".tar.gz", "fixed (1):\n   example.com/m/cart TestSum", "files:  2 files differ")

	raw, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut\x1b[2J.tar.gz")
	if err := os.WriteFile(cut, bytes.Clone(raw[:len(raw)/2]), 0o600); err != nil {
		t.Skip("no such file names here:", err)
	}
	r := other.proctor("runs", "import", cut)
	if r.code != exitUsage || !strings.Contains(r.stderr, "nothing of it was taken") || strings.Contains(r.stderr, "\x1b") {
		t.Errorf("exit %d: %q", r.code, r.stderr)
	}
	other.says(exitUsage, "runs import absent.tar.gz")
}

func TestPruneAsksTheFlagsAndTheWorkspace(t *testing.T) {
	t.Parallel()
	w := shop(t)
	first, _ := w.object("run")
	w.object("run")
	w.says(exitPassed, "runs prune", "nothing to remove: 2 runs")
	w.says(exitPassed, "runs prune --runs 1 --dry-run", "would remove run "+first.RunID)
	pruned := answer[api.Pruned](t, w, "runs", "prune", "--runs", "1", "--days", "30", "--size", "500MB")
	if pruned.RemovedTotal != 1 || pruned.Kept != 1 || pruned.MaxBytes != 500_000_000 || pruned.FreedBytes <= 0 {
		t.Errorf("%+v", pruned)
	}
	w.says(exitUsage, "runs show "+first.RunID, "no run")
	for _, args := range []string{"--runs 0", "--days -1", "--size 0", "--size 5XB"} {
		w.says(exitUsage, "runs prune "+args)
	}
	w.write(files{".proctor.toml": "[history]\nruns = 0\n"})
	w.says(exitUsage, "runs prune", ".proctor.toml")
}

func TestASizeHasAUnitOrNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"12": 12, "12B": 12, "3KB": 3000, "3 KiB": 3072, "500MB": 500_000_000, "1GiB": 1 << 30, "2GB": 2_000_000_000, "0": 0,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1.5GB", "1TBB", "9999999999999GB", "1mb"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestADiffNamesMeasuresThatGrew(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.run(these(unit("test_A", 100), unit("test_B", 200), unit("test_C", 300)))
	m.run(these(unit("test_A", 150), unit("test_B", 100), unit("test_C", 300)))
	m.says(exitPassed, "diff", "measures that grew (1):\n   test/A.t.sol:ATest test_A  unit gas 100 → 150 (+50)", "tests: 3 as before; 1 measure grew")
	diff := answer[api.RunDiff](t, m.module, "diff", "--lang", fakeMeasured)
	if diff.Counts.More != 1 || diff.More[0].Delta != "50" {
		t.Errorf("%+v", diff.More)
	}
	// A failure hides no pass, and what failed is not compared.
	m.run(these(failedTest("test_A"), unit("test_B", 100), unit("test_C", 300)))
	m.says(exitPassed, "diff", "new failures (1):", "tests: 1 newly failing, 2 as before")
}
