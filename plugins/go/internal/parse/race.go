package parse

import (
	"bytes"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
)

const (
	// maxRaces is how many reports of a suite are kept; one test that races
	// may print hundreds.
	maxRaces = 32
	// maxRaceLines bounds one report.
	maxRaceLines = 200
)

// race is one report of the race detector.
type race struct {
	// under is the test whose text holds it; empty is no test.
	under string
	lines []string
	// claimed by a failure.
	claimed bool
}

// raceReader collects the reports of a suite. A report stands where the race
// happened to be noticed, which may be under the name of another test.
type raceReader struct {
	races   []race
	under   string
	open    bool
	partial []byte
}

var (
	raceStart = []byte("WARNING: DATA RACE")
	raceEnd   = []byte("==================")
)

func (r *raceReader) read(under string, escaped []byte) {
	if !r.open {
		if len(r.races) < maxRaces && bytes.HasPrefix(escaped, raceStart) {
			r.races = append(r.races, race{under: under})
			r.open, r.under, r.partial = true, under, r.partial[:0]
		}
		return
	}
	if under != r.under {
		return
	}
	if bytes.HasPrefix(escaped, raceEnd) {
		r.open = false
		return
	}
	r.partial = testjson.AppendUnescaped(r.partial[:0], escaped[:min(len(escaped), maxPiece)])
	current := &r.races[len(r.races)-1]
	if len(current.lines) < maxRaceLines {
		current.lines = append(current.lines, strings.ToValidUTF8(strings.TrimRight(string(r.partial), "\r\n"), "\uFFFD"))
	}
}

// access is one side of a race.
type access struct {
	// what is said of it: "Previous write at 0x00c000018258 by goroutine 7:".
	what   string
	frames []frame
}

// accesses are the two sides, then what started their goroutines.
func (r *race) accesses() []access {
	var all []access
	pending := ""
	for _, text := range r.lines {
		switch {
		case text == "":
			pending = ""
		case !strings.HasPrefix(text, " "):
			all = append(all, access{what: text})
			pending = ""
		case len(all) == 0:
		case pending == "":
			pending, _ = parseFunction(text)
		default:
			if file, line, ok := parseFrameFile(text); ok {
				f := frame{function: pending, file: file, line: line}
				if last := &all[len(all)-1]; f.isUser() && len(last.frames) < maxFrames {
					last.frames = append(last.frames, f)
				}
			}
			pending = ""
		}
	}
	return all
}

// isReport tells a report from text that only starts like one.
func (r *race) isReport() bool {
	for _, a := range r.accesses() {
		if len(a.frames) > 0 {
			return true
		}
	}
	return false
}

// names reports whether the report mentions a top-level test.
func (r *race) names(suiteName, top string) bool {
	for _, a := range r.accesses() {
		for _, f := range a.frames {
			if name, _ := f.testRoot(suiteName); name == top {
				return true
			}
		}
	}
	return false
}

// firstTest is the first top-level test that the report mentions.
func (r *race) firstTest(suiteName string) string {
	for _, a := range r.accesses() {
		for _, f := range a.frames {
			if name, _ := f.testRoot(suiteName); name != "" {
				return name
			}
		}
	}
	return ""
}
