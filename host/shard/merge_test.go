package shard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// threeShards is a plan in which a suite is cut, and the last shard has nothing.
func threeShards() Plan {
	return Plan{Language: "x", Fingerprint: "abc123", Parts: [][]Piece{
		{{Suite: "a"}, {Suite: "b", Tests: []string{"T1", "T2"}}}, {{Suite: "b", Tests: []string{"T3"}}, {Suite: "c"}}, {},
	}}
}

// reportsOf returns the reports of the shards of a plan in which everything passed.
func reportsOf(plan Plan) []Report {
	var reports []Report
	for i, part := range plan.Parts {
		about := plan.Of(i + 1)
		about.Attempt = 1
		r := Report{File: fmt.Sprintf("%d.json", i+1), Run: api.Run{
			RunID: fmt.Sprint("run", i+1), Verdict: api.Passed, Language: plan.Language, Plugin: api.Plugin{Name: "x"}, Environment: "e",
			Source: &api.Source{Fingerprint: plan.Fingerprint}, Selection: plan.Selection, Shard: &about,
		}}
		for n, p := range part {
			about.Planned[n].Ended = api.SuiteEndPassed
			for _, t := range append(slices.Clone(p.Tests), "T")[:max(len(p.Tests), 1)] {
				r.Results = append(r.Results, resultOf(p.Suite, t))
			}
		}
		reports = append(reports, r)
	}
	return reports
}

// resultOf is a test that passed.
func resultOf(suite, test string) api.Result {
	return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Status: sdk.Passed}}
}

// A merge passes only if it has no problem, and the problems are what its reader goes by.
func TestAMergeSaysWhyItsReportsAreNotTheWhole(t *testing.T) {
	t.Parallel()
	first := func(change func(*Report)) func([]Report) []Report {
		return func(r []Report) []Report { change(&r[0]); return r }
	}
	shard := func(change func(*api.Shard)) func([]Report) []Report {
		return first(func(r *Report) { change(r.Shard) })
	}
	without := func(i int) func([]Report) []Report {
		return func(r []Report) []Report { return slices.Delete(r, i, i+1) }
	}
	// of makes the first report one of another plan.
	of := func(change func(*Plan)) func([]Report) []Report {
		return func(r []Report) []Report {
			plan := threeShards()
			change(&plan)
			r[0] = reportsOf(plan)[0]
			return r
		}
	}
	void := func(change func(*Report)) func([]Report) []Report {
		return func(r []Report) []Report {
			r[0].Shard.Attempt = 2
			before := Report{File: "4.json", Run: api.Run{RunID: "run4", Verdict: api.ToolError, Reason: "no tool\nat all", Shard: &api.Shard{Index: 1, Of: 3, Attempt: 1}}}
			change(&before)
			return append(r, before)
		}
	}
	adding := func(results ...api.Result) func([]Report) []Report {
		return first(func(r *Report) { r.Results = append(r.Results, results...) })
	}
	ended := func(end api.SuiteEnd, verdict api.Verdict, known int) func([]Report) []Report {
		return first(func(r *Report) {
			r.Shard.Planned[0].Ended, r.Verdict, r.Reason, r.Quarantined = end, verdict, "why", known
		})
	}
	fixture, part := resultOf("b", "setUp()"), resultOf("b", "T1/x")
	fixture.Fixture, part.Root = true, "T1"
	const (
		noFirst = "shard 1/3 is missing, with a, 2 tests of b"
		lacks   = "a, b T1, b T2"
		other   = "1.json, shard 1/3, is of a different plan than 2.json: "
		setting = "ran in different settings: other arguments, settings, tools or variables that decide how tests end"
	)
	for name, tc := range map[string]struct {
		change   func([]Report) []Report
		expect   int
		problems []string
		missing  string
	}{
		"the whole":                {func(r []Report) []Report { return r }, 0, nil, ""},
		"as many as expected":      {func(r []Report) []Report { return r }, 3, nil, ""},
		"more are expected":        {func(r []Report) []Report { return r }, 4, []string{"the plan has 3 shards, and 4 are expected", "shard 4/4 is missing"}, ""},
		"fewer are expected":       {func(r []Report) []Report { return r }, 2, []string{"the plan has 3 shards, and 2 are expected"}, ""},
		"one is missing":           {without(1), 0, []string{"shard 2/3 is missing, with 1 test of b, c"}, "b T3, c"},
		"an empty one is missing":  {without(2), 0, []string{"shard 3/3 is missing, to which the plan gives nothing"}, ""},
		"two are missing":          {func(r []Report) []Report { return r[:1] }, 0, []string{"shard 2/3 is missing, with 1 test of b, c", "shard 3/3 is missing, to which the plan gives nothing"}, "b T3, c"},
		"the run of no shard":      {first(func(r *Report) { r.Shard = nil }), 0, []string{"1.json is not the run of a shard", noFirst}, lacks},
		"shard 0":                  {shard(func(s *api.Shard) { s.Index = 0 }), 0, []string{"1.json says that it is attempt 1 of shard 0/3, which is impossible", noFirst}, lacks},
		"beyond the last shard":    {shard(func(s *api.Shard) { s.Index = 4 }), 0, []string{"1.json says that it is attempt 1 of shard 4/3, which is impossible", noFirst}, lacks},
		"too many shards":          {shard(func(s *api.Shard) { s.Of = 4001 }), 0, []string{"1.json says that it is attempt 1 of shard 1/4001, which is impossible", noFirst}, lacks},
		"attempt 0":                {shard(func(s *api.Shard) { s.Attempt = 0 }), 0, []string{"1.json says that it is attempt 0 of shard 1/3, which is impossible", noFirst}, lacks},
		"files changed":            {first(func(r *Report) { r.MixedState = true }), 0, []string{"1.json shows no single state of the sources: files changed while shard 1/3 ran (let git ignore what the tests write)", noFirst}, lacks},
		"no state":                 {first(func(r *Report) { r.Source = nil }), 0, []string{"1.json does not say which state of the sources shard 1/3 saw", noFirst}, lacks},
		"a digest of another plan": {shard(func(s *api.Shard) { s.Plan = "0123456789abcdef" }), 0, []string{"1.json is incomplete: what shard 1/3 says of its plan does not match the digest 0123456789ab", noFirst}, lacks},
		"a plan with fewer suites": {shard(func(s *api.Shard) { s.SuitesTotal-- }), 0, []string{"1.json is incomplete: what shard 1/3 says of its plan does not match the digest " + threeShards().Digest()[:12], noFirst}, lacks},
		"no plan":                  {first(func(r *Report) { r.Shard.Plan, r.Verdict, r.Reason = "", api.ToolError, "no tool\nat all" }), 0, []string{"1.json has no plan: shard 1/3 is tool error (no tool)", noFirst}, lacks},
		"no run":                   {first(func(r *Report) { r.Shard.Plan, r.RunID, r.Reason = "", "", "no tool" }), 0, []string{"1.json says of shard 1/3: no tool", noFirst}, lacks},
		"files changed, and again": {func(r []Report) []Report {
			again := reportsOf(threeShards())[0]
			again.File, again.MixedState, r[0].Shard.Attempt = "4.json", true, 2
			return append(r, again)
		}, 0, []string{"4.json shows no single state of the sources: files changed while shard 1/3 ran (let git ignore what the tests write)"}, ""},
		"no plan, and again":       {void(func(*Report) {}), 0, nil, ""},
		"no plan, the second time": {void(func(r *Report) { r.Shard.Attempt = 2 }), 0, []string{"4.json has no plan: shard 1/3 is tool error (no tool)"}, ""},
		"no plan, another shard":   {void(func(r *Report) { r.Shard.Index = 2 }), 0, []string{"4.json has no plan: shard 2/3 is tool error (no tool)"}, ""},
		"no plan, of other shards": {void(func(r *Report) { r.Shard.Of = 4 }), 0, []string{"4.json has no plan: shard 1/4 is tool error (no tool)"}, ""},
		"no plan, but red":         {void(func(r *Report) { r.Verdict = api.Failed }), 0, []string{"4.json has no plan: shard 1/3 is failed (no tool)"}, ""},
		"other timings":            {of(func(p *Plan) { p.Timings = "t" }), 0, []string{other + "the files of timings differ", noFirst}, lacks},
		"another selection":        {of(func(p *Plan) { p.Selection.Filter = "A" }), 0, []string{other + "the selections differ", noFirst}, lacks},
		"other suites":             {of(func(p *Plan) { p.Parts[1][1].Suite = "d" }), 0, []string{other + "the suites or their tests differ", noFirst}, lacks},
		"two shards":               {of(func(p *Plan) { p.Parts = p.Parts[:2] }), 0, []string{"1.json, shard 1/2, is of a different plan than 2.json: it has 2 shards and not 3", noFirst}, lacks},
		"other sources":            {of(func(p *Plan) { p.Fingerprint = "def456" }), 0, []string{other + "the sources differ (state abc123 and state def456)", noFirst}, lacks},
		"other sources of other commits": {func(r []Report) []Report {
			r = of(func(p *Plan) { p.Fingerprint = "def456" })(r)
			r[0].Source.Commit, r[1].Source.Commit = "c0ffee", "decade0000000"
			return r
		}, 0, []string{other + "the sources differ (commit decade000000 and commit c0ffee)", noFirst}, lacks},
		"other timings of a commit": {func(r []Report) []Report {
			r = of(func(p *Plan) { p.Timings = "t" })(r)
			r[0].Source.Commit, r[1].Source.Commit = "c0ffee", "c0ffee"
			return r
		}, 0, []string{other + "the files of timings differ", noFirst}, lacks},
		"two other plans": {func(r []Report) []Report {
			timed, sliced := threeShards(), threeShards()
			timed.Timings, sliced.Selection.Filter = "t", "A"
			return append(r, reportsOf(timed)[0], reportsOf(timed)[0], reportsOf(sliced)[0])
		}, 0, []string{
			"1.json, shard 1/3, is of a different plan than 1.json: the files of timings differ", "1.json, shard 1/3, is of a different plan than 1.json: the files of timings differ",
			"1.json, shard 1/3, is of a different plan than 1.json: the selections differ",
		}, ""},
		"other sources of a commit": {func(r []Report) []Report {
			r = of(func(p *Plan) { p.Fingerprint = "def456" })(r)
			r[0].Source.Commit, r[1].Source.Commit, r[0].Source.Dirty = "c0ffee", "c0ffee", 1
			return r
		}, 0, []string{other + "the sources differ (commit c0ffee and state def456), although they have the same commit: let git ignore reports, and whatever else only some machines have", noFirst}, lacks},
		"another setting": {func(r []Report) []Report { r[1].Environment = "f"; return r }, 0, []string{"1.json and 2.json " + setting}, ""},
		"less time":       {func(r []Report) []Report { r[1].Environment = "e.short"; return r }, 0, nil, ""},
		"another plugin":  {func(r []Report) []Report { r[1].Plugin.Name = "y"; return r }, 0, []string{"1.json and 2.json " + setting}, ""},
		"another setting of an earlier attempt": {func(r []Report) []Report {
			again := reportsOf(threeShards())[0]
			again.File, again.Environment, r[0].Shard.Attempt = "4.json", "f", 2
			return append(r, again)
		}, 0, []string{"1.json and 4.json " + setting}, ""},
		"a shard twice": {func(r []Report) []Report {
			again := reportsOf(threeShards())[0]
			again.File = "4.json"
			return append(r, again)
		}, 0, []string{"there are two reports of shard 1/3, 1.json and 4.json: a repeated job replaces an earlier one only with a larger attempt"}, ""},
		"no end":                   {ended("", api.Passed, 0), 0, []string{"1.json does not show how a ended"}, "a"},
		"no end of a part":         {first(func(r *Report) { r.Shard.Planned[1].Ended = "" }), 0, []string{"1.json does not show how b ended"}, "b T1, b T2"},
		"an unknown end of a part": {first(func(r *Report) { r.Shard.Planned[1].Ended = "great" }), 0, []string{`1.json says that b ended as "great", which is unknown`}, "b T1, b T2"},
		"an unknown end":           {ended("great", api.Passed, 0), 0, []string{`1.json says that a ended as "great", which is unknown`}, "a"},
		"no result":                {first(func(r *Report) { r.Results = r.Results[:2] }), 0, []string{"1.json has no result of 1 test of b"}, "b T2"},
		"no result of a suite that ended early": {first(func(r *Report) {
			r.Results, r.Shard.Planned[1].Ended, r.Verdict, r.Reason = r.Results[:1], api.SuiteEndAborted, api.Incomplete, "killed"
		}), 0, []string{"shard 1/3 is incomplete (killed)"}, ""},
		"another suite":                 {adding(resultOf("z", "T")), 0, []string{"1.json has a result of z T, which the plan does not give to shard 1/3"}, ""},
		"another suite as a whole":      {adding(resultOf("z", "")), 0, []string{"1.json has a result of z, which the plan does not give to shard 1/3"}, ""},
		"a test of another shard":       {adding(resultOf("b", "T3")), 0, []string{"1.json has a result of b T3, which the plan does not give to shard 1/3"}, ""},
		"a fixture, and a part of test": {adding(fixture, part), 0, nil, ""},
		"more than are named": {adding(resultOf("z", "7"), resultOf("z", "6"), resultOf("z", "5"), resultOf("z", "4"), resultOf("z", "3"), resultOf("z", "2")), 0, []string{
			"1.json has a result of z 2, which the plan does not give to shard 1/3", "1.json has a result of z 3, which the plan does not give to shard 1/3",
			"1.json has a result of z 4, which the plan does not give to shard 1/3", "1.json has a result of z 5, which the plan does not give to shard 1/3",
			"1.json has a result of z 6, which the plan does not give to shard 1/3",
		}, ""},
		"only skips":                 {ended(api.SuiteEndPassed, api.NothingRan, 0), 0, nil, ""},
		"no tests":                   {ended(api.SuiteEndNoTests, api.NothingRan, 0), 0, nil, ""},
		"only a known failure":       {ended(api.SuiteEndFailed, api.NothingRan, 1), 0, nil, ""},
		"nothing ran of what failed": {ended(api.SuiteEndFailed, api.NothingRan, 0), 0, []string{"shard 1/3 is nothing ran (why)"}, ""},
		"died beside a known failure": {ended(api.SuiteEndOutside, api.NothingRan, 1), 0, []string{
			"shard 1/3 is nothing ran (why)"}, ""},
		"nothing ran of a later suite": {first(func(r *Report) {
			r.Shard.Planned[1].Ended, r.Verdict, r.Reason = api.SuiteEndAborted, api.NothingRan, "why"
		}), 0, []string{"shard 1/3 is nothing ran (why)"}, ""},
		"the second is incomplete": {func(r []Report) []Report { r[1].Verdict, r[1].Reason = api.Incomplete, "why"; return r }, 0, []string{"shard 2/3 is incomplete (why)"}, ""},
		"incomplete":               {ended(api.SuiteEndPassed, api.Incomplete, 0), 0, []string{"shard 1/3 is incomplete (why)"}, ""},
		"a tool error":             {ended(api.SuiteEndPassed, api.ToolError, 0), 0, []string{"shard 1/3 is tool error (why)"}, ""},
	} {
		reports := tc.change(reportsOf(threeShards()))
		m := Of(reports, tc.expect)
		var missing []string
		for _, id := range m.Missing {
			missing = append(missing, strings.TrimSpace(id.Suite+" "+id.Test))
		}
		if !slices.Equal(m.Problems, tc.problems) || strings.Join(missing, ", ") != tc.missing {
			t.Errorf("%s: problems\n%s\nand missing are %q, want\n%s\nand %q", name, strings.Join(m.Problems, "\n"), missing, strings.Join(tc.problems, "\n"), tc.missing)
		}
		if several := strings.Contains(strings.Join(m.Problems, "\n"), setting); m.OneState == several {
			t.Errorf("%s: of one state %t", name, m.OneState)
		}
		if strings.HasPrefix(name, "no plan, ") && len(m.Void) == 0 != (name == "no plan, but red") {
			t.Errorf("%s: %d ran nothing", name, len(m.Void))
		}
		if n := len(m.Last) + len(m.Earlier) + len(m.Void) + len(m.Others); n != len(reports) {
			t.Errorf("%s: %d reports of %d are left", name, n, len(reports))
		}
	}
}

// Reports without a plan show how many shards there were, and are not missing themselves.
func TestAMergeOfReportsWithoutAPlanNamesTheOthers(t *testing.T) {
	t.Parallel()
	none := func(index, of int) Report {
		return Report{File: fmt.Sprintf("%d.json", index), Run: api.Run{RunID: "r", Verdict: api.ToolError, Reason: "why", Shard: &api.Shard{Index: index, Of: of, Attempt: 1}}}
	}
	for name, tc := range map[string]struct {
		reports  []Report
		expect   int
		problems []string
	}{
		"one of two":    {[]Report{none(1, 2)}, 0, []string{"1.json has no plan: shard 1/2 is tool error (why)", "shard 2/2 is missing"}},
		"both":          {[]Report{none(1, 2), none(2, 2)}, 0, []string{"1.json has no plan: shard 1/2 is tool error (why)", "2.json has no plan: shard 2/2 is tool error (why)"}},
		"more expected": {[]Report{none(1, 1)}, 2, []string{"1.json has no plan: shard 1/1 is tool error (why)", "shard 2/2 is missing"}},
		"no shard":      {[]Report{{File: "1.json"}}, 1, []string{"1.json is not the run of a shard", "shard 1/1 is missing"}},
		"one that is none, too": {[]Report{{File: "1.json"}, none(1, 2), none(2, 3)}, 0, []string{
			"1.json is not the run of a shard", "1.json has no plan: shard 1/2 is tool error (why)", "2.json has no plan: shard 2/3 is tool error (why)",
		}},
		"less than none":   {[]Report{none(1, -1)}, 0, []string{"1.json says that it is attempt 1 of shard 1/-1, which is impossible"}},
		"more than can be": {[]Report{none(1, 1<<40)}, 4001, nil},
	} {
		m := Of(tc.reports, tc.expect)
		if tc.problems != nil && !slices.Equal(m.Problems, tc.problems) || m.OneState || len(m.Problems) > api.MaxShards+1 {
			t.Errorf("%s: one state %t, %d problems: %.300q", name, m.OneState, len(m.Problems), m.Problems)
		}
	}
}

// The lists of a report must be those of a plan, and one that gives each test one place: what is
// in two shards could fail in one and pass in the other.
func TestAPlanGivesEachTestOnePlace(t *testing.T) {
	t.Parallel()
	whole := Piece{Suite: "a"}
	part := func(tests ...string) Piece { return Piece{Suite: "a", Tests: tests} }
	for name, tc := range map[string]struct {
		parts  [][]Piece
		change func(*api.Shard)
		want   bool
	}{
		"one suite":                 {[][]Piece{{whole}, {}}, nil, true},
		"a suite that is cut":       {[][]Piece{{part("S")}, {part("T")}}, nil, true},
		"tests of the same name":    {[][]Piece{{part("S")}, {{Suite: "b", Tests: []string{"S"}}}}, nil, true},
		"a suite in two shards":     {[][]Piece{{whole}, {whole}}, nil, false},
		"twice in a shard":          {[][]Piece{{whole, whole}, {}}, nil, false},
		"whole, and then in part":   {[][]Piece{{whole}, {part("T")}}, nil, false},
		"in part, and then whole":   {[][]Piece{{part("T")}, {whole}}, nil, false},
		"in two pieces of a shard":  {[][]Piece{{part("S"), part("T")}, {}}, nil, false},
		"a test in two shards":      {[][]Piece{{part("S", "T")}, {part("R", "T")}}, nil, false},
		"a test twice in a piece":   {[][]Piece{{part("T", "T")}, {}}, nil, false},
		"a shard 0":                 {[][]Piece{{whole}, {}}, func(s *api.Shard) { s.Elsewhere[0].Index = 0 }, false},
		"a shard beyond the last":   {[][]Piece{{whole}, {}}, func(s *api.Shard) { s.Elsewhere[0].Index = 3 }, false},
		"its own shard elsewhere":   {[][]Piece{{whole}, {}}, func(s *api.Shard) { s.Elsewhere[0].Index = 1 }, false},
		"a shard that is not there": {[][]Piece{{whole}, {}}, func(s *api.Shard) { s.Elsewhere = nil }, false},
	} {
		r := reportsOf(Plan{Language: "x", Fingerprint: "abc123", Parts: tc.parts})[0]
		if tc.change != nil {
			tc.change(r.Shard)
			if plan, ok := planOf(r.Run); ok {
				r.Shard.Plan = plan.Digest()
			}
		}
		if why := checkPlan(r.Run); (why == "") != tc.want {
			t.Errorf("%s: %q", name, why)
		}
	}
}

func TestAMissingPartNamesItsFirstSuites(t *testing.T) {
	t.Parallel()
	var part []Piece
	for i, want := range []string{
		", to which the plan gives nothing", ", with s0", ", with s0, s1", ", with s0, s1, s2", ", with s0, s1, s2, s3", ", with s0, s1, s2, s3, s4",
		", with s0, s1, s2, s3, s4 and 1 more suite", ", with s0, s1, s2, s3, s4 and 2 more suites",
	} {
		if got := describePart(part); got != want {
			t.Errorf("%d suites: %q, want %q", i, got, want)
		}
		part = append(part, Piece{Suite: fmt.Sprint("s", i)})
	}
}

// What any report shows as red is red, and each must allow that flaky tests pass.
func TestAMergeIsAsRedAsAnyOfItsReports(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change     func(r []Report) []Report
		expect     int
		red, flaky bool
	}{
		"none":            {func(r []Report) []Report { return r }, 0, false, false},
		"one failed":      {func(r []Report) []Report { r[1].Verdict = api.Failed; return r }, 0, true, false},
		"one is unbuilt":  {func(r []Report) []Report { r[1].Verdict = api.BuildFailed; return r }, 0, true, false},
		"one is no shard": {func(r []Report) []Report { r[1].Verdict, r[1].Shard = api.Failed, nil; return r }, 0, true, false},
		"one is of another plan": {func(r []Report) []Report {
			plan := threeShards()
			plan.Timings = "t"
			r[1] = reportsOf(plan)[1]
			r[1].Verdict = api.Failed
			return r
		}, 0, true, false},
		"one is beyond those expected": {func(r []Report) []Report { r[2].Verdict = api.Failed; return r }, 2, true, false},
		"one did not build what has not run since": {func(r []Report) []Report {
			before := reportsOf(threeShards())[0]
			before.Verdict, before.Failures, r[0].Shard.Attempt = api.BuildFailed, []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a"}, Kind: sdk.KindBuild}}}, 2
			r[0].Verdict, r[0].Shard.Planned[0].Ended = api.Incomplete, api.SuiteEndUnfinished
			return append(r, before)
		}, 0, true, false},
		"one lets pass": {func(r []Report) []Report { r[1].Shard.FlakyPasses = true; return r }, 0, false, false},
		"all let pass": {func(r []Report) []Report {
			r[0].Shard.FlakyPasses, r[1].Shard.FlakyPasses, r[2].Shard.FlakyPasses = true, true, true
			return r
		}, 0, false, true},
		"the only one":     {func(r []Report) []Report { r[0].Shard.FlakyPasses = true; return r[:1] }, 0, false, true},
		"none has a shard": {func(r []Report) []Report { r[0].Shard, r[1].Shard, r[2].Shard = nil, nil, nil; return r }, 0, false, false},
	} {
		if m := Of(tc.change(reportsOf(threeShards())), tc.expect); m.IsRed() != tc.red || m.FlakyPasses() != tc.flaky {
			t.Errorf("%s: red %t, flaky tests may pass %t", name, m.IsRed(), m.FlakyPasses())
		}
	}
}
