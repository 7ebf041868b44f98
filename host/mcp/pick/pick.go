package pick

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

// Place is where failures are alike.
type Place struct {
	Suite string `json:"suite"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	// Count is how many failures the answer does not show.
	Count int `json:"count"`
}

// Picked are the failures that the answer to a run shows: first those that hide others,
// and only a few of each place.
type Picked struct {
	Shown []api.Failure
	// Left counts all others, and At says where most of them are.
	Left int
	At   []Place
}

// morePlaces is how many places of further failures are named.
const morePlaces = 5

// Failures selects at most this many of the failures in a Run object; total counts all.
func Failures(failures []api.Failure, total, most int) Picked {
	ordered := slices.Clone(failures)
	slices.SortStableFunc(ordered, func(a, b api.Failure) int { return cmp.Compare(ledger.FailureRank(a.Kind), ledger.FailureRank(b.Kind)) })
	var p Picked
	var beside []api.Failure
	counts := map[Place]int{}
	for _, f := range ordered {
		at := Place{Suite: f.Suite, File: f.File, Line: f.Line}
		if counts[at]++; counts[at] > shownAtOnePlace && f.Line > 0 || len(p.Shown) == most {
			beside = append(beside, f)
			continue
		}
		p.Shown = append(p.Shown, f)
	}
	room := min(most-len(p.Shown), len(beside))
	p.Shown, beside = append(p.Shown, beside[:room]...), beside[room:]
	p.Left = max(total-len(p.Shown), len(beside))
	p.At = countPlaces(beside)
	return p
}

// countPlaces returns where failures are, those with most failures first.
func countPlaces(failures []api.Failure) []Place {
	counts := map[Place]int{}
	for _, f := range failures {
		counts[Place{Suite: f.Suite, File: f.File, Line: f.Line}]++
	}
	var all []Place
	for at, n := range counts {
		at.Count = n
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return all[:min(len(all), morePlaces)]
}

// Rest says which failures of a run are not shown, or "" if all are.
func (p Picked) Rest(runID string) string {
	if p.Left == 0 {
		return ""
	}
	var parts []string
	for _, at := range p.At {
		where := at.Suite
		if at.File != "" {
			where = fmt.Sprintf("%s:%d", at.File, at.Line)
		}
		parts = append(parts, fmt.Sprintf("%d at %s", at.Count, prose.Line(where)))
	}
	text := fmt.Sprintf("%d more failures", p.Left)
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text + fmt.Sprintf(": last_test_failures{\"run_id\":%q} lists all", runID)
}
