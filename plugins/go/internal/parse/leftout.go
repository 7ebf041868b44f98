package parse

import (
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// hear remembers an outermost test that has started.
func (s *suite) hear(name string) {
	if s.heard == nil {
		s.heard = map[uint64]struct{}{}
	}
	s.heard[s.key(name)] = struct{}{}
}

// allHeard reports whether each test that a suite declares and the command selects has
// started, in a suite whose tests had their turn. TestMain or an init function may set
// -test.run themselves: what they leave out has not been tested, whatever the suite
// says. In doubt it is true: only functions count that are part of every build.
func (e *suiteEnder) allHeard(s *suite) bool {
	missing := e.unheard(s, e.tree.source(s).names())
	if len(missing) == 0 || !s.announced || !e.selection.tells(s.name) {
		return true
	}
	certain, known := namesInEveryBuild(e.tree, s)
	missing = slices.DeleteFunc(missing, func(name string) bool { return !certain[name] })
	if !known || len(missing) == 0 {
		return true
	}
	slices.Sort(missing)
	text := missing[0]
	if more := len(missing) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	e.sink.Note(s.name + ": " + text + " did not run although the command selects what is there: TestMain or an init function may set flags")
	return false
}

// unheard are the names that the command selects and that did not start. Benchmarks
// are none: an older go test runs none after a failed test.
func (e *suiteEnder) unheard(s *suite, names []string) []string {
	var missing []string
	for _, name := range names {
		if _, heard := s.heard[s.key(name)]; heard || source.KindOf(name) == source.Benchmark || !e.selection.selects(s.name, name) {
			continue
		}
		missing = append(missing, name)
	}
	return missing
}

// namesInEveryBuild are the functions that go test runs of the files that no constraint and
// no name keeps out of a build. It is not known where a file cannot be read.
func namesInEveryBuild(tree *tree, s *suite) (names map[string]bool, known bool) {
	names = map[string]bool{}
	for _, file := range tree.source(s).files {
		if !isTestFile(file) {
			continue
		}
		src, err := tree.reader.Bytes(file, source.MaxFile)
		if err != nil {
			return nil, false
		}
		if !inEveryBuild(file, src) {
			continue
		}
		for _, f := range source.Scan(src) {
			names[f.Name] = true
		}
	}
	return names, true
}

// names are those of the functions that the test files declare.
func (p *packageSource) names() []string {
	names := make([]string, 0, len(p.tests))
	for name := range p.tests {
		names = append(names, name)
	}
	return names
}

// tells reports whether the command alone decides which tests of a suite run: not a
// table of the plugin's program, nor what stands behind -args. With -v of the user some
// may have started unheard.
func (s *selection) tells(suite string) bool {
	if !s.known || s.obscured || s.verbose || s.list || s.fuzz != nil {
		return false
	}
	return !s.targets[suite] || s.whole[suite] && !s.exec
}
