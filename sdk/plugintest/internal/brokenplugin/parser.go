package brokenplugin

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk"
)

const suite = "s"

// ParseTestFailures parses the runner's lines.
func (d detector) ParseTestFailures(_ context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	p := &parser{mode: d.mode, run: run, sink: sink}
	p.lines = sdk.NewLineReader(0, p.readLine)
	return p
}

type parser struct {
	mode    string
	run     sdk.RunInfo
	sink    sdk.Sink
	lines   *sdk.LineReader
	running []string
	passed  int
	failed  int
	singles int
	writes  int
	hoard   [][]byte
}

// open counts open streams; some faults appear only then.
var open atomic.Int32

func (p *parser) Write(stream sdk.Stream, data []byte) {
	p.writes++
	if stream != sdk.Stdout {
		return
	}
	switch p.mode {
	case "splits-bytes":
		// In this mode it loses lines that are sent byte by byte.
		if len(data) == 1 && p.singles == p.writes-1 {
			p.singles++
		}
		if p.singles > 2 {
			return
		}
	case "panics":
		if bytes.HasPrefix(data, []byte("[[[[")) {
			panic("too many brackets")
		}
	case "crashes":
		if bytes.HasPrefix(data, []byte("[[[[")) {
			go func() { panic("out of cheese") }()
			select {}
		}
	case "hangs":
		if bytes.HasPrefix(data, []byte("[[[[")) {
			select {}
		}
	case "shares-state":
		if open.Load() > 1 {
			return
		}
	case "hoards":
		p.hoard = append(p.hoard, bytes.Clone(data))
	case "guesses":
		if bytes.Contains(data, []byte(`"pass"`)) {
			p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: "probably"}, Status: sdk.Passed})
		}
	case "splits-output":
		if p.run.OutputOf.Test != "" {
			p.sink.Output([]byte(fmt.Sprint(p.writes)))
		}
	}
	p.lines.Write(data)
}

// cutWord returns what follows a word at the beginning of a whole line.
func cutWord(l sdk.Line, word string) (string, bool) {
	if !l.Whole() {
		return "", false
	}
	return strings.CutPrefix(string(l.Text), word+" ")
}

func (p *parser) readLine(l sdk.Line) {
	if p.mode == "damaged-by-bytes" && bytes.HasPrefix(l.Text, []byte("run ")) && bytes.IndexByte(l.Text, 0xff) >= 0 {
		panic("that is not a character")
	}
	if name, damaged := damagedEnd(l); damaged && p.mode == "damage-is-fine" {
		p.endTest(sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: name}, Status: sdk.Passed})
		return
	} else if damaged && p.mode == "damage-passes" {
		p.endTest(sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: strings.ToValidUTF8(string(l.Text), "")}, Status: sdk.Passed})
	} else if damaged && p.mode == "drops-damaged" {
		p.running = slices.DeleteFunc(p.running, func(running string) bool { return running == name })
		return
	}
	if text, ok := cutWord(l, "|"); ok {
		p.readOutput(text)
		return
	}
	if name, ok := cutWord(l, "run"); ok {
		p.running = append(p.running, name)
	} else if name, ok := cutWord(l, "ok"); ok {
		p.passed++
		p.endTest(sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: name}, Status: sdk.Passed})
	} else if rest, ok := cutWord(l, "bad"); ok {
		p.readFailure(rest)
	}
}

// damagedEnd returns the name of a failed test from a line whose first word is damaged.
func damagedEnd(l sdk.Line) (string, bool) {
	word, rest, _ := bytes.Cut(l.Text, []byte(" "))
	name, place, _ := bytes.Cut(rest, []byte(" "))
	return string(name), !utf8.Valid(word) && bytes.Contains(place, []byte(":"))
}

func (p *parser) readFailure(rest string) {
	name, rest, _ := strings.Cut(rest, " ")
	place, message, _ := strings.Cut(rest, " ")
	file, number, _ := strings.Cut(place, ":")
	line, _ := strconv.Atoi(number)
	id := sdk.TestID{Suite: suite, Test: name}
	if p.mode == "wrong-line" {
		line++
	}
	p.failed++
	p.endTest(sdk.TestResult{TestID: id, Status: sdk.Failed})
	if p.mode == "loses-failures" && p.failed > 1 {
		return
	}
	p.sink.Failure(sdk.Failure{TestID: id, Kind: sdk.KindAssertion, Message: message, Location: sdk.Location{File: file, Line: line}})
}

// readOutput handles what the running test printed.
func (p *parser) readOutput(text string) {
	if len(p.running) > 0 && p.run.OutputOf.Test == p.running[len(p.running)-1] {
		p.sink.Output([]byte(text + "\n"))
	}
	if name, ok := strings.CutPrefix(text, "ok "); ok && p.mode == "believes-logs" {
		p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: name}, Status: sdk.Passed})
	}
}

func (p *parser) endTest(t sdk.TestResult) {
	p.running = slices.DeleteFunc(p.running, func(name string) bool { return name == t.Test })
	p.sink.Test(t)
}

// Close reports what has no end, and why the run is red.
func (p *parser) Close(exit sdk.Exit) {
	p.lines.Close()
	if p.mode == "looks-complete" && exit.Signal != "" {
		return
	}
	for _, name := range p.running {
		status := sdk.Unfinished
		if p.mode == "optimist" {
			status = sdk.Passed
		}
		p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: name}, Status: status})
	}
	if p.writes == 0 && p.mode == "passes-of-nothing" {
		p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: "all"}, Status: sdk.Passed})
	}
	red := exit.Code != 0 || exit.Signal != "" || exit.TimedOut
	outcome := sdk.SuitePassed
	switch {
	case p.failed > 0:
		outcome = sdk.SuiteFailed
	case p.mode == "drops-damaged":
	case red || len(p.running) > 0:
		outcome = sdk.SuiteUnfinished
	}
	if p.passed+p.failed > 0 {
		p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: outcome})
	}
	if p.failed == 0 && red && p.explains() {
		p.sink.RunError(fmt.Sprintf("the runner ended with %d %s", exit.Code, exit.Signal))
	}
}

// explains reports whether a red end without a failure is explained.
func (p *parser) explains() bool {
	return p.mode != "silent-when-red" && p.mode != "drops-damaged" && (p.mode != "believes-passes" || p.passed == 0)
}
