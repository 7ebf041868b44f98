package parse

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// uncompiled is what the runtime says on standard error when a process is ended that
// was built to measure coverage and has no code to measure; see
// internal/coverage/cfile. It has nothing to do with why the process ended.
const uncompiled = "program not built with -cover"

// isCoverageNoise tells the output that is only there because coverage is measured,
// and that would be taken for the last words of a process. It may follow a line that
// has no line feed, and is then cut off.
func (s *selection) isCoverageNoise(ev *testjson.Event) bool {
	if !s.covers {
		return false
	}
	text := bytes.TrimSuffix(ev.Output, []byte(`\n`))
	rest, found := bytes.CutSuffix(text, []byte(uncompiled))
	if found {
		ev.Output = rest
	}
	return found && len(rest) == 0
}

// unreported starts what package testing says, with exit status 2, when a test left
// standard output closed or replaced, to which it writes the coverage; see
// testing/newcover.go. Without coverage nothing would have failed.
const unreported = "error generating coverage report: "

// byCoverage is added to the message of a suite that failed only because coverage is
// measured.
const byCoverage = "it failed because coverage is measured: the report goes to the standard output, which the tests closed or replaced"

// failedByCoverage reports whether a suite failed so.
func (s *selection) failedByCoverage(lines []line) bool {
	return s.covers && slices.ContainsFunc(lines, func(l line) bool { return strings.HasPrefix(l.text, unreported) })
}

// written is a place in a file that somebody wrote.
type written struct{ file, column string }

// uncovered is the place of a build error as it is without coverage. What is compiled
// is then not the file but one with counters in it: on a line with a counter the column
// is wrong, and what a C compiler says is about the file with the counters. Vet reads
// the file itself.
func (s *selection) uncovered(kind, file, column string) written {
	if !s.covers || kind == sdk.KindVet || strings.HasSuffix(file, "_test.go") {
		return written{file, column}
	}
	if name, is := strings.CutSuffix(filepath.Base(file), ".cover.go"); is && strings.HasPrefix(file, "$WORK") {
		file = name + ".go"
	}
	return written{file, ""}
}
