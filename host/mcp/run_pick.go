package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
)

// shownAtOnePlace is how many failures at one place the answer to a run shows: the
// cases of one table usually fail for one reason.
const shownAtOnePlace = 2

// place is where failures are alike.
type place struct {
	Suite string `json:"suite"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	// Count is how many failures the answer does not show.
	Count int `json:"count"`
}

// picked are the failures that the answer to a run shows: first those that hide others,
// and only a few of each place.
type picked struct {
	shown []api.Failure
	// left counts all others, and at says where most of them are.
	left int
	at   []place
}

// morePlaces is how many places of further failures are named.
const morePlaces = 5

// pickFailures selects at most this many of the failures in a Run object; total counts all.
func pickFailures(failures []api.Failure, total, most int) picked {
	ordered := slices.Clone(failures)
	slices.SortStableFunc(ordered, func(a, b api.Failure) int { return cmp.Compare(ledger.FailureRank(a.Kind), ledger.FailureRank(b.Kind)) })
	var p picked
	var beside []api.Failure
	counts := map[place]int{}
	for _, f := range ordered {
		at := place{Suite: f.Suite, File: f.File, Line: f.Line}
		if counts[at]++; counts[at] > shownAtOnePlace && f.Line > 0 || len(p.shown) == most {
			beside = append(beside, f)
			continue
		}
		p.shown = append(p.shown, f)
	}
	room := min(most-len(p.shown), len(beside))
	p.shown, beside = append(p.shown, beside[:room]...), beside[room:]
	p.left = max(total-len(p.shown), len(beside))
	p.at = countPlaces(beside)
	return p
}

// excerptsAround returns those excerpts that are around a failure shown.
func (p picked) excerptsAround(excerpts []api.Excerpt) []api.Excerpt {
	var around []api.Excerpt
	for _, x := range excerpts {
		if slices.ContainsFunc(p.shown, func(f api.Failure) bool { return f.File == x.File && f.Line == x.Line }) {
			around = append(around, x)
		}
	}
	return around
}

// countPlaces returns where failures are, those with most failures first.
func countPlaces(failures []api.Failure) []place {
	counts := map[place]int{}
	for _, f := range failures {
		counts[place{Suite: f.Suite, File: f.File, Line: f.Line}]++
	}
	var all []place
	for at, n := range counts {
		at.Count = n
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return limit(all[:min(len(all), morePlaces)])
}

// nameRest says which failures of a run are not shown, or "" if all are.
func (p picked) nameRest(runID string) string {
	if p.left == 0 {
		return ""
	}
	var parts []string
	for _, at := range p.at {
		where := at.Suite
		if at.File != "" {
			where = fmt.Sprintf("%s:%d", at.File, at.Line)
		}
		parts = append(parts, fmt.Sprintf("%d at %s", at.Count, prose.Line(where)))
	}
	text := fmt.Sprintf("%d more failures", p.left)
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text + fmt.Sprintf(": last_test_failures{\"run_id\":%q} lists all", runID)
}
