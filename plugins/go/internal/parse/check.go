package parse

import (
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// preview reads what "go vet" says of packages before their tests run. What the compiler
// says follows a line with the name of the package, what vet says may not, and an external
// test package is not named as what it tests: so the place says which suite it is.
type preview struct {
	sink   sdk.Sink
	tree   *tree
	stderr lineSplitter
	// owner is the package of the last such line.
	owner  string
	suites []sdk.SuiteResult
	told   map[string]bool
}

// maxPreviewed bounds the suites that are told.
const maxPreviewed = 1000

// isCheck reports whether a command is "go vet".
func isCheck(c sdk.Command) bool { return len(c.Argv) > 1 && c.Argv[1] == "vet" }

// NewFor returns a parser of the output of a command of this plugin.
func NewFor(config Config, sink sdk.Sink) sdk.Parser {
	if isCheck(config.Run.Command) {
		return &preview{sink: sink, tree: newTree(config.Run, readSelection(config.Run)), told: map[string]bool{}}
	}
	return New(config, sink)
}

// Write implements [sdk.Parser].
func (p *preview) Write(stream sdk.Stream, data []byte) {
	if stream == sdk.Stderr {
		p.stderr.write(data, p.line)
	}
}

func (p *preview) line(line []byte, _ int) {
	text := strings.TrimRight(strings.ToValidUTF8(string(line[:min(len(line), maxBuildLine)]), "\uFFFD"), "\r\n")
	if owner, _, ok := buildHeader(text); ok {
		p.owner = owner
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
			file = filepath.Join(p.tree.cwd, file)
		}
		if of := p.tree.importPath(filepath.Dir(file)); of != "" {
			suite = of
		}
	} else if p.told[p.owner] || strings.HasPrefix(text, "go: ") {
		return // it continues
	}
	if suite == "" || text == "" || p.told[suite] || len(p.suites) == maxPreviewed {
		return
	}
	p.told[suite] = true
	p.suites = append(p.suites, sdk.SuiteResult{Suite: suite, Outcome: sdk.SuiteBuildFailed, Reason: text})
}

// Close implements [sdk.Parser].
func (p *preview) Close(sdk.Exit) {
	p.stderr.flush(p.line)
	for _, s := range p.suites {
		p.sink.Suite(s)
	}
}
