package client

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// Conversions of what a host receives. The getters of generated messages accept
// nil, so an absent message becomes a zero value.

func detectionFrom(m *pb.DetectResponse) sdk.Detection {
	d := sdk.Detection{Detected: m.GetDetected(), Settings: m.GetSettings()}
	for _, u := range m.GetUntested() {
		d.Untested = append(d.Untested, sdk.Untested{Path: u.GetPath(), Reason: u.GetReason()})
	}
	return d
}

// plan is what the responses of the composing calls have in common.
type plan interface {
	GetCommands() []*pb.Command
	GetWarnings() []string
}

func planFrom(m plan) sdk.Plan {
	p := sdk.Plan{Warnings: m.GetWarnings()}
	for _, c := range m.GetCommands() {
		p.Commands = append(p.Commands, commandFrom(c))
	}
	return p
}

func wayFrom(m *pb.Way) *sdk.Way {
	if m == nil {
		return nil
	}
	return &sdk.Way{Decides: m.GetDecides(), Narrows: m.GetNarrows()}
}

func commandFrom(m *pb.Command) sdk.Command {
	c := sdk.Command{
		Argv:                   m.GetArgv(),
		Dir:                    m.GetDir(),
		Env:                    m.GetEnv(),
		Targets:                testIDsFrom(m.GetTargets()),
		SelectsInsideTests:     m.GetSelectsInsideTests(),
		SelectsOnlyInsideTests: m.GetSelectsOnlyInsideTests(),
		UnsetEnv:               m.GetUnsetEnv(),
		Exclusive:              m.GetExclusive(),
		Prepares:               m.GetPrepares(),
		Covers:                 m.GetCovers(),
	}
	for _, input := range m.GetInputs() {
		c.Inputs = append(c.Inputs, sdk.InputFile{Name: input.GetName(), Data: input.GetData()})
	}
	return c
}

func testIDFrom(m *pb.TestId) sdk.TestID {
	return sdk.TestID{Suite: m.GetSuite(), Name: m.GetName()}
}

func testIDsFrom(ms []*pb.TestId) []sdk.TestID {
	var ids []sdk.TestID
	for _, m := range ms {
		ids = append(ids, testIDFrom(m))
	}
	return ids
}

func locationFrom(m *pb.Location) sdk.Location {
	return sdk.Location{File: m.GetFile(), Line: int(max(m.GetLine(), 0)), Column: int(max(m.GetColumn(), 0))}
}

func failureFrom(m *pb.Failure) sdk.Failure {
	f := sdk.Failure{
		ID:              testIDFrom(m.GetId()),
		Kind:            m.GetKind(),
		Location:        locationFrom(m.GetLocation()),
		TestFrame:       locationFrom(m.GetTestFrame()),
		Message:         m.GetMessage(),
		Diff:            sdk.Diff{Got: m.GetDiff().GetGot(), Want: m.GetDiff().GetWant(), Text: m.GetDiff().GetText()},
		Output:          m.GetOutput(),
		OutputTruncated: m.GetOutputTruncated(),
		DerivedFrom:     testIDsFrom(m.GetDerivedFrom()),
		Blocks:          m.GetBlocks(),
		Repro:           commandFrom(m.GetRepro()),
		Attributes:      m.GetAttributes(),
		Precision:       sdk.Precision(m.GetPrecision()),
	}
	for _, also := range m.GetAlso() {
		f.Also = append(f.Also, sdk.Also{Location: locationFrom(also.GetLocation()), Message: also.GetMessage()})
	}
	for _, frame := range m.GetStack() {
		f.Stack = append(f.Stack, sdk.Frame{Function: frame.GetFunction(), Location: locationFrom(frame.GetLocation())})
	}
	return f
}

func testFrom(m *pb.TestResult) sdk.TestResult {
	t := sdk.TestResult{
		ID:         testIDFrom(m.GetId()),
		Status:     sdk.Status(m.GetStatus()),
		Elapsed:    nanos(m.GetElapsedNanos()),
		Location:   locationFrom(m.GetLocation()),
		Root:       m.GetRoot(),
		Container:  m.GetContainer(),
		Derived:    m.GetDerived(),
		Ended:      m.GetEnded(),
		Body:       m.GetBody(),
		Fixture:    m.GetFixture(),
		Attributes: m.GetAttributes(),
	}
	for _, measure := range m.GetMeasures() {
		t.Measures = append(t.Measures, sdk.Measure{
			Name: measure.GetName(), Value: measure.GetValue(), Kind: measure.GetKind(),
			Section: measure.GetSection(), Runs: max(measure.GetRuns(), 0), Seed: measure.GetSeed(),
		})
	}
	return t
}

func scaffoldFrom(m *pb.ScaffoldResponse) sdk.Scaffold {
	s := sdk.Scaffold{Env: m.GetEnv(), Readable: m.GetReadable(), Warnings: m.GetWarnings()}
	for _, f := range m.GetFiles() {
		s.Files = append(s.Files, sdk.SourceFile{Path: f.GetPath(), Content: f.GetContent()})
	}
	for _, l := range m.GetLinks() {
		s.Links = append(s.Links, sdk.Link{Path: l.GetPath(), Target: l.GetTarget()})
	}
	return s
}

func suiteFrom(m *pb.SuiteResult) sdk.SuiteResult {
	return sdk.SuiteResult{Suite: m.GetSuite(), Outcome: sdk.SuiteOutcome(m.GetOutcome()), Elapsed: nanos(m.GetElapsedNanos())}
}

func progressFrom(m *pb.Progress) sdk.Progress {
	p := sdk.Progress{
		RunningTotal: int(m.GetRunningTotal()),
		Passed:       int(m.GetPassed()),
		Failed:       int(m.GetFailed()),
		Skipped:      int(m.GetSkipped()),
		SuitesDone:   int(m.GetSuitesDone()),
	}
	for _, r := range m.GetRunning() {
		p.Running = append(p.Running, sdk.RunningTest{ID: testIDFrom(r.GetId()), Elapsed: nanos(r.GetElapsedNanos())})
	}
	return p
}

func listedTestsFrom(ms []*pb.ListedTest) []sdk.ListedTest {
	var tests []sdk.ListedTest
	for _, m := range ms {
		tests = append(tests, sdk.ListedTest{Name: m.GetName(), Location: locationFrom(m.GetLocation()), OnRequest: m.GetOnRequest(), Body: m.GetBody()})
	}
	return tests
}

func nanos(n int64) time.Duration { return time.Duration(max(n, 0)) }
