package tally

import (
	"hash/maphash"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// maxDistinct is how many tests of a run are distinguished, to count each once.
const maxDistinct = 100_000

// distinct counts each test once, however often it runs.
type distinct struct {
	seed                   maphash.Seed
	worst                  map[uint64]rank // of the results of each
	cached                 map[uint64]bool // those whose results are all from the cache
	passed, skipped, again int
	tooMany                bool
	results                struct{ all, passed, skipped, cached int }
}

// rank orders how a test ended, from what another result of it overrules. It holds no pointer:
// the collector need not look at a hundred thousand of them.
type rank uint8

const (
	skipped rank = iota + 1
	passed
	red
)

func rankOf(s sdk.Status) rank {
	switch s {
	case sdk.Skipped:
		return skipped
	case sdk.Passed:
		return passed
	}
	return red
}

func newDistinct() distinct {
	return distinct{seed: maphash.MakeSeed(), worst: map[uint64]rank{}, cached: map[uint64]bool{}}
}

func (d *distinct) add(r *api.Result) {
	d.results.all++
	switch r.Status {
	case sdk.Passed:
		d.results.passed++
		if r.Cached {
			d.results.cached++
		}
	case sdk.Skipped:
		d.results.skipped++
	}
	var h maphash.Hash
	h.SetSeed(d.seed)
	_, _ = h.WriteString(r.Suite)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(r.Test)
	id := h.Sum64()
	before, seen := d.worst[id]
	switch {
	case seen:
		d.again++
	case len(d.worst) >= maxDistinct:
		d.tooMany = true
	}
	if d.tooMany {
		return
	}
	now := max(before, rankOf(r.Status))
	d.count(before, -1)
	d.count(now, +1)
	d.worst[id] = now
	if r.Cached && (!seen || d.cached[id]) {
		d.cached[id] = true
	} else {
		delete(d.cached, id)
	}
}

func (d *distinct) count(r rank, n int) {
	switch r {
	case passed:
		d.passed += n
	case skipped:
		d.skipped += n
	}
}

// fill sets the counts of a run. Of more tests than are distinguished, each result counts
// as a test, unless one of those that are ran again: then some of the others have, too.
func (d *distinct) fill(c *api.Counts) {
	if d.tooMany {
		if d.again == 0 {
			c.Tests, c.TestsPassed, c.TestsSkipped, c.TestsCached = d.results.all, d.results.passed, d.results.skipped, d.results.cached
		}
		return
	}
	c.Tests, c.TestsPassed, c.TestsSkipped, c.Repeats = len(d.worst), d.passed, d.skipped, d.again
	for id := range d.cached {
		if d.worst[id] == passed {
			c.TestsCached++
		}
	}
}
