package classify_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// change is a test whose result changed, with the letters of did; "." means that it did
// not exist.
func change(name, root string, before, now rune) history.Change {
	c := history.Change{Test: history.Test{TestKey: history.TestKey{Language: "x", TestID: sdk.TestID{Suite: "s", Test: name}}, Root: root}}
	c.Before, c.InBefore = outcomes[before], before != '.'
	c.Now, c.InNow = outcomes[now], now != '.'
	return c
}

func of(changes ...history.Change) iter.Seq[history.Change] { return slices.Values(changes) }

func names(tests []sdk.TestID) []string {
	var list []string
	for _, t := range tests {
		list = append(list, t.Test)
	}
	return list
}

func TestResultsThatNoLongerProveAnythingAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		changes           []history.Change
		vanished, skipped []string
	}{
		"nothing changed":                {},
		"a pass vanished":                {[]history.Change{change("T", "", 'P', '.')}, []string{"T"}, nil},
		"a failure vanished":             {[]history.Change{change("T", "", 'F', '.')}, []string{"T"}, nil},
		"a skipped one vanished":         {[]history.Change{change("T", "", 'S', '.')}, nil, nil},
		"one never started vanished":     {[]history.Change{change("T", "", 'N', '.')}, nil, nil},
		"a pass is skipped":              {[]history.Change{change("T", "", 'P', 'S')}, nil, []string{"T"}},
		"a failure is skipped":           {[]history.Change{change("T", "", 'U', 'S')}, nil, []string{"T"}},
		"one never started is skipped":   {[]history.Change{change("T", "", 'N', 'S')}, nil, nil},
		"a pass fails":                   {[]history.Change{change("T", "", 'P', 'F')}, nil, nil},
		"a pass never started":           {[]history.Change{change("T", "", 'P', 'N')}, nil, nil},
		"one is new":                     {[]history.Change{change("T", "", '.', 'P')}, nil, nil},
		"one is new and skipped":         {[]history.Change{change("T", "", '.', 'S')}, nil, nil},
		"a part vanished":                {[]history.Change{change("T/a", "T", 'P', '.')}, []string{"T/a"}, nil},
		"with all its parts":             {[]history.Change{change("T/a", "T", 'P', '.'), change("T", "", 'P', '.'), change("T/b", "T", 'F', '.')}, []string{"T"}, nil},
		"skipped, parts and all":         {[]history.Change{change("T/a", "T", 'P', '.'), change("T", "", 'P', 'S')}, nil, []string{"T"}},
		"parts of one that fails":        {[]history.Change{change("T/a", "T", 'P', '.'), change("T", "", 'P', 'F')}, nil, nil},
		"parts of one that passes now":   {[]history.Change{change("T/a", "T", 'P', '.'), change("T", "", 'F', 'P')}, []string{"T/a"}, nil},
		"a part is skipped":              {[]history.Change{change("T/a", "T", 'P', 'S')}, nil, []string{"T/a"}},
		"renamed, as far as one can see": {[]history.Change{change("T", "", 'P', '.'), change("U", "", '.', 'P')}, []string{"T"}, nil},
		"in order":                       {[]history.Change{change("b", "", 'P', '.'), change("a", "", 'P', '.')}, []string{"a", "b"}, nil},
		"the suite itself":               {[]history.Change{change("", "", 'P', '.')}, nil, nil},
		"the suite is broken":            {[]history.Change{change("T", "", 'P', '.'), change("", "", 'P', 'F')}, nil, nil},
		"the suite is whole again":       {[]history.Change{change("T", "", 'P', '.'), change("", "", 'F', 'P')}, []string{"T"}, nil},
	} {
		got := classify.Integrity("run01", of(c.changes...), nil)
		if c.vanished == nil && c.skipped == nil {
			if got != nil {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if got == nil {
			t.Errorf("%s: nothing is told", name)
			continue
		}
		if diff := cmp.Diff(c.vanished, names(got.Vanished)) + cmp.Diff(c.skipped, names(got.NewlySkipped)); diff != "" || got.Since != "run01" {
			t.Errorf("%s: since %s\n%s", name, got.Since, diff)
		}
		if got.VanishedTotal != len(c.vanished) || got.NewlySkippedTotal != len(c.skipped) {
			t.Errorf("%s: totals of %+v", name, got)
		}
	}
}

func TestNothingVanishesFromABrokenRun(t *testing.T) {
	all := history.Change{InNow: true, Now: history.Failed}
	if got := classify.Integrity("run01", of(change("T", "", 'P', '.'), all), nil); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestSubtestsOfASameNamedTestInAnotherSuiteAreToldApart(t *testing.T) {
	whole := change("T", "", 'P', '.')
	whole.Suite = "other"
	got := classify.Integrity("run01", of(change("T/a", "T", 'P', '.'), whole), nil)
	if got == nil || got.VanishedTotal != 2 {
		t.Errorf("%+v", got)
	}
}

func TestNamesAreBoundedAndAllAreCounted(t *testing.T) {
	var changes []history.Change
	for i := range api.MaxNames + 7 {
		changes = append(changes, change(fmt.Sprintf("T%05d", i), "", 'P', '.'), change(fmt.Sprintf("S%05d", i), "", 'P', 'S'))
	}
	got := classify.Integrity("run01", of(changes...), nil)
	if len(got.Vanished) != api.MaxNames || len(got.NewlySkipped) != api.MaxNames ||
		got.VanishedTotal != api.MaxNames+7 || got.NewlySkippedTotal != api.MaxNames+7 {
		t.Errorf("%d and %d named, %d and %d counted", len(got.Vanished), len(got.NewlySkipped), got.VanishedTotal, got.NewlySkippedTotal)
	}
}
