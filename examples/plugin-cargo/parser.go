package cargotest

import (
	"context"
	"regexp"
	"strings"

	"example.com/proctor-plugin-cargo/internal/libtest"
	"example.com/proctor-plugin-cargo/internal/project"
	"github.com/proctorhq/proctor/sdk"
)

// maxMessage is the longest line of standard output that is read whole: cargo's
// messages carry a whole diagnostic each, with all expansions of a macro.
const maxMessage = 4 << 20

// parser reads the output of one command: cargo's messages, then what one test
// binary printed.
type parser struct {
	places
	run  sdk.RunInfo
	sink sdk.Sink

	out, err *sdk.LineReader
	build    build
	blocks   *libtest.Reader
	told     told // what cargo and the tests said on standard error
	foreign  foreign
	red      bool // a failure or an error of the run was reported

	// Of the binary that is being read:
	suite    string
	finished []libtest.Block
	reported map[string]bool // tests whose failure was reported

	before libtest.Counts // of the binaries before it
}

func newParser(ctx context.Context, run sdk.RunInfo, sink sdk.Sink) *parser {
	p := &parser{places: places{ctx: ctx, root: run.Workspace.Root}, run: run, sink: sink}
	if probe, ok := run.Workspace.Probes[probeMetadata]; ok && probe.ExitCode == 0 {
		// Without readable metadata, file names stay as the compiler wrote them.
		p.project, _ = project.Parse(probe.Stdout, run.Workspace.Root)
	}
	p.build = build{seen: map[string]bool{}}
	p.begin("")
	if len(run.Command.Targets) > 0 {
		p.begin(run.Command.Targets[0].Suite)
	}
	p.out = sdk.NewLineReader(maxMessage, p.line)
	p.err = sdk.NewLineReader(0, p.told.line)
	p.blocks = libtest.NewReader(libtest.Config{Section: p.section, Block: func(b libtest.Block) { p.finished = append(p.finished, b) }, Foreign: p.otherLine})
	return p
}

// begin makes ready for the output of a suite's binary.
func (p *parser) begin(suite string) {
	p.suite, p.target = suite, project.Target{Harness: true}
	if p.project != nil {
		if t, ok := p.project.Target(suite); ok {
			p.target = t
		}
	}
	p.told.process, p.told.overflowed = "", ""
	p.sources, p.finished, p.reported = nil, nil, map[string]bool{}
}

// Write takes the next bytes of a stream.
func (p *parser) Write(stream sdk.Stream, data []byte) {
	if stream == sdk.Stderr {
		p.err.Write(data)
		return
	}
	p.out.Write(data)
}

// Close tells how the command ended.
func (p *parser) Close(exit sdk.Exit) {
	p.out.Close()
	p.err.Close()
	p.blocks.Close()
	p.conclude(exit)
	p.foreign.report(p.sink)
	p.told.foreign.report(p.sink)
	if !p.red && (exit.Code != 0 || exit.Signal != "" || exit.TimedOut || exit.Cancelled) && !exit.Unknown {
		p.runError("cargo test ended with " + describe(exit) + ", and said no reason that this plugin can read. " + p.told.error())
	}
}

// Progress counts what has ended so far.
func (p *parser) Progress() sdk.Progress {
	c := p.blocks.Ended()
	return sdk.Progress{
		Passed: p.before.Passed + c.Passed, Failed: p.before.Failed + c.Failed, Skipped: p.before.Ignored + c.Ignored,
	}
}

// line takes a line of standard output.
func (p *parser) line(l sdk.Line) {
	text := plain(string(l.Text))
	switch {
	case l.Continued && p.build.long:
		p.build.long = l.More
	case !p.build.finished && !l.Continued && strings.HasPrefix(text, `{"reason":`):
		p.message(l)
	case !l.Continued && isRecorded(p.run.Command) && p.start(text):
	default:
		p.blocks.Line(text, l.Whole())
	}
}

// otherLine takes a line of standard output that is not libtest's.
func (p *parser) otherLine(text string) {
	if isRecorded(p.run.Command) { // it may be one of standard error
		p.told.line(sdk.Line{Text: []byte(text)})
		return
	}
	p.foreign.line(text)
}

// isRecorded reports whether the output is not that of a command of this plugin. It
// may then be both streams in one, of several binaries.
func isRecorded(command sdk.Command) bool { return len(command.Argv) == 0 }

var (
	unitLine = regexp.MustCompile(`^ +Running (?:unittests )?(\S+) \((?:.*[/\\])?(.+)-[0-9a-f]{16}(?:\.exe)?\)$`)
	docLine  = regexp.MustCompile(`^ +Doc-tests (\S+)$`)
	colour   = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// start reads the line in which cargo names the binary that it starts next. The
// name of its package is not in it.
func (p *parser) start(text string) bool {
	if !strings.HasPrefix(text, "   ") {
		return false
	}
	var suite string
	if m := unitLine.FindStringSubmatch(text); m != nil {
		suite = m[2] + " " + m[1]
	} else if m := docLine.FindStringSubmatch(text); m != nil {
		suite = m[1] + " doc " + m[1]
	} else {
		return false
	}
	p.blocks.Close()
	if p.suite != "" || len(p.finished) > 0 {
		p.conclude(sdk.Exit{Unknown: true})
	}
	p.begin(suite)
	return true
}

func (p *parser) runError(text string) {
	p.red = true
	p.sink.RunError(strings.TrimSpace(text))
}

// plain takes colours away, which a user may have asked for.
func plain(text string) string {
	if strings.IndexByte(text, '\x1b') < 0 {
		return text
	}
	return colour.ReplaceAllString(text, "")
}
