package mcp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

func TestTestsCoveringNeverLooksLikeNoTestCovers(t *testing.T) {
	t.Parallel()
	a := coveringAnswer(api.Covering{
		File: "a.go", Granularity: api.GranularityUnknown, Message: "nothing is known of a.go", Advice: api.Advice{Operation: api.AdviseIndex},
		Warnings: api.Notes(api.NoteCoverage, "what tests are built from is unknown"),
	})
	if n := strings.Count(strings.Join(a.text, ""), coveringAdvice); n != 1 {
		t.Errorf("it says %d times that it says nothing: %q", n, a.text)
	}
	object := asObjectOf(t, a)
	_, tests := object["tests"]
	_, total := object["total"]
	more, _ := object["more"].(string)
	if tests || total || object["granularity"] != "unknown" || a.text[0] != "nothing is known of a.go" ||
		!strings.Contains(more, "tests_covering{\"measure\":120} finds out which lines each test executes. This does not mean that no test covers it. run_tests with packages") || !strings.Contains(a.text[1], more) {
		t.Errorf("%q %v", a.text, object)
	}
	none := asObjectOf(t, coveringAnswer(api.Covering{File: "a.go", Granularity: api.GranularityTest, Message: "no test executes a.go"}))
	if none["total"] != 0.0 {
		t.Errorf("that no test executes it is not said: %v", none)
	}
}

// asObjectOf returns the object of an answer as a client gets it.
func asObjectOf(t testing.TB, a answer) map[string]any {
	t.Helper()
	r, err := a.result()
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{}
	if err := json.Unmarshal(r.StructuredContent.(json.RawMessage), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestAnAnswerAboutCoverageSaysHowExactAndHowOldItIs(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := coveringAnswer(api.Covering{
		File: "a.go", Lines: "4-9", Granularity: api.GranularityImport, Stale: true, MeasuredAt: &at, AgeS: 90, Total: 3, Message: "3 tests may execute a.go:4-9",
		Advice: api.Advice{Operation: api.AdviseIndexAgain}, Uncovered: []string{"7"}, Unmapped: []string{"9"}, Workspace: "/w", Schema: "s",
		Tests: []api.CoveringTest{{Language: "go", Suite: "m/a", Test: "TestA", Granularity: api.GranularityTest, Lines: []string{"4"}, MeasuredAt: &at, Blocks: 7}},
	})
	raw, err := json.Marshal(asObjectOf(t, a))
	want := `{"age_s":90,"file":"a.go","granularity":"import","lines":"4-9","message":"3 tests may execute a.go:4-9","more":"tests_covering{\"measure\":120} measures again what changed",` +
		`"stale":true,"tests":[{"blocks":7,"granularity":"test","lines":["4"],"suite":"m/a","test":"TestA"}],"total":3,"uncovered":["7"],"unmapped":["9"]}`
	if err != nil || string(raw) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, raw, want)
	}
	for _, want := range []string{"some rows are ", "measured 1m ago", "STALE", "m/a TestA", "and 2 more; a larger limit shows them", "no test executes: 7", "written since it was measured: 9"} {
		if !strings.Contains(a.text[1], want) {
			t.Errorf("%q is missing: %q", want, a.text)
		}
	}
}

func TestAnAnswerAboutChangesHasTheFilesAndTheirTests(t *testing.T) {
	t.Parallel()
	test := api.CoveringTest{Suite: "m/a", Test: "TestA", Granularity: api.GranularityTest}
	a := coveringDiffAnswer(api.CoveringDiff{
		Base: "HEAD (0123456789)", Granularity: api.GranularityUnknown, FilesTotal: 2, Total: 1, Tests: []api.CoveringTest{test}, Message: "1 test executes what changed",
		Files: []api.Covering{
			{File: "a.go", Lines: "3,5", Granularity: api.GranularityTest, Total: 1, Tests: []api.CoveringTest{test}, Message: "m"},
			{File: "b.lua", Granularity: api.GranularityUnknown, Message: "nothing is known of it"},
		},
	})
	object := asObjectOf(t, a)
	files := object["files"].([]any)
	first, second := files[0].(map[string]any), files[1].(map[string]any)
	if object["base"] != "HEAD (0123456789)" || object["total"] != 1.0 || first["total"] != 1.0 || first["tests"] != nil || second["total"] != nil || second["granularity"] != "unknown" {
		t.Errorf("%v", object)
	}
	if !strings.Contains(a.text[1], "b.lua  unknown\n") || !strings.Contains(a.text[1], "This does not mean") {
		t.Errorf("%q", a.text)
	}
}

func TestHostileCoverageIsBoundedAndHarmless(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(evil, 200)
	c := api.Covering{
		File: long, Lines: long, Granularity: api.GranularityUnknown, Message: long, Advice: api.Advice{Operation: api.AdviseTests, Of: long}, Total: 1 << 20, Warnings: api.Notes("", long),
	}
	for i := range 100 {
		lines := strings.Split(strings.Repeat(long+",", 50), ",")
		c.Tests = append(c.Tests, api.CoveringTest{Suite: long, Test: fmt.Sprint(long, i), Why: long, Lines: lines, Granularity: api.GranularityTest})
		c.Uncovered, c.NoCode, c.Unmapped = append(c.Uncovered, long), append(c.NoCode, long), append(c.Unmapped, long)
	}
	d := api.CoveringDiff{Base: long, Message: long, Advice: api.Advice{Operation: api.AdviseTests, Of: long}, Tests: c.Tests, Total: 1 << 20, FilesTotal: 1000}
	for range 100 {
		d.Files = append(d.Files, c)
	}
	for what, a := range map[string]answer{"covering": coveringAnswer(c), "the difference": coveringDiffAnswer(d)} {
		if !a.fitsIn(maxAnswerBytes) {
			t.Errorf("%s: %d bytes of text", what, len(strings.Join(a.text, "")))
		}
		for _, line := range strings.Split(strings.Join(a.text, "\n"), "\n") {
			if strings.HasPrefix(line, "exit: ") || strings.HasPrefix(line, "{") {
				t.Errorf("%s: a name speaks in our place: %q", what, abridged(line))
			}
		}
		walkStrings(asObjectOf(t, a), func(text string) { checkPlain(t, what, text) })
		checkPlain(t, what, strings.Join(a.text, "\n"))
	}
}

func TestTestsCoveringRefusesMeaninglessRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"a/a.go": "package a\n"})
	c := s.connect(t)
	for _, args := range []map[string]any{
		{"file": "a/a.go"}, {"file": filepath.Join(s.dir, "a", "a.go"), "lines": "1"}, {"file": "a/a.go", "lines": 1, "limit": "1e9"},
	} {
		if r := c.call(t, "tests_covering", args); r.failed || r.str("granularity") == "" || r.str("file") != "a/a.go" || r.texts[0] != r.str("message") {
			t.Errorf("%v: %s", args, r.raw)
		}
	}
	for want, args := range map[string]map[string]any{
		"lines need a file":                     {"lines": "7"},
		"no file is named":                      {"file": " "},
		"there is no file nope.go":              {"file": "nope.go"},
		"lies outside of the workspace":         {"file": s.home},
		"a is not a regular file":               {"file": "a"},
		`"x" is not a line or a range of lines`: {"file": "a/a.go", "lines": "x"},
		"lines 60-40 end before they begin":     {"file": "a/a.go", "lines": "60-40"},
	} {
		if r := c.call(t, "tests_covering", args); !r.failed || r.str("code") != codeInvalidRequest || !strings.Contains(r.text(), want) {
			t.Errorf("%v: %q", args, r.texts)
		}
	}
}
