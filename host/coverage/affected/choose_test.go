package affected_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/sdk"
)

// shop has a package, another built with it, and a third on its own.
func shop() program {
	return program{
		imports: map[string][]string{"orders": {"money"}, "money": nil, "text": nil},
		sources: map[string][]unit{
			"money/a.go": {
				{name: "money.Rate", kind: constant, value: 2},
				{name: "money.Add", kind: function},
				{name: "money.Round", kind: function},
				{name: "money.setup", kind: function},
				{name: "money.init", kind: starter, calls: []string{"money.setup"}},
			},
			"money/x_test.go": {{name: "money.TestAdd", kind: test, calls: []string{"money.Add"}}, {name: "money.TestRound", kind: test, calls: []string{"money.Round"}}},
			"orders/a.go":     {{name: "orders.Total", kind: function, calls: []string{"money.Add"}}, {name: "orders.Where", kind: function, caller: true}},
			"orders/x_test.go": {
				{name: "orders.TestTotal", kind: test, calls: []string{"orders.Total"}},
				{name: "orders.TestPrices", kind: test, reads: []string{"orders/testdata/prices"}, listed: []string{"orders/testdata"}},
				{name: "orders.TestWhere", kind: test, calls: []string{"orders.Where"}},
			},
			"text/x_test.go": {{name: "text.TestUpper", kind: test, reads: []string{"notes"}}},
		},
		data: map[string]string{"go.mod": "1", "notes": "1", "orders/testdata/prices": "1", "orders/embedded": "1"},
	}
}

func (p program) measureAll() map[string]*coverage.Suite {
	measured := map[string]*coverage.Suite{}
	for pkg := range p.imports {
		measured[pkg] = p.measure(pkg)
		// No random failures here.
		for i := range measured[pkg].Tests {
			measured[pkg].Tests[i].Alone, measured[pkg].Tests[i].Together = sdk.Passed, sdk.Passed
		}
	}
	return measured
}

func (p program) unit(name string) *unit {
	for _, units := range p.sources {
		for i := range units {
			if units[i].name == name {
				return &units[i]
			}
		}
	}
	return nil
}

// listed formats what was selected, with the reasons.
func listed(c affected.Choice) []string {
	var list []string
	for _, s := range c.Suites {
		list = append(list, s.Suite+"/*: "+s.Why)
	}
	for _, t := range c.Tests {
		list = append(list, t.Test+": "+t.Why)
	}
	for _, s := range c.BuildOnly {
		list = append(list, s+": build")
	}
	slices.Sort(list)
	return list
}

func TestWhatIsChosenAndWhy(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(program)
		want []string
	}{
		"nothing": {func(program) {}, nil},
		"a body that tests of two suites execute": {func(p program) { p.unit("money.Add").value++ }, []string{
			"money.TestAdd: it executes money.Add, which changed (money/a.go)", "orders.TestTotal: it executes money.Add, which changed (money/a.go)"}},
		"a body that tests of one suite execute": {func(p program) { p.unit("money.Round").value++ }, []string{
			"money.TestRound: it executes money.Round, which changed (money/a.go)", "orders: build"}},
		"what is executed at the start": {func(p program) { p.unit("money.setup").value++ }, []string{
			"money/*: its suite starts up with money.setup, which changed (money/a.go)", "orders/*: its suite starts up with money.setup, which changed (money/a.go)"}},
		"a declaration": {func(p program) { p.unit("money.Rate").value++ }, []string{
			"money/*: its suite is built with money.Rate, which changed (money/a.go)", "orders/*: its suite is built with money.Rate, which changed (money/a.go)"}},
		"a function without callers": {func(p program) {
			p.sources["money/a.go"] = append(p.sources["money/a.go"], unit{name: "money.New", kind: function})
		}, []string{"money: build", "orders: build"}},
		"a declaration that is new": {func(p program) {
			p.sources["orders/a.go"] = append(p.sources["orders/a.go"], unit{name: "orders.New", kind: constant})
		}, []string{"orders/*: its suite is built with orders.New, which is new (orders/a.go)"}},
		"a file that is new": {func(p program) { p.sources["orders/b.go"] = nil }, []string{
			"orders/*: its suite is built from other files than when it was measured, such as orders/b.go"}},
		"a file that is gone": {func(p program) { delete(p.sources, "orders/a.go") }, []string{
			"orders/*: its suite is built from other files than when it was measured, such as orders/a.go"}},
		"a test": {func(p program) { p.unit("orders.TestTotal").value++ }, []string{"orders.TestTotal: it changed (orders/x_test.go)"}},
		"a test that is new": {func(p program) {
			p.sources["text/x_test.go"] = append(p.sources["text/x_test.go"], unit{name: "text.TestNew", kind: test})
		}, []string{"text.TestNew: it changed (text/x_test.go)"}},
		"a test that is gone": {func(p program) { p.sources["money/x_test.go"] = p.sources["money/x_test.go"][:1] }, []string{"money: build", "orders: build"}},
		"what a test read":    {func(p program) { p.data["notes"] = "2" }, []string{"text.TestUpper: it read notes, which changed"}},
		"a directory that a test listed": {func(p program) { p.data["orders/testdata/more"] = "1" }, []string{
			"orders.TestPrices: it read orders/testdata, which changed"}},
		"a file that no test read": {func(p program) { p.data["orders/other"] = "1" }, nil},
		"what is built in":         {func(p program) { p.data["orders/embedded"] = "2" }, []string{"orders/*: its suite is built from orders/embedded, which changed"}},
		"the module's file":        {func(p program) { p.data["go.mod"] = "2" }, []string{"money/*: its suite is built from go.mod, which changed", "orders/*: its suite is built from go.mod, which changed", "text/*: its suite is built from go.mod, which changed"}},
		"lines":                    {func(p program) { p.unit("orders.Total").above = 2 }, []string{"orders.TestWhere: it executes orders.Where, which looks at positions of code, and code moved in orders/a.go"}},
		"lines in a body":          {func(p program) { p.unit("orders.Where").inside = 1 }, []string{"orders.TestWhere: it executes orders.Where, which looks at positions of code, and code moved in orders/a.go"}},
		"lines that no test sees":  {func(p program) { p.unit("text.TestUpper").above = 3 }, []string{"text: build"}},
		"the order of names":       {func(p program) { u := p.sources["orders/a.go"]; u[0], u[1] = u[1], u[0] }, []string{"orders.TestWhere: it executes orders.Where, which looks at positions of code, and code moved in orders/a.go"}},
		"the order of declarations": {func(p program) { u := p.sources["money/a.go"]; u[0], u[4] = u[4], u[0] }, []string{
			"money/*: its suite is built with money.Rate, which came after others before (money/a.go)", "orders/*: its suite is built with money.Rate, which came after others before (money/a.go)"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := shop()
			now := base.clone()
			c.edit(now)
			if diff := cmp.Diff(c.want, listed(affected.Choose(input(base, now, base.measureAll())))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSuitesThatWereNotMeasuredAreChosenByWhatTheyAreBuiltFrom(t *testing.T) {
	base := shop()
	now := base.clone()
	now.unit("money.Add").value++
	got := affected.Choose(input(base, now, nil))
	want := affected.Choice{
		Suites: []api.ChosenTest{
			{Suite: "money", Granularity: api.GranularityImport, Why: "its suite is built from money/a.go, which changed, and was not measured test by test"},
			{Suite: "orders", Granularity: api.GranularityImport, Why: "its suite is built from money/a.go, which changed, and was not measured test by test"},
		},
		LeftOutSuites: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	now = base.clone()
	now.data["notes"] = "2"
	measured := base.measureAll()
	delete(measured, "orders")
	got = affected.Choose(input(base, now, measured))
	want = affected.Choice{
		Suites:        []api.ChosenTest{{Suite: "orders", Granularity: api.GranularityUnknown, Why: "its suite was not measured test by test, and may read notes, which changed"}},
		Tests:         []api.ChosenTest{{Suite: "text", Test: "text.TestUpper", Granularity: api.GranularityTest, Why: "it read notes, which changed"}},
		LeftOutSuites: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestWhatIsLeftOutIsCounted(t *testing.T) {
	base := shop()
	now := base.clone()
	now.unit("money.Round").value++
	c := affected.Choose(input(base, now, base.measureAll()))
	// TestAdd; the three of orders, which is built; text.
	if c.LeftOutTests != 4 || c.LeftOutSuites != 1 || !slices.Equal(c.BuildOnly, []string{"orders"}) {
		t.Errorf("%+v", c)
	}
}

func TestEverythingIsChosenWhereTheGraphIsNotKnown(t *testing.T) {
	base := shop()
	broken := base.graph()
	broken.Error("orders/a.go:1: expected declaration")
	for name, c := range map[string]struct {
		spoil func(*affected.Input)
		want  string
	}{
		"no graph":     {func(in *affected.Input) { in.Graph = nil }, "it is unknown what the suites are built from"},
		"no digests":   {func(in *affected.Input) { in.Digest = nil }, "it is unknown what the suites are built from"},
		"an error":     {func(in *affected.Input) { in.Graph = broken }, "it is unknown what some suites are built from: orders/a.go:1: expected declaration"},
		"no path":      {func(in *affected.Input) { in.Changes = []affected.Change{{}} }, "it is unknown which files changed"},
		"beyond it":    {func(in *affected.Input) { in.Changes = []affected.Change{{Path: "../x"}} }, "it is unknown which files changed"},
		"outside":      {func(in *affected.Input) { in.Changes = []affected.Change{{Path: "/x"}} }, "it is unknown whether tests read /x, which changed outside of the workspace"},
		"the root":     {func(in *affected.Input) { in.Changes = []affected.Change{{Path: "."}} }, "it is unknown which files changed"},
		"unclean path": {func(in *affected.Input) { in.Changes = []affected.Change{{Path: "a//b"}} }, "it is unknown which files changed"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(base, base, base.measureAll())
			c.spoil(&in)
			if diff := cmp.Diff(affected.Choice{Everything: c.want}, affected.Choose(in)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestOutstandingTestsAreChosen(t *testing.T) {
	base := shop()
	in := input(base, base, base.measureAll())
	in.Outstanding = []sdk.TestID{{Suite: "money", Test: "money.TestAdd/part"}, {Suite: "orders"}, {Suite: "gone"}, {Suite: "gone", Test: "T"}}
	want := []string{"money.TestAdd/part: it is outstanding", "orders/*: it is outstanding"}
	if diff := cmp.Diff(want, listed(affected.Choose(in))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// kinds of units that the model's language lacks
func outlined(units ...sdk.SourceUnit) func(string) ([]sdk.SourceUnit, bool) {
	return func(string) ([]sdk.SourceUnit, bool) { return units, len(units) > 0 }
}
