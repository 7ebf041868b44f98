package parse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxBuildLines bounds the errors kept of one package. The compiler stops
	// at ten, vet and cgo do not.
	maxBuildLines = 200
	// maxBuildLine bounds one of them.
	maxBuildLine = 4 << 10
	// maxBuildText bounds them all; beyond it few lines of a package are kept.
	maxBuildText = 4 << 20
	fewLines     = 8
	// fromStderr is the stream of build errors before Go 1.24, fromStdout where
	// a recording has both streams in one.
	fromStderr = "\x00stderr"
	fromStdout = "\x00stdout"
)

// builds collects what the go command says about packages that cannot be
// built. Since Go 1.24 it comes as events, before as text on standard error.
// Either way a header line "# package" tells whose errors follow.
type builds struct {
	// owners are the packages with output, in order.
	owners []string
	blocks map[string]*buildBlock
	// current is the block that the next line of a stream belongs to.
	current map[string]*buildBlock
	partial map[string][]byte
	failed  []blockedSuite
	// size is that of all lines.
	size int
}

// buildBlock is what was said about one package.
type buildBlock struct {
	owner string
	lines []string
	seen  map[string]bool
	// builds are the ImportPaths of the events that said it.
	builds map[string]bool
	// broken: an event said that the build failed.
	broken bool
	// vet: the output is that of go vet, or of cgo.
	vet bool
}

// blockedSuite is a suite that did not run because of a build.
type blockedSuite struct{ name, failedBuild, note string }

func (b *builds) blocked(s *suite) {
	b.failed = append(b.failed, blockedSuite{s.name, s.failedBuild, s.buildNote})
}

// addOutput takes a build-output event.
func (b *builds) addOutput(ev *testjson.Event, output *outputFilter) {
	build := string(ev.ImportPath)
	text := testjson.AppendUnescaped(b.partial[build], ev.Output)
	rest := strings.ToValidUTF8(string(text), "\uFFFD")
	for {
		line, after, found := strings.Cut(rest, "\n")
		if !found {
			break
		}
		owner := b.read(build, strings.TrimRight(line, "\r"))
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

// markBroken takes a build-fail event.
func (b *builds) markBroken(ev *testjson.Event) {
	for _, block := range b.blocks {
		if block.builds[string(ev.ImportPath)] {
			block.broken = true
		}
	}
}

// read takes a line and returns the package it is about; empty when it is
// about none.
func (b *builds) read(build, line string) string {
	if owner, vet, ok := buildHeader(line); ok {
		if vet && b.current[build] != nil {
			b.current[build].vet = true
			return b.current[build].owner
		}
		b.open(build, owner)
		return owner
	}
	block := b.current[build]
	if block == nil {
		if build == fromStderr || build == fromStdout {
			return ""
		}
		owner, _, _ := strings.Cut(build, " [")
		block = b.open(build, strings.TrimSuffix(owner, ".test"))
	}
	if b.size < maxBuildText || len(block.lines) < fewLines {
		b.size += min(len(line), maxBuildLine)
		block.add(line)
	}
	return block.owner
}

func (b *builds) open(build, owner string) *buildBlock {
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

// add keeps a line. A package is compiled twice, alone and for its tests, and
// then has the same errors twice.
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

// testedBy is the package that an external test package belongs to, by the
// variant in brackets: "p_test [p.test]".
func testedBy(owner, variant string) string {
	_, variant, _ = strings.Cut(variant, "[")
	tested, isTest := strings.CutSuffix(strings.TrimSuffix(variant, "]"), ".test")
	if isTest && owner == tested+"_test" {
		return tested
	}
	return owner
}

// buildHeader reads "# pkg", "# pkg [other.test]" and vet's "# [pkg]". The
// owner of an external test package is the package it tests.
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

// hasFailed reports whether a suite is known not to have been built.
func (b *builds) hasFailed(name string) bool {
	return slices.ContainsFunc(b.failed, func(s blockedSuite) bool { return s.name == name })
}

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

var (
	// endedTool is the end of what cmd/go says about a tool that a signal ended:
	// "…/tool/linux_amd64/link: signal: interrupt".
	endedTool = regexp.MustCompile(`: signal: (interrupt|killed|terminated|quit)(?: \(core dumped\))?$`)
	// dumpOfTool begins the dump of a tool that is written in Go; "PC=" follows. The
	// host's time-out sends this signal to all that a command has started.
	dumpOfTool = regexp.MustCompile(`^SIG(QUIT|INT|TERM): \w+$`)
)

// endedBy is the signal that ended a tool of a build which says nothing else against
// the sources; empty where there is none.
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

// someInterrupted reports whether a build was ended by a signal.
func (b *builds) someInterrupted() bool {
	for _, block := range b.blocks {
		if block.endedBy() != "" {
			return true
		}
	}
	return false
}

// isStop tells an end of the run that ends builds as well: then nobody knows whether
// the sources can be built.
func isStop(exit sdk.Exit) bool { return exit.Cancelled || exit.TimedOut }

// wasStopped reports whether a suite was not built because the run ended. What cannot be
// built by itself is that all the same.
func (b *builds) wasStopped(s *suite, exit sdk.Exit) bool {
	if !isStop(exit) {
		return false
	}
	stopped := false
	for _, block := range b.blocks {
		switch {
		case s.failedBuild != "" && !block.builds[s.failedBuild]: // of another suite
		case block.endedBy() != "":
			stopped = true
		case block.broken || block.hasErrors():
			return false
		}
	}
	return stopped
}

// withoutStopped leaves out the packages of which only the end of the run is said.
func (b *builds) withoutStopped(owners []string, exit sdk.Exit) []string {
	if !isStop(exit) {
		return owners
	}
	return slices.DeleteFunc(owners, func(owner string) bool { return b.blocks[owner].endedBy() != "" })
}
