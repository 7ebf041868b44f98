package trace

import (
	"context"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/sdk"
)

// maxOutput bounds how much output is read, in bytes: some minutes of forge's time.
// Failures after it are not located.
const maxOutput = 256 << 20

// Config describes the run.
type Config struct {
	// Root is the absolute path of the project.
	Root string
	// Artifacts belong to this run.
	Artifacts artifact.Config
	// Before belongs to the run whose failures are to be located. Code compiled with
	// other settings uses other amounts of gas. If Before is nil, no test that measures
	// gas is located.
	Before *artifact.Config
	// Libs are the directories of dependencies, relative to Root or absolute. Lines in
	// them are not the project's own.
	Libs []string
	// Targets are the tests to locate. A target without a name stands for its suite, and
	// no targets at all for every test.
	Targets []sdk.TestID
}

// parser reads the standard output of one run. It reports the failures it can locate,
// and nothing else.
type parser struct {
	ctx     context.Context
	cfg     Config
	sink    sdk.Sink
	lexer   *lexer
	read    int
	targets map[sdk.TestID]bool
	located map[sdk.TestID]bool
}

// NewParser returns a parser that reports to sink a [sdk.Failure] for every
// failed test whose line is certain: Location is the innermost place in the
// project's own code, TestFrame the place in the test function where that is
// another one, Stack the project's frames, innermost first.
func NewParser(ctx context.Context, cfg Config, sink sdk.Sink) sdk.Parser {
	p := &parser{ctx: ctx, cfg: cfg, sink: sink, targets: map[sdk.TestID]bool{}, located: map[sdk.TestID]bool{}}
	for _, id := range cfg.Targets {
		p.targets[id] = true
	}
	p.lexer = &lexer{to: &document{ctx: ctx, pending: p.pending, open: p.open, found: p.found}}
	return p
}

// Write consumes the next bytes of a stream.
func (p *parser) Write(stream sdk.Stream, data []byte) {
	if stream != sdk.Stdout || p.read >= maxOutput || p.ctx.Err() != nil {
		return
	}
	data = data[:min(len(data), maxOutput-p.read)]
	p.read += len(data)
	p.lexer.feed(data)
}

// open reads the index of the artifacts. It must not be called before the first result,
// because the run itself writes the artifacts.
func (p *parser) open() *library {
	project, err := artifact.Open(p.ctx, p.cfg.Artifacts)
	if err != nil {
		return nil
	}
	return newLibrary(project, p.cfg)
}

// pending reports whether a test is still to be located.
func (p *parser) pending(id sdk.TestID) bool {
	wanted := len(p.targets) == 0 || p.targets[id] || p.targets[sdk.TestID{Suite: id.Suite}]
	return wanted && !p.located[id]
}

func (p *parser) found(f sdk.Failure) {
	p.located[f.TestID] = true
	p.sink.Failure(f)
}

// Close does nothing: a failure is reported as soon as its test has been read, and a
// truncated test is not located.
func (p *parser) Close(sdk.Exit) {}
