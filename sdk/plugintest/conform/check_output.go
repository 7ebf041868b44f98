package conform

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// chunkings are those that found bugs: every byte alone, splits that move through the
// lines, and random ones.
var chunkings = []golden.Chunking{1, 7, golden.RandomChunks}

// smallOutput bounds the recordings that are sent byte by byte.
const smallOutput = 128 << 10

func checkChunking(ctx context.Context, s *subject, p *probe) {
	if !s.hasRecordings(p) {
		return
	}
	proved := false
	for _, r := range s.Recordings {
		whole, ok := s.playWhole(ctx, p, r)
		if !ok {
			return
		}
		proved = proved || hasResults(whole)
		for _, c := range chunkings {
			if c > 0 && r.Size() > smallOutput {
				continue
			}
			split, ok := s.play(ctx, p, r, c)
			if !ok {
				return
			}
			if diff := split.Diff(whole); diff != "" {
				p.fail(fmt.Sprintf("%s in chunks of %s and whole: %s", r.Name, sizeName(c), diff),
					"keep what is left of a line, and of a character, until the next chunk")
			}
		}
	}
	if !proved {
		p.skip(silence)
	}
}

// manyLines is enough for a parser that does something for each line.
const manyLines = 10_000

// garbageOutputs returns what no runner prints.
func garbageOutputs() []golden.Recording {
	var list []golden.Recording
	for name, data := range map[string][]byte{
		"nothing":          nil,
		"binary":           bytes.Repeat([]byte{0xff, 0, '\n', '{', '"'}, 1000),
		"nested brackets":  bytes.Repeat([]byte("["), 100_000),
		"NULs":             make([]byte, manyLines),
		"windows lines":    bytes.Repeat([]byte("some text\r\n"), 100),
		"broken UTF-8":     []byte("\xc3\x28 \xed\xa0\x80\n\xf8\x88\x80\x80\x80\n"),
		"empty lines":      bytes.Repeat([]byte("\n"), manyLines),
		"escape sequences": bytes.Repeat([]byte("\x1b[31mred\x1b[0m\x1b]0;title\x07\n"), 100),
		"half an object":   []byte(`{"action":"pass","test":"Te`),
	} {
		for _, exit := range []sdk.Exit{{}, {Code: 1}, {Code: -1, Signal: "SIGKILL"}, {Code: -1, TimedOut: true}, {Code: -1, Cancelled: true}, {Unknown: true}} {
			for _, stream := range []sdk.Stream{sdk.Stdout, sdk.Stderr} {
				list = append(list, golden.Recording{Name: name, Pieces: []golden.Piece{{Stream: stream, Data: data}}, Exit: exit})
			}
		}
	}
	for name, data := range map[string][]byte{
		"one long line":   bytes.Repeat([]byte("x"), longLine),
		"one open object": append([]byte(`{"`), bytes.Repeat([]byte("x"), longLine)...),
	} {
		list = append(list, golden.Stdout(name, data, sdk.Exit{}), golden.Stdout(name, data, sdk.Exit{Code: 1}))
	}
	return list
}

// longLine is longer than anybody reads.
const longLine = 1 << 20

// checkGarbage sends what no runner prints. No test passed in it.
func checkGarbage(ctx context.Context, s *subject, p *probe) {
	const advice = "report a pass when the runner says so, never because nothing failed"
	for _, r := range garbageOutputs() {
		events, ok := s.play(ctx, p, r, golden.WholeChunks)
		if !ok {
			return
		}
		for id := range events.Passes() {
			p.fail(fmt.Sprintf("%s, exit %+v: %v is reported as passed", r.Name, r.Exit, id), advice)
		}
		for _, suite := range events.Suites {
			if suite.Outcome == sdk.SuitePassed {
				p.fail(fmt.Sprintf("%s, exit %+v: the suite %q is reported as passed", r.Name, r.Exit, suite.Suite), advice)
			}
		}
	}
}

// checkRedExits looks for the reason of every red run, and makes sure that a run killed in
// the middle does not look complete.
func checkRedExits(ctx context.Context, s *subject, p *probe) {
	if !s.hasRecordings(p) {
		return
	}
	red := 0
	for _, r := range s.Recordings {
		if isRed(r.Exit) {
			red++
			events, ok := s.playWhole(ctx, p, r)
			if !ok {
				return
			}
			if !isExplained(events) {
				p.fail(fmt.Sprintf("%s, exit %+v: the report has neither a failure nor a run_error", r.Name, r.Exit),
					"if a red run shows no failure, send a run_error with the runner's last output or how it ended")
			}
		}
		half := r.Cut(r.Size() / 2)
		half.Name, half.Exit = r.Name+", killed in the middle", sdk.Exit{Code: -1, Signal: "SIGKILL"}
		events, ok := s.play(ctx, p, half, golden.WholeChunks)
		if !ok {
			return
		}
		if !isExplained(events) && !events.Damaged() && !hasUnfinished(events) {
			p.fail(half.Name+": nothing in the report says that the run did not end",
				"report what has no end as UNFINISHED and truncated records as damaged, and send a run_error if there is neither")
		}
	}
	if red == 0 {
		p.skip("no recorded output is red: record a run with failures, and one that cannot even start")
		return
	}
	checkMadeUpEnds(ctx, s, p)
}

// checkMadeUpEnds plays outputs with failing exits that no runner produced. The host
// knows the exit code itself, so silence is not a fault; it only leaves the user
// without a reason.
func checkMadeUpEnds(ctx context.Context, s *subject, p *probe) {
	for _, r := range []golden.Recording{
		golden.Stdout("no output at all", nil, sdk.Exit{Code: 1}),
		golden.Stdout("one line of text", []byte("some text\n"), sdk.Exit{Code: 2}),
	} {
		if events, ok := s.play(ctx, p, r, golden.WholeChunks); ok && !isExplained(events) {
			p.note(fmt.Sprintf("%s and exit code %d: the report has neither a failure nor a run_error, so users learn only the code", r.Name, r.Exit.Code))
		}
	}
}

func isRed(exit sdk.Exit) bool {
	return !exit.Unknown && !exit.Cancelled && (exit.Code != 0 || exit.Signal != "" || exit.TimedOut)
}

func isExplained(e *golden.Events) bool { return len(e.Failures)+len(e.RunErrors) > 0 }

// hasUnfinished reports whether something was reported to have no end.
func hasUnfinished(e *golden.Events) bool {
	return slices.ContainsFunc(e.Tests, func(t sdk.TestResult) bool { return t.Status == sdk.Unfinished }) ||
		slices.ContainsFunc(e.Suites, func(s sdk.SuiteResult) bool { return s.Outcome == sdk.SuiteUnfinished || s.Outcome == sdk.SuiteAborted })
}
