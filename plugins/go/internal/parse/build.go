package parse

import (
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

// plainResult takes the lines that go test writes outside of the events before
// Go 1.24: "FAIL\tpkg [build failed]".
func (p *Parser) plainResult(line []byte) bool {
	rest, found := strings.CutPrefix(strings.TrimRight(string(line[:min(len(line), maxBuildLine)]), "\r\n"), "FAIL\t")
	if !found {
		return false
	}
	for _, note := range []string{noteBuildFailed, noteSetupFailed} {
		if name, found := strings.CutSuffix(rest, " ["+note+"]"); found {
			if p.command.builds.hasFailed(name) || p.suites.isWaiting(name) {
				return true // said on both streams
			}
			s := newSuite(name)
			s.buildNote = note
			s.end = &suiteEnd{action: testjson.ActionFail}
			p.counts.suites++
			if p.command.builds.someInterrupted() {
				p.suites.waiting = append(p.suites.waiting, s)
				return true
			}
			p.ender.conclude(s, sdk.Exit{Unknown: true})
			return true
		}
	}
	return false
}
