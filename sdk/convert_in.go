package sdk

import (
	"time"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// Conversions of what a plugin receives. The getters of generated messages
// accept nil, so an absent message becomes a zero value.

func workspaceFrom(m *pb.Workspace) Workspace {
	w := Workspace{Root: m.GetRoot(), Tools: m.GetTools(), Env: m.GetEnv(), Cache: m.GetCache()}
	for name, p := range m.GetProbes() {
		if w.Probes == nil {
			w.Probes = map[string]ProbeOutput{}
		}
		w.Probes[name] = ProbeOutput{Stdout: p.GetStdout(), Stderr: p.GetStderr(), ExitCode: int(p.GetExitCode())}
	}
	return w
}

func selectionFrom(m *pb.Selection) Selection {
	return Selection{
		Suites:       m.GetSuites(),
		PathPattern:  m.GetPathPattern(),
		SuitePattern: m.GetSuitePattern(),
		TestPattern:  m.GetTestPattern(),
	}
}

func testRequestFrom(m *pb.TestCmdRequest) TestRequest {
	return TestRequest{
		Workspace:  workspaceFrom(m.GetWorkspace()),
		Selection:  selectionFrom(m.GetSelection()),
		RunnerArgs: m.GetRunnerArgs(),
		Deadline:   millis(m.GetDeadlineMillis()),
		Seed:       m.GetSeed(),
		Cover:      m.GetCover(),
	}
}

func rerunRequestFrom(m *pb.RerunCmdRequest) RerunRequest {
	return RerunRequest{
		Workspace:  workspaceFrom(m.GetWorkspace()),
		Targets:    testIDsFrom(m.GetTargets()),
		Widen:      m.GetWiden(),
		RunnerArgs: m.GetRunnerArgs(),
		Deadline:   millis(m.GetDeadlineMillis()),
		Seed:       m.GetSeed(),
		Locate:     m.GetLocate(),
		AlsoBuild:  m.GetAlsoBuild(),
	}
}

func indexRequestFrom(m *pb.IndexCmdRequest) IndexRequest {
	return IndexRequest{
		Workspace:   workspaceFrom(m.GetWorkspace()),
		Suites:      m.GetSuites(),
		RunnerArgs:  m.GetRunnerArgs(),
		Deadline:    millis(m.GetDeadlineMillis()),
		SuiteBudget: millis(m.GetSuiteBudgetMillis()),
	}
}

func coverageRequestFrom(m *pb.ParseCoverageRequest) CoverageRequest {
	return CoverageRequest{
		Workspace: workspaceFrom(m.GetWorkspace()),
		Command:   commandFrom(m.GetCommand()),
		Scratch:   m.GetScratch(),
		Exit:      exitFrom(m.GetExit()),
	}
}

func scaffoldRequestFrom(m *pb.ScaffoldRequest) ScaffoldRequest {
	req := ScaffoldRequest{Workspace: workspaceFrom(m.GetWorkspace())}
	for _, s := range m.GetSources() {
		req.Sources = append(req.Sources, SourceFile{Path: s.GetPath(), Content: s.GetContent()})
	}
	return req
}

func listRequestFrom(m *pb.ListCmdRequest) ListRequest {
	return ListRequest{
		Workspace:    workspaceFrom(m.GetWorkspace()),
		Selection:    selectionFrom(m.GetSelection()),
		RunnerArgs:   m.GetRunnerArgs(),
		Selected:     m.GetSelected(),
		Dependencies: m.GetDependencies(),
	}
}

func listStartFrom(m *pb.ListStart) (ListRequest, Command) {
	return ListRequest{
		Workspace:    workspaceFrom(m.GetWorkspace()),
		Selection:    selectionFrom(m.GetSelection()),
		RunnerArgs:   m.GetRunnerArgs(),
		Selected:     m.GetSelected(),
		Dependencies: m.GetDependencies(),
	}, commandFrom(m.GetCommand())
}

func runInfoFrom(m *pb.RunStart) RunInfo {
	return RunInfo{
		Workspace: workspaceFrom(m.GetWorkspace()),
		Command:   commandFrom(m.GetCommand()),
		OutputOf:  testIDFrom(m.GetOutputOf()),
		Locate:    m.GetLocate(),
	}
}

func exitFrom(m *pb.RunExit) Exit {
	return Exit{
		Code:      int(m.GetCode()),
		Signal:    m.GetSignal(),
		TimedOut:  m.GetTimedOut(),
		Cancelled: m.GetCancelled(),
		Unknown:   m.GetUnknown(),
	}
}

// streamFrom takes every stream that is not standard error for standard
// output: no byte is dropped for an enum value of a newer host.
func streamFrom(s pb.Stream) Stream {
	if s == pb.Stream_STREAM_STDERR {
		return Stderr
	}
	return Stdout
}

func commandFrom(m *pb.Command) Command {
	c := Command{
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
		c.Inputs = append(c.Inputs, InputFile{Name: input.GetName(), Data: input.GetData()})
	}
	return c
}

func testIDFrom(m *pb.TestId) TestID { return TestID{Suite: m.GetSuite(), Name: m.GetName()} }

func testIDsFrom(ms []*pb.TestId) []TestID {
	var ids []TestID
	for _, m := range ms {
		ids = append(ids, testIDFrom(m))
	}
	return ids
}

func millis(n int64) time.Duration { return time.Duration(max(n, 0)) * time.Millisecond }
