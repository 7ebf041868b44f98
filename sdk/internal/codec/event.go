package codec

import (
	"encoding/json"
	"slices"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// Overhead is more than an event costs in a message besides its texts.
const Overhead = 48

// encodeTestID returns nil for an ID that names nothing.
func encodeTestID(id sdk.TestID) *pb.TestId {
	if id == (sdk.TestID{}) {
		return nil
	}
	return &pb.TestId{Suite: fit.Name(id.Suite), Name: fit.Name(id.Test)}
}

func decodeTestID(m *pb.TestId) sdk.TestID { return sdk.TestID{Suite: m.GetSuite(), Test: m.GetName()} }

func encodeTestIDs(ids []sdk.TestID) []*pb.TestId {
	var ms []*pb.TestId
	for _, id := range ids {
		ms = append(ms, &pb.TestId{Suite: fit.Name(id.Suite), Name: fit.Name(id.Test)})
	}
	return ms
}

func decodeTestIDs(ms []*pb.TestId) []sdk.TestID {
	var ids []sdk.TestID
	for _, m := range ms {
		ids = append(ids, decodeTestID(m))
	}
	return ids
}

func encodeLocation(l sdk.Location) *pb.Location {
	if l == (sdk.Location{}) {
		return nil
	}
	return &pb.Location{File: fit.Name(l.File), Line: encodeCount(l.Line), Column: encodeCount(l.Column)}
}

func decodeLocation(m *pb.Location) sdk.Location {
	return sdk.Location{File: m.GetFile(), Line: decodeCount(m.GetLine()), Column: decodeCount(m.GetColumn())}
}

// decodeTest leaves an unknown status empty.
func decodeTest(m *pb.TestResult) sdk.TestResult {
	return sdk.TestResult{
		TestID:     decodeTestID(m.GetId()),
		Status:     decodeStatus(m.GetStatus()),
		Elapsed:    decodeNanos(m.GetElapsedNanos()),
		Location:   decodeLocation(m.GetLocation()),
		Root:       m.GetRoot(),
		Container:  m.GetContainer(),
		Derived:    m.GetDerived(),
		Ended:      m.GetEnded(),
		Body:       m.GetBody(),
		Fixture:    m.GetFixture(),
		Measures:   decodeMeasures(m.GetMeasures()),
		Attributes: m.GetAttributes(),
	}
}

// statuses and precisions are ordered by number.
var (
	statuses   = [...]sdk.Status{"", sdk.Passed, sdk.Failed, sdk.Skipped, sdk.Unfinished}
	precisions = [...]sdk.Precision{"", sdk.PrecisionDeclaration, sdk.PrecisionExact, sdk.PrecisionDeclarationOnly}
)

func encodeStatus(s sdk.Status) pb.Status { return pb.Status(max(slices.Index(statuses[:], s), 0)) }

func decodeStatus(s pb.Status) sdk.Status { return wordOf(statuses[:], int(s)) }

func encodePrecision(p sdk.Precision) pb.Precision {
	return pb.Precision(max(slices.Index(precisions[:], p), 0))
}

func decodePrecision(p pb.Precision) sdk.Precision { return wordOf(precisions[:], int(p)) }

// wordOf returns the word with a number, or "" if it is unknown.
func wordOf[T ~string](words []T, number int) T {
	if number < 0 || number >= len(words) {
		return ""
	}
	return words[number]
}

func encodeMeasures(measures []sdk.Measure) []*pb.Measure {
	var ms []*pb.Measure
	for _, m := range measures[:min(len(measures), sdk.MaxMeasures)] {
		ms = append(ms, &pb.Measure{
			Name: fit.Name(m.Name), Value: fit.Name(m.Value.String()), Kind: fit.Name(m.Kind),
			Section: fit.Name(m.Section), Runs: max(m.Runs, 0), Seed: fit.Name(m.Seed),
		})
	}
	return ms
}

func decodeMeasures(ms []*pb.Measure) []sdk.Measure {
	var measures []sdk.Measure
	for _, m := range ms {
		measures = append(measures, sdk.Measure{
			Name: m.GetName(), Value: json.Number(m.GetValue()), Kind: m.GetKind(), Section: m.GetSection(), Runs: max(m.GetRuns(), 0), Seed: m.GetSeed(),
		})
	}
	return measures
}

// EncodeFailure bounds f, and returns the names of the lists that it shortened.
func EncodeFailure(f sdk.Failure) (m *pb.Failure, shortened []string) {
	m = &pb.Failure{
		Id:              encodeTestID(f.TestID),
		Kind:            f.Kind,
		Location:        encodeLocation(f.Location),
		Precision:       encodePrecision(f.Precision),
		TestFrame:       encodeLocation(f.TestFrame),
		Message:         f.Message,
		Output:          f.Output,
		OutputTruncated: f.OutputTruncated,
		BlockedOn:       fit.Name(f.BlockedOn),
		DerivedFrom:     encodeTestIDs(f.DerivedFrom),
		Blocks:          f.Blocks,
		Attributes:      f.Attributes,
	}
	if !f.Diff.IsZero() {
		m.Diff = &pb.Diff{Got: f.Diff.Got, Want: f.Diff.Want, Text: f.Diff.Text}
	}
	for _, a := range f.Also {
		m.Also = append(m.Also, &pb.Also{Location: encodeLocation(a.Location), Message: a.Message})
	}
	for _, frame := range f.Stack {
		m.Stack = append(m.Stack, &pb.Frame{Function: fit.Name(frame.Function), Location: encodeLocation(frame.Location)})
	}
	if len(f.Repro.Argv) > 0 {
		m.Repro = encodeCommand(f.Repro)
	}
	return m, boundFailure(m)
}

func DecodeFailure(m *pb.Failure) sdk.Failure {
	f := sdk.Failure{
		TestID:          decodeTestID(m.GetId()),
		Kind:            m.GetKind(),
		Location:        decodeLocation(m.GetLocation()),
		Precision:       decodePrecision(m.GetPrecision()),
		TestFrame:       decodeLocation(m.GetTestFrame()),
		Message:         m.GetMessage(),
		Diff:            sdk.Diff{Got: m.GetDiff().GetGot(), Want: m.GetDiff().GetWant(), Text: m.GetDiff().GetText()},
		Output:          m.GetOutput(),
		OutputTruncated: m.GetOutputTruncated(),
		BlockedOn:       m.GetBlockedOn(),
		DerivedFrom:     decodeTestIDs(m.GetDerivedFrom()),
		Blocks:          m.GetBlocks(),
		Repro:           DecodeCommand(m.GetRepro()),
		Attributes:      m.GetAttributes(),
	}
	for _, also := range m.GetAlso() {
		f.Also = append(f.Also, sdk.Also{Location: decodeLocation(also.GetLocation()), Message: also.GetMessage()})
	}
	for _, frame := range m.GetStack() {
		f.Stack = append(f.Stack, sdk.Frame{Function: frame.GetFunction(), Location: decodeLocation(frame.GetLocation())})
	}
	return f
}

func EncodeSuite(r sdk.SuiteResult) *pb.SuiteResult {
	return &pb.SuiteResult{Suite: fit.Name(r.Suite), Outcome: pb.SuiteOutcome(r.Outcome), ElapsedNanos: encodeNanos(r.Elapsed), Cached: r.Cached, Reason: fit.Text(r.Reason, sdk.MaxSample)}
}

// DecodeSuite leaves an unknown outcome zero.
func DecodeSuite(m *pb.SuiteResult) sdk.SuiteResult {
	r := sdk.SuiteResult{Suite: m.GetSuite(), Elapsed: decodeNanos(m.GetElapsedNanos()), Cached: m.GetCached(), Reason: m.GetReason()}
	if o := m.GetOutcome(); o >= pb.SuiteOutcome_SUITE_OUTCOME_PASSED && o <= pb.SuiteOutcome_SUITE_OUTCOME_UNFINISHED {
		r.Outcome = sdk.SuiteOutcome(o)
	}
	return r
}

func EncodeUnread(u sdk.Unread) *pb.Unread {
	return &pb.Unread{Bytes: max(u.Bytes, 0), Damaged: u.Damaged, Sample: fit.Text(u.Sample, sdk.MaxSample)}
}

func DecodeUnread(m *pb.Unread) sdk.Unread {
	return sdk.Unread{Bytes: max(m.GetBytes(), 0), Damaged: m.GetDamaged(), Sample: m.GetSample()}
}

func EncodeRefusal(r sdk.Refusal) *pb.Refusal {
	return &pb.Refusal{Words: fit.Text(r.Words, sdk.MaxText), Suites: fit.Names(r.Suites)}
}

func DecodeRefusal(m *pb.Refusal) sdk.Refusal {
	return sdk.Refusal{Words: m.GetWords(), Suites: m.GetSuites()}
}

func EncodeProgress(p sdk.Progress) *pb.Progress {
	m := &pb.Progress{
		RunningTotal: encodeCount(max(p.RunningTotal, len(p.Running))),
		Passed:       encodeCount(p.Passed),
		Failed:       encodeCount(p.Failed),
		Skipped:      encodeCount(p.Skipped),
		SuitesDone:   encodeCount(p.SuitesDone),
	}
	for _, r := range p.Running[:min(len(p.Running), sdk.MaxRunning)] {
		m.Running = append(m.Running, &pb.RunningTest{Id: encodeTestID(r.ID), ElapsedNanos: encodeNanos(r.Elapsed)})
	}
	for _, suite := range p.SuitesRunning[:min(len(p.SuitesRunning), sdk.MaxRunning)] {
		m.SuitesRunning = append(m.SuitesRunning, fit.Name(suite))
	}
	return m
}

func DecodeProgress(m *pb.Progress) sdk.Progress {
	p := sdk.Progress{
		RunningTotal: int(m.GetRunningTotal()),
		Passed:       int(m.GetPassed()),
		Failed:       int(m.GetFailed()),
		Skipped:      int(m.GetSkipped()),
		SuitesDone:   int(m.GetSuitesDone()),

		SuitesRunning: m.GetSuitesRunning(),
	}
	for _, r := range m.GetRunning() {
		p.Running = append(p.Running, sdk.RunningTest{ID: decodeTestID(r.GetId()), Elapsed: decodeNanos(r.GetElapsedNanos())})
	}
	return p
}
