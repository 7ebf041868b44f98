package conform

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

var decimalPattern = lazyregexp.New(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// checkEvents examines messages as they arrive, before a client interprets them.
func checkEvents(ctx context.Context, s *subject, p *probe) {
	inputs := append([]golden.Recording{
		golden.Stdout("one long line", bytes.Repeat([]byte("x"), longLine), sdk.Exit{Code: 1}),
		{Name: "one long line on standard error", Pieces: []golden.Piece{{Stream: sdk.Stderr, Data: bytes.Repeat([]byte("x"), longLine)}}, Exit: sdk.Exit{Code: 1}},
	}, s.Recordings...)
	for _, r := range inputs {
		answers, err := s.exchange(ctx, slices.Collect(r.Requests()))
		if err != nil {
			s.reportBroken(ctx, p, fmt.Sprintf("the output %q", r.Name), err)
			return
		}
		form := &form{p: p, in: r.Name, prepares: r.Run.Command.Prepares}
		for _, m := range answers {
			form.message(m)
		}
		form.checkReport(answers)
	}
	s.hasRecordings(p)
}

// form checks messages against the sizes and values of the protocol.
type form struct {
	p  *probe
	in string
	// prepares reports whether the command runs no test.
	prepares bool
}

func (f *form) fail(advice, seen string, args ...any) {
	f.p.fail(f.in+": "+fmt.Sprintf(seen, args...), advice)
}

func (f *form) size(what string, have, most int) {
	if have > most {
		f.fail("truncate it and mark it as the table of sizes in the protocol demands", "%s has %d bytes; the limit is %d", what, have, most)
	}
}

func (f *form) message(m *pb.ParseTestFailuresResponse) {
	for _, t := range m.GetTests() {
		f.test(t)
	}
	for _, failure := range m.GetFailures() {
		f.failure(failure)
	}
	for _, suite := range m.GetSuites() {
		f.size("the name of a suite", len(suite.GetSuite()), sdk.MaxName)
		if o := suite.GetOutcome(); o < pb.SuiteOutcome_SUITE_OUTCOME_PASSED || o > pb.SuiteOutcome_SUITE_OUTCOME_UNFINISHED {
			f.fail("send only outcomes that the host's capabilities cover", "suite %.100q has the unknown outcome %d", suite.GetSuite(), o)
		}
	}
	for _, u := range m.GetUnread() {
		f.size("the sample of an unread", len(u.GetSample()), sdk.MaxSample)
		if u.GetBytes() < 0 {
			f.fail("count bytes", "an unread has %d bytes", u.GetBytes())
		}
	}
	for _, text := range m.GetNotes() {
		f.size("a note", len(text), sdk.MaxText)
	}
	for _, text := range m.GetRunErrors() {
		f.size("a run error", len(text), sdk.MaxText)
		if text == "" {
			f.fail("say what happened", "a run error is empty")
		}
	}
	for _, r := range m.GetRefusals() {
		f.size("the words of a refusal", len(r.GetWords()), sdk.MaxText)
		if r.GetWords() == "" {
			f.fail("say what the runner rejected", "a refusal has no words")
		}
	}
	if n := len(m.GetProgress().GetRunning()); n > sdk.MaxRunning {
		f.fail("name the oldest ones", "a progress names %d tests, the limit is %d", n, sdk.MaxRunning)
	}
	if n := len(m.GetProgress().GetSuitesRunning()); n > sdk.MaxRunning {
		f.fail("name the first ones", "a progress names %d suites, the limit is %d", n, sdk.MaxRunning)
	}
}

func (f *form) test(t *pb.TestResult) {
	f.id(t.GetId())
	if s := t.GetStatus(); s < pb.Status_STATUS_PASSED || s > pb.Status_STATUS_UNFINISHED {
		f.fail("send only states that the host's capabilities cover", "test %.100q has the unknown status %d", t.GetId().GetName(), s)
	}
	if f.prepares && t.GetStatus() == pb.Status_STATUS_PASSED {
		f.fail("a command that prepares runs no test", "test %.100q passed in a command that prepares", t.GetId().GetName())
	}
	if t.GetId().GetName() == "" && !t.GetFixture() {
		f.fail("report a suite's end as a suite", "a test of suite %.100q has no name", t.GetId().GetSuite())
	}
	f.place(t.GetLocation())
	if n := len(t.GetMeasures()); n > sdk.MaxMeasures {
		f.fail("leave out the least important ones", "test %.100q has %d measures, the limit is %d", t.GetId().GetName(), n, sdk.MaxMeasures)
	}
	for _, m := range t.GetMeasures() {
		if !decimalPattern.MatchString(m.GetValue()) {
			f.fail("send a decimal number without a unit", "measure %.50q of %.100q is %.50q", m.GetName(), t.GetId().GetName(), m.GetValue())
		}
	}
}

func (f *form) failure(failure *pb.Failure) {
	f.id(failure.GetId())
	f.place(failure.GetLocation())
	f.place(failure.GetTestFrame())
	f.size("a failure's message", len(failure.GetMessage()), sdk.MaxText)
	f.size("a failure's output", len(failure.GetOutput()), sdk.MaxOutput)
	for _, side := range []string{failure.GetDiff().GetGot(), failure.GetDiff().GetWant(), failure.GetDiff().GetText()} {
		f.size("one side of a diff", len(side), sdk.MaxText)
	}
	for _, frame := range failure.GetStack() {
		f.size("a function", len(frame.GetFunction()), sdk.MaxName)
		f.place(frame.GetLocation())
	}
	if failure.GetKind() == "" {
		f.fail("say assertion, panic, build or another word", "a failure of %.100q has no kind", failure.GetId().GetName())
	}
}

func (f *form) id(id *pb.TestId) {
	f.size("the name of a suite", len(id.GetSuite()), sdk.MaxName)
	f.size("the name of a test", len(id.GetName()), sdk.MaxName)
}

func (f *form) place(l *pb.Location) {
	f.size("a file", len(l.GetFile()), sdk.MaxName)
	if l.GetLine() < 0 || l.GetColumn() < 0 {
		f.fail("leave an unknown line 0", "%.100q has line %d, column %d", l.GetFile(), l.GetLine(), l.GetColumn())
	}
	if file := l.GetFile(); file != "" && !filepath.IsAbs(file) && !isLocalPath(file) {
		f.fail("give files relative to the workspace root, or absolute if outside of it", "the file %.200q leaves the workspace", file)
	}
}
