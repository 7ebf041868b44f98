package conform

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// checkGolden compares the reports with the expected ones.
func checkGolden(ctx context.Context, s *subject, p *probe) {
	const advice = "fix the parser; or, if the report is right, review what `proctor plugin exec BINARY parse --want --case DIR` prints and save it as want.json"
	compared, passed := 0, false
	for _, c := range s.Cases {
		switch {
		case c.Want == nil:
			p.note(fmt.Sprintf("case %s has no want.json: `proctor plugin exec BINARY parse --want --case DIR` prints one for review", c.Name))
		case c.Want.Empty() && len(c.Want.Absent) == 0:
			p.note(fmt.Sprintf("case %s: its want.json expects nothing, so nothing was compared", c.Name))
		case !c.Listing && !c.Want.Empty():
			compared++
			events, ok := s.playWhole(ctx, p, c.Recording)
			if !ok {
				return
			}
			passed = passed || len(events.Passes()) > 0
			for _, difference := range c.Want.Compare(events) {
				p.fail(fmt.Sprintf("case %s: %s", c.Name, difference), advice)
			}
		}
	}
	if compared == 0 {
		p.skip("no case with a want.json that expects anything was given: record runs of the runner, write down what must be reported, and give --cases")
	} else if !passed {
		p.skip("no case that was compared has a test that passed: record a green run")
	}
}

// checkFakes looks for tests that only a log line mentions.
func checkFakes(ctx context.Context, s *subject, p *probe) {
	looked := false
	for _, c := range s.Cases {
		if c.Want == nil || len(c.Want.Absent) == 0 || c.Listing {
			continue
		}
		events, ok := s.playWhole(ctx, p, c.Recording)
		if !ok {
			return
		}
		for _, id := range c.Want.Absent {
			if c.Mentions(id.Name) {
				looked = true
			} else {
				p.note(fmt.Sprintf("case %s: its output does not mention %q, so its absence shows nothing", c.Name, id))
			}
		}
		for _, id := range c.Want.Pretended(events) {
			p.fail(fmt.Sprintf("case %s: %s was reported, although only the output of a test mentions it", c.Name, id),
				"believe only the runner's own records, in the place where the runner puts them")
		}
	}
	if !looked {
		p.skip("no case has a pretended result: record a run in which a test prints what the runner prints for a pass, and name that pass under \"absent\" in want.json")
	}
}

// cuts is the number of places at which a recording is cut or damaged.
const cuts = 20

// checkCut truncates recordings. What was not printed cannot have passed.
func checkCut(ctx context.Context, s *subject, p *probe) {
	if !s.hasRecordings(p) {
		return
	}
	proved := false
	for _, r := range s.Recordings {
		events, ok := s.playWhole(ctx, p, r)
		if !ok {
			return
		}
		passed, named := events.Passes(), map[sdk.TestID]bool{}
		proved = proved || len(passed) > 0
		for i := range cuts {
			size := r.Size() * i / cuts
			short := r.Cut(size)
			short.Name = fmt.Sprintf("%s, cut after %d of %d bytes", r.Name, size, r.Size())
			// Killed in the middle, or with output lost on the way.
			if i%2 == 0 {
				short.Exit = sdk.Exit{Code: -1, Signal: "SIGKILL"}
			}
			events, ok := s.play(ctx, p, short, golden.WholeChunks)
			if !ok {
				return
			}
			for id := range events.Passes() {
				if !passed[id] && !named[id] {
					named[id] = true
					p.fail(fmt.Sprintf("%s: %v passed, but not in the whole output", short.Name, id),
						"report a pass once its record is complete or the summary confirms it, and what has no end as UNFINISHED")
				}
			}
		}
	}
	if !proved {
		p.skip("no recorded output has a test that passed: record a green run")
	}
}

// checkDamage inserts bytes that are not text into recordings.
func checkDamage(ctx context.Context, s *subject, p *probe) {
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
		for i := range 2 * cuts {
			bad := damageRecording(r, i)
			events, ok := s.play(ctx, p, bad, golden.WholeChunks)
			if !ok {
				return
			}
			compareDamaged(p, bad.Name, events, whole)
		}
	}
	if !proved {
		p.skip(silence)
	}
}

// compareDamaged compares the report on damaged output with that on the whole: damage must
// not make anything pass, and no failure may vanish silently.
func compareDamaged(p *probe, name string, got, whole *golden.Events) {
	// Compare names, because a damaged suite is another suite.
	passed, wrong := map[string]bool{}, map[string]bool{}
	for _, t := range whole.Tests {
		passed[t.Test] = passed[t.Test] || t.Status == sdk.Passed
		if t.Status == sdk.Failed || t.Status == sdk.Unfinished {
			wrong[t.Test] = true
		}
	}
	for id := range got.Passes() {
		if wrong[id.Test] && !passed[id.Test] {
			p.fail(fmt.Sprintf("%s: %v passed, but not without the damage", name, id), "report what cannot be read as damaged, and never as a pass")
		}
	}
	// A skipped test may lose the word that says so; a failed one must not.
	if most := len(whole.Passes()) + countSkipped(whole); len(wrong) > 0 && len(got.Passes()) > most {
		p.fail(fmt.Sprintf("%s: %d tests passed, but at most %d without the damage", name, len(got.Passes()), most), "report what cannot be read as damaged, and never as a pass")
	}
	// The host sees that a red run without any results is red anyway.
	if len(got.Tests) > 0 && isExplained(whole) && !isExplained(got) && len(got.Unreads) == 0 && !hasUnfinished(got) {
		p.fail(name+": without the damage there is a failure, but the report mentions neither a failure nor damage",
			"count what cannot be read as unread, and as damaged if it may have been a result")
	}
}

func countSkipped(e *golden.Events) int {
	n := 0
	for _, t := range e.Tests {
		if t.Status == sdk.Skipped {
			n++
		}
	}
	return n
}

// silence is the reason given if recordings show nothing.
const silence = "the plugin reports no test of any recorded output: record runs of its own runner"

// hasResults reports whether a report has any results that could be wrong.
func hasResults(e *golden.Events) bool { return len(e.Tests)+len(e.Failures) > 0 }

// damages are bytes that are not text, each for another reason.
var damages = []string{"\xff", "\x00", "\xc3", "\xed\xa0\x80"}

// damageRecording replaces a few bytes throughout a recording, or a single one.
func damageRecording(r golden.Recording, round int) golden.Recording {
	bad := damages[round%len(damages)]
	step := max(r.Size()/cuts, 2)
	hit := func(i int) bool { return i%step == round%step }
	if round >= cuts {
		place := (round - cuts) * r.Size() / cuts
		hit = func(i int) bool { return i == place }
	}
	var pieces []golden.Piece
	at := 0
	for _, piece := range r.Pieces {
		var data []byte
		for _, b := range piece.Data {
			if hit(at) {
				data = append(data, bad...)
			} else {
				data = append(data, b)
			}
			at++
		}
		pieces = append(pieces, golden.Piece{Stream: piece.Stream, Data: data})
	}
	r.Pieces, r.Name = pieces, fmt.Sprintf("%s with %q in it", filepath.Base(r.Name), bad)
	return r
}
