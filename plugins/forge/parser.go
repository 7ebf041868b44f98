package forge

import (
	"bytes"
	"context"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/solcout"
	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// parser reads the output of one `forge test --json`. Forge prints its results at the
// very end, so everything is reported once the command has ended.
type parser struct {
	ctx context.Context
	run sdk.RunInfo
	// options are those of the command.
	options arguments.List
	sink    sdk.Sink

	stdout *testjson.Reader
	stderr *sdk.LineReader

	// results are those of whole documents, and accepted is how many there were. broken
	// are the last of the incomplete documents.
	results  results
	broken   []testjson.Document
	accepted int
	// first is the beginning of the first whole document, last the length of the last
	// one, and before that of all others.
	first        string
	last, before int64

	// unended reports whether standard output so far ends within a line; texts, whether
	// the last line was not a result.
	unended, texts bool

	// inWords reports whether there were results in a form that forge prints without --json.
	inWords bool

	// once reports whether this forge is known to print a single document; narrowed, whether
	// the command or the configuration selects tests.
	once, narrowed bool

	// idle notes why nothing ran.
	idle     noter
	messages [sdk.Stderr + 1]solcout.Scanner
	foreign  foreign
	replays  replays
	seed     string
	drawn    drawContext
	inputs   string // what fuzz tests drew, as far as known
	places   places
}

// newParser returns a parser for the output of one command. threads is how many forge uses
// unless it is told.
func newParser(ctx context.Context, run sdk.RunInfo, sink sdk.Sink, threads int) sdk.Parser {
	effective := settings.Read(run.Workspace).Under(run.Command.Argv)
	options, _ := arguments.Parse(run.Command.Argv[min(2, len(run.Command.Argv)):]) // proctor composed them
	p := &parser{
		ctx: ctx, run: run, options: options, sink: sink, seed: effective.FuzzSeed, idle: noter{sink: sink, limit: maxIdle},
		narrowed: len(effective.Filters) > 0 || slices.ContainsFunc(options, narrowsRun),
	}
	p.stdout = testjson.NewReader(testjson.Config{
		Document:    p.document,
		Text:        p.text,
		OutputSuite: run.OutputOf.Suite, OutputTest: run.OutputOf.Test, Output: p.output(),
	})
	p.stderr = sdk.NewLineReader(maxErrorLine, p.errorLine)
	if run.Workspace.Root != "" {
		p.places = newPlaces(run.Workspace.Root, effective)
		p.once = effective.OneDocument()
		p.reportConditions(effective.Conditions)
		if len(run.Command.Argv) > 0 {
			p.replays = readReplays(run.Workspace)
			p.drawn = newDrawContext(run, options, effective, threads)
		}
	}
	return p
}

// maxErrorLine bounds a line of standard error; longer ones are dumps.
const maxErrorLine = 16 << 10

func (p *parser) output() func([]byte) {
	if p.run.OutputOf.Suite == "" {
		return nil
	}
	return p.sink.Output
}

// Write implements [sdk.Parser].
func (p *parser) Write(stream sdk.Stream, data []byte) {
	if stream == sdk.Stderr {
		p.stderr.Write(data)
		return
	}
	if len(data) > 0 {
		p.unended = data[len(data)-1] != '\n'
	}
	p.stdout.Write(data)
}

// document handles a line of results.
func (p *parser) document(d testjson.Document) {
	p.texts = false
	if d.Damaged {
		p.broken = append(p.broken, d)
		if len(p.broken) > maxBroken {
			p.foreign.addDamage(p.broken[0])
			p.broken = p.broken[1:]
		}
		return
	}
	if p.accepted++; p.accepted == 1 {
		p.first = d.Sample
	}
	p.before, p.last = p.before+p.last, d.Length
	p.results.add(d.Suites)
}

// maxBroken bounds the broken documents kept: forge prints one document at its end.
const maxBroken = 8

// text handles a line of standard output that is not a result.
func (p *parser) text(t testjson.Text) {
	p.texts = true
	p.foreign.noteFailure(t)
	inWords := bytes.HasPrefix(t.Head, []byte("Suite result: ")) || bytes.HasPrefix(t.Head, []byte("<testsuites "))
	p.inWords = p.inWords || inWords
	if t.Suspect || inWords {
		p.foreign.addSuspect(t)
		return
	}
	if len(bytes.TrimSpace(t.Head)) == 0 {
		return
	}
	if p.noteIdle(string(t.Head)) || p.messages[sdk.Stdout].Line(t.Head) {
		return
	}
	p.foreign.add(t)
}

// errorLine handles a line of standard error.
func (p *parser) errorLine(line sdk.Line) {
	if line.Continued {
		return
	}
	if p.replays.readLine(line.Text) {
		return
	}
	if !p.noteIdle(string(line.Text)) {
		p.messages[sdk.Stderr].Line(line.Text)
	}
}

// Close implements [sdk.Parser].
func (p *parser) Close(exit sdk.Exit) {
	p.stdout.Close()
	p.stderr.Close()
	for _, d := range p.broken {
		// If there are whole documents, a broken one counts only if the output ended
		// within it.
		if p.accepted == 0 || d.Unended {
			p.results.add(d.Suites)
		}
		p.foreign.addDamage(d)
	}
	if p.run.Command.Prepares {
		// If it succeeds, the next command repeats what it says.
		if exit.Code != 0 {
			p.reportMessages(exit)
		}
		return
	}
	if exit.Unknown && p.unended && p.texts {
		p.foreign.markCut() // what follows may be anything
	}
	p.foreign.report(p.sink, p.accepted > 0)
	if p.inWords && p.accepted == 0 {
		p.sink.Note("these are results as forge prints them without --json, which are not read: those of forge test --json -vv are")
	}
	p.reportRepetition()
	p.reportResults()
	p.reportMessages(exit)
	p.noteStopped(exit)
}
