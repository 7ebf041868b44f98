package host

import "github.com/proctorhq/proctor/host/classify"

// differInNames tells whether one of two runs of everything has a test that the
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

// rename gives tests of the run before whose names have addresses the names that
// they have now.
func (d *differ) rename() {
	only := func(here, there sideOf) (list []classify.Ended) {
		for t, s := range here {
			if _, both := there[t]; !both {
				list = append(list, classify.Ended{Test: t, Outcome: s.Outcome})
			}
		}
		return list
	}
	for was, is := range classify.SameTests(only(d.before, d.now), only(d.now, d.before)) {
		d.before[is] = d.before[was]
		delete(d.before, was)
	}
}
