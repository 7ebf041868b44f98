package conform

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk/plugintest/internal/brokenplugin"
)

// faults maps the modes of the broken plugin to the point that finds each, followed by
// other points that the fault breaks.
var faults = map[string][]string{
	"by-hand-well":              {"by-hand"},
	"by-hand-on-stdout":         {"by-hand"},
	"by-hand-silent":            {"by-hand"},
	"by-hand-serves":            {"by-hand"},
	"hangs-at-start":            {"handshake"},
	"ends-at-start":             {"handshake"},
	"prints-first":              {"handshake"},
	"other-version":             {"handshake"},
	"socket-elsewhere":          {"socket"},
	"listens-on-tcp":            {"socket"},
	"unhealthy":                 {"health"},
	"no-health":                 {"health"},
	"other-name":                {"describe", "manifest"}, // the manifest uses the file's name
	"upper-language":            {"describe"},
	"changes-its-mind":          {"describe"},
	"newer-than-manifest":       {"manifest"},
	"never-describes":           {"describe"},
	"many-probes":               {"describe"},
	"blocks-unreported":         {"events"},
	"derived-alone":             {"events", "golden"},
	"endless-suite":             {"events", "golden"},
	"ended-alone":               {"events", "golden"},
	"nameless":                  {"events", "golden"},
	"new-marker":                {"manifest"},
	"passes-of-nothing":         {"garbage", "cut"},
	"names-no-target":           {"reruns"},
	"damage-is-fine":            {"damage"},
	"damage-passes":             {"damage"},
	"ignores-suites":            {"commands"},
	"ignores-selections":        {"commands"},
	"empty-containers":          {"events", "golden", "cut"},
	"drops-unknown-streams":     {"newer-host"},
	"leaves-child":              {"lifeline", "shutdown"},
	"fails-at-shutdown":         {"shutdown"},
	"detects-anything":          {"detect"},
	"no-commands":               {"commands"},
	"shell":                     {"commands"},
	"no-program":                {"commands"},
	"leaves-workspace":          {"commands"},
	"input-path":                {"commands"},
	"sets-path":                 {"commands"},
	"wrong-line":                {"golden"},
	"loses-failures":            {"golden"},
	"long-note":                 {"events"},
	"unknown-status":            {"events"},
	"file-outside":              {"events"},
	"splits-bytes":              {"chunking"},
	"guesses":                   {"garbage"},
	"panics":                    {"garbage"},
	"crashes":                   {"garbage"},
	"hangs":                     {"garbage"},
	"optimist":                  {"cut", "golden"}, // the red case has a test without an end
	"damaged-by-bytes":          {"damage"},
	"silent-when-red":           {"red-exit"},
	"believes-passes":           {"red-exit"},
	"looks-complete":            {"red-exit"},
	"believes-logs":             {"fakes"},
	"ignores-cancel":            {"cancel"},
	"shares-state":              {"concurrent"},
	"accepts-incomplete":        {"incomplete"},
	"strict-stream":             {"newer-host"},
	"strict-describe":           {"newer-host", "big-message"}, // which is enlarged with an unknown field
	"small-messages":            {"big-message"},
	"hoards":                    {"memory"},
	"reruns-others":             {"reruns"},
	"splits-output":             {"output-of"},
	"list-panics":               {"lists"},
	"part-untold":               {"dependencies"},
	"part-outside":              {"dependencies"},
	"never-covers":              {"cover"},
	"cover-runs-others":         {"cover"},
	"covers-unasked":            {"commands"},
	"knows-a-run":               {"commands"},
	"index-without-covers":      {"index"},
	"prepares-and-covers":       {"index"},
	"coverage-fails":            {"index", "cover"},
	"coverage-is-silent":        {"index", "cover"},
	"coverage-of-garbage":       {"index", "cover"},
	"outline-beyond":            {"outline"},
	"outline-alike":             {"outline"},
	"outline-without-digest":    {"outline"},
	"outline-draws":             {"outline"},
	"outline-panics":            {"outline"},
	"outlines-nothing-there":    {"outline"},
	"undeclared-call":           {"undeclared"},
	"ignores-lifeline":          {"lifeline"},
	"needs-home":                {"environment"},
	"ends-with-stdin":           {"no-lifeline"},
	"ignores-shutdown":          {"shutdown"},
	"no-controller":             {"shutdown"},
	"claims-any-version":        {"versions"},
	"hangs-without-version":     {"versions"},
	"ends-well-without-version": {"versions"},
	"ignores-tls":               {"tls"},
	"lets-everybody-in":         {"tls"},
	"shows-other-certificate":   {"tls"},
	"prints-later":              {"stdout"},
	"writes-home":               {"writes"},
	"writes-here":               {"writes"},
	"writes-workspace":          {"writes"},
}

// atOnce is how many plugins are checked at the same time: several only wait until the
// kit gives up.
const atOnce = 14

// slow modes require waiting, so they begin first.
var slow = []string{"hangs-at-start", "by-hand-serves", "ignores-cancel", "ignores-lifeline", "ignores-shutdown", "hangs-without-version", "hangs"}

// hangLimit is for a parse that never ends.
const hangLimit = 8 * time.Second

func TestEachFaultFailsOnlyItsOwnPoints(t *testing.T) {
	modes := slices.Clone(slow)
	for mode := range faults {
		if !slices.Contains(slow, mode) {
			modes = append(modes, mode)
		}
	}
	reports, errs := make([]Report, len(modes)), make([]error, len(modes))
	slots := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, mode := range modes {
		config := fullConfig(t, mode)
		if mode == "hangs" {
			config.ParseLimit = hangLimit
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			reports[i], errs[i] = checkCheaply(t.Context(), config, faults[mode])
		})
	}
	group.Wait()
	for i, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			expectFailed(t, reports[i], faults[mode])
		})
	}
}

// costly points take most of the time. They are checked if the fault concerns them, and
// for a plugin without faults.
var costly = []string{"memory", "tls", "big-message", "events", "garbage", "damage", "cancel"}

// starting points start processes of their own. A fault in the calls, which follow a
// start, does not show in them.
var starting = []string{"by-hand", "environment", "no-lifeline", "shutdown", "versions", "tls"}

// ofStart are further points about processes.
var ofStart = []string{"handshake", "socket", "health", "lifeline", "stdout", "writes"}

// isChecked reports whether a point is checked for a plugin that breaks the points want.
func isChecked(id string, want []string) bool {
	if slices.Contains(want, id) {
		return true
	}
	concernsStart := slices.ContainsFunc(want, func(w string) bool { return slices.Contains(starting, w) || slices.Contains(ofStart, w) })
	return !slices.Contains(costly, id) && (concernsStart || !slices.Contains(starting, id))
}

// checkCheaply is Check without the costly points, except for some.
func checkCheaply(ctx context.Context, config Config, want []string) (Report, error) {
	kit, err := New(ctx, config)
	if err != nil {
		return Report{}, err
	}
	defer kit.Close()
	var results []Result
	for _, point := range Points() {
		if isChecked(point.ID, want) {
			results = append(results, kit.Check(ctx, point))
		}
	}
	return newReport(config.Binary, kit.Plugin(), results), nil
}

// expectFailed checks that exactly these points failed, each with an explanation.
func expectFailed(t *testing.T, r Report, want []string) {
	t.Helper()
	failed := slices.Sorted(slices.Values(byStatus(r, Failed)))
	if !slices.Equal(failed, slices.Sorted(slices.Values(want))) || r.Outcome != Broken {
		t.Errorf("%s: failed %q, want %q", r.Outcome, failed, want)
		logProblems(t, r)
	}
	for _, point := range r.Points {
		for _, f := range point.Findings {
			if f.Seen == "" || f.Advice == "" {
				t.Errorf("%s has a finding without a text: %+v", point.ID, f)
			}
		}
	}
}

func TestEveryPointIsFailedByAFault(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, points := range faults {
		found[points[0]] = true
	}
	for _, point := range Points() {
		if !found[point.ID] {
			t.Errorf("no mode of the broken plugin fails %s", point.ID)
		}
		delete(found, point.ID)
	}
	for id := range found {
		t.Errorf("there is no point %s", id)
	}
}

func TestAPluginWithoutAFaultPasses(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"good", brokenplugin.SDKMode} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			report, err := Check(t.Context(), fullConfig(t, mode))
			if err != nil {
				t.Fatal(err)
			}
			if report.Outcome != Passed || report.Counts.Failed+report.Counts.NotChecked > 0 || report.Plugin.Name != mode {
				t.Errorf("%s, %+v", report.Outcome, report.Counts)
				logProblems(t, report)
			}
		})
	}
}

func TestAnEmptyWorkspaceDoesNotPass(t *testing.T) {
	t.Parallel()
	config := fullConfig(t, "good")
	config.Workspace.Root = t.TempDir()
	report, err := checkCheaply(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := byStatus(report, NotChecked); report.Outcome != Incomplete || !slices.Equal(got, []string{"detect", "outline"}) {
		t.Errorf("%s, not checked: %q", report.Outcome, got)
	}
}

func TestWithoutCasesAndWorkspaceACheckIsIncomplete(t *testing.T) {
	t.Parallel()
	report, err := checkCheaply(t.Context(), Config{Binary: brokenPlugin(t, "good")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"golden", "fakes", "commands", "chunking", "cut", "red-exit", "reruns"} {
		if !slices.Contains(byStatus(report, NotChecked), id) {
			t.Errorf("%s was checked without anything to check it with", id)
		}
	}
	if report.Outcome != Incomplete {
		t.Error(report.Outcome)
	}
}

// logProblems logs everything that is not ok.
func logProblems(t *testing.T, r Report) {
	t.Helper()
	for _, p := range r.Points {
		if p.Status != OK {
			t.Logf("%s: %s %s %+v", p.ID, p.Status, p.Reason, p.Findings)
		}
	}
}
