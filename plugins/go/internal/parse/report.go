package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/sdk"
)

// finding is what a text says about a failure, before any test is blamed.
type finding struct {
	kind      string
	location  sdk.Location
	testFrame sdk.Location
	// precision is how well location is known.
	precision sdk.Precision
	message   string
	// blockedOn is what the goroutine was waiting for.
	blockedOn string
	diff      sdk.Diff
	also      []sdk.Also
	stack     []sdk.Frame
	// lines and anchor determine the excerpt: the text and a place in it.
	lines      []line
	anchor     int
	attributes map[string]string
	// derivedFrom are the tests under whose names the text is filed.
	derivedFrom []sdk.TestID
	// repro is the test to run instead of the blamed one.
	repro string
	// own reports whether the text shows a failure of this test itself. Otherwise the
	// test failed silently, or because of a subtest.
	own bool
	// victim reports whether it failed only because of what another test did.
	victim bool
	// unread reports whether the source is missing that decides whether the messages are
	// errors.
	unread bool
	// goexit reports whether it ended an enclosing test.
	goexit bool
	// silent reports whether the test gave no message.
	silent bool
	// logged reports whether its message is only what it logged last.
	logged bool
}

// set adds an attribute.
func (f *finding) set(name, value string) {
	if f.attributes == nil {
		f.attributes = map[string]string{}
	}
	f.attributes[name] = value
}

// take makes a check the failure.
func (f *finding) take(c check) {
	if c.kind != "" {
		f.kind = c.kind
	}
	f.own, f.anchor = true, c.index
	f.location, f.testFrame, f.message, f.diff, f.stack = c.at, c.from, c.message, c.diff, c.stack
}

// maxAlso bounds the further messages of one failure.
const maxAlso = 32

// counts counts the ends of tests so far.
type counts struct{ passed, failed, skipped, suites int }

func (c *counts) add(status sdk.Status) {
	switch status {
	case sdk.Passed:
		c.passed++
	case sdk.Failed:
		c.failed++
	case sdk.Skipped:
		c.skipped++
	}
}

// anyRan reports whether a test passed or was skipped.
func (c *counts) anyRan() bool { return c.passed+c.skipped > 0 }

// reporter reports results and failures to the sink.
type reporter struct {
	sink sdk.Sink
	tree *tree
	// selection is what the command selects.
	selection selection
	flags     flags
	// dir is where the command ran, relative to the workspace.
	dir    string
	counts counts
	// explained reports whether a failure was reported.
	explained bool
	// benchmarked means that a benchmark of some suite started.
	benchmarked bool
}

// newFailure converts a finding.
func (r *reporter) newFailure(id sdk.TestID, f finding) sdk.Failure {
	if f.location.File == "" {
		f.location = r.tree.declaredIn(id)
	}
	if f.location.File == "" {
		f.precision = ""
	}
	if f.testFrame == f.location {
		f.testFrame = sdk.Location{}
	}
	switch {
	case f.silent:
		f.set(sdk.TruncatedAttribute, sdk.NoMessage)
	case f.isPartial():
		f.set(sdk.TruncatedAttribute, "[message]")
	}
	if left := len(f.also) - maxAlso; left > 0 {
		f.also = append(f.also[:maxAlso-1:maxAlso-1], sdk.Also{Message: fmt.Sprintf("%d more messages", left+1)})
	}
	for i := range f.also {
		f.also[i].Message = clip(f.also[i].Message, maxMessage/4)
	}
	output, truncated := excerptAround(f.lines, f.anchor)
	f.diff.Got, f.diff.Want, f.diff.Text = clip(f.diff.Got, maxDiff), clip(f.diff.Want, maxDiff), clip(f.diff.Text, maxDiff)
	return sdk.Failure{
		TestID:          id,
		Kind:            f.kind,
		Location:        f.location,
		TestFrame:       f.testFrame,
		Precision:       f.precision,
		Message:         clip(collapseEmptyLines(f.message), maxMessage),
		BlockedOn:       f.blockedOn,
		Diff:            f.diff,
		Also:            f.also,
		Output:          output,
		OutputTruncated: truncated,
		Stack:           f.stack,
		Attributes:      f.attributes,
		DerivedFrom:     f.derivedFrom,
		Repro:           r.reproduce(id, f),
	}
}

// isPartial reports whether what is reported of a finding is not all that the test said. The
// last of so many messages may only count the rest.
func (f *finding) isPartial() bool {
	return f.logged || len(f.also) >= maxAlso || len(f.message) > maxMessage ||
		max(len(f.diff.Got), len(f.diff.Want), len(f.diff.Text)) > maxDiff ||
		slices.ContainsFunc(f.also, func(a sdk.Also) bool { return len(a.Message) > maxMessage/4 }) ||
		slices.ContainsFunc(f.lines, func(l line) bool { return l.kind == lineGap })
}

// report sends a failure, which explains why the run is red.
func (r *reporter) report(f sdk.Failure) {
	r.explained = true
	r.sink.Failure(f)
}

// newResult returns what the sink learns about a test.
func (r *reporter) newResult(s *suite, t *test, status sdk.Status) sdk.TestResult {
	result := sdk.TestResult{
		TestID:    sdk.TestID{Suite: s.name, Test: t.name},
		Status:    status,
		Elapsed:   t.elapsed,
		Container: t.container,
	}
	result.Location, result.Body = r.tree.resultPlace(s, t.name)
	if top := rootOf(t.name); top != t.name {
		result.Root = top
	}
	if status == sdk.Skipped {
		if reason := skipReason(t.text.lines()); reason != "" {
			result.Attributes = map[string]string{"reason": reason}
		}
	}
	return result
}

// maxReason bounds why a test was skipped.
const maxReason = 256

// skipReason returns what a skipped test said last: t.Skip ends it.
func skipReason(lines []line) string {
	said := findBlocks(lines)
	if len(said) == 0 {
		return ""
	}
	return clip(strings.TrimSpace(strings.Join(said[len(said)-1].text, "\n")), maxReason)
}

// reportOnce reports the failure of a test, unless an earlier attempt's was reported.
func (r *reporter) reportOnce(s *suite, name string, f finding) {
	tried := s.attempts[s.key(name)]
	if tried.reported {
		return
	}
	tried.reported, tried.raced = true, f.kind == sdk.KindRace
	if s.attempts == nil {
		s.attempts = map[uint64]attempt{}
	}
	s.attempts[s.key(name)] = tried
	if tried.failed > 1 {
		f.set(sdk.TruncatedAttribute, "[attempts]") // whose text was not kept
	}
	if s.patient && tried.ran > 1 {
		f.set("attempts", fmt.Sprintf("failed %d of %d", tried.failed, tried.ran))
	}
	r.report(r.newFailure(s.id(name), f))
}

// reproLimits lets a single name through, whatever its length.
var reproLimits = pattern.Limits{Bytes: 100 << 10, Declared: 1}

// reproduce composes the command that reproduces a failure.
func (r *reporter) reproduce(id sdk.TestID, f finding) sdk.Command {
	if id.Suite == "" {
		return sdk.Command{}
	}
	argv := []string{"go", "test"}
	if f.kind == sdk.KindBuild || f.kind == sdk.KindVet {
		argv[1] = "vet" // compiles the tests, too, and runs none
	}
	for i := 0; i < len(r.flags.kept); i++ {
		if argv[1] == "vet" && !strings.Contains(r.flags.kept[i], "tags") && !strings.Contains(r.flags.kept[i], "mod") {
			continue
		}
		argv = append(argv, r.flags.kept[i])
	}
	name := id.Test
	if f.repro != "" {
		name = f.repro
	}
	if name != "" {
		argv = append(argv, selectFlags(name)...)
	}
	argv = append(argv, id.Suite)
	if argv[1] == "test" {
		argv = append(argv, r.selection.trailing...)
	}
	return sdk.Command{Argv: argv, Dir: r.dir}
}

// selectFlags returns the flags that select one test.
func selectFlags(name string) []string {
	expr := name
	if parts := pattern.Compose([]string{name}, reproLimits); len(parts) > 0 {
		expr = parts[0].Expr
	}
	if strings.HasPrefix(name, "Benchmark") {
		return []string{"-run", "^$", "-bench", expr}
	}
	return []string{"-run", expr}
}
