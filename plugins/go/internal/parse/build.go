package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxBuildLines bounds the errors kept for one package. The compiler stops at ten;
	// vet and cgo do not.
	maxBuildLines = 200
	// maxBuildLine bounds one of them.
	maxBuildLine = 4 << 10
	// maxBuildText bounds all of them together. Beyond it only a few lines of each
	// package are kept.
	maxBuildText = 4 << 20
	fewLines     = 8
	// fromStderr is the stream of build errors before Go 1.24, and fromStdout the stream
	// in a recording that merges both.
	fromStderr = "\x00stderr"
	fromStdout = "\x00stdout"
)

// builds collects what the go command says about packages that cannot be built. Since
// Go 1.24 it comes as events, before that as text on standard error. Either way a
// header line "# package" says which package the following errors belong to.
type builds struct {
	// owners are the packages with output, in order.
	owners []string
	blocks map[string]*buildBlock
	// current is the block that the next line of each stream belongs to.
	current map[string]*buildBlock
	partial map[string][]byte
	failed  []blockedSuite
	// size is the total size of all lines.
	size int
}

// buildBlock holds the output about one package.
type buildBlock struct {
	owner string
	lines []string
	seen  map[string]bool
	// builds are the ImportPaths of the events that contained it.
	builds map[string]bool
	// broken reports whether an event said that the build failed.
	broken bool
	// vet reports whether the output comes from go vet, or from cgo.
	vet bool
}

// blockedSuite is a suite that did not run because of a failed build.
type blockedSuite struct{ name, failedBuild, note string }

func (b *builds) addBlocked(s *suite) {
	b.failed = append(b.failed, blockedSuite{s.name, s.failedBuild, s.buildNote})
}

// addOutput handles a build-output event.
func (b *builds) addOutput(ev *testjson.Event, output *outputFilter) {
	build := string(ev.ImportPath)
	text := testjson.AppendUnescaped(b.partial[build], ev.Output)
	rest := strings.ToValidUTF8(string(text), "\uFFFD")
	for {
		line, after, found := strings.Cut(rest, "\n")
		if !found {
			break
		}
		owner := b.readLine(build, strings.TrimRight(line, "\r"))
		output.buildText(owner, line)
		rest = after
	}
	if len(rest) > maxBuildLine {
		rest = ""
	}
	if b.partial == nil {
		b.partial = map[string][]byte{}
	}
	if rest == "" {
		delete(b.partial, build)
		return
	}
	b.partial[build] = []byte(rest)
}

// markBroken handles a build-fail event. A recording may lack what was printed before it, or
// the end of the last line.
func (b *builds) markBroken(ev *testjson.Event) {
	build := string(ev.ImportPath)
	if rest := b.partial[build]; len(rest) > 0 {
		b.readLine(build, string(rest))
		delete(b.partial, build)
	}
	told := false
	for _, block := range b.blocks {
		told = told || block.builds[build] && len(block.lines) > 0
	}
	if !told {
		b.readLine(build, "the build failed")
	}
	for _, block := range b.blocks {
		block.broken = block.broken || block.builds[build]
	}
}

// readLine handles a line and returns the package it is about, or "".
func (b *builds) readLine(build, line string) string {
	if owner, vet, ok := buildHeader(line); ok {
		if vet && b.current[build] != nil {
			b.current[build].vet = true
			return b.current[build].owner
		}
		b.openBlock(build, owner)
		return owner
	}
	block := b.current[build]
	if block == nil {
		if build == fromStderr || build == fromStdout {
			return ""
		}
		owner, _, _ := strings.Cut(build, " [")
		block = b.openBlock(build, strings.TrimSuffix(owner, ".test"))
	}
	if b.size < maxBuildText || len(block.lines) < fewLines {
		b.size += min(len(line), maxBuildLine)
		block.add(line)
	}
	return block.owner
}

func (b *builds) openBlock(build, owner string) *buildBlock {
	owner = testedBy(owner, build)
	if b.blocks == nil {
		b.blocks, b.current = map[string]*buildBlock{}, map[string]*buildBlock{}
	}
	block := b.blocks[owner]
	if block == nil {
		block = &buildBlock{owner: owner, seen: map[string]bool{}, builds: map[string]bool{}}
		b.blocks[owner] = block
		b.owners = append(b.owners, owner)
	}
	block.builds[build] = true
	b.current[build] = block
	return block
}

// add keeps a line. A package is compiled twice, on its own and for its tests, and may
// report the same errors twice.
func (b *buildBlock) add(line string) {
	if len(b.lines) >= maxBuildLines || strings.TrimSpace(line) == "" {
		return
	}
	line = runeStart(line, maxBuildLine)
	continues := strings.HasPrefix(line, "\t")
	if b.seen[line] && !continues {
		return
	}
	b.seen[line] = true
	b.lines = append(b.lines, line)
}

// testedBy returns the package that an external test package belongs to, from the
// variant in brackets: "p_test [p.test]".
func testedBy(owner, variant string) string {
	_, variant, _ = strings.Cut(variant, "[")
	tested, isTest := strings.CutSuffix(strings.TrimSuffix(variant, "]"), ".test")
	if isTest && owner == tested+"_test" {
		return tested
	}
	return owner
}

// buildHeader parses "# pkg", "# pkg [other.test]" and vet's "# [pkg]". The owner of an
// external test package is the package it tests.
func buildHeader(line string) (owner string, vet, ok bool) {
	rest, found := strings.CutPrefix(line, "# ")
	if !found || rest == "" {
		return "", false, false
	}
	if rest[0] == '[' {
		return strings.Trim(rest, "[]"), true, true
	}
	owner, _, _ = strings.Cut(rest, " [")
	if strings.ContainsAny(owner, " \t") {
		return "", false, false
	}
	return strings.TrimSuffix(testedBy(owner, rest), ".test"), false, true
}

// hasFailed reports whether the build of a suite is known to have failed.
func (b *builds) hasFailed(name string) bool {
	return slices.ContainsFunc(b.failed, func(s blockedSuite) bool { return s.name == name })
}

// firstError returns the first error that kept a suite from being built; "" if it is
// unknown. Before Go 1.24 errors came on standard error, which may be read later.
func (b *builds) firstError(s *suite) string {
	if s.failedBuild == "" {
		return ""
	}
	for _, owner := range b.owners {
		if block := b.blocks[owner]; block.builds[s.failedBuild] && len(block.lines) > 0 {
			lines := reasonFirst(block.lines)
			if strings.HasSuffix(lines[0], ":") && len(lines) > 1 {
				return lines[0] + " " + strings.TrimSpace(lines[1]) // the command to type
			}
			return lines[0]
		}
	}
	return ""
}

// isPattern reports whether what the go command calls a package is an argument that it
// could not match to packages: no package of that name will ever pass.
func isPattern(name string) bool { return strings.Contains(name, "...") }

// reportBuilds reports one failure for each package that could not be built, with the
// suites that it kept from running.
func (g *goCommand) reportBuilds(exit sdk.Exit) {
	g.builds.joinExternal()
	roots := g.builds.withoutStopped(g.brokenBlocks(exit.Unknown), exit)
	g.endBuilds(exit, roots)
	blocks := map[string][]string{}
	notes := map[string]string{}
	for _, suite := range g.builds.failed {
		causes := g.causes(suite, roots)
		if len(causes) == 0 {
			g.report(g.newFailure(sdk.TestID{Suite: suite.name}, finding{kind: kindOfNote(suite.note), message: g.causeText(suite)}))
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
		if g.builds.toldOf(owner, roots) != owner {
			continue
		}
		f := g.buildFinding(g.builds.blocks[owner], notes[owner])
		of := sdk.TestID{Suite: owner}
		if isPattern(owner) {
			of.Suite = ""
		}
		record := g.newFailure(of, f)
		record.Blocks = blocks[owner]
		if g.selection.refusedInBuild(g.builds.blocks[owner].lines) {
			sdk.Refuse(g.sink, sdk.Refusal{Words: withoutUsage(f.message), Suites: append(slices.Clone(record.Blocks), owner)})
		}
		if exit.Unknown && !g.builds.hasFailed(owner) && !g.builds.blocks[owner].broken {
			// If the exit code is unknown, so is the go command's final word on the
			// package.
			g.sink.Suite(sdk.SuiteResult{Suite: owner, Outcome: sdk.SuiteBuildFailed})
		}
		g.report(record)
	}
}

// endBuilds reports the suites whose build printed something but has no known end: a
// recording may end between an error and its consequences. If a package was built for a
// suite that ran, its build succeeded.
func (g *goCommand) endBuilds(exit sdk.Exit, broken []string) {
	if !exit.Unknown {
		return // the exit code vouches for builds that reported no end
	}
	for _, owner := range g.builds.owners {
		_, begun := g.suites.running[owner]
		if begun || g.wasBuilt(owner) || g.builds.hasFailed(owner) || g.suites.isWaiting(owner) || slices.Contains(broken, owner) || g.ranAnImporter(owner) {
			continue
		}
		g.sink.Note(owner + ": its build printed messages, and the output ends before saying whether it succeeded")
		g.sink.Suite(sdk.SuiteResult{Suite: owner, Outcome: sdk.SuiteUnfinished})
	}
}

// maxImporters bounds the suites whose imports are read to find out what was built.
const maxImporters = 64

// ranAnImporter reports whether a suite that imports a package has run, which proves
// that the package was built.
func (g *goCommand) ranAnImporter(owner string) bool {
	if len(g.suites.ended) > maxImporters {
		return false
	}
	for name := range g.suites.ended {
		if g.wasBuilt(name) && len(g.tree.importedOf(name, []string{owner})) > 0 {
			return true
		}
	}
	return false
}

// joinExternal moves output about external test packages to the package that they test.
// Without events, the header "# p_test" does not name that package; it follows from "p"
// having failed and "p_test" not being a suite.
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

// causeText returns why a suite was not built if nothing appeared below a header: the
// lines of standard error that name the suite, or else all of them.
func (g *goCommand) causeText(suite blockedSuite) string {
	all := g.words.lines()
	named := slices.DeleteFunc(slices.Clone(all), func(l string) bool { return !strings.Contains(l, suite.name) })
	switch {
	case len(named) > 0:
		return wording.Tidy(named)
	case len(all) > 0:
		return wording.Tidy(all)
	case suite.note != "":
		return suite.note
	}
	return "the package could not be built"
}

// toldOf returns the package that the output about a package is really about: the go
// command repeats an import cycle for each package in it, and each that imports one.
func (b *builds) toldOf(owner string, roots []string) string {
	lines := b.blocks[owner].lines
	m := loadError.FindStringSubmatch(lines[0])
	if m == nil || !slices.Contains(roots, m[1]) || !slices.Equal(b.blocks[m[1]].lines, lines) {
		return owner
	}
	return m[1]
}

func kindOfNote(note string) string {
	if note == noteSetupFailed {
		return sdk.KindSetup
	}
	return sdk.KindBuild
}

// brokenBlocks returns the packages whose output is about a failure. Successful builds
// may print warnings. If the exit code is unknown, errors are taken at face value.
func (g *goCommand) brokenBlocks(unknown bool) []string {
	var broken []string
	for _, owner := range g.builds.owners {
		block := g.builds.blocks[owner]
		switch {
		case len(block.lines) == 0:
		case block.broken:
			broken = append(broken, owner)
		case g.wasBuilt(owner):
		case block.builds[fromStderr] && len(g.builds.failed) > 0:
			broken = append(broken, owner)
		case (unknown || block.builds[fromStdout] && len(g.builds.failed) > 0) && block.hasErrors():
			broken = append(broken, owner)
		}
	}
	return broken
}

// hasErrors reports whether there is a message with a place that is not a warning.
func (b *buildBlock) hasErrors() bool {
	return slices.ContainsFunc(b.lines, func(text string) bool {
		m := diagnosticLine.FindStringSubmatch(text)
		return m != nil && !strings.HasPrefix(m[4], "warning:") && !strings.HasPrefix(m[4], "note:")
	})
}

// wasBuilt reports whether a suite ended in any way other than a failed build.
func (g *goCommand) wasBuilt(name string) bool {
	_, ended := g.suites.ended[name]
	return ended && !g.builds.hasFailed(name)
}

// causes returns the broken packages that kept a suite from running: itself, or those
// of the build that its event names, or, without such an event, those that it imports.
func (g *goCommand) causes(suite blockedSuite, roots []string) []string {
	if slices.Contains(roots, suite.name) {
		return []string{g.builds.toldOf(suite.name, roots)}
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

var (
	// endedTool matches the end of what cmd/go says about a tool that was ended by a
	// signal: "…/tool/linux_amd64/link: signal: interrupt".
	endedTool = lazyregexp.New(`: signal: (interrupt|killed|terminated|quit)(?: \(core dumped\))?$`)
	// dumpOfTool matches the beginning of the dump of a tool written in Go; "PC="
	// follows. On a timeout the host sends this signal to everything that a command has
	// started.
	dumpOfTool = lazyregexp.New(`^SIG(QUIT|INT|TERM): \w+$`)
)

// endedBy returns the signal that ended a tool, if the build says nothing else against
// the sources, or "".
func (b *buildBlock) endedBy() string {
	if b.hasErrors() {
		return ""
	}
	for i, l := range b.lines {
		if m := endedTool.FindStringSubmatch(l); m != nil {
			return m[1]
		}
		if dumpOfTool.MatchString(l) && i+1 < len(b.lines) && strings.HasPrefix(b.lines[i+1], "PC=") {
			name, _, _ := strings.Cut(l, ":")
			return name
		}
	}
	return ""
}

// someInterrupted reports whether a signal ended any build.
func (b *builds) someInterrupted() bool {
	for _, block := range b.blocks {
		if block.endedBy() != "" {
			return true
		}
	}
	return false
}

// wasRunStopped reports whether the run was stopped, which stops builds, too: whether the
// sources can be built is then unknown.
func wasRunStopped(exit sdk.Exit) bool { return exit.Cancelled || exit.TimedOut }

// wasStopped reports whether a suite was not built because the run was stopped. A
// package with errors of its own still counts as broken.
func (b *builds) wasStopped(s *suite, exit sdk.Exit) bool {
	if !wasRunStopped(exit) {
		return false
	}
	stopped := false
	for _, block := range b.blocks {
		switch {
		case s.failedBuild != "" && !block.builds[s.failedBuild]: // belongs to another suite
		case block.endedBy() != "":
			stopped = true
		case block.broken || block.hasErrors():
			return false
		}
	}
	return stopped
}

// withoutStopped removes the packages whose output only reflects the end of the run.
func (b *builds) withoutStopped(owners []string, exit sdk.Exit) []string {
	if !wasRunStopped(exit) {
		return owners
	}
	return slices.DeleteFunc(owners, func(owner string) bool { return b.blocks[owner].endedBy() != "" })
}
