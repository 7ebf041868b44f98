package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// unknownFlag is a flag behind the packages that test binaries refuse: the same slip in
// each of them.
type unknownFlag struct {
	words  string
	suites []string
}

// maxUnknownFlags bounds the different ones; a test binary refuses the first.
const maxUnknownFlags = 64

// notDefined is what package flag says, before it prints all flags that there are.
const notDefined = "flag provided but not defined: "

// hasUnknownFlag takes a suite whose binary refused a flag of the command.
func (p *Parser) hasUnknownFlag(s *suite) bool {
	lines := withoutNoise(s.own.lines())
	if len(lines) < 2 || !strings.HasPrefix(lines[0].text, notDefined) || !strings.HasPrefix(lines[1].text, "Usage of ") {
		return false
	}
	words := lines[0].text
	i := slices.IndexFunc(p.unknownFlags, func(f unknownFlag) bool { return f.words == words })
	if i < 0 && len(p.unknownFlags) >= maxUnknownFlags {
		return false
	}
	if i < 0 {
		i = len(p.unknownFlags)
		p.unknownFlags = append(p.unknownFlags, unknownFlag{words: words})
	}
	p.unknownFlags[i].suites = append(p.unknownFlags[i].suites, s.name)
	p.explained = true
	return true
}

// reportUnknownFlags reports each of them once, without the list of all flags.
func (p *Parser) reportUnknownFlags() {
	for _, flag := range p.unknownFlags {
		f := finding{kind: sdk.KindSetup, own: true, lines: []line{{text: flag.words}}, message: flag.words}
		record := p.failure(sdk.TestID{Suite: flag.suites[0]}, f)
		record.Blocks = flag.suites[1:]
		p.report(record)
	}
}
