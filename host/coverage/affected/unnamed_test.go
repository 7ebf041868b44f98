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

func TestASuiteBuiltFromAnotherIgnoredFileIsConcerned(t *testing.T) {
	base := shop()
	for name, edit := range map[string]func(now, then program){
		"it appeared":    func(now, _ program) { now.data["orders/embedded2"] = "1" },
		"it disappeared": func(_, then program) { then.data["orders/embedded2"] = "1" },
	} {
		now, then := base.clone(), base.clone()
		edit(now, then)
		in := input(now, now, then.measureAll())
		in.Graph = withEmbedded(now)
		for _, s := range in.Suites {
			if _, ok := then.data["orders/embedded2"]; ok && s.Suite == "orders" {
				s.Built["orders/embedded2"], s.Inputs["orders/embedded2"] = true, now.digest("go.mod")
				in.Digest = func(file string) string {
					if file == "orders/embedded2" {
						file = "go.mod" // it exists, unchanged
					}
					return now.digest(file)
				}
			}
		}
		if got := listed(affected.Choose(in)); got != nil {
			t.Errorf("%s before the base: %q", name, got)
		}
		in.InBase = func(file string) bool { return file != "orders/embedded2" }
		want := []string{"orders/*: its suite is built from other files than when it was measured, such as orders/embedded2"}
		if diff := cmp.Diff(want, listed(affected.Choose(in))); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// withEmbedded returns the graph of a program whose orders is built from another data
// file, if there is one.
func withEmbedded(p program) *coverage.Graph {
	g := p.graph()
	if _, ok := p.data["orders/embedded2"]; ok {
		g.Part(sdk.ListedPart{Name: "embedded2", Files: []string{"orders/embedded2"}})
		g.Suite(sdk.ListedSuite{Suite: "orders", Needs: []string{"embedded2"}})
	}
	return g
}

func TestANonSourceFileChangedBeforeTheMeasurementChoosesItsSuites(t *testing.T) {
	base := shop()
	now := base.clone()
	now.data["orders/embedded"] = "2"
	want := []string{"orders/*: its suite is built from orders/embedded, which changed before it was measured"}
	if diff := cmp.Diff(want, listed(affected.Choose(input(base, now, now.measureAll())))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAChangeWithUnknownReadersChoosesEverything(t *testing.T) {
	base := shop()
	for name, change := range map[string]affected.Change{
		"a link":              {Path: "here", Link: true},
		"a line feed":         {Path: "testdata/a\nb"},
		"outside":             {Path: "/etc/hosts"},
		"the directory above": {Path: "../x"},
	} {
		in := input(base, base, base.measureAll())
		in.Changes = []affected.Change{change}
		if c := affected.Choose(in); c.Everything == "" || strings.ContainsFunc(c.Everything, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	in := input(base, base, base.measureAll())
	in.Changes = []affected.Change{{Path: "orders/embedded", Link: true}}
	if c := affected.Choose(in); c.Everything != "" || len(c.Suites) != 1 {
		t.Errorf("a link that a suite is built from: %+v", c)
	}
}

func TestASealedSuiteReadsNoDataFile(t *testing.T) {
	base := shop()
	now := base.clone()
	now.data["notes"] = "2"
	for _, c := range []struct {
		name   string
		sealed sdk.ListedSuite
		want   []string
	}{
		{"sealed", sdk.ListedSuite{Sealed: true}, []string{"text.TestUpper: it read notes, which changed"}},
		{"not sealed", sdk.ListedSuite{}, []string{"orders/*: its suite was not measured test by test, and may read notes, which changed", "text.TestUpper: it read notes, which changed"}},
		{"sealed and opaque", sdk.ListedSuite{Sealed: true, Opaque: "it calls C"}, []string{"orders/*: its suite may depend on anything: it calls C", "text.TestUpper: it read notes, which changed"}},
	} {
		in := input(base, now, base.measureAll())
		delete(in.Suites, "orders")
		c.sealed.Suite = "orders"
		in.Graph.Suite(c.sealed)
		if diff := cmp.Diff(c.want, listed(affected.Choose(in))); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

func TestASuiteWithoutTestsIsNotBuiltForADataFile(t *testing.T) {
	base := shop()
	now := base.clone()
	now.data["notes"] = "2"
	in := input(base, now, base.measureAll())
	in.Graph.Suite(sdk.ListedSuite{Suite: "tool"})
	c := affected.Choose(in)
	if want := []string{"text.TestUpper: it read notes, which changed"}; !cmp.Equal(want, listed(c)) || len(c.BuildOnly) != 0 {
		t.Errorf("%q, %+v", listed(c), c)
	}
}

func TestTestsThatRunInAnotherOrderAreAllChosen(t *testing.T) {
	base := shop()
	now := base.clone()
	units := now.sources["money/x_test.go"]
	units[0], units[1] = units[1], units[0]
	want := []string{"money/*: money.TestAdd runs in a different order than before (money/x_test.go)", "orders: build"}
	if diff := cmp.Diff(want, listed(affected.Choose(input(base, now, base.measureAll())))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestATestThatWasSkippedIsChosenInAConcernedSuite(t *testing.T) {
	base := shop()
	now := base.clone()
	now.unit("money.Round").value++
	measured := base.measureAll()
	s := &measured["orders"].Tests[2]
	s.Alone, s.Together, s.Blocks = sdk.Skipped, sdk.Skipped, nil
	want := []string{"money.TestRound: it executes money.Round, which changed (money/a.go)", s.Name + ": it did not pass alone when it was measured"}
	if diff := cmp.Diff(want, listed(affected.Choose(input(base, now, measured)))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestASuiteThatWasNotMeasuredAndHasAFileWithoutAnEarlierStateIsChosen(t *testing.T) {
	base := shop()
	ignored := func(file string) bool { return file != "orders/embedded2" }
	const want = "orders/*: its suite was not measured, and is built from orders/embedded2, whose earlier state is unknown"
	for name, c := range map[string]struct {
		tools    bool
		measured func(*coverage.Suite)
		want     []string
	}{
		"not measured": {want: []string{want}},
		"measured as a whole, with it as it is": {measured: func(m *coverage.Suite) {
			m.Granularity, m.Tests = api.GranularitySuite, nil
		}},
		"of the tools": {tools: true},
	} {
		now := base.clone()
		now.data["orders/embedded2"] = "1"
		in := input(now, now, now.measureAll())
		delete(in.Suites, "orders")
		if c.measured != nil {
			in.Suites["orders"] = now.measure("orders")
			in.Suites["orders"].Built["orders/embedded2"], in.Suites["orders"].Inputs["orders/embedded2"] = true, now.digest("orders/embedded2")
			c.measured(in.Suites["orders"])
		}
		in.Graph = withEmbedded(now)
		in.Graph.Part(sdk.ListedPart{Name: "embedded2", Tools: c.tools})
		in.InBase = ignored
		if diff := cmp.Diff(c.want, listed(affected.Choose(in))); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
