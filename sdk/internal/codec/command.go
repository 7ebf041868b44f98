package codec

import (
	"math"
	"time"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

func EncodeWorkspace(w sdk.Workspace) *pb.Workspace {
	m := &pb.Workspace{Root: fit.Text(w.Root, sdk.MaxText), Tools: fit.Env(w.Tools), Env: fit.Env(w.Env), Cache: fit.Arg(w.Cache)}
	for name, p := range w.Probes {
		if m.Probes == nil {
			m.Probes = map[string]*pb.ProbeOutput{}
		}
		m.Probes[fit.Name(name)] = &pb.ProbeOutput{
			Stdout: p.Stdout[:min(len(p.Stdout), sdk.MaxProbe)], Stderr: fit.Text(p.Stderr, sdk.MaxText), ExitCode: encodeCode(p.ExitCode),
		}
	}
	return m
}

func DecodeWorkspace(m *pb.Workspace) sdk.Workspace {
	w := sdk.Workspace{Root: m.GetRoot(), Tools: m.GetTools(), Env: m.GetEnv(), Cache: m.GetCache()}
	for name, p := range m.GetProbes() {
		if w.Probes == nil {
			w.Probes = map[string]sdk.ProbeOutput{}
		}
		w.Probes[name] = sdk.ProbeOutput{Stdout: p.GetStdout(), Stderr: p.GetStderr(), ExitCode: int(p.GetExitCode())}
	}
	return w
}

func encodeSelection(s sdk.Selection) *pb.Selection {
	if s.IsZero() {
		return nil
	}
	return &pb.Selection{
		Suites:       fit.Args(s.Suites),
		PathPattern:  fit.Arg(s.PathPattern),
		SuitePattern: fit.Arg(s.SuitePattern),
		TestPattern:  fit.Arg(s.TestPattern),
	}
}

func decodeSelection(m *pb.Selection) sdk.Selection {
	return sdk.Selection{
		Suites:       m.GetSuites(),
		PathPattern:  m.GetPathPattern(),
		SuitePattern: m.GetSuitePattern(),
		TestPattern:  m.GetTestPattern(),
	}
}

func EncodeTestRequest(req sdk.TestRequest) *pb.TestCmdRequest {
	return &pb.TestCmdRequest{
		Workspace:      EncodeWorkspace(req.Workspace),
		Selection:      encodeSelection(req.Selection),
		RunnerArgs:     fit.Args(req.RunnerArgs),
		DeadlineMillis: encodeMillis(req.Deadline),
		Seed:           fit.Name(req.Seed),
		Cover:          req.Cover,
		AllowCached:    req.AllowCached,
	}
}

func DecodeTestRequest(m *pb.TestCmdRequest) sdk.TestRequest {
	return sdk.TestRequest{
		Workspace:   DecodeWorkspace(m.GetWorkspace()),
		Selection:   decodeSelection(m.GetSelection()),
		RunnerArgs:  m.GetRunnerArgs(),
		Deadline:    decodeMillis(m.GetDeadlineMillis()),
		Seed:        m.GetSeed(),
		Cover:       m.GetCover(),
		AllowCached: m.GetAllowCached(),
	}
}

func EncodeRerunRequest(req sdk.RerunRequest) *pb.RerunCmdRequest {
	return &pb.RerunCmdRequest{
		Workspace:      EncodeWorkspace(req.Workspace),
		Targets:        encodeTestIDs(req.Targets),
		Widen:          req.Widen,
		RunnerArgs:     fit.Args(req.RunnerArgs),
		DeadlineMillis: encodeMillis(req.Deadline),
		Seed:           fit.Name(req.Seed),
		Locate:         req.Locate,
		AlsoBuild:      fit.Args(req.AlsoBuild),
	}
}

func DecodeRerunRequest(m *pb.RerunCmdRequest) sdk.RerunRequest {
	return sdk.RerunRequest{
		Workspace:  DecodeWorkspace(m.GetWorkspace()),
		Targets:    decodeTestIDs(m.GetTargets()),
		Widen:      m.GetWiden(),
		RunnerArgs: m.GetRunnerArgs(),
		Deadline:   decodeMillis(m.GetDeadlineMillis()),
		Seed:       m.GetSeed(),
		Locate:     m.GetLocate(),
		AlsoBuild:  m.GetAlsoBuild(),
	}
}

func EncodeListRequest(req sdk.ListRequest) *pb.ListCmdRequest {
	return &pb.ListCmdRequest{
		Workspace:    EncodeWorkspace(req.Workspace),
		Selection:    encodeSelection(req.Selection),
		RunnerArgs:   fit.Args(req.RunnerArgs),
		Selected:     req.Selected,
		Dependencies: req.Dependencies,
	}
}

// EncodeListStart encodes the start of a list parser's stream.
func EncodeListStart(req sdk.ListRequest, cmd sdk.Command) *pb.ListStart {
	m := EncodeListRequest(req)
	return &pb.ListStart{
		Workspace: m.GetWorkspace(), Selection: m.GetSelection(), Command: encodeCommand(cmd),
		RunnerArgs: m.GetRunnerArgs(), Selected: m.GetSelected(), Dependencies: m.GetDependencies(),
	}
}

// DecodeListRequest decodes the request in a ListCmdRequest or a ListStart.
func DecodeListRequest(m interface {
	GetWorkspace() *pb.Workspace
	GetSelection() *pb.Selection
	GetRunnerArgs() []string
	GetSelected() bool
	GetDependencies() bool
}) sdk.ListRequest {
	return sdk.ListRequest{
		Workspace:    DecodeWorkspace(m.GetWorkspace()),
		Selection:    decodeSelection(m.GetSelection()),
		RunnerArgs:   m.GetRunnerArgs(),
		Selected:     m.GetSelected(),
		Dependencies: m.GetDependencies(),
	}
}

func EncodeTestPlan(p sdk.Plan) *pb.TestCmdResponse {
	m := &pb.TestCmdResponse{
		Commands: encodeCommands(p.Commands), Warnings: fit.Texts(p.Warnings), NarrowedBy: fit.Names(p.NarrowedBy),
		Seed: fit.Name(p.Seed), Outputs: fit.Args(p.Outputs), Way: encodeWay(p.Way),
	}
	if p.Check != nil {
		m.Check = encodeCommand(*p.Check)
	}
	return m
}

func EncodeRerunPlan(p sdk.Plan) *pb.RerunCmdResponse {
	return &pb.RerunCmdResponse{Commands: encodeCommands(p.Commands), Warnings: fit.Texts(p.Warnings), Way: encodeWay(p.Way)}
}

func EncodeListPlan(p sdk.Plan) *pb.ListCmdResponse {
	return &pb.ListCmdResponse{Commands: encodeCommands(p.Commands), Warnings: fit.Texts(p.Warnings)}
}

func EncodeIndexPlan(p sdk.Plan) *pb.IndexCmdResponse {
	return &pb.IndexCmdResponse{Commands: encodeCommands(p.Commands), Warnings: fit.Texts(p.Warnings)}
}

// DecodePlan decodes the plan in the answer of any composing call.
func DecodePlan(m interface {
	GetCommands() []*pb.Command
	GetWarnings() []string
}) sdk.Plan {
	p := sdk.Plan{Warnings: m.GetWarnings()}
	for _, c := range m.GetCommands() {
		p.Commands = append(p.Commands, DecodeCommand(c))
	}
	if m, ok := m.(interface{ GetWay() *pb.Way }); ok {
		p.Way = decodeWay(m.GetWay())
	}
	if m, ok := m.(*pb.TestCmdResponse); ok {
		p.NarrowedBy, p.Seed, p.Outputs = m.GetNarrowedBy(), m.GetSeed(), m.GetOutputs()
		if m.GetCheck() != nil {
			check := DecodeCommand(m.GetCheck())
			p.Check = &check
		}
	}
	return p
}

func encodeWay(w *sdk.Way) *pb.Way {
	if w == nil {
		return nil
	}
	return &pb.Way{Decides: fit.Args(w.Decides), Narrows: fit.Args(w.Narrows)}
}

func decodeWay(m *pb.Way) *sdk.Way {
	if m == nil {
		return nil
	}
	return &sdk.Way{Decides: m.GetDecides(), Narrows: m.GetNarrows()}
}

func encodeCommands(commands []sdk.Command) []*pb.Command {
	var ms []*pb.Command
	for _, c := range commands {
		ms = append(ms, encodeCommand(c))
	}
	return ms
}

func encodeCommand(c sdk.Command) *pb.Command {
	m := &pb.Command{
		Argv:                   fit.Args(c.Argv),
		Dir:                    fit.Arg(c.Dir),
		Env:                    fit.Env(c.Env),
		Targets:                encodeTestIDs(c.Targets),
		SelectsInsideTests:     c.SelectsInsideTests,
		SelectsOnlyInsideTests: c.SelectsOnlyInsideTests,
		UnsetEnv:               fit.Args(c.UnsetEnv),
		Exclusive:              c.Exclusive,
		Prepares:               c.Prepares,
		Covers:                 c.Covers,
		Known:                  c.Known,
	}
	for _, input := range c.Inputs {
		m.Inputs = append(m.Inputs, &pb.InputFile{Name: fit.Arg(input.Name), Data: input.Data})
	}
	return m
}

func DecodeCommand(m *pb.Command) sdk.Command {
	c := sdk.Command{
		Argv:                   m.GetArgv(),
		Dir:                    m.GetDir(),
		Env:                    m.GetEnv(),
		Targets:                decodeTestIDs(m.GetTargets()),
		SelectsInsideTests:     m.GetSelectsInsideTests(),
		SelectsOnlyInsideTests: m.GetSelectsOnlyInsideTests(),
		UnsetEnv:               m.GetUnsetEnv(),
		Exclusive:              m.GetExclusive(),
		Prepares:               m.GetPrepares(),
		Covers:                 m.GetCovers(),
		Known:                  m.GetKnown(),
	}
	for _, input := range m.GetInputs() {
		c.Inputs = append(c.Inputs, sdk.InputFile{Name: input.GetName(), Data: input.GetData()})
	}
	return c
}

// EncodeRun encodes the start of a parser's stream.
func EncodeRun(run sdk.RunInfo, progress time.Duration) *pb.RunStart {
	return &pb.RunStart{
		Workspace:              EncodeWorkspace(run.Workspace),
		Command:                encodeCommand(run.Command),
		OutputOf:               encodeTestID(run.OutputOf),
		ProgressIntervalMillis: encodeMillis(progress),
		Locate:                 run.Locate,
	}
}

func DecodeRun(m *pb.RunStart) (run sdk.RunInfo, progress time.Duration) {
	return sdk.RunInfo{
		Workspace: DecodeWorkspace(m.GetWorkspace()),
		Command:   DecodeCommand(m.GetCommand()),
		OutputOf:  decodeTestID(m.GetOutputOf()),
		Locate:    m.GetLocate(),
	}, decodeMillis(m.GetProgressIntervalMillis())
}

func EncodeExit(e sdk.Exit) *pb.RunExit {
	return &pb.RunExit{
		Code:      encodeCode(e.Code),
		Signal:    fit.Name(e.Signal),
		TimedOut:  e.TimedOut,
		Cancelled: e.Cancelled,
		Unknown:   e.Unknown,
	}
}

func DecodeExit(m *pb.RunExit) sdk.Exit {
	return sdk.Exit{
		Code:      int(m.GetCode()),
		Signal:    m.GetSignal(),
		TimedOut:  m.GetTimedOut(),
		Cancelled: m.GetCancelled(),
		Unknown:   m.GetUnknown(),
	}
}

func EncodeStream(s sdk.Stream) pb.Stream {
	if s == sdk.Stderr {
		return pb.Stream_STREAM_STDERR
	}
	return pb.Stream_STREAM_STDOUT
}

// DecodeStream treats every stream that is not standard error as standard output, so
// that no byte is lost to an enum value of a newer host.
func DecodeStream(s pb.Stream) sdk.Stream {
	if s == pb.Stream_STREAM_STDERR {
		return sdk.Stderr
	}
	return sdk.Stdout
}

// encodeMillis rounds up: a limit below a millisecond must not become no limit.
func encodeMillis(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

func decodeMillis(n int64) time.Duration { return time.Duration(max(n, 0)) * time.Millisecond }

func encodeNanos(d time.Duration) int64 { return int64(max(d, 0)) }

func decodeNanos(n int64) time.Duration { return time.Duration(max(n, 0)) }

// encodeCode clamps an exit code, which may be negative.
func encodeCode(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// encodeCount clamps a count or a line.
func encodeCount(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) }

func decodeCount(n int32) int { return int(max(n, 0)) }
