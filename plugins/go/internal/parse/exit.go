package parse

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// goCommand handles what the go command itself says: why it could not build a package,
// and why it failed.
type goCommand struct {
	*reporter
	suites *suites
	builds builds
	// words is what it printed on standard error, and foreign what something else
	// printed among the events.
	words, foreign tail
	// unmatched are warnings about patterns without packages.
	unmatched []string
}

// maxUnmatched bounds the notes about patterns without packages.
const maxUnmatched = 16

// noteUnmatched notes, once, that a pattern matched nothing: the others may still be
// green.
func (g *goCommand) noteUnmatched(text string) {
	warning, found := strings.CutPrefix(text, "go: warning: ")
	if !found || !strings.HasSuffix(warning, " matched no packages") || slices.Contains(g.unmatched, warning) || len(g.unmatched) >= maxUnmatched {
		return
	}
	g.unmatched = append(g.unmatched, warning)
	g.sink.Note(warning)
}

// noteUnmatchedBench notes that -bench matched nothing in any package, which go test does
// not say: tests alone may have passed. After a failed test no benchmark runs anyway.
func (g *goCommand) noteUnmatchedBench(exit sdk.Exit) {
	if g.selection.bench != nil && !g.selection.list && !g.benchmarked && g.counts.anyRan() && !exit.Unknown && exit.Code == 0 {
		g.sink.Note("nothing was measured: no benchmark matches -bench")
	}
}

// explainExit makes sure that a red run has a reason: if no event gives one, the go
// command's own words.
func (g *goCommand) explainExit(exit sdk.Exit) {
	text := wording.Tidy(g.words.lines())
	if exit.Unknown {
		// A recording without an exit code is red only if nothing ran at all.
		if len(g.suites.ended) == 0 && len(g.builds.failed) == 0 && text != "" && !g.explained {
			g.explainRun(text)
		}
		return
	}
	if g.explained || exit.Code == 0 || exit.Cancelled {
		return
	}
	switch {
	case exit.TimedOut:
		g.report(sdk.Failure{Kind: sdk.KindTimeout, Message: g.idleTimeout(), Output: clip(text, maxMessage)})
	case exit.Signal != "":
		g.report(sdk.Failure{Kind: sdk.KindSignal, Message: "go test was ended by " + exit.Signal, Output: clip(text, maxMessage)})
	case text != "" && (!g.counts.anyRan() || !onlyWarns(text)):
		g.explainRun(text)
	default:
		text = wording.Tidy(g.foreign.lines())
		switch {
		case text != "":
		case g.counts.anyRan():
			return // tests ran and none is known to be bad: the exit code speaks for itself
		default:
			text = "go test failed without saying why"
		}
		g.explainRun(text)
	}
}

// idleTimeout returns the message for a timeout that no test can be blamed for. Before
// a package starts, go compiles, links and vets.
func (g *goCommand) idleTimeout() string {
	switch {
	case g.counts != (counts{}):
		return "time ran out while no test was running"
	case len(g.suites.running) == 0 || g.builds.someInterrupted():
		return "time ran out before a test was running: go was still building; the next run reuses what has been built"
	}
	return "time ran out before a test was running"
}

// onlyWarns reports whether no line of a text gives a reason.
func onlyWarns(text string) bool {
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "go: warning: ") {
			return false
		}
	}
	return true
}

// explainRun reports that the go command could not do its work. Before Go 1.24 that
// also happens if a single package cannot be loaded, and then it is that package's
// failure.
func (g *goCommand) explainRun(text string) {
	f := sdk.Failure{Kind: sdk.KindSetup, Message: clip(strings.Join(reasonFirst(strings.Split(text, "\n")), "\n"), maxMessage)}
	if len(g.suites.ended) == 0 && g.selection.refusedByGo(text) {
		sdk.Refuse(g.sink, sdk.Refusal{Words: clip(withoutUsage(text), maxMessage)})
	}
	for l := range strings.Lines(text) {
		m := diagnosticLine.FindStringSubmatch(strings.TrimPrefix(strings.TrimRight(l, "\n"), "go: "))
		if m == nil {
			continue
		}
		f.Location = buildPlace(g.tree, "", written{m[1], m[3]}, m[2])
		f.Message = m[4]
		f.Output = clip(text, maxMessage)
		break
	}
	owner := loadedPackage(g.tree, text, f.Location)
	if owner == "" {
		g.sink.RunError(clip(text, maxMessage))
		g.report(f)
		return
	}
	f.Suite = owner
	if f.Location.File == "" {
		f.Location = importPlace(g.tree, &buildBlock{owner: owner, lines: strings.Split(text, "\n")})
	}
	f.Repro = g.reproduce(f.TestID, finding{kind: sdk.KindSetup})
	g.sink.Suite(sdk.SuiteResult{Suite: owner, Outcome: sdk.SuiteBuildFailed})
	for _, other := range importCycle(text, owner) {
		f.Blocks = append(f.Blocks, other)
		g.sink.Suite(sdk.SuiteResult{Suite: other, Outcome: sdk.SuiteBuildFailed})
	}
	g.report(f)
}

var (
	// loadError matches the beginning of go list's message about a package.
	loadError = lazyregexp.New(`(?m)^package (\S+?)(?:$|:| \()`)
	// mixedDirectory matches a directory with files of several packages.
	mixedDirectory = lazyregexp.New(`found packages \S+ \(\S+\) and \S+ \(\S+\) in (.+)$`)
)

// loadedPackage returns the package of the workspace that could not be loaded, or "" if
// the text is about something else.
func loadedPackage(tree *tree, text string, at sdk.Location) string {
	if m := loadError.FindStringSubmatch(text); m != nil {
		if _, ok := tree.dir(m[1]); ok {
			return m[1]
		}
	}
	if m := mixedDirectory.FindStringSubmatch(text); m != nil {
		return tree.importPath(tree.mapForeign(m[1]))
	}
	if strings.HasSuffix(at.File, ".go") {
		return tree.importPath(filepath.Dir(tree.absolute(at)))
	}
	return ""
}

// importCycle returns the other packages of an import cycle.
func importCycle(text, owner string) []string {
	if !strings.Contains(text, "import cycle not allowed") {
		return nil
	}
	var others []string
	for l := range strings.Lines(text) {
		m := importLine.FindStringSubmatch(strings.TrimRight(l, "\n"))
		if m == nil {
			continue
		}
		name := strings.TrimSuffix(m[1], ":")
		if name != owner && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	return others
}
