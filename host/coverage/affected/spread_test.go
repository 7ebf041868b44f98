package affected_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/sdk"
)

// stateful gives units of a program something to do with state, by name.
func stateful(in affected.Input, of map[string]sdk.UnitState) affected.Input {
	add := func(units []sdk.SourceUnit) []sdk.SourceUnit {
		var all []sdk.SourceUnit
		for _, u := range units {
			if u.Kind != sdk.UnitName {
				u.State = of[u.Name]
			}
			all = append(all, u)
		}
		return all
	}
	for _, m := range in.Suites {
		for _, sheet := range m.Sheets {
			sheet.Units = add(sheet.Units)
		}
	}
	outline := in.Outline
	in.Outline = func(path string) ([]sdk.SourceUnit, bool) {
		units, ok := outline(path)
		return add(units), ok
	}
	return in
}

func names(text string) []string { return strings.Fields(text) }

func TestATestThatUsesWhatAChosenOneMayLeaveIsChosen(t *testing.T) {
	for name, c := range map[string]struct {
		of   map[string]sdk.UnitState
		edit func(program)
		want []string
	}{
		"a changed function writes what another test reads": {
			of: map[string]sdk.UnitState{
				"money.Round": {Defines: names("round"), Mentions: names("count"), Writes: names("count")}, "money.Add": {Defines: names("add"), Mentions: names("count")},
			},
			want: []string{"money.TestAdd: money.Add uses count, which a selected test may change through money.Round"},
		},
		"it leads to a function that writes": {
			of: map[string]sdk.UnitState{
				"money.Round": {Mentions: names("add")}, "money.Add": {Defines: names("add"), Mentions: names("count"), Writes: names("count")},
			},
			want: []string{"money.TestAdd: money.Add uses count, which a selected test may change through money.Add"},
		},
		"it hands on what is shared": {
			of: map[string]sdk.UnitState{
				"money.Round": {Mentions: names("table"), Lends: names("table")}, "money.Add": {Mentions: names("table")},
				"package": {Defines: names("table"), Shared: names("table")},
			},
			want: []string{"money.TestAdd: money.Add uses package (money/a.go), which a selected test may change through money.Round"},
		},
		"it hands on what cannot be changed so": {
			of: map[string]sdk.UnitState{
				"money.Round": {Mentions: names("table"), Lends: names("table")}, "money.Add": {Mentions: names("table")},
				"package": {Defines: names("table")},
			},
		},
		"both only read": {
			of: map[string]sdk.UnitState{"money.Round": {Mentions: names("count")}, "money.Add": {Mentions: names("count")}},
		},
		"a changed function reads what another test writes": {
			of:   map[string]sdk.UnitState{"money.Round": {Mentions: names("count")}, "money.Add": {Mentions: names("count"), Writes: names("count")}},
			want: []string{"money.TestAdd: money.Add may change count, which a selected test uses through money.Round"},
		},
	} {
		base := shop()
		now := base.clone()
		now.unit("money.Round").value++
		in := stateful(input(base, now, base.measureAll()), c.of)
		got := listed(affected.Choose(in))
		var state []string
		for _, line := range got {
			if strings.Contains(line, "a selected test") {
				state = append(state, line)
			}
		}
		if diff := cmp.Diff(c.want, state); diff != "" {
			t.Errorf("%s: -want +got\n%s\nall: %q", name, diff, got)
		}
	}
}

func TestATestThatMayExecuteAChangeOnlyAmongOthersIsNamed(t *testing.T) {
	base := program{
		imports: map[string][]string{"p": nil}, data: map[string]string{"go.mod": "1"},
		sources: map[string][]unit{
			"p/a.go": {
				{name: "p.Even", kind: function, value: 2},
				{name: "p.Find", kind: function, finds: names("count"), branch: names("p.Even")},
				{name: "p.Leave", kind: function, value: 1, leaves: names("count")},
			},
			"p/x_test.go": {{name: "p.T1", kind: test, calls: names("p.Leave")}, {name: "p.T2", kind: test, calls: names("p.Find")}, {name: "p.T3", kind: test, calls: names("p.Even")}},
		},
	}
	now := base.clone()
	now.unit("p.Even").value = 4
	want := []api.Untold{{Suite: "p", What: coverage.AmongOthers, Unit: "p.T2"}}
	if diff := cmp.Diff(want, affected.Choose(input(base, now, base.measureAll())).Untold); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestWhatCannotBeFollowedIsNamed(t *testing.T) {
	base := shop()
	now := base.clone()
	now.unit("money.Round").value++
	untold := func(of map[string]sdk.UnitState) []api.Untold {
		return affected.Choose(stateful(input(base, now, base.measureAll()), of)).Untold
	}
	want := []api.Untold{{Suite: "money", What: "files (write)", Unit: "money.Round", File: "money/a.go"}}
	if diff := cmp.Diff(want, untold(map[string]sdk.UnitState{"money.Round": {Defines: names("round"), Leaves: []string{"files (write)"}}})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := untold(nil); len(got) != 1 || !strings.Contains(got[0].What, "its plugin does not report") {
		t.Errorf("of a plugin that tells nothing: %+v", got)
	}
}
