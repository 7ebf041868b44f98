package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/golden"
)

// mixed is a module in which much goes wrong.
func mixed() files {
	return files{
		"good/good_test.go": tests("good", "TestGood", pass, "TestSkipped", skip, "TestTable", sub("x", pass)+sub("y z", pass)),
		"bad/bad_test.go": tests("bad", "TestDiff", `t.Errorf("Sum(2, 2) = %d\ngot: %d\nwant: %d", 5, 5, 4)`,
			"TestTable", sub("x", pass)+sub("y", `t.Error("first"); t.Error("second")`)),
		"crash/crash_test.go":   tests("crash", "TestBefore", pass, "TestCrash", `var m map[string]int; m["x"] = 1`, "TestAfter", pass),
		"broken/broken_test.go": tests("broken", "TestBroken", "nosuch()"),
		"none/none.go":          "package none\n",
	}
}

// shape is the JSON type of every field that a Run object always has; a dot
// leads into an object, and into the objects of a list.
var shape = map[string]string{
	"schema": "string", "run_id": "string", "session_id": "string", "kind": "string", "state": "string",
	"verdict": "string", "reason": "string", "exit_code": "number", "timed_out": "bool", "cancelled": "bool",
	"language": "string", "plugin": "object", "plugin.name": "string", "plugin.version": "string",
	"workspace": "string", "started_at": "string", "duration_s": "number", "selection": "object",
	"commands": "list", "commands.argv": "list", "commands.dir": "string",
	"counts": "object", "counts.suites": "number", "counts.passed": "number", "counts.failed": "number",
	"counts.skipped": "number", "counts.unfinished": "number", "counts.never_started": "number",
	"counts.build_failed": "number", "counts.parse_skipped_bytes": "number",
	"failures": "list", "failures.id": "string", "failures.suite": "string", "failures.test": "string",
	"failures.kind": "string", "failures.message": "string", "failures_total": "number",
	"unfinished": "list", "never_started": "list", "never_started.suite": "string", "never_started.test": "string",
	"outstanding": "number", "timeout_s": "number",
}

// shapeInside is the same for lists that only some commands fill.
var shapeInside = map[string]map[string]string{
	"runs show": {"results": "list", "results.suite": "string", "results.test": "string", "results.status": "string",
		"results.duration_s": "number", "results.file": "string", "results.line": "number"},
	"rerun": {"requested": "list", "requested.suite": "string", "requested.test": "string", "requested.outcome": "string"},
}

// typesOf collects the type of every field of a decoded JSON value.
func typesOf(path string, value any, types map[string][]string) {
	add := func(kind string) {
		if !slices.Contains(types[path], kind) {
			types[path] = append(types[path], kind)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		if path != "" {
			add("object")
		}
		for name, inner := range v {
			typesOf(strings.TrimPrefix(path+"."+name, "."), inner, types)
		}
	case []any:
		add("list")
		for _, inner := range v {
			if object, ok := inner.(map[string]any); ok {
				for name, field := range object {
					typesOf(path+"."+name, field, types)
				}
			}
		}
	case string:
		add("string")
	case float64:
		add("number")
	case bool:
		add("bool")
	case nil:
		add("null")
	default:
		add(fmt.Sprintf("%T", v))
	}
}

func TestRunObjectsHaveTheDocumentedFieldsAndMatchTheGoldenFiles(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	for _, command := range []string{"run", "failures", "runs show", "rerun", "runs show prev"} {
		args := strings.Fields(command)
		if strings.HasSuffix(command, "run") {
			args = append(args, "--timeout", "300") // which sets a field
		}
		r := w.proctor(append(args, "--json")...)
		if len(args) == 1 || command == "runs show" {
			golden.Compare(t, "testdata/"+strings.ReplaceAll(command, " ", "-")+".json", normalized(t, w, r.stdout))
		}
		var object map[string]any
		decodeLine(t, r, &object)
		types := map[string][]string{}
		typesOf("", object, types)
		for _, want := range []map[string]string{shape, shapeInside[args[0]]} {
			for field, kind := range want {
				if command == "rerun" && strings.HasPrefix(field, "never_started.") {
					continue // its list is empty
				}
				if got := types[field]; !slices.Equal(got, []string{kind}) {
					t.Errorf("%s: field %s is %v, want %s", command, field, got, kind)
				}
			}
		}
		for field, kinds := range types {
			if slices.Contains(kinds, "null") {
				t.Errorf("%s: field %s is null", command, field)
			}
		}
	}
}

func TestShowHasEveryTestAndSubtestWithItsLocation(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	w.proctor("run").expect(t, 1)
	run, _ := w.object("runs", "show")
	var got []string
	for _, r := range run.Results {
		got = append(got, fmt.Sprintf("%s %s %s", strings.TrimPrefix(r.Suite, "example.com/m/"), r.Test, r.Status))
		if r.File == "" || r.Line == 0 {
			t.Errorf("%s has the place %s:%d", r.Test, r.File, r.Line)
		}
	}
	slices.Sort(got)
	want := []string{
		"bad TestDiff failed", "bad TestTable failed", "bad TestTable/x passed", "bad TestTable/y failed",
		"crash TestBefore passed", "crash TestCrash failed",
		"good TestGood passed", "good TestSkipped skipped", "good TestTable passed", "good TestTable/x passed", "good TestTable/y_z passed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	short, _ := w.object("runs", "show", run.RunID[:4])
	if short.RunID != run.RunID {
		t.Errorf("the beginning of an id names run %s, want %s", short.RunID, run.RunID)
	}
}

func TestJSONPrintsNothingElseOnStandardOutput(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA",
		`fmt.Println("{\"schema\":\"proctor.run/v1\"}"); fmt.Fprintln(os.Stderr, "noise"); t.Error("wrong")`)})
	for _, args := range [][]string{
		{"run", "--json"}, {"run", "--format", "json"}, {"run", "--json", "-v"}, {"run", "--json", "-q"},
		{"rerun", "--json"}, {"failures", "--json"}, {"runs", "show", "--json"},
	} {
		var run api.Run
		decodeLine(t, w.proctor(args...), &run)
	}
	empty := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	for _, args := range [][]string{{"rerun", "--json"}, {"failures", "--json"}, {"runs", "show", "--json"}} {
		var n notice
		decodeLine(t, empty.proctor(args...), &n)
		if n.Message != noRunYet {
			t.Errorf("%q: %q", args, n.Message)
		}
	}
}

func TestEachLanguageIsAnObjectOnALineOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail)})
	r := w.proctor("run", "--json", "--plugin", fakeForeign+"="+fakePlugin(t, fakeForeign))
	lines := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
	verdicts := map[string]api.Verdict{}
	for _, line := range lines {
		var run api.Run
		if err := json.Unmarshal([]byte(line), &run); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		verdicts[run.Language] = run.Verdict
	}
	if len(lines) != 2 || verdicts["go"] != api.Failed || verdicts[fakeForeign] != api.Passed {
		t.Errorf("got %v", verdicts)
	}
	r.expect(t, 1)
	w.proctor("failures", "--lang", "go").expect(t, 0, "FAILED")
	w.proctor("failures", "--lang", fakeForeign).expect(t, 0, "("+fakeForeign+")", "PASSED  1 test")
	w.proctor("run", "--lang", "go").expect(t, 1, "FAILED  1 test")
}
