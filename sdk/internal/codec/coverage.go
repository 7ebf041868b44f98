package codec

import (
	"bytes"
	"fmt"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

func EncodeIndexRequest(req sdk.IndexRequest) *pb.IndexCmdRequest {
	return &pb.IndexCmdRequest{
		Workspace:         EncodeWorkspace(req.Workspace),
		Suites:            fit.Args(req.Suites),
		RunnerArgs:        fit.Args(req.RunnerArgs),
		DeadlineMillis:    encodeMillis(req.Deadline),
		SuiteBudgetMillis: encodeMillis(req.SuiteBudget),
	}
}

func DecodeIndexRequest(m *pb.IndexCmdRequest) sdk.IndexRequest {
	return sdk.IndexRequest{
		Workspace:   DecodeWorkspace(m.GetWorkspace()),
		Suites:      m.GetSuites(),
		RunnerArgs:  m.GetRunnerArgs(),
		Deadline:    decodeMillis(m.GetDeadlineMillis()),
		SuiteBudget: decodeMillis(m.GetSuiteBudgetMillis()),
	}
}

func EncodeCoverageRequest(req sdk.CoverageRequest) *pb.ParseCoverageRequest {
	return &pb.ParseCoverageRequest{
		Workspace: EncodeWorkspace(req.Workspace),
		Command:   encodeCommand(req.Command),
		Scratch:   fit.Arg(req.Scratch),
		Exit:      EncodeExit(req.Exit),
	}
}

func DecodeCoverageRequest(m *pb.ParseCoverageRequest) sdk.CoverageRequest {
	return sdk.CoverageRequest{
		Workspace: DecodeWorkspace(m.GetWorkspace()),
		Command:   DecodeCommand(m.GetCommand()),
		Scratch:   m.GetScratch(),
		Exit:      DecodeExit(m.GetExit()),
	}
}

// EncodeLastPart encodes what the last part of a suite contains. Its files and tests may
// not fit one message.
func EncodeLastPart(c sdk.SuiteCoverage) *pb.SuiteCoverage {
	return &pb.SuiteCoverage{
		Suite: fit.Name(c.Suite), Granularity: pb.CoverageGranularity(c.Granularity), Why: fit.Text(c.Why, sdk.MaxText), Cut: c.Cut, Last: true,
	}
}

// DecodeLastPart adds what the last part of a suite contains.
func DecodeLastPart(m *pb.SuiteCoverage, c *sdk.SuiteCoverage) {
	c.Granularity, c.Why, c.Cut = decodeGranularity(m.GetGranularity()), m.GetWhy(), m.GetCut()
}

func decodeGranularity(g pb.CoverageGranularity) sdk.CoverageGranularity {
	if g < pb.CoverageGranularity_COVERAGE_GRANULARITY_TEST || g > pb.CoverageGranularity_COVERAGE_GRANULARITY_NONE {
		return sdk.CoverageNone
	}
	return sdk.CoverageGranularity(g)
}

func EncodeBlock(b sdk.Block) *pb.Block {
	return &pb.Block{
		StartLine: encodeCount(b.StartLine), StartColumn: encodeCount(b.StartColumn),
		EndLine: encodeCount(b.EndLine), EndColumn: encodeCount(b.EndColumn), Statements: encodeCount(b.Statements),
	}
}

func DecodeBlock(m *pb.Block) sdk.Block {
	return sdk.Block{
		StartLine: int(m.GetStartLine()), StartColumn: int(m.GetStartColumn()),
		EndLine: int(m.GetEndLine()), EndColumn: int(m.GetEndColumn()), Statements: decodeCount(m.GetStatements()),
	}
}

// EncodeBlockSet drops the end of a set in which nothing was executed.
func EncodeBlockSet(set sdk.BlockSet) []byte { return bytes.TrimRight(set, "\x00") }

// maxReads bounds the names of what one test looked at.
const maxReads = 1 << 20

func EncodeTestCoverage(t sdk.TestCoverage) *pb.TestCoverage {
	m := &pb.TestCoverage{
		Name: fit.Name(t.Name), Blocks: EncodeBlockSet(t.Blocks),
		Alone: encodeStatus(t.Alone), Together: encodeStatus(t.Together), ElapsedNanos: encodeNanos(t.Elapsed),
		Opaque: fit.Text(t.Opaque, sdk.MaxText), Partial: fit.Text(t.Partial, sdk.MaxText),
	}
	size := 0
	for _, read := range t.Reads {
		read = fit.Name(read)
		if size += len(read) + Overhead; size > maxReads {
			// Half of what it looked at is useless.
			if m.Reads = nil; m.GetOpaque() == "" {
				m.Opaque = fmt.Sprintf("it looked at %d files", len(t.Reads))
			}
			break
		}
		m.Reads = append(m.Reads, read)
	}
	return m
}

// DecodeTestCoverage treats an unknown status as none: neither a pass nor a failure.
func DecodeTestCoverage(m *pb.TestCoverage) sdk.TestCoverage {
	return sdk.TestCoverage{
		Name: m.GetName(), Blocks: m.GetBlocks(), Alone: decodeStatus(m.GetAlone()), Together: decodeStatus(m.GetTogether()),
		Elapsed: decodeNanos(m.GetElapsedNanos()), Reads: m.GetReads(), Opaque: m.GetOpaque(), Partial: m.GetPartial(),
	}
}

func EncodeUnit(u sdk.SourceUnit) *pb.SourceUnit {
	return &pb.SourceUnit{
		Name: fit.Name(u.Name), Kind: pb.UnitKind(u.Kind), StartLine: encodeCount(u.StartLine), EndLine: encodeCount(u.EndLine),
		Digest: fit.Name(u.Digest), Test: fit.Name(u.Test), Positions: u.Positions, Measuring: u.Measuring,
		Defines: fit.Names(u.State.Defines), Mentions: fit.Names(u.State.Mentions), Writes: fit.Names(u.State.Writes),
		Lends: fit.Names(u.State.Lends), Shared: fit.Names(u.State.Shared), Leaves: fit.Names(u.State.Leaves),
	}
}

// DecodeUnit treats an unknown kind as the one that matters most.
func DecodeUnit(m *pb.SourceUnit) sdk.SourceUnit {
	kind := sdk.UnitKind(m.GetKind())
	if kind < sdk.UnitDeclaration || kind > sdk.UnitTest {
		kind = sdk.UnitDeclaration
	}
	return sdk.SourceUnit{
		Name: m.GetName(), Kind: kind, StartLine: int(m.GetStartLine()), EndLine: int(m.GetEndLine()),
		Digest: m.GetDigest(), Test: m.GetTest(), Positions: m.GetPositions(), Measuring: m.GetMeasuring(),
		State: sdk.UnitState{
			Defines: m.GetDefines(), Mentions: m.GetMentions(), Writes: m.GetWrites(),
			Lends: m.GetLends(), Shared: m.GetShared(), Leaves: m.GetLeaves(),
		},
	}
}
