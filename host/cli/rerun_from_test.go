package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// elsewhere runs the workspace's tests in a copy of it, as a CI job does, and returns the
// report.
func (w *module) elsewhere(name string, args ...string) (report string, there *module) {
	w.t.Helper()
	other := *w
	other.dir = filepath.Join(filepath.Dir(w.dir), name)
	other.env = append(w.env[:len(w.env):len(w.env)], "PROCTOR_SESSION="+name)
	if err := os.CopyFS(other.dir, os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	}
	report = filepath.Join(filepath.Dir(w.dir), name+".json")
	other.proctor(append([]string{"run", "--report", "json=" + report}, args...)...)
	return report, &other
}

// outstandingNames are those of rerun --list.
func (w *module) outstandingNames() []string {
	w.t.Helper()
	var list api.Outstanding
	decodeLine(w.t, w.proctor("rerun", "--list", "--limit", "200", "--json"), &list)
	names := []string{}
	for _, t := range list.Tests {
		names = append(names, strings.TrimSpace(t.Suite+" "+t.Test))
	}
	slices.Sort(names)
	return names
}

func requestedNames(run api.Run) []string {
	names := []string{}
	for _, r := range run.Requested {
		names = append(names, strings.TrimSpace(r.Suite+" "+r.Test))
	}
	slices.Sort(names)
	return names
}

func TestAVariableThatNarrowsARerunOfAReportIsNamed(t *testing.T) {
	t.Parallel()
	w := newModule(t, shortTree())
	report, _ := w.elsewhere("ci")
	w.setenv("GOFLAGS=" + testbin.GoFlags() + " -short")
	w.proctor("rerun", "--from", report).expect(t, 0, "PASSED  1 test (red in run", "; narrowed by settings: -short)")
	w.proctor("rerun", "--from", report, "--", "-short").expect(t, 0, "; narrowed by -short)")
}

// A report has no outstanding set. What is read from it is what its machine would rerun.
func TestARerunFromAReportRequestsWhatIsOutstandingThere(t *testing.T) {
	t.Parallel()
	w := newModule(t, manySuites())
	report, there := w.elsewhere("ci")
	run, _ := w.object("rerun", "--from", report)
	if diff := cmp.Diff(there.outstandingNames(), requestedNames(run)); diff != "" {
		t.Errorf("outstanding there, and requested here (-there +here):\n%s", diff)
	}
	if run.From == nil || run.From.Red != len(run.Requested) || !run.From.SameSources {
		t.Errorf("from %+v", run.From)
	}
	// A report among the sources is not one of them.
	raw, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	w.write(files{"ci.json": string(raw)})
	if run, _ := w.object("rerun", "--from", "ci.json"); !run.From.SameSources {
		t.Errorf("from %+v", run.From)
	}
	w.write(files{"good/b.go": "package good\n"})
	if run, _ := w.object("rerun", "--from", "ci.json"); run.From.SameSources {
		t.Errorf("from %+v", run.From)
	}
}

// With PROCTOR_FUZZ=5m it runs for that long; PROCTOR_FUZZ_SEED repeats a case.
func TestARerunFromAnyReportRequestsWhatIsOutstandingThere(t *testing.T) {
	t.Parallel()
	fuzzed(t, 3, func(t *testing.T) func(*rand.Rand) string {
		w := newModule(t, files{"m_test.go": performer, "deeds.json": "[]"})
		return func(r *rand.Rand) string {
			var deeds []*deed
			for _, name := range []string{"TestA", "TestB", "TestC", "TestD", "TestE"} {
				deeds = append(deeds, randomDeed(r, name, 2))
			}
			data, err := json.Marshal(deeds)
			if err != nil {
				t.Fatal(err)
			}
			w.write(files{"deeds.json": string(data)})
			w.remove(".proctor", "../ci", "../ci.json")
			report, there := w.elsewhere("ci")
			want := there.outstandingNames()
			reply := w.proctor("rerun", "--from", report, "--json")
			if len(want) == 0 {
				if reply.code != exitNothingRan || !strings.Contains(reply.stdout, "nothing was red in run ") {
					return fmt.Sprintf("%s\nnothing is outstanding there, and here: exit %d, %s", data, reply.code, reply.stdout)
				}
				return ""
			}
			var run api.Run
			decodeLine(t, reply, &run)
			if diff := cmp.Diff(want, requestedNames(run)); diff != "" {
				return fmt.Sprintf("%s\noutstanding there, and requested here (-there +here):\n%s", data, diff)
			}
			return ""
		}
	})
}

func TestARerunFromAReportPassesOnlyIfAllOfItPasses(t *testing.T) {
	t.Parallel()
	newTree := func(t *testing.T) *module {
		return newModule(t, files{
			"a/a_test.go": tests("a", "TestA", broken, "TestFine", pass),
			"b/b_test.go": tests("b", "TestB", broken, "TestOld", fail),
		})
	}
	mended := files{"b/b_test.go": tests("b", "TestB", broken, "TestOld", pass)}
	for name, tc := range map[string]struct {
		args   []string // of the run there
		change func(w *module)
		call   string

		code             int
		verdict          api.Verdict
		says, requested  string
		unanswered, owed int
	}{
		"all mended": {
			change: func(w *module) { w.write(mended); w.setenv(fixed...) }, verdict: api.Passed, code: 0,
			says: "all that was red in run", requested: "a TestA: passed, b TestB: passed, b TestOld: passed",
		},
		"one is red here, too": {
			change: func(w *module) { w.setenv(fixed...) }, verdict: api.Failed, code: 1, says: "1 failure",
			requested: "a TestA: passed, b TestB: passed, b TestOld: failed", owed: 1,
		},
		"one does not exist here": {
			change: func(w *module) {
				w.write(files{"b/b_test.go": tests("b", "TestB", broken, "TestNew", pass)})
				w.setenv(fixed...)
			}, verdict: api.Incomplete, code: 6,
			says: "1 of 3 red in run", requested: "a TestA: passed, b TestB: passed, b TestOld: did_not_run", unanswered: 1,
		},
		"a suite does not exist here": {
			change: func(w *module) { w.remove("b"); w.setenv(fixed...) }, verdict: api.Incomplete, code: 6,
			says: "there is no such suite here", requested: "a TestA: passed, b TestB: did_not_run, b TestOld: did_not_run", unanswered: 2,
		},
		"none exists here": {
			change: func(w *module) { w.remove("a", "b"); w.write(files{"c/c_test.go": tests("c", "TestC", pass)}) }, verdict: api.Incomplete, code: 6,
			says: "3 of 3 red in run", requested: "a TestA: did_not_run, b TestB: did_not_run, b TestOld: did_not_run", unanswered: 3,
		},
		"one skips itself here": {
			change: func(w *module) {
				w.write(files{"b/b_test.go": tests("b", "TestB", broken, "TestOld", `t.Skip("not here")`)})
				w.setenv(fixed...)
			}, verdict: api.Incomplete, code: 6,
			says: "TestOld (skipped)", requested: "a TestA: passed, b TestB: passed, b TestOld: skipped", unanswered: 1,
		},
		"more than the limit": {
			change: func(w *module) { w.write(mended); w.setenv(fixed...) }, call: "--limit 2", verdict: api.Incomplete, code: 6,
			says: "beyond the limit of 2 tests", requested: "a TestA: passed, b TestB: passed", unanswered: 1,
		},
		"with the arguments there": {
			args: []string{"-cpu=1", "-tags=x"}, change: func(w *module) { w.write(mended); w.setenv(fixed...) }, verdict: api.Passed, code: 0,
			says: "; with runner arguments -cpu=1 -tags=x)", requested: "a TestA: passed, b TestB: passed, b TestOld: passed",
		},
		"with the user's arguments": {
			args: []string{"-cpu=1"}, change: func(w *module) { w.write(mended); w.setenv(fixed...) }, call: "-- -short", verdict: api.Passed, code: 0,
			says: "; narrowed by -short)", requested: "a TestA: passed, b TestB: passed, b TestOld: passed",
		},
		"something else is outstanding here": {
			change: func(w *module) {
				w.write(files{"c/c_test.go": tests("c", "TestC", fail)})
				w.proctor("run", "./c")
				w.write(mended)
				w.setenv(fixed...)
			}, verdict: api.Passed, code: exitOutstanding,
			says: "1 test still outstanding", requested: "a TestA: passed, b TestB: passed, b TestOld: passed", owed: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t)
			report, _ := w.elsewhere("ci", tc.args...)
			tc.change(w)
			run, r := w.object(append([]string{"rerun", "--from", report}, strings.Fields(tc.call)...)...)
			if r.code != tc.code || run.Verdict != tc.verdict || requestedText(run) != tc.requested || !strings.Contains(r.stdout, tc.says) {
				t.Errorf("exit %d, %s, %s; want exit %d, %s, %s, and %q:\n%s", r.code, run.Verdict, requestedText(run), tc.code, tc.verdict, tc.requested, tc.says, r.stdout)
			}
			if run.From.Unanswered != tc.unanswered || run.Outstanding != tc.owed {
				t.Errorf("%d unanswered and %d outstanding, want %d and %d", run.From.Unanswered, run.Outstanding, tc.unanswered, tc.owed)
			}
		})
	}
}

// What a file says is neither executed nor believed to name something to be run.
func TestAHostileReportHasNothingExecuted(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail)})
	outside := newModuleAt(t, filepath.Join(filepath.Dir(w.dir), "outside"), files{"o_test.go": tests("outside", "TestOut", `os.WriteFile("executed", nil, 0o600)`)})
	report, _ := w.elsewhere("ci", "-tags=x")
	good, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		from, to string
		code     int
		says     string
	}{
		"a program as an argument":   {`"runner_args":["-tags=x"]`, `"runner_args":["-exec=touch executed"]`, 2, "which a file cannot ask for"},
		"a file as an argument":      {`"runner_args":["-tags=x"]`, `"runner_args":["-overlay","/etc/passwd"]`, 2, "which a file cannot ask for"},
		"an argument as a value":     {`"runner_args":["-tags=x"]`, `"runner_args":["-tags","-exec=touch"]`, 2, "which a file cannot ask for"},
		"an argument for the tests":  {`"runner_args":["-tags=x"]`, `"runner_args":["-args","-x"]`, 2, "which a file cannot ask for"},
		"golden files written anew":  {`"runner_args":["-tags=x"]`, `"runner_args":["-update"]`, 2, "which a file cannot ask for"},
		"an argument as a suite":     {`"example.com/m/a"`, `"-exec=touch executed"`, 6, "there is no such suite here"},
		"a directory as a suite":     {`"example.com/m/a"`, `"../outside"`, 6, "there is no such suite here"},
		"an absolute path":           {`"example.com/m/a"`, `"` + filepath.ToSlash(outside.dir) + `"`, 6, "there is no such suite here"},
		"a suite of somebody else's": {`"example.com/m/a"`, `"os/exec"`, 6, "there is no such suite here"},
		"a pattern of suites":        {`"example.com/m/a"`, `"./..."`, 6, "there is no such suite here"},
		"a pattern of tests":         {`"TestA"`, `".*"`, 6, "no such test any more"},
		"a command as a test":        {`"TestA"`, `"$(touch executed)"`, 6, "no such test any more"},
		"a pass":                     {`"verdict":"failed"`, `"verdict":"passed"`, 2, "it says that it passed"},
		"a directory as an id":       {`"run_id":"`, `"run_id":"../`, 2, "not the id of a run"},
	} {
		path := filepath.Join(t.TempDir(), "hostile.json")
		testfiles.Write(t, path, strings.ReplaceAll(string(good), tc.from, tc.to))
		r := w.proctor("rerun", "--from", path)
		if r.code != tc.code || !strings.Contains(r.stdout+r.stderr, tc.says) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", name, r.code, tc.code, tc.says, r.stdout, r.stderr)
		}
		for _, dir := range []string{w.dir, outside.dir, filepath.Join(w.dir, "a")} {
			if _, err := os.Lstat(filepath.Join(dir, "executed")); err == nil {
				t.Errorf("%s: something was executed", name)
			}
		}
	}
}

func TestQuestionsAboutReportsLeaveTheRecordAlone(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", `t.Run("sub", func(t *testing.T) { t.Log("all of it"); t.Error("it is wrong") })`, "TestFine", pass)})
	w.commit()
	report, there := w.elsewhere("ci")
	archive := filepath.Join(filepath.Dir(w.dir), "ci.tar.gz")
	there.proctor("runs", "export", "last", "-o", archive).expect(t, 0)
	served := serveFile(t, report)
	for _, from := range []string{report, archive, served} {
		w.proctor("failures", "--from", from).expect(t, 0, "TestA/sub", "it is wrong", "here: proctor rerun --from "+from)
		w.proctor("why", "TestA/sub", "--from", from).expect(t, 0, "It failed in run", "no file changed")
		w.proctor("output", "TestA/sub", "--from", from).expect(t, 0, "it is wrong")
		w.proctor("output", "TestNone", "--from", from).expect(t, 2, `has no test "TestNone"`)
		if _, err := os.Lstat(filepath.Join(w.dir, ".proctor")); err == nil {
			t.Fatalf("after questions about %s there is a record", from)
		}
	}
	w.proctor("output", "TestA", "--from", archive).expect(t, 0, "all of it")
	w.proctor("failures").expect(t, 0, "no tests have been run")
	// A report can be read where there is no project.
	w.dir = t.TempDir()
	w.proctor("failures", "--from", report).expect(t, 0, "TestA/sub")
	w.proctor("rerun", "--from", report).expect(t, 2, "no supported project")
}

func TestTwoReportsOfARunMustAgree(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken)})
	w.commit()
	report, there := w.elsewhere("ci")
	there.setenv(fixed...)
	green := filepath.Join(filepath.Dir(report), "green.json")
	there.proctor("run", "--report", "json="+green).expect(t, 0)
	// The green run, under the name of the red one.
	id := func(path string) string {
		raw, err := os.ReadFile(path)
		var run api.Run
		if err = errors.Join(err, json.Unmarshal(raw, &run)); err != nil {
			t.Fatal(err)
		}
		return run.RunID
	}
	dir := t.TempDir()
	for name, path := range map[string]string{"a.json": green, "b.json": report, "c.json": report} {
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(string(raw), id(green), id(report))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"failures", "rerun"} {
		w.proctor(command, "--from", dir).expect(t, exitUsage, "a.json and "+filepath.Join(dir, "b.json")+" are both of run "+id(report), "one of them was changed")
	}
	if err := os.Remove(filepath.Join(dir, "a.json")); err != nil {
		t.Fatal(err)
	}
	w.proctor("failures", "--from", dir).expect(t, 0, "TestA")
}

// serveFile serves a file on this machine.
func serveFile(t *testing.T, path string) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/report.json" {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, path)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/report.json"
}

func TestARerunFromArchivesShardsAndAddresses(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", broken, "TestFine", pass), "b/b_test.go": tests("b", "TestB", broken), "c/c_test.go": tests("c", "TestC", pass),
	})
	w.write(files{".gitignore": ".proctor\n"})
	w.commit()
	reports := w.sharded(2)
	all := "a TestA: passed, b TestB: passed"
	w.setenv(fixed...)
	rerun := func(from, requested, says string) {
		t.Helper()
		run, r := w.object("rerun", "--from", from)
		if requestedText(run) != requested || !strings.Contains(r.stdout, says) {
			t.Errorf("from %s: requested %s, want %s and %q\n%s%s", from, requestedText(run), requested, says, r.stdout, r.stderr)
		}
	}
	rerun(reports, all, "2 runs of reports")
	one := "a TestA: passed"
	raw, err := os.ReadFile(filepath.Join(reports, "1of2.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), "TestA") {
		one = "b TestB: passed"
	}
	rerun(filepath.Join(reports, "1of2.json"), one, "what failed in the shards that 1of2.json lacks is unknown: 2/2")
	served := serveFile(t, filepath.Join(reports, "1of2.json"))
	rerun(served, one, "of "+served)
	w.proctor("rerun", "--from", served+"x").expect(t, 3, "answered 404")
	w.proctor("rerun", "--from", "ftp://example.com/x").expect(t, 3, "reports come over https://")

	// Archives are merged like reports.
	if err := os.Mkdir(filepath.Join(filepath.Dir(w.dir), "archives"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		shard := *w
		shard.dir = filepath.Join(filepath.Dir(w.dir), fmt.Sprintf("shard%d", i+1))
		shard.env = append(w.env[:len(w.env):len(w.env)], fmt.Sprintf("PROCTOR_SESSION=shard%d", i+1))
		shard.proctor("runs", "export", "last", "-o", filepath.Join(filepath.Dir(w.dir), "archives", fmt.Sprintf("%d.tar.gz", i+1))).expect(t, 0)
	}
	archives := filepath.Join(filepath.Dir(w.dir), "archives")
	merging := w.clone("merging")
	merging.proctor("merge", archives, "--expect", "2").expect(t, 1, "TestA", "TestB", "2 tests")
	merged := filepath.Join(filepath.Dir(w.dir), "merged.json")
	merging.proctor("report", "json", "-o", merged).expect(t, 0)
	rerun(merged, all, "of merged.json")
	rerun(archives, all, "2 runs of archives")
	cut, err := os.ReadFile(filepath.Join(archives, "1.tar.gz"))
	if err == nil {
		err = os.WriteFile(filepath.Join(archives, "1.tar.gz"), cut[:len(cut)*3/4], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.clone("cut").proctor("merge", archives, "--expect", "2").expect(t, 1, "1.tar.gz cannot be used")
	w.proctor("rerun", "--from", archives).expect(t, 3, "1.tar.gz cannot be")
}

// A file names no variables, but the environment as a whole.
func TestARerunOfWhatWasRedElsewhereSaysThatTheEnvironmentIsAnother(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", `t.Error("wrong")`)})
	report := filepath.Join(t.TempDir(), "ci.json")
	w.setenv("GODEBUG=http2client=0")
	w.proctor("run", "--report", "json="+report).expect(t, exitFailed)
	const another = "the arguments, settings or tools here are not those of run"
	if r := w.proctor("rerun", "--from", report); r.code != exitFailed || strings.Contains(r.stdout, another) {
		t.Errorf("the same: exit %d: %s", r.code, r.stdout)
	}
	w.setenv("GODEBUG=")
	w.proctor("rerun", "--from", report).expect(t, exitFailed, another)
}
