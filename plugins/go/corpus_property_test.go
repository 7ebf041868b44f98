package gotest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/sdk"
)

// cutsPerCase returns how many cuts to spread over a stream; each is a parse of its own.
func cutsPerCase() int {
	if needs.IsWhole() {
		return 24
	}
	return 12
}

// A stream may end anywhere. What it said before still counts, what had begun is
// unfinished, and nothing without an end is a success.
func TestCorpusCutAnywhereHidesNothing(t *testing.T) {
	for _, c := range loadCorpus(t) {
		if c.Meta.Edit != nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			r := replayOf(t, c)
			r.exit, r.stderr = sdk.Exit{Unknown: true}, nil
			whole := r.stdout
			cuts := cutsPerCase()
			for i := range cuts {
				r.stdout = whole[:len(whole)*i/cuts]
				checkCut(t, r.stdout, r.feed(t, feeding{}), c.Name == "child-forwards-markers")
			}
		})
	}
}

func checkCut(t *testing.T, stream []byte, got *corpus.Observed, forwards bool) {
	t.Helper()
	reported := map[sdk.TestID][]sdk.Status{}
	for _, r := range got.Tests {
		reported[r.TestID] = append(reported[r.TestID], r.Status)
	}
	blamed := map[sdk.TestID]bool{}
	for _, f := range got.Failures {
		blamed[f.TestID] = true
	}
	said := readEvents(stream)
	for id, last := range said.tests {
		// The tool prints no end for a benchmark that passed.
		benchmark := strings.HasPrefix(id.Test, "Benchmark") && last == "run"
		// A child process of a test may print what package testing prints.
		ok := benchmark || forwards && last == "run" && said.again[id] && slices.Contains(reported[id], sdk.Passed)
		for _, s := range reported[id] {
			ok = ok || last == "fail" && s == sdk.Failed || last == "run" && (s == sdk.Unfinished || s == sdk.Failed) ||
				last == "pass" && s != sdk.Skipped || last == "skip" && s == sdk.Skipped
		}
		if !ok {
			t.Errorf("cut at %d: the last event of %s %s is %s, but it is reported as %v", len(stream), id.Suite, id.Test, last, reported[id])
		}
	}
	for id := range said.failed {
		if !slices.Contains(reported[id], sdk.Failed) {
			t.Errorf("cut at %d: the fail event of %s %s is lost", len(stream), id.Suite, id.Test)
		}
	}
	for _, s := range got.Suites {
		if said.open[s.Suite] && (s.Outcome == sdk.SuitePassed || s.Outcome == sdk.SuiteNoTests) {
			t.Errorf("cut at %d: suite %s was not closed and is reported as outcome %d", len(stream), s.Suite, s.Outcome)
		}
	}
}

// events is what a stream says, parsed as naively as possible.
type events struct {
	// tests holds the last action of each test: run, pass, fail or skip.
	tests map[sdk.TestID]string
	// failed are the tests with a fail event, repeated or not.
	failed map[sdk.TestID]bool
	// again are tests that passed and later started once more.
	again map[sdk.TestID]bool
	// open are the suites with a start and no end.
	open map[string]bool
}

func readEvents(stream []byte) events {
	said := events{tests: map[sdk.TestID]string{}, failed: map[sdk.TestID]bool{}, again: map[sdk.TestID]bool{}, open: map[string]bool{}}
	for line := range bytes.Lines(stream) {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(line, &e) != nil || e.Package == "" {
			continue
		}
		id := sdk.TestID{Suite: e.Package, Test: e.Test}
		switch e.Action {
		case "start":
			said.open[e.Package] = true
		case "run", "pass", "fail", "skip":
			if e.Test == "" {
				delete(said.open, e.Package)
				continue
			}
			said.again[id] = e.Action == "run" && said.tests[id] == "pass"
			said.tests[id] = e.Action
			if e.Action == "fail" {
				said.failed[id] = true
			}
		}
	}
	return said
}

// Packages run in parallel and their events interleave: the report on one must not
// depend on another.
func TestCorpusPackagesDoNotDisturbEachOther(t *testing.T) {
	var alone []corpus.Case
	for _, c := range loadCorpus(t) {
		m := c.Meta
		stderr, err := c.Stream("stderr")
		if err != nil || m.ExitCode != 1 || m.Stop != nil || m.Edit != nil || m.Dir != "" || len(stderr) > 0 || m.Go != "go1.26.8" {
			continue
		}
		if want, err := c.Want(); err != nil || slices.ContainsFunc(want.Failures, func(f corpus.WantFailure) bool { return f.Suite == "" }) {
			continue // of the run, not of a package
		}
		// So does text that is not an event.
		if stdout, err := c.Stream("stdout"); err == nil && bytes.HasPrefix(stdout, []byte("{")) {
			alone = append(alone, c)
		}
	}
	// Neighbors in the alphabet are alike; a stride pairs different things.
	const stride = 29
	for i, c := range alone {
		other := alone[(i+stride)%len(alone)]
		t.Run(c.Name+"+"+other.Name, func(t *testing.T) {
			a, b := replayOf(t, c), replayOf(t, other)
			b.stdout = bytes.ReplaceAll(b.stdout, []byte("example.com/m"), []byte("example.com/z"))
			b.stdout = bytes.ReplaceAll(b.stdout, []byte(b.run.Workspace.Root), []byte(a.run.Workspace.Root))
			// Without sources both are read under the same conditions.
			a.run.Workspace.Root, a.run.Command = t.TempDir(), sdk.Command{}
			b.run = a.run
			want := append(a.feed(t, feeding{}).Events(), b.feed(t, feeding{}).Events()...)
			mixed := a
			mixed.stdout = interleave(a.stdout, b.stdout)
			got := mixed.feed(t, feeding{}).Events()
			slices.Sort(want)
			slices.Sort(got)
			if i := firstDifference(want, got); i >= 0 {
				t.Errorf("mixed with another package the report differs:\n got %s\nwant %s", elementAt(got, i), elementAt(want, i))
			}
		})
	}
}

// interleave interleaves the lines of both streams.
func interleave(a, b []byte) []byte {
	var out []byte
	la, lb := bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n"))
	for i := range max(len(la), len(lb)) {
		for _, lines := range [][][]byte{la, lb} {
			if i < len(lines) {
				out = append(out, lines[i]...)
			}
		}
	}
	return out
}

// A parser of one command must not hold state that another one sees.
func TestCorpusParsersAreIndependent(t *testing.T) {
	cases := loadCorpus(t)
	for i := 0; i+1 < len(cases); i += 11 {
		t.Run(cases[i].Name, func(t *testing.T) {
			t.Parallel()
			r := replayOf(t, cases[i])
			first := fmt.Sprint(r.feed(t, feeding{}).Events())
			replayOf(t, cases[i+1]).feed(t, feeding{})
			if again := fmt.Sprint(r.feed(t, feeding{}).Events()); again != first {
				t.Errorf("a second reading differs:\n%.500s\n%.500s", again, first)
			}
		})
	}
}
