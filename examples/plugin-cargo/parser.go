package cargotest

import (
	"context"
	"regexp"
	"strings"

	"example.com/proctor-plugin-cargo/internal/libtest"
	"example.com/proctor-plugin-cargo/internal/project"
	"github.com/proctorhq/proctor/sdk"
)

// maxMessage is the longest line of standard output that is read whole, in bytes: each of
// cargo's messages has a whole diagnostic, with all expansions of a macro.
const maxMessage = 4 << 20

// parser reads the output of one command: cargo's messages, then what one test
// binary printed.
type parser struct {
	places
	run  sdk.RunInfo
	sink sdk.Sink

	out, err  *sdk.LineReader
	build     build
	blocks    *libtest.Reader
	stderr    stderrReader // what cargo and the tests said on standard error
	foreign   foreign
	explained bool // a failure or an error of the run was reported

	// Of the binary that is being read:
	suite    string
	finished []libtest.Block
	reported map[string]bool // tests whose failure was reported

	earlierCounts libtest.Counts // of the binaries before it
}

func newParser(ctx context.Context, run sdk.RunInfo, sink sdk.Sink) *parser {
	p := &parser{places: places{ctx: ctx, root: run.Workspace.Root}, run: run, sink: sink}
	if probe, ok := run.Workspace.Probes[probeMetadata]; ok && probe.ExitCode == 0 {
		// Without readable metadata, file names stay as the compiler wrote them.
		p.project, _ = project.Parse(probe.Stdout, run.Workspace.Root)
	}
	p.build = build{seen: map[string]bool{}}
	p.beginSuite("")
	if len(run.Command.Targets) > 0 {
		p.beginSuite(run.Command.Targets[0].Suite)
	}
	p.out = sdk.NewLineReader(maxMessage, p.readLine)
	p.err = sdk.NewLineReader(0, p.stderr.readLine)
	p.blocks = libtest.NewReader(libtest.Config{Section: p.reportSection, Block: func(b libtest.Block) { p.finished = append(p.finished, b) }, Foreign: p.readOtherLine})
	return p
}

// beginSuite prepares for the output of a suite's binary.
func (p *parser) beginSuite(suite string) {
	p.suite, p.target = suite, project.Target{Harness: true}
	if p.project != nil {
		if t, ok := p.project.Target(suite); ok {
			p.target = t
		}
	}
	p.stderr.process, p.stderr.overflowed = "", ""
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

// Close reports what is left, given how the command ended.
func (p *parser) Close(exit sdk.Exit) {
	p.out.Close()
	p.err.Close()
	p.blocks.Close()
	p.conclude(exit)
	p.foreign.report(p.sink)
	p.stderr.foreign.report(p.sink)
	if !p.explained && (exit.Code != 0 || exit.Signal != "" || exit.TimedOut || exit.Cancelled) && !exit.Unknown {
		p.runError("cargo test ended with " + describeExit(exit) + ", but its output has no reason that this plugin understands. " + p.stderr.error())
	}
}

// Progress counts what has ended so far.
func (p *parser) Progress() sdk.Progress {
	c := p.blocks.Ended()
	return sdk.Progress{
		Passed: p.earlierCounts.Passed + c.Passed, Failed: p.earlierCounts.Failed + c.Failed, Skipped: p.earlierCounts.Ignored + c.Ignored,
	}
}

// readLine reads a line of standard output.
func (p *parser) readLine(l sdk.Line) {
	text := stripColors(string(l.Text))
	switch {
	case l.Continued && p.build.inLongMessage:
		p.build.inLongMessage = l.More
	case !p.build.finished && !l.Continued && strings.HasPrefix(text, `{"reason":`):
		p.readMessage(l)
	case !l.Continued && isRecorded(p.run.Command) && p.readStart(text):
	default:
		p.blocks.Line(text, l.Whole())
	}
}

// readOtherLine reads a line of standard output that is not libtest's.
func (p *parser) readOtherLine(text string) {
	if isRecorded(p.run.Command) { // it may be one of standard error
		p.stderr.readLine(sdk.Line{Text: []byte(text)})
		return
	}
	p.foreign.add(text)
}

// isRecorded reports whether the output is a recording rather than that of a command of
// this plugin. It may then have both streams in one, and several binaries.
func isRecorded(command sdk.Command) bool { return len(command.Argv) == 0 }

var (
	unitLine = regexp.MustCompile(`^ +Running (?:unittests )?(\S+) \((?:.*[/\\])?(.+)-[0-9a-f]{16}(?:\.exe)?\)$`)
	docLine  = regexp.MustCompile(`^ +Doc-tests (\S+)$`)
	color    = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// readStart reads the line in which cargo names the binary that it starts next. The line
// does not have the name of the package.
func (p *parser) readStart(text string) bool {
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
	p.beginSuite(suite)
	return true
}

func (p *parser) runError(text string) {
	p.explained = true
	p.sink.RunError(strings.TrimSpace(text))
}

// stripColors removes colors, which a user may have requested.
func stripColors(text string) string {
	if strings.IndexByte(text, '\x1b') < 0 {
		return text
	}
	return color.ReplaceAllString(text, "")
}
