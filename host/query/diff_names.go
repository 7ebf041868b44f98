package query

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
)

// differInNames reports whether one of two runs of everything has a test that the
// other one has not.
func (d *differ) differInNames() bool {
	for _, sides := range [][2]sideOf{{d.before, d.now}, {d.now, d.before}} {
		for t := range sides[0] {
			if _, both := sides[1][t]; !both && t.Test != "" {
				return d.pair.before.Complete() && d.pair.now.Complete()
			}
		}
	}
	return false
}

// rename gives tests of the run before the names that they have now: those whose names
// have addresses, and those that were renamed between the runs.
func (d *differ) rename() {
	gone, come := onlyIn(d.before, d.now), onlyIn(d.now, d.before)
	ended := func(tests []api.Test, in sideOf) (list []classify.Ended) {
		for _, t := range tests {
			list = append(list, classify.Ended{Test: t, Outcome: in[t].Outcome})
		}
		return list
	}
	for was, is := range classify.SameTests(ended(gone, d.before), ended(come, d.now)) {
		d.before[is] = d.before[was]
		delete(d.before, was)
	}
	if !d.whole(d.pair.before) || !d.whole(d.pair.now) {
		return
	}
	d.was = map[api.Test]string{}
	for was, is := range classify.Renames(declared(gone, d.before, d.now), declared(come, d.now, d.before)) {
		d.before[is] = d.before[was]
		d.was[is] = was.Test
		delete(d.before, was)
		for _, part := range gone {
			s := d.before[part]
			rest, inside := strings.CutPrefix(part.Test, was.Test)
			now := api.Test{Suite: is.Suite, Test: is.Test + rest}
			if there, ok := d.now[now]; inside && part.Suite == was.Suite && s.Root == was.Test && ok && there.Root == is.Test {
				d.before[now], d.was[now] = s, part.Test
				delete(d.before, part)
			}
		}
	}
}

// onlyIn are the tests of a run that another one does not have.
func onlyIn(here, there sideOf) (tests []api.Test) {
	for t := range here {
		if _, both := there[t]; !both && t.Test != "" {
			tests = append(tests, t)
		}
	}
	return tests
}

// declared are those tests that a run of everything lists, of suites that neither run
// has broken.
func declared(tests []api.Test, in, other sideOf) (list []classify.Declared) {
	var all []classify.Declared
	for t, s := range in {
		if s.Root == "" || s.Root == t.Test {
			all = append(all, classify.Declared{Test: t, File: s.File, Line: s.Line, Body: s.Body})
		}
	}
	for _, t := range tests {
		s, ok := in[t]
		if ok && (s.Root == "" || s.Root == t.Test) && !other.broken(t.Suite) && !in.broken(t.Suite) && s.Outcome != history.NeverStarted {
			list = append(list, classify.Declared{Test: t, File: s.File, Line: s.Line, Body: s.Body})
		}
	}
	return classify.Placed(list, all)
}
