package parse

import (
	"cmp"
	"slices"
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

// Parser reads the output of one `go test -json`. It implements [sdk.Parser] and
// [sdk.ProgressParser]. It turns the streams into events, and these into the state of
// suites. The parts below find out why something failed.
type Parser struct {
	reporter
	now func() time.Time
	// clock is the time of the current chunk. Asking for it at every event would take a
	// tenth of the parser's time.
	clock time.Time

	stdout, stderr lineSplitter
	scanner        testjson.Scanner
	event          testjson.Event
	unread         unread
	output         outputFilter
	// cut reports whether the last line is incomplete and not an event.
	cut bool

	suites     suites
	examiner   examiner
	settler    settler
	attributor attributor
	command    goCommand
	ender      suiteEnder
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
	p := &Parser{
		reporter: reporter{
			sink:      sink,
			tree:      newTree(config.Run, selection),
			selection: selection,
			flags:     readFlags(config.Run.Command.Argv),
			dir:       config.Run.Command.Dir,
		},
		now:    now,
		output: newOutputFilter(config.Run.OutputOf, sink),
		suites: suites{running: map[string]*suite{}, ended: map[string]struct{}{}},
	}
	p.examiner = examiner{tree: p.tree, fullpath: p.flags.fullpath}
	p.settler = settler{reporter: &p.reporter, examiner: &p.examiner}
	p.attributor = attributor{reporter: &p.reporter, examiner: &p.examiner}
	p.command = goCommand{reporter: &p.reporter, suites: &p.suites}
	p.ender = suiteEnder{reporter: &p.reporter, settler: &p.settler, attributor: &p.attributor, builds: &p.command.builds}
	return p
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
	for _, s := range p.suites.waiting {
		p.ender.conclude(s, exit)
	}
	p.suites.waiting = nil
	for _, s := range p.suites.unfinished() {
		p.ender.cutShort(s, exit)
	}
	p.command.reportBuilds(exit)
	p.attributor.reportUnknownFlags()
	p.command.explainExit(exit)
	p.command.noteUnmatchedBench(exit)
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
	// Complete recordings end with a line end.
	p.cut = line[len(line)-1] != '\n'
	p.salvage(line)
}

// maxShown is how many running tests a snapshot names.
const maxShown = 16

// Progress implements [sdk.ProgressParser]. Tests that wait for their subtests or their
// turn do not count as running. It reports failures that were held back in case more
// output follows, once none has come for a while.
func (p *Parser) Progress() sdk.Progress {
	now := p.now()
	snapshot := sdk.Progress{Passed: p.counts.passed, Failed: p.counts.failed, Skipped: p.counts.skipped, SuitesDone: p.counts.suites}
	for _, s := range p.suites.unfinished() {
		p.settler.settleAged(s, now)
		if len(snapshot.SuitesRunning) < maxShown {
			snapshot.SuitesRunning = append(snapshot.SuitesRunning, s.name)
		}
	}
	var running []sdk.RunningTest
	for _, s := range p.suites.running {
		for _, t := range s.tests {
			if t.isLeaf() {
				running = append(running, sdk.RunningTest{ID: s.id(t.name), Elapsed: max(0, now.Sub(t.started))})
			}
		}
	}
	slices.SortFunc(running, func(a, b sdk.RunningTest) int {
		return cmp.Or(cmp.Compare(b.Elapsed, a.Elapsed), cmp.Compare(a.ID.Suite, b.ID.Suite), cmp.Compare(a.ID.Test, b.ID.Test))
	})
	snapshot.RunningTotal = len(running)
	snapshot.Running = running[:min(len(running), maxShown)]
	return snapshot
}

// outputFilter passes on the output of one test and its subtests, in the order in which
// it was printed. Without a test it passes on that of the whole suite, including build
// errors.
type outputFilter struct {
	on    bool
	id    sdk.TestID
	sink  sdk.Sink
	plain []byte
}

func newOutputFilter(id sdk.TestID, sink sdk.Sink) outputFilter {
	return outputFilter{on: id != sdk.TestID{}, id: id, sink: sink}
}

func (o *outputFilter) testText(suite string, name, escaped []byte) {
	if !o.on || suite != o.id.Suite {
		return
	}
	if o.id.Test == "" || string(name) == o.id.Test || isInside(string(name), o.id.Test) {
		o.send(escaped)
	}
}

func (o *outputFilter) suiteText(suite string, escaped []byte) {
	if o.on && suite == o.id.Suite && o.id.Test == "" {
		o.send(escaped)
	}
}

func (o *outputFilter) buildText(owner, line string) {
	if o.on && owner == o.id.Suite && o.id.Test == "" && owner != "" {
		o.sink.Output([]byte(line + "\n"))
	}
}

func (o *outputFilter) send(escaped []byte) {
	o.plain = testjson.AppendUnescaped(o.plain[:0], escaped)
	o.sink.Output(o.plain)
}
