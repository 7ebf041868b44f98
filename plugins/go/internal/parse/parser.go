package parse

import (
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// Config is what a [Parser] needs to know.
type Config struct {
	// Run is the command whose output is read.
	Run sdk.RunInfo
	// Now is the clock of the progress display; nil is time.Now.
	Now func() time.Time
}

// Parser reads the output of one `go test -json`. It implements [sdk.Parser]
// and [sdk.ProgressParser].
type Parser struct {
	run  sdk.RunInfo
	sink sdk.Sink
	now  func() time.Time
	// clock is the time of the current chunk. To ask for it at every event would
	// take a tenth of the parser's time.
	clock time.Time

	stdout, stderr lineSplitter
	scanner        testjson.Scanner
	event          testjson.Event

	// suites are those that have started and not ended.
	suites map[string]*suite
	// last is the suite of the previous event.
	last *suite
	// ended holds the names of suites that have ended.
	ended map[string]struct{}
	// waiting are suites whose process may have been ended from outside: whether
	// it was the host's time-out is known at the end.
	waiting []*suite
	// idle are tests to use again.
	idle []*test

	tree  *tree
	flags flags
	// selection is what the command selects.
	selection selection
	builds    builds
	unread    unread
	// words are what the go command said on standard error, foreign what
	// something else printed among the events.
	words, foreign tail
	// unmatched are warnings about patterns without packages.
	unmatched []string
	// unknownFlags are those that test binaries did not take.
	unknownFlags []unknownFlag
	output       outputFilter
	counts       counts
	// explained: a failure was reported.
	explained bool
	// cut: the last line has no end, and is no event.
	cut bool
}

var (
	_ sdk.Parser         = (*Parser)(nil)
	_ sdk.ProgressParser = (*Parser)(nil)
)

// New returns a parser that reports to sink.
func New(config Config, sink sdk.Sink) *Parser {
	now := config.Now
	if now == nil {
		now = time.Now
	}
	selection := readSelection(config.Run)
	return &Parser{
		run:    config.Run,
		sink:   sink,
		now:    now,
		suites: map[string]*suite{},
		ended:  map[string]struct{}{},
		tree:   newTree(config.Run, selection),
		flags:  readFlags(config.Run.Command.Argv),

		selection: selection,
		output:    newOutputFilter(config.Run.OutputOf),
	}
}

// Write implements [sdk.Parser].
func (p *Parser) Write(stream sdk.Stream, data []byte) {
	p.clock = p.now()
	if stream == sdk.Stderr {
		p.stderr.write(data, p.stderrLine)
		return
	}
	p.stdout.write(data, p.stdoutLine)
}

// Close implements [sdk.Parser].
func (p *Parser) Close(exit sdk.Exit) {
	p.clock = p.now()
	p.stdout.flush(p.stdoutLine)
	p.stderr.flush(p.stderrLine)
	for _, s := range p.waiting {
		p.conclude(s, exit)
	}
	p.waiting = nil
	for _, s := range p.unfinishedSuites() {
		p.cutShort(s, exit)
	}
	p.reportBuilds(exit)
	p.reportUnknownFlags()
	p.explainExit(exit)
	p.unread.report(p.sink, exit.Unknown && !p.explained, exit.Unknown && p.cut)
}

func (p *Parser) stdoutLine(line []byte, excess int) {
	if excess > 0 {
		p.unread.add(line, excess)
		return
	}
	if p.scanner.Scan(line, &p.event) {
		p.handle(&p.event)
		return
	}
	// Whole recordings end with a line end.
	p.cut = line[len(line)-1] != '\n'
	p.salvage(line)
}
