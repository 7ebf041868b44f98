package trace

import (
	"context"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/sdk"
)

// maxOutput is how much output is read, in bytes: some minutes of forge's time.
// Failures behind it are not located.
const maxOutput = 256 << 20

// Config says what was run.
type Config struct {
	// Root is the absolute path of the project.
	Root string
	// Artifacts are those of the run.
	Artifacts artifact.Config
	// Before are those of the run whose failures are to be located. Code that
	// was compiled otherwise uses up other amounts of gas; without them no test
	// that measures gas is located.
	Before *artifact.Config
	// Libs are the directories of dependencies, relative to Root or absolute.
	// Their lines are not the project's own.
	Libs []string
	// Targets are the tests to locate. One without a name stands for its suite;
	// without any target all tests are located.
	Targets []sdk.TestID
}

// Parser reads the standard output of one run and reports the failures it can
// locate. It reports nothing else.
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

// Write takes the next bytes of a stream.
func (p *parser) Write(stream sdk.Stream, data []byte) {
	if stream != sdk.Stdout || p.read >= maxOutput || p.ctx.Err() != nil {
		return
	}
	data = data[:min(len(data), maxOutput-p.read)]
	p.read += len(data)
	p.lexer.feed(data)
}

// open reads the index of the artifacts. It is not called before the first
// result: the artifacts are written by the run itself.
func (p *parser) open() *library {
	project, err := artifact.Open(p.ctx, p.cfg.Artifacts)
	if err != nil {
		return nil
	}
	return newLibrary(project, p.cfg)
}

// pending reports whether a test is to be located and was not yet.
func (p *parser) pending(id sdk.TestID) bool {
	wanted := len(p.targets) == 0 || p.targets[id] || p.targets[sdk.TestID{Suite: id.Suite}]
	return wanted && !p.located[id]
}

func (p *parser) found(f sdk.Failure) {
	p.located[f.TestID] = true
	p.sink.Failure(f)
}

// Close has nothing left to do: a failure is reported as soon as its test is
// read, and a test that was cut is not located.
func (p *parser) Close(sdk.Exit) {}
