package report_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/sdk"
)

func TestMain(m *testing.M) {
	testbin.InMemory()
	os.Exit(m.Run())
}

// expected returns how each test of a run ended, from the Run object with its results and
// all failures: what runs show --json prints. It follows docs/reports.md, and shares no
// code with the reports.
func expected(run api.Run) map[string]string {
	type ends struct{ passed, skipped bool }
	of := map[sdk.TestID]*ends{}
	at := func(id sdk.TestID) *ends {
		if of[id] == nil {
			of[id] = &ends{}
		}
		return of[id]
	}
	last := map[sdk.TestID]sdk.Status{}
	for _, r := range run.Results {
		bad := r.Status == sdk.Failed || r.Status == sdk.Unfinished
		if r.Derived && bad || r.Fixture && r.Status == sdk.Passed {
			continue
		}
		e := at(r.TestID)
		switch r.Status {
		case sdk.Passed:
			e.passed = true
		case sdk.Skipped:
			e.skipped = true
		default:
			last[r.TestID] = r.Status
		}
	}
	status, kinds := map[sdk.TestID]string{}, map[sdk.TestID]string{}
	for id, e := range of {
		switch {
		case last[id] != "":
			status[id] = string(last[id])
		case e.passed:
			status[id] = "passed"
		default:
			status[id] = "skipped"
		}
	}
	for _, f := range run.Failures {
		if kinds[f.TestID] != "" {
			continue
		}
		kinds[f.TestID] = f.Kind
		switch {
		case status[f.TestID] == "unfinished":
		case slices.Contains([]string{"build", "vet", "setup", "exit", "signal", "timeout"}, f.Kind):
			status[f.TestID] = "error"
		default:
			status[f.TestID] = "failed"
		}
	}
	for _, f := range run.Failures {
		if f.Quarantine != "" {
			status[f.TestID] = "quarantined"
		}
	}
	for _, t := range run.Retried {
		if status[t.TestID] == "" {
			status[t.TestID] = "error"
		}
		if t.Flaky && run.Verdict == api.Passed && status[t.TestID] != "skipped" && status[t.TestID] != "quarantined" {
			status[t.TestID] = "passed"
		}
	}
	for _, t := range run.Unfinished {
		status[t] = cmp.Or(status[t], "unfinished")
	}
	for _, t := range run.NeverStarted {
		status[t] = cmp.Or(status[t], "never_started")
	}
	for _, r := range run.Requested {
		id := r.TestID
		if status[id] == "" && r.Outcome == api.OutcomeDidNotRun && r.Test != "" {
			if status[id] = "did_not_run"; run.Verdict == api.Passed {
				status[id] = "skipped"
			}
		}
	}
	named := map[string]string{}
	for id, s := range status {
		named[showing(run, id)] += s + " "
	}
	return named
}

// showing returns the name of a test before a number distinguishes it from others of the
// same name.
func showing(run api.Run, id sdk.TestID) string {
	xml := strings.NewReplacer("\ufffe", `\ufffe`, "\uffff", `\uffff`)
	suite, test := xml.Replace(prose.Line(id.Suite)), xml.Replace(prose.Line(id.Test))
	if suite == "" {
		suite = strings.TrimSuffix("proctor."+prose.Line(run.Language), ".")
	}
	switch {
	case id.Test == "" && id.Suite == "":
		test = "(run)"
	case id.Test == "":
		test = "(suite)"
	case test == "":
		test = "(unnamed)"
	}
	return suite + " " + test
}

// told is what a format says: the status of each case, in that format's own words.
type told map[string]string

// inJUnit and inCTRF return what the formats call a status.
func inJUnit(s string) string {
	switch s {
	case "passed":
		return "passed"
	case "skipped", "quarantined":
		return "skipped"
	case "failed":
		return "failure"
	}
	return "error"
}

func inCTRF(s string) string {
	switch s {
	case "quarantined":
		return "skipped"
	case "error", "unfinished", "never_started", "did_not_run":
		return "failed"
	}
	return s
}

// checkAgreement checks every format against the run, and against the others.
func checkAgreement(t *testing.T, run api.Run, recorded api.Record) {
	t.Helper()
	ended := api.RunFinished{Run: run, Record: recorded}
	ended.Run.Results = nil
	files := map[string][]byte{}
	for _, f := range report.Formats() {
		var b bytes.Buffer
		write(t, &b, f.Name, report.Options{Version: "1.0.0"}, ended)
		files[f.Name] = b.Bytes()
	}

	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal(files["junit"], &junit); err != nil {
		t.Fatalf("%v in\n%s", err, files["junit"])
	}
	cases := told{}
	for name, status := range junitCases(t, files["junit"]) {
		cases[name], _, _ = strings.Cut(status, " ")
	}

	var ctrf struct {
		Results struct {
			Summary struct{ Tests, Passed, Failed, Skipped, Pending, Other int }
			Tests   []struct {
				Name, Status, RawStatus string
				Suite                   []string
			}
		}
	}
	if err := json.Unmarshal(files["ctrf"], &ctrf); err != nil {
		t.Fatalf("%v in\n%s", err, files["ctrf"])
	}
	raw, counts := told{}, map[string]int{}
	for _, c := range ctrf.Results.Tests {
		name := c.Suite[0] + " " + c.Name
		if _, twice := raw[name]; twice {
			t.Errorf("CTRF names %s twice", name)
		}
		raw[name] = c.RawStatus
		if counts[c.Status]++; c.Status != inCTRF(c.RawStatus) {
			t.Errorf("CTRF: %s is %s, and was %s", name, c.Status, c.RawStatus)
		}
		if cases[name] != inJUnit(c.RawStatus) {
			t.Errorf("%s is %s, and in JUnit %q", name, c.RawStatus, cases[name])
		}
	}
	s := ctrf.Results.Summary
	if len(raw) != len(cases) || s.Tests != len(raw) || junit.Tests != len(raw) || s.Passed != counts["passed"] || s.Failed != counts["failed"] || s.Skipped != counts["skipped"] || s.Other != 0 {
		t.Errorf("%d cases in CTRF, %d in JUnit: %+v, %+v", len(raw), len(cases), s, junit)
	}
	if red := s.Failed; junit.Failures+junit.Errors != red || run.Verdict != api.Passed && red == 0 {
		t.Errorf("%s: %d red in CTRF, %d in JUnit", run.Verdict, red, junit.Failures+junit.Errors)
	}

	// Numbered names count as the name without its number.
	got := told{}
	for name, status := range raw {
		if strings.HasSuffix(name, ")") && expected(run)[name] == "" {
			if i := strings.LastIndex(name, " ("); expected(run)[name[:i]] != "" {
				name = name[:i]
			} else if strings.HasPrefix(name, "proctor") {
				continue // a case of no test
			}
		}
		got[name] += status + " "
	}
	sorted := func(all map[string]string) (lines []string) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			words := strings.Fields(all[name])
			slices.Sort(words)
			lines = append(lines, name+": "+strings.Join(words, " "))
		}
		return lines
	}
	if g, w := sorted(got), sorted(expected(run)); !slices.Equal(g, w) {
		for _, line := range g {
			if !slices.Contains(w, line) {
				t.Errorf("got  %q", line)
			}
		}
		for _, line := range w {
			if !slices.Contains(g, line) {
				t.Errorf("want %q", line)
			}
		}
	}

	end := render.NewAccount(run, nil, render.Style{Verbose: true, Named: true}).Conclusion()
	heading := strings.ReplaceAll(string(files["markdown"]), `\`, "")
	for _, part := range end.Parts {
		if plain := strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789 .") == ""; plain && !strings.Contains(heading, part) {
			t.Errorf("%q is not in\n%s", part, heading)
		}
	}
	if n := len(files["markdown"]); n > 65_536 {
		t.Errorf("the comment has %d bytes", n)
	}

	checkAnnotations(t, string(files["github"]), raw, run)
	checkTrace(t, files["trace"], raw, run)
	checkSpans(t, files["otlp"], raw)

	var object api.Run
	if err := json.Unmarshal(files["json"], &object); err != nil {
		t.Fatal(err)
	}
	if len(object.Failures) != len(run.Failures) || !slices.Equal(sorted(expected(object)), sorted(expected(run))) {
		t.Errorf("the object has %d failures of %d: %v", len(object.Failures), len(run.Failures), expected(object))
	}
}

// annotationLine is a command of GitHub Actions that annotates.
var annotationLine = regexp.MustCompile(`^::(error|warning) title=([^,:]*)(?:,file=([^,:]*))?(?:,line=(\d+))?::(.*)$`)

// checkAnnotations compares the annotations with how the cases ended: each red one is
// annotated or counted with another of the same cause, and nothing else is an error.
func checkAnnotations(t *testing.T, text string, raw told, run api.Run) {
	t.Helper()
	trimmed := told{} // a title ends where its text does
	for name, status := range raw {
		trimmed[strings.TrimSpace(name)] = status
	}
	unescape := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	flaky := map[string]bool{}
	for _, r := range run.Retried {
		flaky[strings.TrimSpace(showing(run, r.TestID))] = r.Flaky
	}
	isRed := func(status string) bool {
		return !slices.Contains([]string{"passed", "skipped", "quarantined"}, status)
	}
	errors, warnings, counted, hidden := 0, 0, 0, 0
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if text == "" {
			break
		}
		m := annotationLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%q is not an annotation", line)
			continue
		}
		title, message := unescape.Replace(m[2]), unescape.Replace(m[5])
		if title == "proctor" {
			if _, err := fmt.Sscanf(message, "%d more cause", &hidden); err != nil || hidden < 1 {
				t.Errorf("%q hides %d: %v", line, hidden, err)
			}
			continue
		}
		status, known := trimmed[title]
		switch {
		case !known:
			t.Errorf("%q names no test: %q", line, title)
		case m[1] == "error" && !isRed(status), m[1] == "warning" && isRed(status):
			t.Errorf("%q is of a test that is %s", line, status)
		case m[1] == "warning" && status != "quarantined" && !flaky[title]:
			t.Errorf("%q is of a test that %s", line, status)
		}
		if m[1] == "warning" {
			warnings++
			continue
		}
		errors++
		counted++
		if i := strings.LastIndex(message, "\n"); i >= 0 {
			more := 0
			if _, err := fmt.Sscanf(message[i+1:], "%d more like it", &more); err == nil {
				counted += more
			}
		}
	}
	red, excused := 0, 0
	for name, status := range raw {
		switch {
		case isRed(status):
			red++
		case status == "quarantined" || flaky[strings.TrimSpace(name)] && status == "passed":
			excused++
		}
	}
	const most = 9 // of each kind, and one that counts the rest
	if errors > most || hidden == 0 && counted != red || hidden > 0 && (errors != most || counted+hidden > red) || (red > 0) != (errors > 0) {
		t.Errorf("%d errors are for %d red tests and hide %d causes of %d:\n%s", errors, counted, hidden, red, text)
	}
	if want := min(excused, most); warnings != want {
		t.Errorf("%d warnings, want %d", warnings, want)
	}
}

func TestAllFormatsAgreeOnRandomRuns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(18, 1000))
	for i := range 300 {
		run, recorded := randomRun(rnd)
		if checkAgreement(t, run, recorded); t.Failed() {
			t.Fatalf("in run %d, %s", i, run.Verdict)
		}
	}
}

// hostile are parts of names and texts that formats, terminals and readers trip over.
var hostile = []string{"", "a", "TestA", "TestA/x", "x (2)", "\x00", "\x1b[31m", "\n", "\t", "\r\n", "<b>", "&amp;", "]]>", `"`, "'", "\xff\xc0", "\u202e", "\ufffe", "\uffff", "😀", "`", "```", "|", "@user", "::error::x", "%0A", "##[add-mask]", ",", ":", "[x](http://x)", "<!--", "\\", strings.Repeat("long ", 9)}

func randomRun(rnd *rand.Rand) (api.Run, api.Record) {
	word := func() string { return hostile[rnd.IntN(len(hostile))] + hostile[rnd.IntN(len(hostile))] }
	one := func(n int) bool { return rnd.IntN(n) == 0 }
	run := api.Run{
		Schema: api.Schema, RunID: fmt.Sprintf("r%09d", rnd.IntN(1e9)), Language: []string{"go", "forge"}[rnd.IntN(2)], State: api.StateFinished, Reason: word(), Seed: word(),
		StartedAt: time.Unix(1.7e9, 0), DurationS: rnd.Float64() * 100,
		Verdict: []api.Verdict{api.Passed, api.Failed, api.Failed, api.BuildFailed, api.Incomplete, api.NothingRan, api.ToolError}[rnd.IntN(7)],
	}
	suites := []string{"s" + word(), "s" + word(), word() + "t"}
	pick := func() sdk.TestID {
		id := sdk.TestID{Suite: suites[rnd.IntN(len(suites))], Test: "T" + word()}
		if one(12) {
			id.Test = ""
		}
		return id
	}
	kinds := []string{"assertion", "panic", "race", "timeout", "build", "vet", "exit", "signal", "word" + word()}
	for range rnd.IntN(25) {
		r := api.Result{TestResult: sdk.TestResult{TestID: pick(), Status: []sdk.Status{sdk.Passed, sdk.Passed, sdk.Failed, sdk.Skipped, sdk.Unfinished}[rnd.IntN(5)]}, DurationS: rnd.Float64()*3 - 0.1, Cached: one(9)}
		r.Derived, r.Fixture, r.Location = one(6), one(12), sdk.Location{File: word(), Line: rnd.IntN(100)}
		if r.Status == sdk.Passed && !r.Fixture {
			run.Counts.Passed++
		}
		run.Results = append(run.Results, r)
		for r.Status == sdk.Failed && !r.Derived && one(2) {
			run.Failures = append(run.Failures, api.Failure{Failure: sdk.Failure{TestID: r.TestID, Kind: kinds[rnd.IntN(len(kinds))], Message: word()}})
		}
	}
	for range rnd.IntN(3) {
		f := api.Failure{Failure: sdk.Failure{TestID: pick(), Kind: kinds[rnd.IntN(len(kinds))], Message: word() + word(), Output: strings.Repeat(word(), 20), Diff: sdk.Diff{Got: word(), Want: word()}}}
		if one(6) {
			f.TestID = sdk.TestID{}
		}
		run.Failures = append(run.Failures, f)
	}
	quarantined := map[sdk.TestID]string{}
	for i := range run.Failures {
		f := &run.Failures[i]
		f.ID, f.Signature = fmt.Sprint("id", i), fmt.Sprint(rnd.IntN(4))
		if one(5) {
			quarantined[f.TestID] = "known: " + word()
		}
		if one(3) {
			f.Standing = &api.Standing{Classification: []api.Classification{api.Gap, api.Regression, api.Failing}[rnd.IntN(3)]}
		}
	}
	for i := range run.Failures {
		run.Failures[i].Quarantine = quarantined[run.Failures[i].TestID]
	}
	slices.SortStableFunc(run.Failures, func(a, b api.Failure) int { return strings.Compare(a.Suite, b.Suite) })
	run.FailuresTotal = len(run.Failures)
	retried := map[sdk.TestID]bool{}
	for _, f := range run.Failures {
		if one(5) && !retried[f.TestID] {
			retried[f.TestID] = true
			run.Retried = append(run.Retried, api.Retried{TestID: f.TestID, Flaky: one(2), Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed, Why: word()}, {RunID: "r2", Outcome: api.OutcomePassed}}})
		}
	}
	for range rnd.IntN(3) {
		run.NeverStarted = append(run.NeverStarted, pick())
		run.Unfinished = append(run.Unfinished, pick())
		run.Requested = append(run.Requested, api.Requested{TestID: sdk.TestID{Suite: suites[0], Test: word()}, Outcome: api.OutcomeDidNotRun, Why: word()})
	}
	run.Counts.NeverStarted = len(run.NeverStarted) + rnd.IntN(2)
	run.Counts.Unfinished = len(run.Unfinished)
	recorded := record{run}
	if one(8) { // as after a full disk
		recorded.run.Failures = recorded.run.Failures[:len(run.Failures)/2]
	}
	return run, recorded
}

// brokenRecord ends with an error.
type brokenRecord struct {
	record
	results, failures error
}

func (r brokenRecord) Results(yield func(api.Result) bool) error {
	return errors.Join(r.record.Results(yield), r.results)
}

func (r brokenRecord) Failures(yield func(api.Failure) bool) error {
	return errors.Join(r.record.Failures(yield), r.failures)
}

// The object of a run holds the first failures only, and the record all of them.
func TestAReportHasEveryFailureOnRecord(t *testing.T) {
	var all api.Run
	for _, word := range strings.Fields("b.B b.A a.C a.B a.B c.A b.C") {
		suite, test, _ := strings.Cut(word, ".")
		f := api.Failure{ID: fmt.Sprint(word, len(all.Failures)), Failure: sdk.Failure{TestID: sdk.TestID{Suite: suite, Test: test}, Kind: sdk.KindAssertion, Message: "wrong"}}
		all.Failures = append(all.Failures, f)
		all.Results = append(all.Results, api.Result{TestResult: sdk.TestResult{TestID: f.TestID, Status: sdk.Failed}})
	}
	run := api.Run{RunID: "r", Verdict: api.Failed, FailuresTotal: len(all.Failures)}
	run.Failures = slices.Clone(all.Failures[3:4])
	run.Failures[0].Quarantine, run.Failures[0].Standing = "known", &api.Standing{Classification: api.Gap}
	var b bytes.Buffer
	write(t, &b, "json", report.Options{}, api.RunFinished{Run: run, Record: record{all}})
	var object api.Run
	if err := json.Unmarshal(b.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range object.Failures {
		word := f.Suite + "." + f.Test
		if f.Standing != nil {
			word += " " + string(f.Classification)
		}
		if f.Quarantine != "" {
			word += " " + f.Quarantine
		}
		got = append(got, word)
		if (f.Signature == "") != (f.Standing != nil) {
			t.Errorf("%s has the signature %q", word, f.Signature)
		}
	}
	if text := strings.Join(got, ", "); text != "a.C, a.B gap known, a.B known, b.B, b.A, b.C, c.A" || len(object.Results) != len(all.Results) {
		t.Errorf("%d results, and the failures %s", len(object.Results), text)
	}
	// What cannot be read to its end is an error, or a case of its own, never less than there is.
	broken := errors.New("the disk is gone")
	for name, of := range map[string]brokenRecord{"results": {record{all}, broken, nil}, "failures": {record{all}, nil, broken}} {
		for _, f := range report.Formats() {
			var b bytes.Buffer
			err := f.Write(&b, report.NewDocument(api.RunFinished{Run: run, Record: of}), report.Options{})
			if err == nil && !strings.Contains(b.String(), "the record of the run is incomplete: the disk is gone") {
				t.Errorf("%s without all %s says nothing of that:\n%s", f.Name, name, b.String())
			}
		}
	}
}

// The corpora are the recorded cases of the plugins: the real output of the tools. One
// process of its plugin reads them all.
func TestAllFormatsAgreeOnTheCorpora(t *testing.T) {
	t.Parallel()
	for plugin, marker := range map[string]string{"go": "go.mod", "forge": "foundry.toml"} {
		t.Run(plugin, func(t *testing.T) {
			t.Parallel()
			paths, err := filepath.Glob("../../plugins/" + plugin + "/testdata/cases/*.txtar")
			if err != nil || len(paths) < 100 {
				t.Fatal(err, len(paths))
			}
			home := t.TempDir()
			c := corpus{dir: t.TempDir(), plugin: plugin, keeper: ledger.New(project.Config{
				Version: "test", Executable: testbin.Path("proctor"), Env: append(os.Environ(), "HOME="+home), Session: "corpus", StateHome: home,
			})}
			testbin.Path("proctor-plugin-" + plugin)
			t.Cleanup(func() { c.keeper.Close(context.WithoutCancel(t.Context())) })
			c.write(t, marker, nil)
			if !needs.IsWhole() {
				paths = slices.DeleteFunc(paths, isOfOtherVersion)
			}
			cases, results := 0, 0
			for _, path := range paths {
				run, known := c.ingest(t, path)
				if !known {
					continue
				}
				cases, results = cases+1, results+len(run.Results)
				if checkAgreement(t, run, record{run}); t.Failed() {
					t.Fatalf("in %s", path)
				}
			}
			t.Logf("%d cases of %d", cases, len(paths))
			if cases < len(paths)/2 || results < cases {
				t.Errorf("there were %d cases with %d results", cases, results)
			}
		})
	}
}

// otherVersion ends the name of a case that another version of a tool recorded.
var otherVersion = regexp.MustCompile(`-(go1\d+|\d+\.\d+\.\d+(-rc\d+)?|nightly)\.txtar$`)

// isOfOtherVersion reports whether a case is another one, as another version of the tool
// prints it: reports hardly tell the two apart, and each takes several transactions.
func isOfOtherVersion(path string) bool {
	same := otherVersion.ReplaceAllString(path, ".txtar")
	_, err := os.Stat(same)
	return same != path && err == nil
}

// corpus is a workspace into which the recorded cases of a plugin are ingested.
type corpus struct {
	dir, plugin string
	keeper      *ledger.Keeper
}

func (c corpus) write(t *testing.T, name string, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(c.dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ingest returns the run that proctor makes of a recorded case, as its report in JSON has
// it; known is false if there is none, as in a listing.
func (c corpus) ingest(t *testing.T, path string) (run api.Run, known bool) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	req := api.IngestRequest{Where: api.Where{Dir: c.dir, Exact: true}, Plugin: c.plugin}
	for _, file := range archive.Files {
		switch file.Name {
		case "stdout":
			req.Stdout = c.write(t, "stdout", file.Data)
		case "stderr":
			req.Stderr = c.write(t, "stderr", file.Data)
		}
	}
	if req.Stdout == "" {
		return run, false
	}
	var ended report.Collector
	if _, err := engine.Ingest(t.Context(), c.keeper, req, &ended); err != nil {
		if _, ok := errors.AsType[*api.UsageError](err); ok { // such as output in which nothing can be read
			return run, false
		}
		t.Fatalf("%s: %v", path, err)
	}
	if ended.Runs() == 0 {
		return run, false // it is on record already
	}
	format, _ := report.Find("json")
	var data bytes.Buffer
	if err := format.Write(&data, ended.Document(), report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data.Bytes(), &run); err != nil {
		t.Fatal(err)
	}
	return run, run.RunError == "" || len(run.Results) > 0
}
