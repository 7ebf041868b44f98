package mcp

import (
	"fmt"
	"strconv"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// historyPage is what follows an entry of each list, at most n of each. The totals
// count what there is.
func historyPage(h api.History, from, n int) historyObject {
	to := from + n
	o := historyObject{History: h}
	o.File, o.Span.AgeS = cutName(h.File), cutSeconds(h.Span.AgeS)
	o.Message, o.Warnings = cutText(h.Message, cutDetailBytes, prose.Line), cutNotes(h.Warnings)
	o.Tests, o.Timeline, o.Entries, o.Durations = nil, nil, nil, nil
	if len(h.Timeline) > 0 {
		o.Tests = cutHistories(h.Tests) // the one test whose timeline it is
	} else {
		o.Tests = cutHistories(pageOf(h.Tests, from, to))
	}
	for _, p := range pageOf(h.Timeline, from, to) {
		o.Timeline = append(o.Timeline, cutPoint(p))
	}
	o.TimelineCut = h.TimelineCut || to < len(h.Timeline)
	for _, e := range pageOf(h.Entries, from, to) {
		e.File, e.SessionID = cutName(e.File), cutListed(e.SessionID)
		o.Entries = append(o.Entries, e)
	}
	for _, d := range pageOf(h.Durations, from, to) {
		d.Suite, d.Test, d.File = cutListed(d.Suite), cutListed(d.Test), cutListed(d.File)
		o.Durations = append(o.Durations, d)
	}
	goesOn := o.TimelineCut || len(h.Timeline) == 0 && to < h.TestsTotal || to < h.EntriesTotal || to < h.DurationsTotal
	if goesOn && n > 0 && to < api.MaxHistoryLimit {
		o.NextCursor = strconv.Itoa(to)
	}
	return o
}

// pageOf are the entries of a list from one place up to another.
func pageOf[T any](list []T, from, to int) []T {
	return list[min(from, len(list)):min(to, len(list))]
}

func cutHistories(tests []api.TestHistory) []api.TestHistory {
	var cut []api.TestHistory
	for _, t := range tests {
		t.Suite, t.Test, t.File = cutListed(t.Suite), cutListed(t.Test), cutListed(t.File)
		t.Standing = cutEvidence(t.Standing)
		if t.Last != nil {
			last := cutPoint(*t.Last)
			t.Last = &last
		}
		cut = append(cut, t)
	}
	return cut
}

// cutPoint is a result without what tells environments apart.
func cutPoint(p api.TimelinePoint) api.TimelinePoint {
	p.Environment, p.Fingerprint, p.Commit, p.Signature = "", cutState(p.Fingerprint), cutState(p.Commit), cutState(p.Signature)
	p.AgeS, p.DurationS = cutSeconds(p.AgeS), cutSeconds(p.DurationS)
	p.SessionID, p.Branch, p.Seed = cutListed(p.SessionID), cutListed(p.Branch), cutListed(p.Seed)
	p.FailureKind, p.Excerpt = cutText(p.FailureKind, cutWordBytes, prose.Line), cutText(p.Excerpt, cutListedBytes, prose.Plain)
	return p
}

// left is the page with totals that count what follows, beside what it has: so a
// report says how many those are.
func (o historyObject) left(from int) api.History {
	h := o.History
	if len(h.Timeline) == 0 {
		h.TestsTotal = max(h.TestsTotal-from, 0)
	}
	h.EntriesTotal, h.DurationsTotal = max(h.EntriesTotal-from, 0), max(h.DurationsTotal-from, 0)
	return h
}

// way says how to see what follows.
func (o historyObject) way() string {
	if o.NextCursor == "" {
		return "name a file or a test to see them: no list goes further"
	}
	return fmt.Sprintf("cursor %q shows the next", o.NextCursor)
}
