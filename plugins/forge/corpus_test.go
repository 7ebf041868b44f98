package forge_test

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge"
	"github.com/proctorhq/proctor/plugins/forge/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
	"github.com/proctorhq/proctor/sdk"
)

// observed is everything that a parser reported.
type observed struct {
	Tests    []sdk.TestResult
	Failures []sdk.Failure
	Suites   []sdk.SuiteResult
	Damaged  int64
	Foreign  int64
	Sample   string
	// DamagedSample is a sample of the damage.
	DamagedSample string
	Notes         []string
	RunErrors     []string
	Conditions    map[string]string
	Text          string
}

func (o *observed) Test(t sdk.TestResult)   { o.Tests = append(o.Tests, t) }
func (o *observed) Failure(f sdk.Failure)   { o.Failures = append(o.Failures, f) }
func (o *observed) Suite(s sdk.SuiteResult) { o.Suites = append(o.Suites, s) }
func (o *observed) Note(text string)        { o.Notes = append(o.Notes, text) }
func (o *observed) RunError(text string)    { o.RunErrors = append(o.RunErrors, text) }
func (o *observed) Output(data []byte)      { o.Text += string(data) }
func (o *observed) Condition(n, v string)   { o.Conditions[n] = v }
func (o *observed) Unread(u sdk.Unread) {
	if u.Damaged {
		o.Damaged += u.Bytes
		o.DamagedSample += u.Sample
	} else {
		o.Foreign += u.Bytes
		o.Sample += u.Sample
	}
}

// feeding is how a parser is fed.
type feeding struct {
	run            sdk.RunInfo
	stdout, stderr []byte
	exit           sdk.Exit
	// chunk is the size of the chunks, which alternate between the streams; 0 means all
	// at once.
	chunk int
}

func feedParser(t *testing.T, f feeding) *observed {
	t.Helper()
	got := &observed{Conditions: map[string]string{}}
	p := forge.New(forge.Config{}).ParseTestFailures(t.Context(), f.run, got)
	size := f.chunk
	if size == 0 {
		size = max(len(f.stdout), len(f.stderr), 1)
	}
	for out, err := f.stdout, f.stderr; len(out)+len(err) > 0; {
		n := min(size, len(out))
		p.Write(sdk.Stdout, out[:n])
		out = out[n:]
		n = min(size, len(err))
		p.Write(sdk.Stderr, err[:n])
		err = err[n:]
	}
	p.Close(f.exit)
	return got
}

// loadCorpus returns the recorded cases.
func loadCorpus(t *testing.T) []corpus.Case {
	t.Helper()
	cases, err := corpus.Load("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// toFeeding returns the input of the parser for a case, without a workspace.
func toFeeding(t *testing.T, c corpus.Case) feeding {
	t.Helper()
	f := feeding{exit: sdk.Exit{Code: c.Meta.ExitCode, Signal: c.Meta.Signal}}
	for name, to := range map[string]*[]byte{"stdout": &f.stdout, "stderr": &f.stderr} {
		data, err := c.Stream(name)
		if err != nil {
			t.Fatal(err)
		}
		*to = data
	}
	return f
}

// withSources puts the sources of a case into a workspace.
func withSources(t *testing.T, c corpus.Case, f *feeding) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Extract(root); err != nil {
		t.Fatal(err)
	}
	f.run.Workspace.Root, f.run.Command.Argv = filepath.Join(root, c.Meta.Dir), c.Meta.Argv
	f.stdout = bytes.ReplaceAll(f.stdout, []byte(recorded.RootPlaceholder), []byte(root))
	f.stderr = bytes.ReplaceAll(f.stderr, []byte(recorded.RootPlaceholder), []byte(root))
}

func TestEveryCaseIsReportedAsExpected(t *testing.T) {
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			want, err := c.Want()
			if err != nil {
				t.Fatal(err)
			}
			f := toFeeding(t, c)
			withSources(t, c, &f)
			checkWant(t, want, feedParser(t, f))
		})
	}
}

func checkWant(t *testing.T, want corpus.Want, got *observed) {
	t.Helper()
	words := map[sdk.Status]string{sdk.Passed: "passed", sdk.Failed: "failed", sdk.Skipped: "skipped", sdk.Unfinished: "unfinished"}
	outcomes := map[sdk.SuiteOutcome]string{
		sdk.SuitePassed: "passed", sdk.SuiteFailed: "failed", sdk.SuiteAborted: "aborted", sdk.SuiteNoTests: "no_tests", sdk.SuiteUnfinished: "unfinished",
	}
	if want.Counts != nil {
		counts := map[string]int{}
		for _, r := range got.Tests {
			if !r.Fixture {
				counts[words[r.Status]]++
			}
		}
		for _, word := range words {
			if counts[word] != want.Counts[word] {
				t.Errorf("%d tests %s, want %d", counts[word], word, want.Counts[word])
			}
		}
	}
	failures := map[sdk.TestID]sdk.Failure{}
	var build []sdk.Failure
	for _, f := range got.Failures {
		if f.TestID == (sdk.TestID{}) {
			build = append(build, f)
			continue
		}
		failures[f.TestID] = f
	}
	results := map[string]map[string]sdk.TestResult{}
	for _, r := range got.Tests {
		if results[r.Suite] == nil {
			results[r.Suite] = map[string]sdk.TestResult{}
		}
		results[r.Suite][r.Test] = r
		if _, failed := failures[r.TestID]; failed != (r.Status == sdk.Failed) {
			t.Errorf("%v: %s, and there is a failure: %v", r.TestID, words[r.Status], failed)
		}
	}
	// Without counts the case leaves open what else is reported.
	open := want.Counts == nil
	if len(got.Suites) < len(want.Suites) || len(got.Suites) > len(want.Suites) && !open {
		t.Errorf("%d suites, want %d", len(got.Suites), len(want.Suites))
	}
	for _, s := range got.Suites {
		w, ok := want.Suites[s.Suite]
		if !ok {
			if !open {
				t.Errorf("unexpected suite %s", s.Suite)
			}
			continue
		}
		if o := outcomes[s.Outcome]; !slices.Contains(strings.Split(w.Outcome, "|"), o) {
			t.Errorf("suite %s: %s, want %s", s.Suite, o, w.Outcome)
		}
		checkSuite(t, s.Suite, w, results[s.Suite], failures, got.Sample, open)
	}
	checkBuild(t, want.Build, build)
	checkText(t, "run error", strings.ToLower(want.RunError), strings.ToLower(strings.Join(got.RunErrors, "\n")))
	for _, note := range want.Notes {
		checkText(t, "note", strings.ToLower(note), strings.ToLower(strings.Join(got.Notes, "\n")))
	}
	if want.Damaged && got.Damaged == 0 {
		t.Error("damage is not reported")
	}
	if got.Damaged > 0 && !want.Damaged && !strings.Contains(want.Verdict, "incomplete") {
		t.Errorf("%d bytes damaged", got.Damaged)
	}
	if len(got.RunErrors) > 0 && !strings.Contains(want.Verdict, "incomplete") {
		t.Errorf("run errors %q", got.RunErrors)
	}
	if !open && !strings.Contains(want.Verdict, "|") && strings.Contains(want.Verdict, "passed") != (len(got.Failures) == 0 && len(got.RunErrors) == 0 && slices.ContainsFunc(got.Tests, func(r sdk.TestResult) bool { return r.Status == sdk.Passed })) &&
		want.Verdict != "incomplete" && want.Verdict != "nothing_ran" {
		t.Errorf("verdict %s with %d failures and %q", want.Verdict, len(got.Failures), got.RunErrors)
	}
}

func checkSuite(t *testing.T, suite string, want corpus.WantSuite, got map[string]sdk.TestResult, failures map[sdk.TestID]sdk.Failure, foreign string, open bool) {
	t.Helper()
	more := 0
	for name, r := range got {
		if _, ok := want.Tests[name]; !ok {
			if more++; r.Status != sdk.Passed && !open {
				t.Errorf("%s %s did not pass, but was not expected to fail", suite, name)
			}
		}
	}
	if more != want.More && !open {
		t.Errorf("suite %s: %d tests beside those named, want %d", suite, more, want.More)
	}
	for name, w := range want.Tests {
		r, ok := got[name]
		if !ok {
			t.Errorf("%s %s is missing", suite, name)
			continue
		}
		checkTest(t, name, w, r, failures[r.TestID], foreign)
	}
}

// undecidable are assertion messages worded by the author: forge reports them like a
// require.
var undecidable = map[string]bool{"must hold": true, "not zero": true}

func checkTest(t *testing.T, name string, want corpus.WantTest, r sdk.TestResult, f sdk.Failure, foreign string) {
	t.Helper()
	status := map[string]sdk.Status{"passed": sdk.Passed, "failed": sdk.Failed, "skipped": sdk.Skipped}[want.Status]
	if r.Status != status || r.Fixture != want.Fixture {
		t.Errorf("%s: status %s, fixture %v; want %s, %v", name, r.Status, r.Fixture, want.Status, want.Fixture)
	}
	message := f.Message
	if status == sdk.Skipped {
		message = r.Attributes["reason"]
	}
	checkText(t, name+": message", want.Message, message+"\n"+formatAlso(f))
	if want.MessageExcludes != "" && strings.Contains(message, want.MessageExcludes) {
		t.Errorf("%s: message %q holds %q", name, message, want.MessageExcludes)
	}
	if want.Kind != "" && want.Kind != "?" && !undecidable[message] && !slices.Contains(strings.Split(want.Kind, "|"), f.Kind) {
		t.Errorf("%s: kind %s, want %s (%s)", name, f.Kind, want.Kind, message)
	}
	if want.File != "" && (r.Location.File != want.File || r.Location.Line != want.Line) {
		t.Errorf("%s: declared at %s:%d, want %s:%d", name, r.Location.File, r.Location.Line, want.File, want.Line)
	}
	gas, snapshots := map[string]string{}, map[string]string{}
	for _, m := range r.Measures {
		if m.Name == "gas" {
			gas[m.Kind] = m.Value.String()
		} else {
			snapshots[m.Section] = m.Value.String()
		}
	}
	if want.Gas != nil && !reflect.DeepEqual(gas, want.Gas) {
		t.Errorf("%s: gas %v, want %v", name, gas, want.Gas)
	}
	if want.Snapshots != nil && !reflect.DeepEqual(snapshots, want.Snapshots) {
		t.Errorf("%s: snapshots %v, want %v", name, snapshots, want.Snapshots)
	}
	for key, part := range want.Attributes {
		value, ok := f.Attributes[key]
		if !ok {
			value, ok = r.Attributes[key]
		}
		if !ok {
			t.Errorf("%s: no attribute %s", name, key)
		}
		checkText(t, name+": "+key, part, value)
	}
	if want.Diff != nil && (!strings.Contains(f.Diff.Got, want.Diff.Got) || !strings.Contains(f.Diff.Want, want.Diff.Want)) {
		t.Errorf("%s: diff %+v, want %+v", name, f.Diff, *want.Diff)
	}
	// With live_logs forge prints logs beside the results instead of in them.
	checkText(t, name+": output", want.Output, f.Output+r.Attributes["logs"]+foreign)
}

func formatAlso(f sdk.Failure) string {
	texts := make([]string, 0, len(f.Also))
	for _, a := range f.Also {
		texts = append(texts, a.Message)
	}
	return strings.Join(texts, "\n")
}

// checkText checks that whole contains part, ignoring whitespace.
func checkText(t *testing.T, what, part, whole string) {
	t.Helper()
	if squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }; !strings.Contains(squeeze(whole), squeeze(part)) {
		t.Errorf("%s: %.300q is not in %.600q", what, part, whole)
	}
}

func checkBuild(t *testing.T, want []corpus.WantError, got []sdk.Failure) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d compile errors, want %d: %+v", len(got), len(want), got)
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(f sdk.Failure) bool {
			return f.Kind == sdk.KindBuild &&
				(w.File == "" || f.Location.File == w.File && f.Location.Line == w.Line && (w.Col == 0 || f.Location.Column == w.Col)) &&
				f.Attributes["code"] == w.Code && strings.Contains(strings.Join(strings.Fields(f.Message), " "), strings.Join(strings.Fields(w.Message), " "))
		}) {
			t.Errorf("compile error %+v is missing in %+v", w, got)
		}
	}
}
