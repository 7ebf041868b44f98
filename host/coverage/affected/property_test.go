package affected_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/internal/property"
	"github.com/proctorhq/proctor/sdk"
)

// input is what there is to know of a program and its base, with these measured suites.
func input(base, now program, measured map[string]*coverage.Suite) affected.Input {
	return affected.Input{
		Changes: changes(base, now), Graph: now.graph(), Suites: measured, Digest: now.digest, Outline: now.outline,
		Lines: func(file string) ([]uint32, bool) {
			text, ok := now.text(file)
			return coverage.HashLines([]byte(text)), ok
		},
	}
}

// drawMeasured generates measurements of a program: of most suites each test, of others
// nothing, or not by test.
func drawMeasured(t *rapid.T, p program) map[string]*coverage.Suite {
	measured := map[string]*coverage.Suite{}
	for _, pkg := range sortedKeys(p.imports) {
		switch rapid.IntRange(0, 5).Draw(t, "measured") {
		case 0:
		case 1:
			m := p.measure(pkg)
			m.Granularity, m.Tests = api.GranularitySuite, nil
			measured[pkg] = m
		default:
			measured[pkg] = p.measure(pkg)
		}
	}
	return measured
}

// chosen says of each test of a program whether it is selected.
func chosen(p program, c affected.Choice) map[sdk.TestID]bool {
	all := map[sdk.TestID]bool{}
	for pkg, tests := range p.suites() {
		for _, name := range tests {
			all[sdk.TestID{Suite: pkg, Test: name}] = c.Everything != ""
		}
	}
	for _, picked := range c.Suites {
		for _, name := range p.suites()[picked.Suite] {
			all[sdk.TestID{Suite: picked.Suite, Test: name}] = true
		}
	}
	for _, picked := range c.Tests {
		all[sdk.TestID{Suite: picked.Suite, Test: picked.Test}] = true
	}
	return all
}

func drawEdits(t *rapid.T, p program) program {
	q := p.clone()
	for n := rapid.IntRange(0, 3).Draw(t, "edits"); n > 0; n-- {
		q.edit(t)
	}
	return q
}

// unknowable reports whether a test sees everything, which nobody saw when it was
// measured.
func unknowable(now program, m *coverage.Suite, test string) bool {
	if m != nil {
		for _, t := range m.Tests {
			if t.Name == test && t.Opaque != "" {
				return false
			}
		}
	}
	return now.units()[test].opaque
}

func TestEveryTestThatAnEditChangesIsChosen(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		base := drawProgram(t)
		now := drawEdits(t, base)
		measured := drawMeasured(t, base)
		c := affected.Choose(input(base, now, measured))
		for test, picked := range chosen(now, c) {
			before, after := base.outcome(test.Suite, test.Test), now.outcome(test.Suite, test.Test)
			if before != after && !picked && !unknowable(now, measured[test.Suite], test.Test) {
				t.Errorf("%v is left out and did\n%s\nand does\n%s", test, before, after)
			}
		}
	})
}

func TestATestThatIsLeftOutDoesWhatItDidAtTheBaseOrWhenItPassed(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		then := drawProgram(t)
		base := drawEdits(t, then)
		now := drawEdits(t, base)
		measured := drawMeasured(t, then)
		c := affected.Choose(input(base, now, measured))
		for test, picked := range chosen(now, c) {
			if picked || unknowable(now, measured[test.Suite], test.Test) {
				continue
			}
			is := now.outcome(test.Suite, test.Test)
			if was := then.outcome(test.Suite, test.Test); is != base.outcome(test.Suite, test.Test) && (is != was || status(was) == sdk.Failed) {
				t.Errorf("%v is left out and does\n%s", test, is)
			}
		}
	})
}

// A selected test ends as in a run of all tests, and an omitted one still does what it
// did, unless something is reported or it sees things there that it does not see alone.
func TestAChosenTestFindsWhatItDoesInARunOfAll(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		base := drawProgram(t)
		now := drawEdits(t, base)
		measured := base.measureAll()
		c := affected.Choose(input(base, now, measured))
		picked := chosen(now, c)
		for pkg := range now.suites() {
			was, _ := base.together(pkg, anyTest)
			all, _ := now.together(pkg, anyTest)
			some, _ := now.together(pkg, func(test string) bool { return picked[sdk.TestID{Suite: pkg, Test: test}] })
			for _, test := range now.suites()[pkg] {
				untold := slices.ContainsFunc(c.Untold, func(u api.Untold) bool {
					return u.Suite == pkg && (u.Unit == test || u.What == coverage.AmongOthers)
				})
				got, ran := some[test]
				switch {
				case ran && !untold && got != all[test] && all[test] != was[test]:
					t.Errorf("%s is chosen, and does\n%s\namong all\n%s", test, got, all[test])
				case !ran && !untold && all[test] != was[test] && !base.seesMore(pkg, test) && !unknowable(now, measured[pkg], test):
					t.Errorf("%s is left out, and did among all\n%s\nand does\n%s", test, was[test], all[test])
				}
			}
		}
	})
}

// seesMore reports whether a test sees something among the others that it did not see
// alone, so that it was not measured: a file, everything, or the lines of code.
func (p program) seesMore(pkg, test string) bool {
	alone := p.start(pkg)
	alone.execute(test, 0)
	_, did := p.together(pkg, anyTest)
	for file := range did[test].reads {
		if !alone.reads[file] {
			return true
		}
	}
	for name, at := range p.places() {
		if p.units()[name].caller && did[test].executed[at] > alone.executed[at] {
			return true
		}
	}
	return did[test].opaque != "" && alone.opaque == ""
}

func TestMoreChangesNeverChooseLess(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		base := drawProgram(t)
		now := drawEdits(t, base)
		in := input(base, now, drawMeasured(t, base))
		few := in
		few.Changes = nil
		for _, change := range in.Changes {
			if rapid.Bool().Draw(t, "known") {
				few.Changes = append(few.Changes, change)
			}
		}
		all := chosen(now, affected.Choose(in))
		for test, picked := range chosen(now, affected.Choose(few)) {
			if picked && !all[test] {
				t.Errorf("%v is chosen by %v alone", test, few.Changes)
			}
		}
	})
}

func TestLessKnowledgeNeverChoosesLess(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		then := drawProgram(t)
		base := drawEdits(t, then)
		now := drawEdits(t, base)
		in := input(base, now, drawMeasured(t, then))
		less := in
		switch rapid.IntRange(0, 3).Draw(t, "lost") {
		case 0:
			less.Outline = nil
		case 1:
			less.Lines = nil
		case 2:
			less.Graph = nil
		case 3:
			less.InBase = func(string) bool { return false }
		}
		unsure := affected.Choose(less)
		all := chosen(now, unsure)
		for test, picked := range chosen(now, affected.Choose(in)) {
			// Without outlines it is unknown what tests leave for each other, and the choice says so.
			told := slices.ContainsFunc(unsure.Untold, func(u api.Untold) bool { return u.Suite == test.Suite })
			if picked && !all[test] && !told {
				t.Errorf("%v is left out where less is known", test)
			}
		}
	})
}

func TestASuiteThatWasNotMeasuredIsChosenWholeWhereItsTestsAre(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		base := drawProgram(t)
		now := drawEdits(t, base)
		measured := drawMeasured(t, base)
		known := chosen(now, affected.Choose(input(base, now, measured)))
		lost := rapid.SampledFrom(sortedKeys(base.imports)).Draw(t, "lost")
		delete(measured, lost)
		all := chosen(now, affected.Choose(input(base, now, measured)))
		// Only a measurement shows that a test is opaque. Such a test is selected
		// whatever changed, together with the tests of its suite that leave the state
		// it uses.
		seenOpaque := map[string]bool{}
		for test, picked := range known {
			if picked && now.units()[test.Test].opaque {
				seenOpaque[test.Suite] = true
			}
		}
		for test, picked := range known {
			if picked && !all[test] && !(test.Suite == lost && seenOpaque[lost]) {
				t.Errorf("%v is left out where %s was not measured", test, lost)
			}
		}
	})
}

func TestAChoiceIsTheSameEachTime(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		then := drawProgram(t)
		base := drawEdits(t, then)
		in := input(base, drawEdits(t, base), drawMeasured(t, then))
		if diff := cmp.Diff(affected.Choose(in), affected.Choose(in)); diff != "" {
			t.Error(diff)
		}
	})
}
