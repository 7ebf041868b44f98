package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestParseReadsARecordedOutputAsTheRunDid(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	run, _ := w.object("run")
	events := filepath.Join(w.dir, ".proctor", "runs", run.RunID, "0-stdout")
	parsed, r := w.object("ingest", "--dry-run", "--plugin", "go", "-C", ".", "--exit-code", "1", events)
	r.expect(t, 1)
	if parsed.Kind != api.KindParsed || parsed.Verdict != run.Verdict || parsed.ExitCode != 1 {
		t.Errorf("%s, verdict %s, exit_code %d", parsed.Kind, parsed.Verdict, parsed.ExitCode)
	}
	// Tests that never started are known from the sources, which a parse does not read.
	run.Counts.NeverStarted = 0
	if parsed.Counts != run.Counts {
		t.Errorf("counts %+v, want %+v", parsed.Counts, run.Counts)
	}
	for i := range run.Failures {
		run.Failures[i].Standing = nil // what the history knows, which a parse does not read
	}
	if !reflect.DeepEqual(parsed.Failures, run.Failures) {
		t.Errorf("failures %+v, want %+v", parsed.Failures, run.Failures)
	}
	w.proctor("ingest", "--dry-run", "--plugin", "go", "--exit-code", "1", events).
		expect(t, 1, "DOES NOT BUILD  broken · 3 failures elsewhere", "TestDiff", "bad/bad_test.go:")
	last, _ := w.object("runs", "show")
	if last.RunID != run.RunID {
		t.Error("a parse became the last run")
	}
}

func TestParseConcludesOnlyFromWhatItKnows(t *testing.T) {
	t.Parallel()
	const (
		start  = `{"Action":"start","Package":"p"}` + "\n"
		begin  = `{"Action":"run","Package":"p","Test":"TestA"}` + "\n"
		passed = `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}` + "\n"
		done   = `{"Action":"output","Package":"p","Output":"PASS\n"}` + "\n"
		ok     = `{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}` + "\n"
		end    = done + `{"Action":"pass","Package":"p","Elapsed":0}` + "\n"
	)
	const seed = `{"Action":"run","Package":"example.com/my-module","Test":"TestFoo"}
{"Action":"output","Package":"example.com/my-module","Test":"TestFoo","Output":"--- PASS: TestFoo\n"}
{"Action":"pass","Package":"example.com/my-module","Test":"TestFoo","Elapsed":0}
{"Action":"pass","Package":"example.com/my-module","Elapsed":0.123}
`
	w := newModule(t, nil)
	for _, c := range []struct {
		name, events, stderr string
		flags                []string
		code                 int
		verdict              api.Verdict
	}{
		{"whole", start + begin + passed + end, "", []string{"--exit-code", "0"}, 0, api.Passed},
		{"without the word of package testing", start + begin + passed + ok + strings.TrimPrefix(end, done), "", []string{"--exit-code", "0"},
			exitIncomplete, api.Incomplete},
		{"only the events of tests", start + begin + passed + strings.TrimPrefix(end, done), "", []string{"--exit-code", "0"}, 0, api.Passed},
		{"the example of the seed document", seed, "", []string{"--exit-code", "0"}, 0, api.Passed},
		{"without an exit code", start + begin + passed + end, "", nil, 0, api.Passed},
		{"cut in a test", start + begin, "", nil, exitIncomplete, api.Incomplete},
		{"cut in a line", start + begin + passed[:20], "", nil, exitIncomplete, api.Incomplete},
		{"cut before the end", start + begin + passed, "", []string{"--exit-code", "0"}, exitIncomplete, api.Incomplete},
		{"empty", "", "", []string{"--exit-code", "0"}, exitNothingRan, api.NothingRan},
		{"no events at all", "hello\n", "", nil, exitNothingRan, api.NothingRan},
		{"only words on standard error", "", "go: cannot find main module\n", []string{"--exit-code", "1"}, 1, api.BuildFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.write(files{"events": c.events, "stderr": c.stderr})
			args := append([]string{"ingest", "--dry-run", "--json", "--plugin", "go", "--stderr", "stderr"}, c.flags...)
			for _, from := range []string{"events", "-"} {
				cmd := w.command(append(args, from)...)
				cmd.Stdin = strings.NewReader(c.events)
				r := w.wait(cmd)
				var run api.Run
				decodeLine(t, r, &run)
				if run.Verdict != c.verdict || r.code != c.code {
					t.Errorf("from %s: verdict %s (%s), exit %d; want %s, %d", from, run.Verdict, run.Reason, r.code, c.verdict, c.code)
				}
			}
		})
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".proctor")); err == nil {
		t.Error("a parse left a record")
	}
}

func TestGreenEventsAndARedExitAreNotGreen(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"events": `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"pass","Package":"p","Elapsed":0}
`})
	for _, code := range []string{"1", "2", "-1", "139"} {
		run, r := w.object("ingest", "--dry-run", "--plugin", "go", "--exit-code", code, "events")
		if run.Verdict == api.Passed || r.code == 0 || run.Reason == "" {
			t.Errorf("exit %s: verdict %s (%s), exit %d", code, run.Verdict, run.Reason, r.code)
		}
	}
}

func TestOutputIsWhatTheTestPrinted(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", `fmt.Println("from A")`, "TestT",
			`fmt.Println("from T"); t.Run("x", func(t *testing.T) { fmt.Println("from x"); t.Log("log of x") });`+sub("y", `t.Error("y is wrong")`)),
		"b/b_test.go": tests("b", "TestB", `fmt.Println("from B")`),
	})
	first, _ := w.object("run")
	for name, want := range map[string][]string{
		"TestA":           {"from A"},
		"TestT":           {"from T", "from x", "log of x", "y is wrong"},
		"TestT/x":         {"from x", "log of x"},
		"T/y":             nil,
		"example.com/m/a": {"from A", "from T", "from x"},
		"TestB":           {"from B"},
	} {
		r := w.proctor("output", name)
		if want == nil {
			r.expect(t, exitUsage, "no test")
			continue
		}
		r.expect(t, 0, want...)
		for _, other := range []string{"from A", "from T", "from x", "from B", "y is wrong"} {
			if strings.Contains(r.stdout, other) && !strings.Contains(strings.Join(want, " ")+" y is wrong", other) {
				t.Errorf("%s: %q is of another test", name, other)
			}
		}
	}
	w.proctor("run", "./b").expect(t, 0)
	w.proctor("output", "TestA").expect(t, 0, "from A", "did not run it; this is of run "+first.RunID)
	w.proctor("output", "--run", first.RunID, "TestA").expect(t, 0, "from A")
	streams, err := filepath.Glob(filepath.Join(w.dir, ".proctor", "runs", first.RunID, "*std*"))
	if err != nil || len(streams) == 0 {
		t.Fatalf("%q, %v", streams, err)
	}
	for _, path := range streams {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if r := w.proctor("output", "TestA"); r.code != exitUsage || strings.Contains(r.stderr, "this is of") || !strings.Contains(r.stderr, "not on record") {
		t.Errorf("with nothing to print it says %s", r.stderr)
	}
}

func TestDoctorSeesWhatARunWouldUse(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "sub/go.mod": "module example.com/sub\n\ngo 1.20\n", "sub/s_test.go": tests("sub", "TestS", pass)})
	w.proctor("doctor").expect(t, 0, "proctor-plugin-go", "go test -json -count=1", "untested", "sub", "nothing is wrong")
	var d struct {
		Schema   string           `json:"schema"`
		Problems []api.Note       `json:"problems"`
		Plugins  []map[string]any `json:"plugins"`
		Projects []map[string]any `json:"projects"`
	}
	r := w.proctor("doctor", "--json")
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil || d.Schema != "proctor.doctor/v1" || len(d.Plugins) != 2 || len(d.Projects) != 1 {
		t.Errorf("%v: %s", err, r.stdout)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".proctor", "runs")); err == nil {
		if found, _ := os.ReadDir(filepath.Join(w.dir, ".proctor", "runs")); len(found) > 0 {
			t.Error("the doctor ran tests")
		}
	}
	for name, says := range map[string]string{
		fakeMute:   "plugin mute",
		fakeNoTool: "no-such-program-for-proctor",
	} {
		w.proctor("doctor", "--plugin", name+"="+fakePlugin(t, name)).expect(t, exitTool, "problem", says)
	}
	w.proctor("doctor", "--plugin", "go=/nowhere/plugin").expect(t, exitTool, "refused", "/nowhere/plugin")
	w.remove("go.mod")
	w.proctor("doctor").expect(t, exitTool, "problem", "no supported project detected in workspace root")
}

func TestEachFormatShowsWhatItsHelpSays(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", `t.Error("b is wrong")`, "TestC", skip)})
	r := w.proctor("run", "--format", "testname")
	for _, line := range []string{"passed     a TestA (", "failed     a TestB (", "skipped    a TestC ("} {
		if strings.Count(r.stdout, line) != 1 {
			t.Errorf("%q is not there once:\n%s", line, r.stdout)
		}
	}
	if r := w.proctor("run", "--format", "quiet"); r.stderr != "" || !strings.HasPrefix(r.stdout, "✗ a TestB  a/a_test.go:36\n  b is wrong\n\nFAILED  1 test · ") {
		t.Errorf("quiet: %s%s", r.stdout, r.stderr)
	}
	asked := w.in("another")
	asked.setenv("PROCTOR_FORMAT=dots")
	if r := asked.proctor("run"); !regexp.MustCompile(`(?m)^[.–✗]{3}$`).MatchString(r.stdout) {
		t.Errorf("dots: %s", r.stdout)
	}
	if r := asked.proctor("run", "--json"); !strings.HasPrefix(r.stdout, "{") {
		t.Errorf("--json is more than the environment's format: %s", r.stdout)
	}
	asked.setenv("PROCTOR_FORMAT=nosuch")
	asked.proctor("run").expect(t, exitUsage, `PROCTOR_FORMAT "nosuch": give one of default, pkgname`)
	asked.proctor("run", "--format", "dotz").expect(t, exitUsage, `--format "dotz": give one of default, pkgname`)
	if quiet := w.proctor("run", "-q"); quiet.stderr != "" || !strings.Contains(quiet.stdout, "b is wrong") {
		t.Errorf("quiet: %s%s", quiet.stdout, quiet.stderr)
	}
	w.proctor("run", "-v").expect(t, 1, "failed     a TestB", "output:")
	w.proctor("run", "-q", "-f", "TestA").expect(t, 0, "PASSED  1 selected test, of 3")
}
