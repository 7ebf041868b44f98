package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testbin"
)

func TestRunExitCodesFollowTheVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tree    files
		args    []string
		code    int
		verdict api.Verdict
	}{
		"passed":         {files{"a/a_test.go": tests("a", "TestA", pass)}, nil, 0, api.Passed},
		"failed":         {files{"a/a_test.go": tests("a", "TestA", fail)}, nil, 1, api.Failed},
		"does not build": {files{"a/a_test.go": tests("a", "TestA", "nosuch()")}, nil, 1, api.BuildFailed},
		"vet": {files{"a/a_test.go": tests("a", "TestA", `fmt.Printf("%d", "x")`)}, []string{"--", "-vet=printf"},
			1, api.BuildFailed},
		"broken go.mod":      {files{"go.mod": "modul example.com/m\n", "a/a_test.go": tests("a", "TestA", pass)}, nil, 1, api.BuildFailed},
		"exits by itself":    {files{"a/a_test.go": tests("a", "TestA", "os.Exit(0)")}, nil, 1, api.Failed},
		"no tests":           {files{"a/a_test.go": tests("a")}, nil, 4, api.NothingRan},
		"no test files":      {files{"a/a.go": "package a\n"}, nil, 4, api.NothingRan},
		"no packages":        {files{}, nil, 4, api.NothingRan},
		"all skipped":        {files{"a/a_test.go": tests("a", "TestA", skip)}, nil, 4, api.NothingRan},
		"filter of nothing":  {files{"a/a_test.go": tests("a", "TestA", pass)}, []string{"-f", "TestZ"}, 4, api.NothingRan},
		"skipped and passed": {files{"a/a_test.go": tests("a", "TestA", skip, "TestB", pass)}, nil, 0, api.Passed},
		"swallowed exit code": {files{"a/a_test.go": tests("a", "TestA", fail) + testMain("m.Run(); os.Exit(0)")}, nil,
			1, api.Failed},
		"red after all tests passed": {files{"a/a_test.go": tests("a", "TestA", pass) + testMain("m.Run(); os.Exit(1)")}, nil,
			1, api.Failed},
		"tests never run by TestMain": {files{"a/a_test.go": tests("a", "TestA", fail) + testMain("_ = m; os.Exit(0)")}, nil,
			exitIncomplete, api.Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, r := newModule(t, c.tree).object(append([]string{"run"}, c.args...)...)
			if run.Verdict != c.verdict || r.code != c.code {
				t.Errorf("verdict %s (%s), exit %d; want %s, %d\n%s", run.Verdict, run.Reason, r.code, c.verdict, c.code, r.stdout)
			}
			if run.Reason == "" {
				t.Error("there is no reason")
			}
			if red := c.code == 1; red && run.FailuresTotal == 0 {
				t.Error("a red run without a failure record")
			}
		})
	}
}

func TestTheWorstRunDecidesTheExitCode(t *testing.T) {
	t.Parallel()
	ended := func(v api.Verdict) api.Run { return api.Run{Kind: api.KindRun, Verdict: v} }
	merge, rerun := api.Run{Kind: api.KindMerge}, api.Run{Kind: api.KindRerun, Verdict: api.Passed}
	change := func(r api.Run, change func(*api.Run)) api.Run { change(&r); return r }
	cancel, stop := func(r *api.Run) { r.Cancelled = true }, func(r *api.Run) { r.TimedOut = true }
	left := change(rerun, func(r *api.Run) { r.Outstanding = 2 })
	for _, tc := range []struct {
		name string
		runs []api.Run
		want int
	}{
		{"none", nil, exitNothingRan},
		{"a pass", []api.Run{ended(api.Passed)}, exitPassed},
		{"a verdict of a newer version", []api.Run{ended("splendid")}, exitTool},
		{"a failed one first", []api.Run{ended(api.Failed), ended(api.Passed)}, exitFailed},
		{"an unbuilt one last", []api.Run{ended(api.Passed), ended(api.BuildFailed)}, exitFailed},
		{"nothing ran in one", []api.Run{ended(api.Passed), ended(api.NothingRan)}, exitNothingRan},
		{"incomplete", []api.Run{ended(api.Incomplete), ended(api.NothingRan)}, exitIncomplete},
		{"out of time", []api.Run{change(ended(api.Passed), stop), ended(api.Incomplete)}, exitTimedOut},
		{"red beside that", []api.Run{change(ended(api.Incomplete), stop), ended(api.Failed)}, exitFailed},
		{"a tool failed", []api.Run{ended(api.Failed), ended(api.ToolError)}, exitTool},
		{"interrupted", []api.Run{change(change(ended(api.Failed), cancel), stop), ended(api.ToolError)}, exitInterrupted},
		{"a merge of shards that were", []api.Run{change(merge, func(r *api.Run) { r.Verdict, r.Cancelled = api.Incomplete, true })}, exitIncomplete},
		{"a merge of shards out of time", []api.Run{change(merge, func(r *api.Run) { r.Verdict, r.TimedOut = api.Failed, true })}, exitFailed},
		{"a rerun that leaves some", []api.Run{left}, exitOutstanding},
		{"only some in quarantine", []api.Run{change(left, func(r *api.Run) { r.OutstandingQuarantined = 2 })}, exitPassed},
		{"a red one", []api.Run{change(left, func(r *api.Run) { r.Verdict = api.Failed })}, exitFailed},
		{"a run that leaves some", []api.Run{change(left, func(r *api.Run) { r.Kind = api.KindRun })}, exitPassed},
		{"a later part clears them", []api.Run{left, rerun}, exitPassed},
		{"a later part leaves some", []api.Run{rerun, left}, exitOutstanding},
		{"a later one of another language", []api.Run{left, change(rerun, func(r *api.Run) { r.Language = "solidity" })}, exitOutstanding},
		{"a later one of another kind", []api.Run{left, ended(api.Passed)}, exitOutstanding},
	} {
		if got := runsExit(tc.runs); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestMisuseExitsWith2AndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"run", "--nosuch"}, []string{"unknown flag: --nosuch", "proctor run --help"}},
		{[]string{"nosuch"}, []string{`unknown command "nosuch"`}},
		{[]string{"rnu"}, []string{"did you mean", "`proctor run`"}},
		{[]string{"help", "plugin", "instal"}, []string{"did you mean `proctor plugin install`?"}},
		{[]string{"runs", "show", "--jsno"}, []string{"unknown flag: --jsno; did you mean `--json`?"}},
		{[]string{"run", "-rcae"}, []string{"unknown flag: -rcae; did you mean `-race`?"}},
		{[]string{"run", "-rac"}, []string{"did you mean `-race`?"}},
		{[]string{"run", "--rase"}, []string{"did you mean `-race`?"}},
		{[]string{"run", "--rae"}, []string{"did you mean `--raw`?"}},
		{[]string{"run", "--timout", "5"}, []string{"did you mean `--timeout`?"}},
		{[]string{"watch", "--json"}, []string{"unknown flag: --json; use `proctor run`, which has it"}},
		{[]string{"watch", "-race", "--cached"}, []string{"unknown flag: --cached; use `proctor run`, which has it"}},
		{[]string{"watch", "--format=dots"}, []string{"unknown flag: --format=dots; use `proctor run`, which has it"}},
		{[]string{"run", "--retries", "-1"}, []string{"--retries: give at least 0"}},
		{[]string{"run", "--retry-limit", "0"}, []string{"--retry-limit: give at least 1"}},
		{[]string{"run", "./a", "-tags"}, []string{"-tags needs a value: TAGS"}},
		{[]string{"run", "-run", "A", "-f", "B"}, []string{`-run A selects tests, and so does "B"`, "give only one pattern of test names"}},
		{[]string{"run", "--timeout"}, []string{"--timeout needs a value: DURATION"}},
		{[]string{"rerun", "--limit", "x"}, []string{`--limit: "x" is not a whole number`}},
		{[]string{"run", "--affected="}, []string{"--affected: the revision is empty"}},
		{[]string{"run", "--json=maybe"}, []string{`"maybe" is neither true nor false`}},
		{[]string{"rerun", "--list", "TestA"}, []string{`proctor rerun takes no arguments, such as "TestA"`}},
		{[]string{"why"}, []string{"an argument is missing: proctor why TEST"}},
		{[]string{"why", "example.com/m/a", "TestA"}, []string{"2 arguments are too many for proctor why TEST", "quotes"}},
		{[]string{"run", "TestA"}, []string{`"TestA" is not a directory here`, "tests with -f TestA", "proctor run --help"}},
		{[]string{"run", "--list", "b"}, []string{"tests with -f b", "proctor run --help"}},
		{[]string{"run", "--format", "yaml"}, []string{"yaml", "default, pkgname"}},
		{[]string{"run", "--json", "--raw"}, []string{"exclude each other"}},
		{[]string{"run", "--timeout", "soon"}, []string{"soon", "seconds"}},
		{[]string{"run", "--lang", "cobol"}, []string{"cobol", "installed: go, solidity"}},
		{[]string{"run", "-f", "("}, []string{`"("`}},
		{[]string{"run", "../x"}, []string{"../x", "leaves the workspace"}},
		{[]string{"run", "--plugin", "go"}, []string{"NAME=PATH"}},
		{[]string{"run", "--plugin", "go="}, []string{"NAME=PATH"}},
		{[]string{"run", "-C", "nowhere"}, []string{"nowhere"}},
		{[]string{"run", "--color", "pink"}, []string{"pink", "auto, always"}},
		{[]string{"rerun", "--from", "x.json", "TestA"}, []string{"proctor rerun --help"}},
		{[]string{"failures", "TestA"}, []string{"proctor failures --help"}},
		{[]string{"output"}, []string{"proctor output --help"}},
		{[]string{"ingest", "-C", "..", "x.json"}, []string{"--plugin go"}},
		{[]string{"ingest", "--dry-run", "--plugin", "go", "nowhere.json"}, []string{"nowhere.json"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			r := w.proctor(c.args...)
			r.expect(t, exitUsage, append(c.says, "proctor: ")...)
			if r.stdout != "" {
				t.Errorf("standard output is not empty: %s", r.stdout)
			}
		})
	}
}

func TestANameThatIsNoDirectoryIsAnsweredWithWhatSelectsTests(t *testing.T) {
	dir := t.TempDir()
	want := []string{"packages as in", "--match-contract VaultTest"}
	for _, text := range want {
		if _, err := packageNamed(dir, "VaultTest"); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
		if err := os.WriteFile(filepath.Join(dir, api.FoundryMarker), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnknownRunsAndTestsAreMisuse(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", pass, "TestB", pass), "b/b_test.go": tests("b", "TestA", pass)})
	w.proctor("run").expect(t, 0)
	w.proctor("runs", "show", "zzz").expect(t, exitUsage, `no run "zzz"`)
	w.proctor("runs", "show", "prev").expect(t, exitUsage, `no run "prev"`)
	w.proctor("output", "TestZ").expect(t, exitUsage, `no test "TestZ"`)
	w.proctor("output", "TestA").expect(t, exitUsage, "names several tests", "a/TestA, b/TestA")
	w.proctor("output", "example.com/m/b/TestA").expect(t, 0)
	w.proctor("output", "TestB").expect(t, 0)
	w.proctor("run", "./a", "-run", "TestB").expect(t, 0)
	w.proctor("output", "b/TestA").expect(t, 0, "=== RUN   TestA", "did not run it; this is of run ", " ago")
	w.proctor("output", "TestA").expect(t, exitUsage, `no test "TestA"`) // two have that name
	w.proctor("output", "--run", "last", "b/TestA").expect(t, exitUsage, `no test "b/TestA"`)
	w.write(files{"b/b_test.go": tests("b", "TestA", `t.Fatal("red")`)})
	w.proctor("run").expect(t, exitFailed, "one: proctor output TestA\n")
	w.proctor("output", "TestA").expect(t, 0, "--- FAIL: TestA")
}

func TestNoProjectIsMisuse(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"sub/readme": ""})
	w.remove("go.mod")
	for _, command := range []string{"run", "rerun"} {
		w.proctor(command).expect(t, exitUsage, "no supported project detected in workspace root", "go.mod")
	}
	w.proctor("run", "-C", "sub").expect(t, exitUsage, "no supported project detected in workspace root")
}

func TestAWorkspaceIsFoundFromBelow(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/deep/a_test.go": tests("deep", "TestA", pass), "b/b_test.go": tests("b", "TestB", pass)})
	root := w.dir
	w.dir = filepath.Join(root, "a", "deep")
	w.proctor("run").expect(t, 0, "PASSED  2 tests")
	w.proctor("run", ".").expect(t, 0, "PASSED  1 selected test, of 2")
	w.proctor("failures").expect(t, 0, "PASSED  1 selected test")
	if _, err := os.Stat(filepath.Join(root, ".proctor")); err != nil {
		t.Error("the record is not at the root:", err)
	}
}

func TestToolErrorsExitWith3(t *testing.T) {
	t.Parallel()
	tree := files{"a/a_test.go": tests("a", "TestA", pass)}
	for _, c := range []struct {
		name, plugin string
		says         []string
	}{
		{"missing program", fakeNoTool, []string{"no-such-program-for-proctor was not found; install it", "PATH"}},
		{"plugin that crashes", fakeCrash, []string{"plugin crash", "crashed", "out of cheese"}},
		{"program that is no plugin", fakeMute, []string{"plugin mute", "did not start", "I only want to chat"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, tree)
			w.proctor("run", "--lang", c.plugin, "--plugin", c.plugin+"="+fakePlugin(t, c.plugin)).expect(t, exitTool, c.says...)
		})
	}
	t.Run("override that does not exist", func(t *testing.T) {
		t.Parallel()
		newModule(t, tree).proctor("run", "--plugin", "go=/nowhere/proctor-plugin-go").
			expect(t, exitUsage, "plugin go cannot be used", "/nowhere/proctor-plugin-go")
	})
	t.Run("no plugin beside proctor", func(t *testing.T) {
		t.Parallel()
		w := newModule(t, tree)
		alone := filepath.Join(t.TempDir(), filepath.Base(testbin.Path("proctor")))
		if err := os.Link(testbin.Path("proctor"), alone); err != nil {
			t.Skip("no hard links here:", err)
		}
		cmd := w.command("run")
		cmd.Path = alone
		w.wait(cmd).expect(t, exitTool, "no language plugin is installed", filepath.Dir(alone))
	})
}

func TestHelpAndVersionExitWith0(t *testing.T) {
	t.Parallel()
	w := newModule(t, nil)
	w.proctor().expect(t, 0, "Exit codes:", "proctor run")
	w.proctor("--help").expect(t, 0, "Exit codes:")
	w.proctor("run", "--help").expect(t, 0, "--timeout")
	w.proctor("--version").expect(t, 0, "proctor ")
}

func TestTheLanguageThatEndedWorstIsPrintedLast(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"foundry.toml": "", "a/a_test.go": tests("a", "TestA", pass)})
	// Without forge it is an error; with it, nothing runs.
	r := w.proctor("run")
	if _, below, green := strings.Cut(r.stdout, "PASSED  1 test"); r.code == exitPassed || !green ||
		!strings.Contains(below, "ERROR  ") && !strings.Contains(below, "NOTHING RAN  ") {
		t.Errorf("exit %d, and nothing below what passed says why:\n%s", r.code, r.stdout)
	}

	part := func(language string, verdict api.Verdict) api.Run {
		return api.Run{Language: language, Verdict: verdict, Kind: api.KindRerun}
	}
	got := worstLast([]api.Run{part("b", api.Failed), part("b", api.Passed), part("a", api.NothingRan), part("c", api.Passed)})
	want := []api.Run{part("c", api.Passed), part("a", api.NothingRan), part("b", api.Failed), part("b", api.Passed)}
	if !slices.EqualFunc(got, want, func(a, b api.Run) bool { return a.Language == b.Language && a.Verdict == b.Verdict }) {
		t.Errorf("got %+v", got)
	}
}
