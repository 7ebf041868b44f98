package server_test

import (
	"context"

	"github.com/proctorhq/proctor/sdk"
)

// fake is a detector made of functions.
type fake struct {
	testCmd  func(context.Context, sdk.TestRequest) (sdk.Plan, error)
	rerunCmd func(context.Context, sdk.RerunRequest) (sdk.Plan, error)
	parser   func(context.Context, sdk.RunInfo, sdk.Sink) sdk.Parser
}

func (f fake) TestCmd(ctx context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	return f.testCmd(ctx, req)
}

func (f fake) RerunCmd(ctx context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	return f.rerunCmd(ctx, req)
}

func (f fake) ParseTestFailures(ctx context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	return f.parser(ctx, run, sink)
}

// newParsingFake returns a fake whose parser is made of functions, which may be nil.
func newParsingFake(write func(sdk.Sink, sdk.Stream, []byte), closed func(sdk.Sink, sdk.Exit)) fake {
	return fake{parser: func(_ context.Context, _ sdk.RunInfo, sink sdk.Sink) sdk.Parser {
		return &fakeParser{
			write: func(stream sdk.Stream, data []byte) {
				if write != nil {
					write(sink, stream, data)
				}
			},
			closed: func(exit sdk.Exit) {
				if closed != nil {
					closed(sink, exit)
				}
			},
		}
	}}
}

// showing returns a fake that also offers a snapshot whenever it is asked.
func (f fake) showing(p sdk.Progress) fake {
	plain := f.parser
	f.parser = func(ctx context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
		return fakeProgressParser{plain(ctx, run, sink), p}
	}
	return f
}

type fakeProgressParser struct {
	sdk.Parser
	snapshot sdk.Progress
}

func (p fakeProgressParser) Progress() sdk.Progress { return p.snapshot }

type fakeParser struct {
	write  func(sdk.Stream, []byte)
	closed func(sdk.Exit)
}

func (p *fakeParser) Write(stream sdk.Stream, data []byte) { p.write(stream, data) }
func (p *fakeParser) Close(exit sdk.Exit)                  { p.closed(exit) }

// fakeScaffolder also scaffolds.
type fakeScaffolder struct {
	fake
	scaffold func(sdk.ScaffoldRequest) (sdk.Scaffold, error)
}

func (f fakeScaffolder) Scaffold(_ context.Context, req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
	return f.scaffold(req)
}

// fakeLister also lists.
type fakeLister struct {
	fake
	listCmd func(context.Context, sdk.ListRequest) (sdk.Plan, error)
	list    func(context.Context, sdk.ListRequest, sdk.Command, sdk.ListSink) sdk.Parser
}

func (f fakeLister) ListCmd(ctx context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	return f.listCmd(ctx, req)
}

func (f fakeLister) ParseList(ctx context.Context, req sdk.ListRequest, cmd sdk.Command, sink sdk.ListSink) sdk.Parser {
	return f.list(ctx, req, cmd, sink)
}

// fakeMeasurer also measures coverage and outlines sources.
type fakeMeasurer struct {
	fakeLister
	indexCmd func(sdk.IndexRequest) (sdk.Plan, error)
	coverage func(sdk.CoverageRequest, sdk.CoverageSink) error
	outline  func(sdk.OutlineRequest, sdk.OutlineSink) error
}

func (f fakeMeasurer) IndexCmd(_ context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	return f.indexCmd(req)
}

func (f fakeMeasurer) ParseCoverage(_ context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	return f.coverage(req, sink)
}

func (f fakeMeasurer) Outline(_ context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	return f.outline(req, sink)
}

var fakeDescription = sdk.Description{Name: "fake", Version: "1.2.3", Language: "fake", Markers: []string{"fake.mod"}}
