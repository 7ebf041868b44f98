package client

import (
	"math"
	"time"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/wire"
)

// Conversions of what a host sends.

func workspaceTo(w sdk.Workspace) *pb.Workspace {
	m := &pb.Workspace{Root: wire.Text(w.Root, sdk.MaxText), Tools: wire.Env(w.Tools), Env: wire.Env(w.Env), Cache: wire.Arg(w.Cache)}
	for name, p := range w.Probes {
		if m.Probes == nil {
			m.Probes = map[string]*pb.ProbeOutput{}
		}
		m.Probes[wire.Name(name)] = &pb.ProbeOutput{
			Stdout: p.Stdout[:min(len(p.Stdout), sdk.MaxProbe)], Stderr: wire.Text(p.Stderr, sdk.MaxText), ExitCode: clampCode(p.ExitCode),
		}
	}
	return m
}

func scaffoldRequestTo(req sdk.ScaffoldRequest) *pb.ScaffoldRequest {
	m := &pb.ScaffoldRequest{Workspace: workspaceTo(req.Workspace)}
	for _, s := range req.Sources {
		m.Sources = append(m.Sources, &pb.SourceFile{Path: wire.Arg(s.Path), Content: s.Content})
	}
	return m
}

func selectionTo(s sdk.Selection) *pb.Selection {
	if s.IsZero() {
		return nil
	}
	return &pb.Selection{
		Suites:       wire.Args(s.Suites),
		PathPattern:  wire.Arg(s.PathPattern),
		SuitePattern: wire.Arg(s.SuitePattern),
		TestPattern:  wire.Arg(s.TestPattern),
	}
}

func commandTo(c sdk.Command) *pb.Command {
	m := &pb.Command{
		Argv:                   wire.Args(c.Argv),
		Dir:                    wire.Arg(c.Dir),
		Env:                    wire.Env(c.Env),
		Targets:                testIDsTo(c.Targets),
		SelectsInsideTests:     c.SelectsInsideTests,
		SelectsOnlyInsideTests: c.SelectsOnlyInsideTests,
		UnsetEnv:               wire.Args(c.UnsetEnv),
		Exclusive:              c.Exclusive,
		Prepares:               c.Prepares,
		Covers:                 c.Covers,
	}
	for _, input := range c.Inputs {
		m.Inputs = append(m.Inputs, &pb.InputFile{Name: wire.Arg(input.Name), Data: input.Data})
	}
	return m
}

func runStartTo(run sdk.RunInfo, progress time.Duration) *pb.RunStart {
	m := &pb.RunStart{
		Workspace:              workspaceTo(run.Workspace),
		Command:                commandTo(run.Command),
		ProgressIntervalMillis: millis(progress),
		Locate:                 run.Locate,
	}
	if run.OutputOf != (sdk.TestID{}) {
		m.OutputOf = testIDTo(run.OutputOf)
	}
	return m
}

func exitTo(e sdk.Exit) *pb.RunExit {
	return &pb.RunExit{
		Code:      clampCode(e.Code),
		Signal:    wire.Name(e.Signal),
		TimedOut:  e.TimedOut,
		Cancelled: e.Cancelled,
		Unknown:   e.Unknown,
	}
}

func clampCode(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

func streamTo(s sdk.Stream) pb.Stream {
	if s == sdk.Stderr {
		return pb.Stream_STREAM_STDERR
	}
	return pb.Stream_STREAM_STDOUT
}

func testIDTo(id sdk.TestID) *pb.TestId {
	return &pb.TestId{Suite: wire.Name(id.Suite), Name: wire.Name(id.Name)}
}

func testIDsTo(ids []sdk.TestID) []*pb.TestId {
	var ms []*pb.TestId
	for _, id := range ids {
		ms = append(ms, testIDTo(id))
	}
	return ms
}

// millis rounds up: a limit of less than a millisecond must not become none.
func millis(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
