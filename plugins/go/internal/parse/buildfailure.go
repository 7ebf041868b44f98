package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// reportBuilds reports one failure for each package that could not be built,
// with the suites it kept from running.
func (p *Parser) reportBuilds(exit sdk.Exit) {
	p.builds.joinExternal()
	roots := p.withoutStopped(p.brokenBlocks(exit.Unknown), exit)
	p.endBuilds(exit, roots)
	blocks := map[string][]string{}
	notes := map[string]string{}
	for _, suite := range p.builds.failed {
		causes := p.causes(suite, roots)
		if len(causes) == 0 {
			p.report(p.failure(sdk.TestID{Suite: suite.name}, finding{kind: kindOfNote(suite.note), message: p.causeText(suite)}))
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
		f := p.buildFinding(p.builds.blocks[owner], notes[owner])
		record := p.failure(sdk.TestID{Suite: owner}, f)
		record.Blocks = blocks[owner]
		if p.selection.refusedInBuild(p.builds.blocks[owner].lines) {
			sdk.Refuse(p.sink, sdk.Refusal{Words: withoutUsage(f.message), Suites: append(slices.Clone(record.Blocks), owner)})
		}
		if exit.Unknown && !p.builds.hasFailed(owner) && !p.builds.blocks[owner].broken {
			// The go command's last word on the package is lost with the exit code.
			p.sink.Suite(sdk.SuiteResult{Suite: owner, Outcome: sdk.SuiteBuildFailed})
		}
		p.report(record)
	}
}

// endBuilds reports the suites of which a build said something and nothing said how it
// ended. A recording may end between an error and what follows from it. What was built
// for a suite that ran was built.
func (p *Parser) endBuilds(exit sdk.Exit, broken []string) {
	if !exit.Unknown {
		return // it tells whether what is not said was good
	}
	for _, owner := range p.builds.owners {
		_, begun := p.suites[owner]
		if begun || p.ranWell(owner) || p.builds.hasFailed(owner) || p.isWaiting(owner) || slices.Contains(broken, owner) || p.servedOthers(owner) {
			continue
		}
		p.sink.Note(owner + ": its build said something, and the output ends without saying how it ended")
		p.sink.Suite(sdk.SuiteResult{Suite: owner, Outcome: sdk.SuiteUnfinished})
	}
}

// maxServed bounds the suites whose imports are read to see what was built.
const maxServed = 64

// servedOthers reports whether a suite that imports a package has run.
func (p *Parser) servedOthers(owner string) bool {
	if len(p.ended) > maxServed {
		return false
	}
	for name := range p.ended {
		if p.ranWell(name) && len(p.tree.importedOf(name, []string{owner})) > 0 {
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
func (p *Parser) causeText(suite blockedSuite) string {
	all := p.words.lines()
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
func (p *Parser) brokenBlocks(unknown bool) []string {
	var broken []string
	for _, owner := range p.builds.owners {
		block := p.builds.blocks[owner]
		switch {
		case len(block.lines) == 0:
		case block.broken:
			broken = append(broken, owner)
		case p.ranWell(owner):
		case block.builds[fromStderr] && len(p.builds.failed) > 0:
			broken = append(broken, owner)
		case (unknown || block.builds[fromStdout] && len(p.builds.failed) > 0) && block.hasErrors():
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
func (p *Parser) ranWell(name string) bool {
	_, ended := p.ended[name]
	return ended && !p.builds.hasFailed(name)
}

// causes are the broken packages that kept a suite from running: itself, those
// of the build that its event names, or, where there is no such event, those
// that it imports.
func (p *Parser) causes(suite blockedSuite, roots []string) []string {
	if slices.Contains(roots, suite.name) {
		return []string{suite.name}
	}
	var named []string
	for _, owner := range roots {
		if suite.failedBuild != "" && p.builds.blocks[owner].builds[suite.failedBuild] {
			named = append(named, owner)
		}
	}
	if len(named) > 0 || suite.failedBuild != "" {
		return named
	}
	if len(roots) <= 1 {
		return roots
	}
	return p.tree.importedOf(suite.name, roots)
}
