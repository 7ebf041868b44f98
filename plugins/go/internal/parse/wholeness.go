package parse

import (
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// hasEnded reports whether a test that failed by a subtest came to its own end, so
// that each of its subtests had its turn. Its "fail" event is no proof: a panic in
// a subtest gives one to every test around it, and the process dies.
//
// After such an end the runner starts no outermost test any more. Those that run
// side by side have all started before. So one that starts is the proof.
func (st *settler) hasEnded(s *suite, t *test) bool {
	top := root(t.name)
	return (s.completed && !s.early || s.tops > t.topsThen) && !s.goexitIn[top] && !st.selection.failfast
}

// mayHide reports whether a failed part of an outermost test may have kept others from
// starting although the test came to its end, because it looks at how its parts end.
// That stands in its function or in one of the workspace which that names, itself or
// through others. Where the sources cannot be read nothing is known of it.
func mayHide(tree *tree, s *suite, top string) bool {
	conducts := tree.conducts(tree.source(s))
	pending, seen := []string{top}, map[string]bool{top: true}
	for len(pending) > 0 {
		name := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, c := range conducts[name] {
			if c.Heeds {
				return true
			}
			for mentioned := range c.Mentions {
				if _, declared := conducts[mentioned]; declared && !seen[mentioned] {
					seen[mentioned] = true
					pending = append(pending, mentioned)
				}
			}
		}
	}
	return false
}

// maxHelpers bounds the packages that are read for how their functions start subtests.
const maxHelpers = 64

// conducts are what the functions of a package's test files do, and of the files that
// import package testing in it and in those of the workspace that it imports. They are
// kept by the names of the functions and of the types whose methods they are: a test that
// runs a suite of methods names only its type. Functions of one name are one. They are
// read when a test failed by a subtest.
func (t *tree) conducts(p *packageSource) map[string][]source.Conduct {
	if p.conducts != nil {
		return p.conducts
	}
	p.conducts = map[string][]source.Conduct{}
	queue := slices.Clone(p.imports)
	read := func(files []string, own bool) {
		for file, src := range t.sourcesOf(files) {
			imported := importsIn(src)
			if isTestFile(file) && !own || !isTestFile(file) && !slices.Contains(imported, "testing") {
				continue
			}
			queue = append(queue, imported...)
			for _, c := range source.Conducts(src) {
				p.conducts[c.Name] = append(p.conducts[c.Name], c)
				if c.Receiver != "" {
					p.conducts[c.Receiver] = append(p.conducts[c.Receiver], c)
				}
			}
		}
	}
	read(p.files, true)
	seen := map[string]bool{}
	for n := 0; len(queue) > 0 && n < maxHelpers; {
		next := queue[0]
		queue = queue[1:]
		if dir, ok := t.dir(next); ok && !seen[next] {
			seen[next] = true
			files, _ := t.reader.GoFiles(dir) // what cannot be read is not known
			read(files, false)
			n++
		}
	}
	return p.conducts
}

// noteGoexit takes a subtest that ended its parent: the parent's other subtests did
// not run.
func (s *suite) noteGoexit(name string) {
	s.goexit = true
	if s.goexitIn == nil {
		s.goexitIn = map[string]bool{}
	}
	s.goexitIn[root(name)] = true
}

// failfast follows what -failfast may have kept from starting. After a failure no
// subtest starts, and a test that would have started one passes without it. That
// can be so of tests that ran beside the one that failed; of the others the
// runner starts none.
type failfast struct {
	// failed: a test has; since is when the first of these last went on.
	failed bool
	since  int
	// passed are outermost tests that did not fail and may have run beside others.
	passed []passedBeside
}

// passedBeside is a test that ended without a failure.
type passedBeside struct {
	result sdk.TestResult
	at     int
}

// end notes the end of a test.
func (f *failfast) end(s *suite, t *test, failed bool) {
	outer := t
	for outer.parent != nil {
		outer = outer.parent
	}
	switch {
	case failed && (!f.failed || outer.resumedAt < f.since):
		f.failed, f.since = true, outer.resumedAt
	case !failed && outer == t && t.parallel:
		f.passed = append(f.passed, passedBeside{sdk.TestResult{TestID: s.id(t.name), Status: sdk.Unfinished, Elapsed: t.elapsed, Container: true}, s.events})
	}
}

// endFailfast reports what passed beside a test that failed as unfinished: nobody
// knows whether subtests of it were left out.
func (e *suiteEnder) endFailfast(s *suite) {
	if !s.failfast.failed {
		return
	}
	for _, passed := range s.failfast.passed {
		if passed.at > s.failfast.since {
			passed.result.Location, passed.result.Body = e.tree.resultPlace(s, passed.result.Test)
			e.sink.Test(passed.result)
		}
	}
}
