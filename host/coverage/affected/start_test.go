package affected_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/sdk"
)

func TestASuiteNeedNotStartIfItWouldStartAsBefore(t *testing.T) {
	round := func(p program) { p.unit("money.Round").value++ }
	for name, c := range map[string]struct {
		base  func(program)
		edit  func(program)
		spoil func(map[string]*coverage.Suite)
		want  bool
	}{
		"a body of another suite's":            {edit: round, want: true},
		"a body that refers to something else": {edit: func(p program) { round(p); p.unit("money.Round").calls = []string{"money.Add"} }},
		"a function that is new": {edit: func(p program) {
			round(p)
			p.sources["money/a.go"] = append(p.sources["money/a.go"], unit{name: "money.New", kind: function})
		}},
		"a function that is gone": {edit: func(p program) { round(p); p.sources["money/a.go"] = p.sources["money/a.go"][:3] },
			base: func(p program) {
				p.sources["money/a.go"] = append(p.sources["money/a.go"][:3], unit{name: "money.Unused", kind: function})
			}},
		"a package without tests": {edit: round, base: func(p program) { delete(p.sources, "money/x_test.go") }},
		"a body of its own": {edit: func(p program) { p.unit("orders.Idle").value++ },
			base: func(p program) {
				p.sources["orders/a.go"] = append(p.sources["orders/a.go"], unit{name: "orders.Idle", kind: function})
			}},
		"no test passed": {edit: round, base: func(p program) { p.sources["orders/x_test.go"] = nil }},
		"a plugin that says nothing of state": {edit: round, spoil: func(m map[string]*coverage.Suite) {
			for _, s := range m {
				for _, sheet := range s.Sheets {
					for i := range sheet.Units {
						sheet.Units[i].State = sdk.UnitState{}
					}
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			base := shop()
			if c.base != nil {
				c.base(base)
			}
			now := base.clone()
			c.edit(now)
			measured := base.measureAll()
			if c.spoil != nil {
				c.spoil(measured)
			}
			got := affected.Choose(input(base, now, measured))
			if is := slices.Contains(got.NeedNotStart, "orders"); is != c.want || is && len(got.NeedNotStart) > 1 {
				t.Errorf("need not start: %q, of %q", got.NeedNotStart, got.BuildOnly)
			}
		})
	}
}
