package sdk

import (
	"math"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/wire"
)

// Conversions of what a plugin sends. They repair and bound texts: what a
// runner printed is anything, and a message must be neither invalid nor too big.

func descriptionTo(d Description, extra []pb.Capability) *pb.DescribeResponse {
	m := &pb.DescribeResponse{
		Name:         wire.Name(d.Name),
		Version:      wire.Name(d.Version),
		Language:     wire.Name(d.Language),
		SdkVersion:   version(),
		Markers:      wire.Names(d.Markers),
		Tools:        wire.Names(d.Tools),
		Env:          wire.Names(d.Env),
		Capabilities: extra,
		RunnerFlags:  wire.Names(d.RunnerFlags),
		ToolDirs:     wire.Args(d.ToolDirs),
		Aliases:      wire.Names(d.Aliases),
		DecidingEnv:  wire.Names(d.Deciding),
	}
	for _, p := range d.Probes {
		m.Probes = append(m.Probes, &pb.Probe{
			Name: wire.Name(p.Name), Argv: wire.Args(p.Argv), Env: wire.Env(p.Env), UnsetEnv: wire.Args(p.UnsetEnv),
		})
	}
	for _, s := range d.Selectors {
		m.Selectors = append(m.Selectors, pb.Selector(s))
	}
	return m
}

func detectionTo(d Detection) *pb.DetectResponse {
	m := &pb.DetectResponse{Detected: d.Detected, Settings: wire.Env(d.Settings)}
	for _, u := range d.Untested {
		m.Untested = append(m.Untested, &pb.Untested{Path: wire.Name(u.Path), Reason: wire.Text(u.Reason, MaxText)})
	}
	return m
}

func scaffoldTo(s Scaffold) *pb.ScaffoldResponse {
	m := &pb.ScaffoldResponse{Env: wire.Env(s.Env), Readable: wire.Args(s.Readable), Warnings: wire.Texts(s.Warnings)}
	for _, f := range s.Files {
		m.Files = append(m.Files, &pb.SourceFile{Path: wire.Arg(f.Path), Content: f.Content})
	}
	for _, l := range s.Links {
		m.Links = append(m.Links, &pb.Link{Path: wire.Arg(l.Path), Target: wire.Arg(l.Target)})
	}
	return m
}

func wayTo(w *Way) *pb.Way {
	if w == nil {
		return nil
	}
	return &pb.Way{Decides: wire.Args(w.Decides), Narrows: wire.Args(w.Narrows)}
}

func warningsTo(p Plan) []string { return wire.Texts(p.Warnings) }

func commandsTo(commands []Command) []*pb.Command {
	var ms []*pb.Command
	for _, c := range commands {
		ms = append(ms, commandTo(c))
	}
	return ms
}

func commandTo(c Command) *pb.Command {
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

func testIDTo(id TestID) *pb.TestId {
	if id == (TestID{}) {
		return nil
	}
	return &pb.TestId{Suite: wire.Name(id.Suite), Name: wire.Name(id.Name)}
}

func testIDsTo(ids []TestID) []*pb.TestId {
	var ms []*pb.TestId
	for _, id := range ids {
		ms = append(ms, &pb.TestId{Suite: wire.Name(id.Suite), Name: wire.Name(id.Name)})
	}
	return ms
}

// measuresTo also returns the size of the message's texts.
func measuresTo(measures []Measure) (ms []*pb.Measure, size int) {
	for _, m := range measures[:min(len(measures), MaxMeasures)] {
		c := &pb.Measure{
			Name: wire.Name(m.Name), Value: wire.Name(m.Value), Kind: wire.Name(m.Kind),
			Section: wire.Name(m.Section), Runs: max(m.Runs, 0), Seed: wire.Name(m.Seed),
		}
		size += proto.Size(c) + eventOverhead
		ms = append(ms, c)
	}
	return ms, size
}

func locationTo(l Location) *pb.Location {
	if l == (Location{}) {
		return nil
	}
	return &pb.Location{File: wire.Name(l.File), Line: clamp32(l.Line), Column: clamp32(l.Column)}
}

// failureTo converts f, bounded, and names the lists that were shortened.
func failureTo(f Failure) (m *pb.Failure, shortened []string) {
	m = &pb.Failure{
		Id:              testIDTo(f.ID),
		Kind:            f.Kind,
		Location:        locationTo(f.Location),
		TestFrame:       locationTo(f.TestFrame),
		Message:         f.Message,
		Output:          f.Output,
		OutputTruncated: f.OutputTruncated,
		DerivedFrom:     testIDsTo(f.DerivedFrom),
		Blocks:          f.Blocks,
		Attributes:      f.Attributes,
		Precision:       pb.Precision(f.Precision),
	}
	if !f.Diff.IsZero() {
		m.Diff = &pb.Diff{Got: f.Diff.Got, Want: f.Diff.Want, Text: f.Diff.Text}
	}
	for _, a := range f.Also {
		m.Also = append(m.Also, &pb.Also{Location: locationTo(a.Location), Message: a.Message})
	}
	for _, frame := range f.Stack {
		m.Stack = append(m.Stack, &pb.Frame{Function: wire.Name(frame.Function), Location: locationTo(frame.Location)})
	}
	if len(f.Repro.Argv) > 0 {
		m.Repro = commandTo(f.Repro)
	}
	return m, wire.BoundFailure(m)
}

func progressTo(p Progress) *pb.Progress {
	m := &pb.Progress{
		RunningTotal: clamp32(max(p.RunningTotal, len(p.Running))),
		Passed:       clamp32(p.Passed),
		Failed:       clamp32(p.Failed),
		Skipped:      clamp32(p.Skipped),
		SuitesDone:   clamp32(p.SuitesDone),
	}
	for _, r := range p.Running[:min(len(p.Running), MaxRunning)] {
		m.Running = append(m.Running, &pb.RunningTest{Id: testIDTo(r.ID), ElapsedNanos: nanos(r.Elapsed)})
	}
	return m
}

func clamp32(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) }

func nanos(d time.Duration) int64 { return int64(max(d, 0)) }
