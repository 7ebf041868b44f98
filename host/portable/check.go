package portable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// The bounds of one object. A Run object nests about six deep, and a number of 256 bits
// has 78 digits. A result has some 150 bytes in a report, and more in memory even if it has
// two there.
const (
	maxNesting  = 32
	maxDigits   = 400
	maxText     = 16 << 20
	maxElements = 100_000_000
	maxObjects  = 4_000_000
	maxPlanned  = 1_000_000
)

// checkJSON refuses what different readers may understand differently: invalid UTF-8,
// huge numbers, and members whose names are equal, ignoring case. Of the latter, our
// decoder uses the last one, others may use the first.
func checkJSON(raw []byte) error {
	if !utf8.Valid(raw) {
		return errors.New("it is not UTF-8")
	}
	if n := longestText(raw); n > maxText {
		return fmt.Errorf("it has a text of %d bytes", n)
	}
	objects := 0
	var open openValues
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for n := 0; ; n++ {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		if n > maxElements {
			return fmt.Errorf("it has more than %d elements", maxElements)
		}
		if token == json.Delim('{') {
			objects++
		}
		if objects > maxObjects {
			return fmt.Errorf("it has more than %d objects", maxObjects)
		}
		if n > 0 && len(open) == 0 {
			return errors.New("it has more than one value")
		}
		if err := open.add(token); err != nil {
			return err
		}
	}
}

// longestText returns the length of the longest string: our decoder holds one three times.
func longestText(raw []byte) (longest int) {
	for begin := bytes.IndexByte(raw, '"'); begin >= 0; begin = bytes.IndexByte(raw, '"') {
		raw = raw[begin+1:]
		end := 0
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		longest = max(longest, min(end, len(raw)))
		raw = raw[min(end+1, len(raw)):]
	}
	return longest
}

// openValues are the objects and arrays around a place in a text, the outermost first.
type openValues []*openValue

type openValue struct {
	// name is that of the member whose value it is.
	name string
	// members are the names so far, nil in an array. member is the last one while its value
	// is missing.
	members map[string]bool
	member  *string
}

// add takes the next token.
func (o *openValues) add(token json.Token) error {
	if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
		*o = (*o)[:len(*o)-1]
		return nil
	}
	name := ""
	if len(*o) > 0 {
		at := (*o)[len(*o)-1]
		if at.members != nil && at.member == nil {
			return at.begin(token)
		}
		if at.member != nil {
			name, at.member = *at.member, nil
		} else {
			name = at.name // of an array's elements
		}
	}
	switch token := token.(type) {
	case json.Delim:
		inside := &openValue{name: name}
		if token == '{' {
			inside.members = map[string]bool{}
		}
		if *o = append(*o, inside); len(*o) > maxNesting {
			return fmt.Errorf("it is nested more than %d levels deep", maxNesting)
		}
	case json.Number:
		if len(token) > maxDigits {
			return fmt.Errorf("it has a number of %d digits", len(token))
		}
	}
	return nil
}

// begin begins a member of an object with its name.
func (v *openValue) begin(token json.Token) error {
	name, _ := token.(string)
	key := name
	if !isFreeMap(v.name) {
		key = strings.ToLower(name)
	}
	if v.members[key] {
		return fmt.Errorf("it has the member %q twice", prose.Line(ledger.Excerpt(name)))
	}
	v.members[key], v.member = true, &name
	return nil
}

// isFreeMap reports whether plugins choose the names in an object, which may differ only
// in case.
func isFreeMap(name string) bool { return name == "attributes" || name == "conditions" }

// errNoRun is the error about the report of a command that had no run.
var errNoRun = errors.New("there was no run")

// checkRun checks that a run is consistent: it must not be green if its results,
// failures, counts or the ends of its suites contradict that.
func checkRun(run api.Run, now time.Time) error {
	if run.RunID == "" && run.Reason != "" {
		return fmt.Errorf("%w: %s", errNoRun, ledger.Excerpt(run.Reason))
	}
	if !artifacts.IsRunID(run.RunID) || len(run.RunID) != artifacts.RunIDLength {
		return fmt.Errorf("%q is not the id of a run", ledger.Excerpt(run.RunID))
	}
	if err := ledger.CheckForeign(run, now); err != nil {
		return err
	}
	if err := checkShard(run); err != nil {
		return err
	}
	for _, r := range run.Results {
		if err := ledger.CheckForeignResult(r); err != nil {
			return err
		}
	}
	for _, f := range run.Failures {
		if err := ledger.CheckForeignFailure(f); err != nil {
			return err
		}
	}
	if run.FailuresTotal != len(run.Failures) {
		return fmt.Errorf("it counts %s, and has %d: take the whole report, which --report json writes", api.Plural(run.FailuresTotal, "failure"), len(run.Failures))
	}
	if err := checkCounts(run); err != nil {
		return err
	}
	return checkVerdict(run)
}

// checkShard bounds what a run says about its plan.
func checkShard(run api.Run) error {
	s := run.Shard
	if s == nil {
		return nil // the merge reports that
	}
	n := 0
	parts := [][]api.PlannedSuite{s.Planned}
	for _, part := range s.Elsewhere {
		parts = append(parts, part.Planned)
	}
	if s.Of > api.MaxShards || len(s.Elsewhere) > api.MaxShards {
		return fmt.Errorf("its plan has more than %d shards", api.MaxShards)
	}
	for _, part := range parts {
		for _, p := range part {
			n += 1 + len(p.Tests)
			if len(p.Suite) > ledger.MaxForeignName {
				return errors.New("the name of a suite is too long")
			}
		}
	}
	if run.Kind == api.KindRerun || run.Kind == api.KindTriage {
		return fmt.Errorf("it is a %s, which is no shard of a run", run.Kind)
	}
	if n > maxPlanned || len(s.Plan) > ledger.MaxForeignWord || len(s.Timings) > ledger.MaxForeignWord || len(s.Args) > ledger.MaxForeignName || max(len(s.FlakyBy), len(s.QuarantineBy)) > ledger.MaxForeignName {
		return errors.New("its plan is too large")
	}
	return nil
}

// checkCounts compares a run's counts with its results.
func checkCounts(run api.Run) error {
	if run.Results == nil && run.Counts.Passed+run.Counts.Failed+run.Counts.Skipped+run.Counts.Unfinished > 0 {
		return errors.New("it has no results: take the whole report, which --report json writes")
	}
	t := tally.NewTally()
	for _, r := range run.Results {
		t.Listen(&api.TestEnded{Result: r})
	}
	got, says := t.Counted(), run.Counts
	failed := got.Failed
	if failed == 0 && says.Failed > 0 {
		failed = says.Failed // of tests inside others that have no results of their own
	}
	for _, c := range []struct {
		what      string
		says, has int
	}{
		{"passed", says.Passed, got.Passed}, {"failed", says.Failed, failed}, {"skipped", says.Skipped, got.Skipped},
		{"did not finish", says.Unfinished, got.Unfinished}, {"are tests", says.Tests, got.Tests}, {"are tests that passed", says.TestsPassed, got.TestsPassed},
		{"are tests that were skipped", says.TestsSkipped, got.TestsSkipped}, {"are of subtests", says.Subtests, got.Subtests}, {"are from a cache", says.Cached, got.Cached},
	} {
		if c.says != c.has {
			return fmt.Errorf("it says that %d of its results %s, and %d do", c.says, c.what, c.has)
		}
	}
	return nil
}

// checkVerdict checks that a pass hides no failure.
func checkVerdict(run api.Run) error {
	if run.Verdict != api.Passed && run.Verdict != api.NothingRan {
		return nil
	}
	excused, suites := map[sdk.TestID]bool{}, map[string]bool{}
	for _, f := range run.Failures {
		if f.Quarantine != "" {
			excused[f.TestID], suites[f.Suite] = true, true
		}
	}
	flaky := map[sdk.TestID]bool{}
	for _, t := range run.Retried {
		if t.Flaky && (run.Shard == nil || run.Shard.FlakyPasses) {
			flaky[t.TestID], excused[t.TestID], suites[t.Suite] = true, true, true
		}
	}
	refuse := func(what string) error {
		return fmt.Errorf("it says that it %s, and %s", run.Verdict.Words(), what)
	}
	for _, f := range run.Failures {
		// Another failure of a test in quarantine counts.
		if f.Quarantine == "" && !flaky[f.TestID] {
			return refuse("has a failure of " + nameOf(f.Suite, f.Test))
		}
	}
	for _, r := range run.Results {
		bad := r.Status == sdk.Failed && !r.Derived || r.Status == sdk.Unfinished
		if bad && !excused[r.TestID] {
			return refuse(fmt.Sprintf("%s %s", nameOf(r.Suite, r.Test), r.Status))
		}
	}
	left := len(run.Unfinished) + len(run.NeverStarted) // bounded, unlike the counts
	if c := run.Counts; left+c.Unfinished+c.NeverStarted+c.BuildFailed > 0 || run.TimedOut || run.Cancelled || run.Signal != "" {
		return refuse("did not reach its end")
	}
	if run.Shard == nil {
		return nil
	}
	if run.Verdict == api.Passed && run.ExitCode > 0 && len(excused) == 0 {
		return refuse(fmt.Sprintf("its runner exited with %d", run.ExitCode))
	}
	for _, p := range run.Shard.Planned {
		switch p.Ended {
		case api.SuiteEndPassed, api.SuiteEndNoTests, "":
		case api.SuiteEndFailed:
			if !suites[p.Suite] {
				return refuse(nameOf(p.Suite, "") + " failed")
			}
		default:
			return refuse(nameOf(p.Suite, "") + " did not pass")
		}
	}
	return nil
}

func nameOf(suite, test string) string {
	return prose.Line(ledger.Excerpt(prose.QualifiedName(suite, test)))
}
