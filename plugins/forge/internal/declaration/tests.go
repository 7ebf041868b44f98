package declaration

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

// Tests returns all tests that forge would run without a filter, by suite and sorted by
// name. Forge runs every function of the ABI that is named like a test, getters
// included, of every contract that it can deploy without arguments, be it in the
// folders of sources and tests or in anything they import, dependencies excepted. Of
// libraries it runs the view functions. Tests named testFail are listed, because forge
// lists them.
//
// complete is false if the compiler has not seen the current text of all sources. Those
// are scanned instead, which reveals less: not every type can be resolved, nor is it
// known which files are skipped.
func (f *Finder) Tests(ctx context.Context) (tests map[string][]sdk.ListedTest, complete bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = nil // the compiler may have run since the last question
	s, err := f.open(ctx)
	if err != nil {
		return nil, false, err
	}
	defer f.dropIfCancelled(ctx)
	l := &listing{state: s, tests: map[string][]sdk.ListedTest{}, complete: true}
	paths, all := s.compiledSources(ctx)
	if !all {
		l.complete = false
	}
	l.stale = s.staleSources(paths)
	for _, path := range paths {
		if s.project.IsLibrary(path) {
			continue
		}
		s.listed = append(s.listed, path)
		if err := l.addFile(ctx, path); err != nil {
			return nil, false, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	return l.tests, l.complete, nil
}

// Suite returns the tests of one compiled contract, wherever its source is: Tests
// misses sources that it cannot reach, such as those behind a symlink. It returns none
// if the compiler has not seen the current text of the source.
func (f *Finder) Suite(ctx context.Context, suite string) []sdk.ListedTest {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.open(ctx)
	if err != nil {
		return nil
	}
	defer f.dropIfCancelled(ctx)
	source, name, ok := selection.Split(suite)
	if !ok || !s.isFresh(source) {
		return nil
	}
	c, err := s.project.Contract(ctx, source, name)
	if err != nil || !c.Deployable {
		return nil
	}
	l := &listing{state: s, tests: map[string][]sdk.ListedTest{}}
	l.addContract(c)
	return l.tests[suite]
}

// listing collects tests file by file.
type listing struct {
	*state
	tests    map[string][]sdk.ListedTest
	stale    map[string]bool
	complete bool
}

func (l *listing) addFile(ctx context.Context, path string) error {
	if l.stale[path] {
		l.scanFile(path)
		return ctx.Err()
	}
	names := l.project.Contracts(path)
	if len(names) == 0 {
		// The interface is all that was compiled, or nothing was: a filtered run compiles
		// no more.
		l.scanFile(path)
		return ctx.Err()
	}
	for _, name := range names {
		methods, err := l.project.Methods(ctx, path, name)
		if err == nil && !hasTest(methods) {
			continue
		}
		c, err := l.project.Contract(ctx, path, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil:
			l.scanContract(solidity.Ref{Path: path, Name: name})
		case c.Deployable:
			l.addContract(c)
		}
	}
	return nil
}

// addContract lists the tests of a compiled contract.
func (l *listing) addContract(c *artifact.Contract) {
	suite := c.Source + ":" + c.Name
	known := l.dispatchedDeclarations(c)
	l.remember(suite, known)
	var tests []sdk.ListedTest
	for _, f := range c.Functions {
		if !isTestName(f.Name) {
			continue
		}
		location, ok := known[f.Signature]
		if !ok {
			location, _ = l.scanDeclaration(suite, f.Signature)
		}
		tests = append(tests, sdk.ListedTest{Name: f.Signature, Location: location})
	}
	l.add(suite, tests)
}

// scanFile lists the tests of a source that has no current artifacts. A source without
// tests leaves the listing complete.
func (l *listing) scanFile(path string) {
	file, ok := l.sources.parsed(path)
	if !ok {
		l.complete = false
		return
	}
	for _, c := range file.Contracts {
		l.scanContract(solidity.Ref{Path: path, Name: c.Name})
	}
}

func (l *listing) scanContract(ref solidity.Ref) {
	c, ok := l.program.Contract(ref)
	if !ok || c.Abstract || c.Kind == "interface" {
		return
	}
	methods, all := l.program.Methods(ref, isTestName)
	if len(methods) > 0 || !all {
		l.complete = false
	}
	for _, f := range c.Functions {
		if f.Name == "constructor" && len(f.Params) > 0 {
			return
		}
	}
	var tests []sdk.ListedTest
	for _, m := range methods {
		if c.Kind == "library" && !m.Pure {
			continue
		}
		location, _ := l.locate(m.Declaration)
		tests = append(tests, sdk.ListedTest{Name: m.Signature, Location: location})
	}
	l.add(ref.Path+":"+ref.Name, tests)
}

func (l *listing) add(suite string, tests []sdk.ListedTest) {
	if len(tests) == 0 {
		return
	}
	slices.SortFunc(tests, func(a, b sdk.ListedTest) int { return strings.Compare(a.Name, b.Name) })
	for i, t := range tests {
		tests[i].Body = l.digestBody(t)
	}
	l.tests[suite] = tests
}

// maxBody bounds how much of a test's body is read.
const maxBody = 64 << 10

// digestBody returns a digest of the text after a test's name, up to the closing brace.
// Braces in strings are counted like any other, so the digest may cover too much or too
// little, but always the same text.
func (l *listing) digestBody(t sdk.ListedTest) string {
	source, ok := l.sources.get(t.Location.File)
	if !ok || t.Location.Line <= 0 {
		return ""
	}
	text := source.text
	for range t.Location.Line - 1 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	name, _, _ := strings.Cut(t.Name, "(")
	_, text, found := bytes.Cut(text[:min(len(text), maxBody)], []byte(name))
	if !found {
		return ""
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if c == '}' && depth == 0 || c == ';' && depth == 0 {
			return sdk.DigestBody(text[:i+1])
		}
	}
	return ""
}

func hasTest(methods map[string]string) bool {
	for signature := range methods {
		if isTestName(signature) {
			return true
		}
	}
	return false
}

// isTestName reports whether forge runs functions of that name as tests.
func isTestName(name string) bool {
	return strings.HasPrefix(name, "test") || strings.HasPrefix(name, "invariant") ||
		strings.HasPrefix(name, "statefulFuzz") || strings.HasPrefix(name, "table")
}
