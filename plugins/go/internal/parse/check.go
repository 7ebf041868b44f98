package parse

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// preview reads what "go vet" says of packages before their tests run, or instead. What the compiler
// says follows a line with the name of the package, what vet says may not, and an external
// test package is not named as what it tests: so the place says which suite it is.
type preview struct {
	command *goCommand
	// instead are the suites of which nothing else says whether they build.
	instead []string
	stderr  lineSplitter
	// owner is the package of the last such line, byVet whether vet says what follows, and
	// last the suite that the last message is about.
	owner string
	byVet bool
	last  *buildBlock
	// blocks are the suites that are told, in order, and size that of what is kept of them.
	blocks []*buildBlock
	told   map[string]*buildBlock
	size   int
}

// maxPreviewed bounds the suites that are told.
const maxPreviewed = 1000

// isCheck reports whether a command is "go vet".
func isCheck(c sdk.Command) bool { return len(c.Argv) > 1 && c.Argv[1] == "vet" }

// NewFor returns a parser of the output of a command of this plugin.
func NewFor(config Config, sink sdk.Sink) sdk.Parser {
	if isCheck(config.Run.Command) {
		return &preview{command: &New(config, sink).command, instead: vettedInstead(config.Run.Command), told: map[string]*buildBlock{}}
	}
	return New(config, sink)
}

// VettedVariable says how many packages, the last words of a command, are vetted instead of
// tested.
const VettedVariable = "GOTEST_VETTED"

func vettedInstead(c sdk.Command) []string {
	n, err := strconv.Atoi(c.Env[VettedVariable])
	if err != nil || n < 0 || n > len(c.Argv) {
		return nil
	}
	return c.Argv[len(c.Argv)-n:]
}

// Write implements [sdk.Parser].
func (p *preview) Write(stream sdk.Stream, data []byte) {
	if stream == sdk.Stderr {
		p.stderr.write(data, p.line)
	}
}

func (p *preview) line(line []byte, _ int) {
	text := strings.TrimRight(strings.ToValidUTF8(string(line[:min(len(line), maxBuildLine)]), "\uFFFD"), "\r\n")
	if owner, vet, ok := buildHeader(text); ok {
		if p.owner, p.byVet = owner, vet; !vet {
			p.last = nil
		}
		return
	}
	if strings.Contains(text, ": warning: ") || strings.Contains(text, ": note: ") {
		return // of the C compiler
	}
	text = strings.TrimPrefix(text, "vet: ") // what keeps vet from reading a package
	suite := p.owner
	if end := strings.Index(text, ".go:"); end > 0 && !strings.HasPrefix(text, "\t") {
		file := filepath.FromSlash(text[:end+len(".go")])
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.command.tree.cwd, file)
		}
		if of := p.command.tree.importPath(filepath.Dir(file)); of != "" {
			suite = of
		}
	} else if p.last != nil || strings.HasPrefix(text, "go: ") {
		if p.last != nil && strings.HasPrefix(text, "\t") {
			p.keep(p.last, text)
		}
		return // it continues
	}
	if suite == "" || text == "" {
		return
	}
	block := p.told[suite]
	if block == nil && len(p.blocks) < maxPreviewed {
		block = &buildBlock{owner: suite, seen: map[string]bool{}, vet: p.byVet}
		p.told[suite] = block
		p.blocks = append(p.blocks, block)
	}
	if p.last = block; block != nil {
		p.keep(block, text)
	}
}

// keep keeps a line about a suite.
func (p *preview) keep(block *buildBlock, text string) {
	if p.size < maxBuildText || len(block.lines) < fewLines {
		p.size += len(text)
		block.add(text)
	}
}

// Close implements [sdk.Parser].
func (p *preview) Close(sdk.Exit) {
	p.stderr.flush(p.line)
	// What go vet cannot build for one suite keeps it from the others, which it does not name.
	waiting := slices.DeleteFunc(slices.Clone(p.instead), func(suite string) bool { return p.told[suite] != nil })
	for _, block := range p.blocks {
		suites := []string{block.owner}
		if len(waiting) > 0 && !slices.Contains(p.instead, block.owner) {
			// The command that tests the package tells the same of it.
			suites, waiting = waiting, nil
		}
		for _, suite := range suites {
			p.command.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: sdk.SuiteBuildFailed, Reason: block.lines[0]})
		}
		failure := p.command.newFailure(sdk.TestID{Suite: suites[0]}, p.command.buildFinding(block, ""))
		failure.Blocks = suites[1:]
		p.command.report(failure)
	}
}
