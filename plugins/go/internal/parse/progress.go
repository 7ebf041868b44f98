package parse

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// maxShown is how many running tests a snapshot names.
const maxShown = 16

// counts are the ends of tests so far.
type counts struct{ passed, failed, skipped, suites int }

func (c *counts) add(status sdk.Status) {
	switch status {
	case sdk.Passed:
		c.passed++
	case sdk.Failed:
		c.failed++
	case sdk.Skipped:
		c.skipped++
	}
}

// Progress implements [sdk.ProgressParser]. Tests that wait, for their subtests
// or for their turn, are not running. Failures that were only held back in case
// that more is said about them are reported when nothing comes.
func (p *Parser) Progress() sdk.Progress {
	now := p.now()
	for _, s := range p.suites.unfinished() {
		p.settler.settleAged(s, now)
	}
	snapshot := sdk.Progress{Passed: p.counts.passed, Failed: p.counts.failed, Skipped: p.counts.skipped, SuitesDone: p.counts.suites}
	var running []sdk.RunningTest
	for _, s := range p.suites.running {
		for _, t := range s.tests {
			if t.isLeaf() {
				running = append(running, sdk.RunningTest{ID: s.id(t.name), Elapsed: max(0, now.Sub(t.started))})
			}
		}
	}
	slices.SortFunc(running, func(a, b sdk.RunningTest) int {
		return cmp.Or(cmp.Compare(b.Elapsed, a.Elapsed), cmp.Compare(a.ID.Suite, b.ID.Suite), cmp.Compare(a.ID.Test, b.ID.Test))
	})
	snapshot.RunningTotal = len(running)
	snapshot.Running = running[:min(len(running), maxShown)]
	return snapshot
}
