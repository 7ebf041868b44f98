package parse

import (
	"bytes"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxRaces bounds the reports kept for a suite; one racy test may print hundreds.
	maxRaces = 32
	// maxRaceLines bounds one report.
	maxRaceLines = 200
)

// race is one report of the race detector.
type race struct {
	// under is the test whose text contains it, or "".
	under string
	lines []string
	// claimed reports whether a failure uses it.
	claimed bool
}

// raceReader collects the reports of a suite. A report is printed where the race
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
	// what is the description: "Previous write at 0x00c000018258 by goroutine 7:".
	what   string
	frames []frame
}

// accesses returns the two sides, followed by what started their goroutines.
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

// isReport distinguishes a report from text that only starts like one.
func (r *race) isReport() bool {
	for _, a := range r.accesses() {
		if len(a.frames) > 0 {
			return true
		}
	}
	return false
}

// mentions reports whether the report mentions a top-level test.
func (r *race) mentions(suiteName, top string) bool {
	for _, a := range r.accesses() {
		for _, f := range a.frames {
			if name, _ := f.testRoot(suiteName); name == top {
				return true
			}
		}
	}
	return false
}

// firstTest returns the first top-level test that the report mentions.
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

// raceExit is the exit line of a process that had a race.
const raceExit = "exit status 66"

// examineRace explains a test's failure by a data race. The report may be filed under
// the name of another test, and package testing may also fail a test that ran at the same
// time: the stack frames show which test the race belongs to.
func (x *examiner) examineRace(s *suite, t *test, found []block, f *finding) bool {
	noticed := false
	for _, b := range found {
		noticed = noticed || b.says(raceDetected)
	}
	if !noticed {
		return false
	}
	s.raceDetected = true
	r := s.races.claim(s.name, t.name)
	if r == nil { // GORACE may have sent it to a file
		x.examineBlocks(s, found, f)
		f.kind, f.own = sdk.KindRace, true
		return true
	}
	if r.claimed && t.childFailed || !r.mentions(s.name, rootOf(t.name)) && r.firstTest(s.name) != "" {
		return x.examineVictim(s, found, f)
	}
	r.claimed = true
	describeRace(x.tree, s, r, rootOf(t.name), f)
	if r.under != t.name && r.under != "" {
		f.derivedFrom = []sdk.TestID{s.id(r.under)}
	}
	also := finding{}
	x.examineBlocks(s, found, &also)
	if also.own {
		f.also = append(f.also, sdk.Also{Location: also.location, Message: also.message})
		f.also = append(f.also, also.also...)
	}
	return true
}

// examineVictim handles a test that failed only because of the race of a concurrent test.
// It has no failure unless it printed messages of its own.
func (x *examiner) examineVictim(s *suite, found []block, f *finding) bool {
	x.examineBlocks(s, found, f)
	if !f.own {
		f.victim = true
	}
	return true
}

// claim picks the report for a test that failed because of a race: one that names the
// test, or one in its text, or any.
func (r *raceReader) claim(suiteName, name string) *race {
	for _, fits := range []func(*race) bool{
		func(c *race) bool { return c.under == name && c.mentions(suiteName, rootOf(name)) },
		func(c *race) bool { return !c.claimed && c.mentions(suiteName, rootOf(name)) },
		func(c *race) bool { return c.under == name },
		func(c *race) bool { return !c.claimed },
		func(*race) bool { return true },
	} {
		for i := range r.races {
			if r.races[i].isReport() && fits(&r.races[i]) {
				return &r.races[i]
			}
		}
	}
	return nil
}

// describeRace adds the places of the two accesses.
func describeRace(tree *tree, s *suite, r *race, top string, f *finding) {
	f.kind, f.own = sdk.KindRace, true
	message := []string{"data race"}
	for i, a := range r.accesses() {
		if i > 1 || len(a.frames) == 0 {
			break
		}
		at := tree.locate(s, a.frames[0].file, a.frames[0].line)
		what, _, _ := strings.Cut(a.what, " at 0x")
		message = append(message, strings.ToLower(what)+" in "+a.frames[0].shortFunction())
		if i == 0 {
			f.location, f.stack = at, tree.frames(s, a.frames)
			f.testFrame = tree.testFrame(s, goroutine{frames: a.frames}, top)
			continue
		}
		f.also = append(f.also, sdk.Also{Location: at, Message: strings.ToLower(what)})
	}
	f.message = strings.Join(message, "\n")
	for _, text := range r.lines {
		f.lines = append(f.lines, line{text: text})
	}
	f.anchor = 0
}

// blameRaces reports the races that no failed test has claimed as failures of the tests
// they name: those may have passed, or failed for another reason, while others failed
// because of the race.
func (a *attributor) blameRaces(s *suite) {
	if !s.raceDetected {
		return // a test printed what looks like a report
	}
	for i := range s.races.races {
		r := &s.races.races[i]
		top := r.firstTest(s.name)
		tried := s.attempts[s.key(top)]
		if r.claimed || top == "" || tried.raced {
			continue
		}
		r.claimed = true
		f := finding{}
		describeRace(a.tree, s, r, top, &f)
		if !tried.reported {
			a.blameFor(s, top, r.under, f)
			continue
		}
		if r.under != top && r.under != "" {
			f.derivedFrom = []sdk.TestID{s.id(r.under)}
		}
		tried.raced = true
		s.attempts[s.key(top)] = tried
		a.report(a.newFailure(s.id(top), f))
	}
}

// unclaimed returns a report that explains no test and is filed under a certain name,
// or under any if the exit status says that there was a race.
func (s *suite) unclaimed(under string) *race {
	r := &s.races
	raced := len(r.races) > 0 && s.lastExit() == raceExit
	for i := range r.races {
		here := raced || r.races[i].under == under
		if here && !r.races[i].claimed && r.races[i].isReport() {
			return &r.races[i]
		}
	}
	return nil
}
