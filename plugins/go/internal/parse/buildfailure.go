package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// reportBuilds reports one failure for each package that could not be built,
// with the suites it kept from running.
func (g *goCommand) reportBuilds(exit sdk.Exit) {
	g.builds.joinExternal()
	roots := g.builds.withoutStopped(g.brokenBlocks(exit.Unknown), exit)
	g.endBuilds(exit, roots)
	blocks := map[string][]string{}
	notes := map[string]string{}
	for _, suite := range g.builds.failed {
		causes := g.causes(suite, roots)
		if len(causes) == 0 {
			g.report(g.failure(sdk.TestID{Suite: suite.name}, finding{kind: kindOfNote(suite.note), message: g.causeText(suite)}))
		}
		for _, owner := range causes {
			if notes[owner] == "" || owner == suite.name {
				notes[owner] = suite.note
			}
			if owner != suite.name && !slices.Contains(blocks[owner], suite.name) {
				blocks[owner] = append(blocks[owner], suite.name)
			}
		}
	}
	for _, owner := range roots {
		f := g.buildFinding(g.builds.blocks[owner], notes[owner])
		record := g.failure(sdk.TestID{Suite: owner}, f)
		record.Blocks = blocks[owner]
		if g.selection.refusedInBuild(g.builds.blocks[owner].lines) {
			sdk.Refuse(g.sink, sdk.Refusal{Words: withoutUsage(f.message), Suites: append(slices.Clone(record.Blocks), owner)})
		}
		if exit.Unknown && !g.builds.hasFailed(owner) && !g.builds.blocks[owner].broken {
			// The go command's last word on the package is lost with the exit code.
			g.sink.Suite(sdk.SuiteResult{Suite: owner, Outcome: sdk.SuiteBuildFailed})
		}
		g.report(record)
	}
}

// endBuilds reports the suites of which a build said something and nothing said how it
// ended. A recording may end between an error and what follows from it. What was built
// for a suite that ran was built.
func (g *goCommand) endBuilds(exit sdk.Exit, broken []string) {
	if !exit.Unknown {
		return // it tells whether what is not said was good
	}
	for _, owner := range g.builds.owners {
		_, begun := g.suites.running[owner]
		if begun || g.ranWell(owner) || g.builds.hasFailed(owner) || g.suites.isWaiting(owner) || slices.Contains(broken, owner) || g.servedOthers(owner) {
			continue
		}
		g.sink.Note(owner + ": its build said something, and the output ends without saying how it ended")
		g.sink.Suite(sdk.SuiteResult{Suite: owner, Outcome: sdk.SuiteUnfinished})
	}
}

// maxServed bounds the suites whose imports are read to see what was built.
const maxServed = 64

// servedOthers reports whether a suite that imports a package has run.
func (g *goCommand) servedOthers(owner string) bool {
	if len(g.suites.ended) > maxServed {
		return false
	}
	for name := range g.suites.ended {
		if g.ranWell(name) && len(g.tree.importedOf(name, []string{owner})) > 0 {
			return true
		}
	}
	return false
}

// joinExternal gives what was said about external test packages to the package
// that they test. Without events a header "# p_test" does not name it; that
// "p" failed and "p_test" is no suite does.
func (b *builds) joinExternal() {
	for i, owner := range b.owners {
		tested, isTest := strings.CutSuffix(owner, "_test")
		if !isTest || b.hasFailed(owner) || !b.hasFailed(tested) || b.blocks[tested] != nil {
			continue
		}
		block := b.blocks[owner]
		delete(b.blocks, owner)
		block.owner, b.owners[i], b.blocks[tested] = tested, tested, block
	}
}

// causeText is why a suite was not built when nothing was said below a header:
// the lines of standard error that name it, else all of them.
func (g *goCommand) causeText(suite blockedSuite) string {
	all := g.words.lines()
	named := slices.DeleteFunc(slices.Clone(all), func(l string) bool { return !strings.Contains(l, suite.name) })
	switch {
	case len(named) > 0:
		return tidy(named)
	case len(all) > 0:
		return tidy(all)
	case suite.note != "":
		return suite.note
	}
	return "the package could not be built"
}

func kindOfNote(note string) string {
	if note == noteSetupFailed {
		return sdk.KindSetup
	}
	return sdk.KindBuild
}

// brokenBlocks are the packages whose output is about a failure. Builds that
// succeed may print warnings. Where the exit code is not known, errors are
// believed as they stand.
func (g *goCommand) brokenBlocks(unknown bool) []string {
	var broken []string
	for _, owner := range g.builds.owners {
		block := g.builds.blocks[owner]
		switch {
		case len(block.lines) == 0:
		case block.broken:
			broken = append(broken, owner)
		case g.ranWell(owner):
		case block.builds[fromStderr] && len(g.builds.failed) > 0:
			broken = append(broken, owner)
		case (unknown || block.builds[fromStdout] && len(g.builds.failed) > 0) && block.hasErrors():
			broken = append(broken, owner)
		}
	}
	return broken
}

// hasErrors reports whether there is a message with a place that is no warning.
func (b *buildBlock) hasErrors() bool {
	return slices.ContainsFunc(b.lines, func(text string) bool {
		m := diagnosticLine.FindStringSubmatch(text)
		return m != nil && !strings.HasPrefix(m[4], "warning:") && !strings.HasPrefix(m[4], "note:")
	})
}

// ranWell reports whether a suite has ended otherwise than by a failed build.
func (g *goCommand) ranWell(name string) bool {
	_, ended := g.suites.ended[name]
	return ended && !g.builds.hasFailed(name)
}

// causes are the broken packages that kept a suite from running: itself, those
// of the build that its event names, or, where there is no such event, those
// that it imports.
func (g *goCommand) causes(suite blockedSuite, roots []string) []string {
	if slices.Contains(roots, suite.name) {
		return []string{suite.name}
	}
	var named []string
	for _, owner := range roots {
		if suite.failedBuild != "" && g.builds.blocks[owner].builds[suite.failedBuild] {
			named = append(named, owner)
		}
	}
	if len(named) > 0 || suite.failedBuild != "" {
		return named
	}
	if len(roots) <= 1 {
		return roots
	}
	return g.tree.importedOf(suite.name, roots)
}
