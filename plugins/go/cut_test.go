package gotest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// everyLine is the number of lines up to which a recording is cut after each line.
	// Longer ones are cut after their first and last lines, and at even steps.
	everyLine = 20
	// lastLines are cut after every byte, up to bytesPerCase.
	lastLines    = 3
	bytesPerCase = 8
	// The whole suite cuts at moreCuts as many places, and PROCTOR_FUZZ after every line
	// and every byte.
	moreCuts = 3
)

// A recording may end anywhere, and its exit status is unknown. While something that
// began has no end, it is not a pass.
func TestNoCutOfARedRecordingIsGreen(t *testing.T) {
	cuts, green := 0, 0
	for _, c := range loadCorpus(t) {
		want, err := c.Want()
		if err != nil {
			t.Fatal(err)
		}
		if !want.Red || c.Meta.Edit != nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			whole := replayOf(t, c)
			r := replay{exit: sdk.Exit{Unknown: true}}
			// Also with both streams in one file, as `go test -json 2>&1` leaves them.
			for _, stream := range [][]byte{whole.stdout, slices.Concat(whole.stderr, whole.stdout)} {
				for _, at := range cutsOf(stream) {
					r.stdout = slices.Concat([]byte(before), stream[:at])
					cuts++
					if !isGreen(r.feed(t, feeding{})) {
						continue
					}
					if !hasAllEnds(r.stdout) {
						t.Errorf("cut after %d of %d bytes it is green: …%q", at, len(stream), r.stdout[max(0, at-120):])
						return
					}
					green++
				}
				if len(whole.stderr) == 0 {
					break
				}
			}
		})
	}
	t.Logf("%d cuts, %d of them complete and green", cuts, green)
}

// before is a package that passed: without any pass nothing is green.
const before = `{"Action":"start","Package":"example.com/before"}
{"Action":"run","Package":"example.com/before","Test":"TestBefore"}
{"Action":"output","Package":"example.com/before","Test":"TestBefore","Output":"=== RUN   TestBefore\n"}
{"Action":"output","Package":"example.com/before","Test":"TestBefore","Output":"--- PASS: TestBefore (0.00s)\n"}
{"Action":"pass","Package":"example.com/before","Test":"TestBefore","Elapsed":0}
{"Action":"output","Package":"example.com/before","Output":"PASS\n"}
{"Action":"output","Package":"example.com/before","Output":"ok  \texample.com/before\t0.001s\n"}
{"Action":"pass","Package":"example.com/before","Elapsed":0.001}
`

// cutsOf returns the places to cut a stream at, last ones first: after lines, and after
// bytes of the last lines.
func cutsOf(stream []byte) []int {
	var lines []int
	for at := range stream {
		if stream[at] == '\n' {
			lines = append(lines, at+1)
		}
	}
	var cuts []int
	every, tail := everyLine, bytesPerCase
	switch {
	case os.Getenv("PROCTOR_FUZZ") != "":
		every, tail = len(lines), len(stream)
	case needs.IsWhole():
		every, tail = moreCuts*every, moreCuts*tail
	}
	step := max(1, len(lines)/max(1, every))
	for i, at := range lines {
		if i%step == 0 || i < every/2 || i >= len(lines)-every/2 {
			cuts = append(cuts, at)
		}
	}
	from := 0
	if n := len(lines) - lastLines - 1; n >= 0 {
		from = lines[n]
	}
	step = max(1, (len(stream)-from)/max(1, tail))
	for at := from; at < len(stream); at += step {
		cuts = append(cuts, at)
	}
	slices.Sort(cuts)
	slices.Reverse(cuts)
	return slices.Compact(cuts)
}

// isGreen reports whether a report without an exit status makes a pass: docs/verdicts.md.
func isGreen(o *corpus.Observed) bool {
	passed := slices.ContainsFunc(o.Tests, func(r sdk.TestResult) bool { return r.Status == sdk.Passed })
	red := len(o.Failures)+len(o.RunErrors) > 0 ||
		slices.ContainsFunc(o.Tests, func(r sdk.TestResult) bool { return r.Status == sdk.Failed || r.Status == sdk.Unfinished }) ||
		slices.ContainsFunc(o.Suites, func(s sdk.SuiteResult) bool { return s.Outcome != sdk.SuitePassed && s.Outcome != sdk.SuiteNoTests }) ||
		slices.ContainsFunc(o.Unreads, func(u sdk.Unread) bool { return u.Damaged })
	return passed && !red
}

// hasAllEnds reports whether a stream, parsed as naively as possible, ends everything
// that began in it and reports no failure, so that nothing shows that something is
// missing.
func hasAllEnds(stream []byte) bool {
	open := map[string]bool{}
	for line := range bytes.Lines(stream) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e struct{ Action, Package, Test, ImportPath string }
		if json.Unmarshal(line, &e) != nil {
			text := string(line)
			switch owner, isHeader := strings.CutPrefix(text, "# "); {
			case !strings.HasSuffix(text, "\n"), strings.HasPrefix(text, "FAIL"), strings.HasPrefix(text, "--- FAIL"),
				strings.HasPrefix(text, "go: ") && !strings.HasPrefix(text, "go: downloading ") && !strings.HasPrefix(text, "go: warning: "):
				return false
			case isHeader && !strings.HasPrefix(owner, "["):
				owner, _, _ = strings.Cut(strings.TrimSpace(owner), " [")
				open[strings.TrimSuffix(owner, "_test")] = true
			}
			continue
		}
		switch {
		case e.Action == "fail" || e.Action == "build-fail":
			return false
		case e.ImportPath != "":
			owner, _, _ := strings.Cut(e.ImportPath, " [")
			owner = strings.TrimSuffix(strings.TrimSuffix(owner, ".test"), "_test")
			if _, known := open[owner]; !known {
				open[owner] = true
			}
		case e.Package != "":
			open[e.Package] = !((e.Action == "pass" || e.Action == "skip") && e.Test == "")
		}
	}
	for _, is := range open {
		if is {
			return false
		}
	}
	return true
}
