package codec

import (
	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// EncodeDescription leaves capabilities and the SDK's version to the server.
func EncodeDescription(d sdk.Description) *pb.DescribeResponse {
	m := &pb.DescribeResponse{
		Name:        fit.Name(d.Name),
		Version:     fit.Name(d.Version),
		Language:    fit.Name(d.Language),
		Markers:     fit.Names(d.Markers),
		Tools:       fit.Names(d.Tools),
		Env:         fit.Names(d.Env),
		ToolDirs:    fit.Args(d.ToolDirs),
		Aliases:     fit.Names(d.Aliases),
		DecidingEnv: fit.Names(d.Deciding),
		SuiteNoun:   fit.Name(d.SuiteNoun),
	}
	for _, code := range d.FailedExits {
		m.FailedExits = append(m.FailedExits, uint32(code))
	}
	for _, p := range d.Probes {
		m.Probes = append(m.Probes, &pb.Probe{
			Name: fit.Name(p.Name), Argv: fit.Args(p.Argv), Env: fit.Env(p.Env), UnsetEnv: fit.Args(p.UnsetEnv),
		})
	}
	for _, f := range d.RunnerFlags {
		m.RunnerFlags = append(m.RunnerFlags, &pb.RunnerFlag{
			Name: fit.Name(f.Name), Value: fit.Name(f.Value), Effect: pb.FlagEffect(f.Effect), Selector: pb.Selector(f.Selector), Harmless: f.Harmless,
		})
	}
	for _, s := range d.Selectors {
		m.Selectors = append(m.Selectors, pb.Selector(s))
	}
	return m
}

// DecodeDescription ignores unknown selectors: this host has no use for them.
// Capabilities are left to the client.
func DecodeDescription(m *pb.DescribeResponse) sdk.Description {
	d := sdk.Description{
		Name:      m.GetName(),
		Version:   m.GetVersion(),
		Language:  m.GetLanguage(),
		Markers:   m.GetMarkers(),
		Tools:     m.GetTools(),
		Env:       m.GetEnv(),
		ToolDirs:  m.GetToolDirs(),
		Aliases:   m.GetAliases(),
		Deciding:  m.GetDecidingEnv(),
		SuiteNoun: m.GetSuiteNoun(),
	}
	for _, code := range m.GetFailedExits() {
		d.FailedExits = append(d.FailedExits, int(code))
	}
	for _, p := range m.GetProbes() {
		d.Probes = append(d.Probes, sdk.Probe{Name: p.GetName(), Argv: p.GetArgv(), Env: p.GetEnv(), UnsetEnv: p.GetUnsetEnv()})
	}
	for _, f := range m.GetRunnerFlags() {
		d.RunnerFlags = append(d.RunnerFlags, decodeRunnerFlag(f))
	}
	for _, s := range m.GetSelectors() {
		if s >= pb.Selector_SELECTOR_SUITES && s <= pb.Selector_SELECTOR_TEST_PATTERN {
			d.Selectors = append(d.Selectors, sdk.Selector(s))
		}
	}
	return d
}

// decodeRunnerFlag takes an effect that this host does not know for the one that claims
// nothing.
func decodeRunnerFlag(m *pb.RunnerFlag) sdk.RunnerFlag {
	f := sdk.RunnerFlag{
		Name: m.GetName(), Value: m.GetValue(), Effect: sdk.FlagEffect(m.GetEffect()), Selector: sdk.Selector(m.GetSelector()), Harmless: m.GetHarmless(),
	}
	if f.Effect < sdk.FlagDecides || f.Effect > sdk.FlagUpdates {
		f.Effect = sdk.FlagDecides
	}
	if f.Selector < sdk.SelectSuites || f.Selector > sdk.SelectTestPattern {
		f.Selector = 0
	}
	return f
}

func EncodeDetection(d sdk.Detection) *pb.DetectResponse {
	m := &pb.DetectResponse{Detected: d.Detected, Settings: fit.Env(d.Settings), SuitePrefixes: fit.Names(d.SuitePrefixes), Outside: fit.Names(d.Outside)}
	for _, u := range d.Untested {
		m.Untested = append(m.Untested, &pb.Untested{Path: fit.Name(u.Path), Reason: fit.Text(u.Reason, sdk.MaxText)})
	}
	return m
}

func DecodeDetection(m *pb.DetectResponse) sdk.Detection {
	d := sdk.Detection{Detected: m.GetDetected(), Settings: m.GetSettings(), SuitePrefixes: m.GetSuitePrefixes(), Outside: m.GetOutside()}
	for _, u := range m.GetUntested() {
		d.Untested = append(d.Untested, sdk.Untested{Path: u.GetPath(), Reason: u.GetReason()})
	}
	return d
}

func EncodeScaffoldRequest(req sdk.ScaffoldRequest) *pb.ScaffoldRequest {
	return &pb.ScaffoldRequest{Workspace: EncodeWorkspace(req.Workspace), Sources: encodeSources(req.Sources)}
}

func DecodeScaffoldRequest(m *pb.ScaffoldRequest) sdk.ScaffoldRequest {
	return sdk.ScaffoldRequest{Workspace: DecodeWorkspace(m.GetWorkspace()), Sources: decodeSources(m.GetSources())}
}

func EncodeScaffold(s sdk.Scaffold) *pb.ScaffoldResponse {
	m := &pb.ScaffoldResponse{Files: encodeSources(s.Files), Env: fit.Env(s.Env), Readable: fit.Args(s.Readable), Warnings: fit.Texts(s.Warnings)}
	for _, l := range s.Links {
		m.Links = append(m.Links, &pb.Link{Path: fit.Arg(l.Path), Target: fit.Arg(l.Target)})
	}
	return m
}

func DecodeScaffold(m *pb.ScaffoldResponse) sdk.Scaffold {
	s := sdk.Scaffold{Files: decodeSources(m.GetFiles()), Env: m.GetEnv(), Readable: m.GetReadable(), Warnings: m.GetWarnings()}
	for _, l := range m.GetLinks() {
		s.Links = append(s.Links, sdk.Link{Path: l.GetPath(), Target: l.GetTarget()})
	}
	return s
}

func encodeSources(files []sdk.SourceFile) []*pb.SourceFile {
	var ms []*pb.SourceFile
	for _, f := range files {
		ms = append(ms, &pb.SourceFile{Path: fit.Arg(f.Path), Content: f.Content})
	}
	return ms
}

func decodeSources(ms []*pb.SourceFile) []sdk.SourceFile {
	var files []sdk.SourceFile
	for _, m := range ms {
		files = append(files, sdk.SourceFile{Path: m.GetPath(), Content: m.GetContent()})
	}
	return files
}
