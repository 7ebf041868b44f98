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

// Tests are all tests that forge would run without a filter, by suite and in
// the order of their names. Forge runs every function of the ABI with the name
// of a test, getters too, of each contract that it can deploy without
// arguments, wherever the contract lies: in the folders of sources and tests
// and in what they import, dependencies excepted. Libraries take part with
// their view functions. Tests named testFail are listed, as forge lists them.
//
// complete is false when the compiler has not seen the sources as they are now.
// What the sources themselves say then stands in for it, which knows less: it
// cannot tell every type, nor which files are skipped.
func (f *Finder) Tests(ctx context.Context) (tests map[string][]sdk.ListedTest, complete bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = nil // the compiler may have run since the last question
	s, err := f.opened(ctx)
	if err != nil {
		return nil, false, err
	}
	defer f.answered(ctx)
	l := &listing{state: s, tests: map[string][]sdk.ListedTest{}, complete: true}
	paths, all := s.inputs(ctx)
	if !all {
		l.complete = false
	}
	l.stale = s.stale(paths)
	for _, path := range paths {
		if s.project.IsLibrary(path) {
			continue
		}
		s.listed = append(s.listed, path)
		if err := l.file(ctx, path); err != nil {
			return nil, false, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	return l.tests, l.complete, nil
}

// Suite are the tests of one compiled contract, wherever its source lies: Tests
// leaves out sources that it cannot come upon, such as those behind a link. It
// has none where the compiler has not seen the source as it is now.
func (f *Finder) Suite(ctx context.Context, suite string) []sdk.ListedTest {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.opened(ctx)
	if err != nil {
		return nil
	}
	defer f.answered(ctx)
	source, name, ok := selection.Split(suite)
	if !ok || !s.fresh(source) {
		return nil
	}
	c, err := s.project.Contract(ctx, source, name)
	if err != nil || !c.Deployable {
		return nil
	}
	l := &listing{state: s, tests: map[string][]sdk.ListedTest{}}
	l.contract(c)
	return l.tests[suite]
}

// listing collects tests file by file.
type listing struct {
	*state
	tests    map[string][]sdk.ListedTest
	stale    map[string]bool
	complete bool
}

func (l *listing) file(ctx context.Context, path string) error {
	if l.stale[path] {
		l.scanFile(path)
		return ctx.Err()
	}
	names := l.project.Contracts(path)
	if len(names) == 0 {
		// Compiled as far as its interface, or not at all: the latter is what a
		// filtered run leaves behind.
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
			l.contract(c)
		}
	}
	return nil
}

// contract lists the tests of a compiled contract.
func (l *listing) contract(c *artifact.Contract) {
	suite := c.Source + ":" + c.Name
	known := l.declarations(c)
	l.remember(suite, known)
	var tests []sdk.ListedTest
	for _, f := range c.Functions {
		if !IsTest(f.Name) {
			continue
		}
		location, ok := known[f.Signature]
		if !ok {
			location, _ = l.scanned(suite, f.Signature)
		}
		tests = append(tests, sdk.ListedTest{Name: f.Signature, Location: location})
	}
	l.add(suite, tests)
}

// scanFile lists the tests of a source that has no current artifacts. One with
// nothing to run leaves the listing as complete as it is.
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
	methods, all := l.program.Methods(ref, IsTest)
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
		tests[i].Body = l.body(t)
	}
	l.tests[suite] = tests
}

// maxBody bounds what is read of a test's body.
const maxBody = 64 << 10

// body is a digest of what stands behind a test's name, up to the brace that ends it.
// Braces in texts count as others do: so it is of more or less, and always of the same.
func (l *listing) body(t sdk.ListedTest) string {
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
		if IsTest(signature) {
			return true
		}
	}
	return false
}

// IsTest reports whether forge runs a function of that name as a test.
func IsTest(name string) bool {
	return strings.HasPrefix(name, "test") || strings.HasPrefix(name, "invariant") ||
		strings.HasPrefix(name, "statefulFuzz") || strings.HasPrefix(name, "table")
}
