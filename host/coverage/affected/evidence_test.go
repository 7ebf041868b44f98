package affected_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/sdk"
)

// What a measurement is worth that is not of the base, or in which tests did not pass.
func TestWhatAMeasurementIsGoodFor(t *testing.T) {
	for name, c := range map[string]struct {
		// since is an edit between measurement and base, edit one between base and now.
		since, edit func(program)
		spoil       func(map[string]*coverage.Suite)
		want        []string
	}{
		"what changed before the base counts in a concerned suite": {
			since: func(p program) { p.unit("money.Round").value++ }, edit: func(p program) { p.unit("money.Add").value++ },
			want: []string{
				"money.TestAdd: it executes money.Add, which changed (money/a.go)", "money.TestRound: it executes money.Round, which changed (money/a.go)",
				"orders.TestTotal: it executes money.Add, which changed (money/a.go)",
			},
		},
		"what changed before the base concerns no suite": {
			since: func(p program) { p.unit("text.TestUpper").value++ }, edit: func(p program) { p.unit("money.Round").value++ },
			want: []string{"money.TestRound: it executes money.Round, which changed (money/a.go)", "orders: build"},
		},
		"a stale test may read a file that no suite is built from": {
			since: func(p program) { p.unit("text.TestUpper").reads = []string{"other"} }, edit: func(p program) { p.data["other"] = "1" },
			want: []string{"text.TestUpper: it changed (text/x_test.go)"},
		},
		"an unmeasured test may read a file that no suite is built from": {
			since: func(program) {}, edit: func(p program) { p.data["other"] = "1" },
			spoil: func(m map[string]*coverage.Suite) { m["orders"].Tests = m["orders"].Tests[1:] },
			want:  []string{"orders.TestTotal: it is new"},
		},
		"a test that did not get its turn is not called new": {
			since: func(program) {}, edit: func(p program) { p.data["other"] = "1" },
			spoil: func(m map[string]*coverage.Suite) { m["orders"].Tests, m["orders"].Cut = m["orders"].Tests[1:], true },
			want:  []string{"orders.TestTotal: the time ran out before it was measured"},
		},
		"who failed alone is chosen in a concerned suite": {
			since: func(program) {}, edit: func(p program) { p.unit("money.Round").value++ },
			spoil: func(m map[string]*coverage.Suite) {
				m["orders"].Tests[2].Alone, m["orders"].Tests[2].Together = sdk.Failed, sdk.Failed
			},
			want: []string{"money.TestRound: it executes money.Round, which changed (money/a.go)", "orders.TestWhere: it did not pass alone when it was measured"},
		},
		"who did not end among the others is chosen in a concerned suite": {
			since: func(program) {}, edit: func(p program) { p.unit("money.Round").value++ },
			spoil: func(m map[string]*coverage.Suite) { m["orders"].Tests[2].Together = "" },
			want:  []string{"money.TestRound: it executes money.Round, which changed (money/a.go)", "orders.TestWhere: it did not pass when it was measured"},
		},
		"all are chosen with any where one depends on the others": {
			since: func(program) {}, edit: func(p program) { p.unit("money.Round").value++ },
			spoil: func(m map[string]*coverage.Suite) { m["money"].Tests[0].Alone = sdk.Skipped },
			want:  []string{"money/*: money.TestAdd ends differently alone than with the other tests of its suite", "orders: build"},
		},
		"who may depend on anything is chosen where anything changed": {
			since: func(program) {}, edit: func(p program) { p.data["other"] = "1" },
			spoil: func(m map[string]*coverage.Suite) { m["text"].Tests[0].Opaque = "it starts another program: go" },
			want:  []string{"text.TestUpper: it starts another program: go"},
		},
		"a suite that may depend on anything is chosen where anything changed": {
			since: func(program) {}, edit: func(p program) { p.data["other"] = "1" },
			spoil: func(m map[string]*coverage.Suite) { m["text"].Opaque = "it is built with C" },
			want:  []string{"text/*: its suite may depend on anything: it is built with C"},
		},
		"nothing changed, so nothing is chosen": {
			since: func(p program) { p.unit("money.Round").value++ }, edit: func(program) {},
			spoil: func(m map[string]*coverage.Suite) { m["text"].Tests[0].Opaque = "it starts another program: go" },
		},
		"what tests together executed and none did alone": {
			since: func(program) {}, edit: func(p program) { p.unit("orders.Where").value++ },
			spoil: func(m map[string]*coverage.Suite) { m["orders"].Tests[2].Blocks = nil },
			want:  []string{"orders/*: its tests together execute orders.Where, which changed (orders/a.go)"},
		},
		"a source that was not measured": {
			since: func(program) {}, edit: func(p program) { p.unit("orders.Where").value++ },
			spoil: func(m map[string]*coverage.Suite) {
				for _, s := range m["orders"].Sheets {
					s.Blocks = nil
				}
			},
			want: []string{"orders/*: its suite is built with orders.Where, which changed (orders/a.go)"},
		},
		"a source whose measured state is unknown": {
			since: func(program) {}, edit: func(p program) { p.unit("orders.Total").above = 1 },
			spoil: func(m map[string]*coverage.Suite) {
				for _, s := range m["orders"].Sheets {
					s.Digest = "of another moment"
				}
			},
			want: []string{"orders/*: its suite is built from money/a.go, whose measured state is unknown"},
		},
		"a source without an outline": {
			since: func(program) {}, edit: func(p program) { p.unit("orders.Where").value++ },
			spoil: func(m map[string]*coverage.Suite) {
				for _, s := range m["orders"].Sheets {
					s.Units = nil
				}
			},
			want: []string{"orders/*: its suite is built from orders/a.go, which changed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			then := shop()
			base := then.clone()
			c.since(base)
			now := base.clone()
			c.edit(now)
			measured := then.measureAll()
			if c.spoil != nil {
				c.spoil(measured)
			}
			if diff := cmp.Diff(c.want, listed(affected.Choose(input(base, now, measured)))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestWhatWasMeasuredAfterTheEditIsChosenByFile(t *testing.T) {
	base := shop()
	now := base.clone()
	now.unit("money.Round").value++
	want := []string{
		"money/*: its suite starts up with money/a.go, which changed before it was measured", "orders/*: its suite starts up with money/a.go, which changed before it was measured",
	}
	if diff := cmp.Diff(want, listed(affected.Choose(input(base, now, now.measureAll())))); diff != "" {
		t.Errorf("a suite starts up with the file: -want +got\n%s", diff)
	}
	now = base.clone()
	now.unit("orders.Where").value++
	want = []string{"orders.TestTotal: it executes orders/a.go, which changed before it was measured", "orders.TestWhere: it executes orders/a.go, which changed before it was measured"}
	if diff := cmp.Diff(want, listed(affected.Choose(input(base, now, now.measureAll())))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAFileThatIsNotOfTheBaseIsComparedWithTheMeasurement(t *testing.T) {
	base := shop()
	now := base.clone()
	now.data["orders/embedded"] = "2"
	in := input(base, now, base.measureAll())
	in.Changes = nil
	if got := listed(affected.Choose(in)); got != nil {
		t.Errorf("%q changed before the base", got)
	}
	in.InBase = func(file string) bool { return file != "orders/embedded" }
	want := []string{"orders/*: its suite is built from orders/embedded, which changed"}
	if diff := cmp.Diff(want, listed(affected.Choose(in))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestFilesBelowAChangedLinkHaveChanged(t *testing.T) {
	base := shop()
	now := base.clone()
	now.unit("orders.Where").value++
	in := input(base, now, nil)
	in.Changes = []affected.Change{{Path: "orders"}}
	want := []string{"orders/*: its suite is built from orders, which changed, and was not measured test by test"}
	if diff := cmp.Diff(want, listed(affected.Choose(in))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	in.Suites = base.measureAll()
	// For its tests, only the difference from the measurement counts.
	want = []string{
		"orders/*: its suite is built with orders/x_test.go, which changed before it was measured",
	}
	if diff := cmp.Diff(want, listed(affected.Choose(in))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestUnitsDecideByTheirKind(t *testing.T) {
	const file = "text/a.go"
	body := sdk.SourceUnit{Name: "F", Kind: sdk.UnitBody, StartLine: 2, EndLine: 3, Digest: "1"}
	of := func(kind sdk.UnitKind, digest string) sdk.SourceUnit {
		return sdk.SourceUnit{Name: "N", Kind: kind, StartLine: 5, EndLine: 5, Digest: digest, Test: "text.TestUpper"}
	}
	for name, c := range map[string]struct {
		then, now []sdk.SourceUnit
		want      []string
	}{
		"a name that changed":         {[]sdk.SourceUnit{body, of(sdk.UnitName, "1")}, []sdk.SourceUnit{body, of(sdk.UnitName, "2")}, []string{"text/*: its suite is built with N, which changed (text/a.go)"}},
		"a name that is new":          {[]sdk.SourceUnit{body}, []sdk.SourceUnit{body, of(sdk.UnitName, "1")}, []string{"text: build"}},
		"a name that is gone":         {[]sdk.SourceUnit{body, of(sdk.UnitName, "1")}, []sdk.SourceUnit{body}, []string{"text: build"}},
		"an unknown kind":             {[]sdk.SourceUnit{body, of(77, "1")}, []sdk.SourceUnit{body, of(77, "2")}, []string{"text/*: its suite is built with N, which changed (text/a.go)"}},
		"no kind":                     {[]sdk.SourceUnit{body, of(0, "1")}, []sdk.SourceUnit{body}, []string{"text/*: its suite is built with N, which is gone (text/a.go)"}},
		"a body that became declared": {[]sdk.SourceUnit{body}, []sdk.SourceUnit{of(sdk.UnitDeclaration, "1")}, []string{"text/*: its suite is built with N, which is new (text/a.go)"}},
		"two of a name, one changed":  {[]sdk.SourceUnit{of(sdk.UnitDeclaration, "1"), of(sdk.UnitDeclaration, "1")}, []sdk.SourceUnit{of(sdk.UnitDeclaration, "1"), of(sdk.UnitDeclaration, "2")}, []string{"text/*: its suite is built with N, which changed (text/a.go)"}},
		"two of a name, one gone":     {[]sdk.SourceUnit{of(sdk.UnitDeclaration, "1"), of(sdk.UnitDeclaration, "1")}, []sdk.SourceUnit{of(sdk.UnitDeclaration, "1")}, []string{"text/*: its suite is built with N, which is gone (text/a.go)"}},
		"a test declared elsewhere":   {[]sdk.SourceUnit{body, of(sdk.UnitTest, "1")}, []sdk.SourceUnit{body}, []string{"text.TestUpper: it is declared elsewhere than in text/a.go now"}},
		"a file without an outline":   {[]sdk.SourceUnit{body}, nil, []string{"text/*: its suite is built from text/a.go, which changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := shop()
			base.sources[file] = []unit{{name: "text.F", kind: function}}
			measured := base.measureAll()
			for _, s := range measured["text"].Sheets {
				if s.Path == file {
					s.Units = c.then
				}
			}
			now := base.clone()
			now.unit("text.F").value++
			in := input(base, now, measured)
			in.Outline = outlined(c.now...)
			if diff := cmp.Diff(c.want, listed(affected.Choose(in))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
