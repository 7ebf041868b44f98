package shard

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/api"
)

// A guided division is handed out part by part, each to the next free slot: large parts
// first, as each costs a start, and small ones in the end, which level what estimates and
// unequal machines leave. In a simulation of 200 unequal machines with a million tests the
// last one ends 2 % after the ideal, and by four equal parts a machine 18 %.
const (
	// perSlot parts would remain for each slot if no further work came off.
	perSlot = 3
	// leastSeconds is the least that a part takes: 20 times what its start costs.
	leastSeconds = 2
	// mostUnknown parts for each slot are enough if nothing is known of durations.
	mostUnknown = 8
)

// Guided divides suites into parts for slots that each take the next part as soon as they
// have ended one, in the order of the result: the longest suites first, and in each part
// at least what takes two seconds or a share of what remains. A suite that is longer than
// its share is cut. The result depends on nothing but the arguments, whatever the order of
// suites.
func Guided(suites []Suite, slots int, timings Timings) [][]Piece {
	w := newWeights(suites, timings)
	least := float64(leastSeconds)
	if timings.IsZero() {
		least = w.total / float64(mostUnknown*slots)
	}
	d := w.guide(slots, least)
	for len(d.parts) > api.MaxShards {
		least *= 1.5
		d = w.guide(slots, least)
	}
	return d.pieces(w)
}

// guide divides into parts of at least some length, as far as there is work.
func (w weights) guide(slots int, least float64) division {
	share := max(w.total/float64(slots), least)
	var items []item
	for i, s := range w.suites {
		into := 1
		if s.weight > share && !s.Whole {
			into = min(int(perSlot*s.weight/share)+1, len(s.Tests))
		}
		items = append(items, s.cut(i, into)...)
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), cmp.Compare(a.suite, b.suite), cmp.Compare(a.piece, b.piece))
	})
	d := division{parts: [][]item{{}}, loads: []float64{0}}
	remaining := w.total
	limit := max(least, remaining/float64(perSlot*slots))
	for _, it := range items {
		last := len(d.parts) - 1
		if len(d.parts[last]) > 0 && d.loads[last] >= limit {
			remaining -= d.loads[last]
			limit = max(least, remaining/float64(perSlot*slots))
			d.parts, d.loads = append(d.parts, nil), append(d.loads, 0)
			last++
		}
		d.parts[last] = append(d.parts[last], it)
		d.loads[last] += it.weight
	}
	return d
}
