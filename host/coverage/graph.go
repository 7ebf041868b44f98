package coverage

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/sdk"
)

// The bounds of a graph, which comes from a plugin; the largest monorepos have tens of
// thousands of packages. A graph that exceeds one is incomplete, and has an error.
const (
	maxSuites     = 100_000
	maxParts      = 200_000
	maxTests      = 2_000_000
	maxEdges      = 5_000_000
	maxFiles      = 2_000_000
	maxGraphBytes = 512 << 20
	maxErrors     = 100
)

// Graph is what suites are built from, and which tests they have. Once filled, it is
// safe for concurrent use.
type Graph struct {
	// Suites are all suites, by name.
	Suites map[string]*Node

	errors  []string
	parts   map[string]*part
	tests   map[testKey]bool
	size    size
	full    bool
	mu      sync.Mutex
	closure *closure
}

// Node is a suite of a graph.
type Node struct {
	Suite string
	// Tests are those that run by default.
	Tests []string
	// Needs are the parts that it is built from directly.
	Needs []string
	// Opaque, Sealed and Incomplete are as in [sdk.ListedSuite].
	Opaque     string
	Incomplete string
	Sealed     bool
}

// part is a part of the sources as reported, possibly more than once.
type part struct {
	files, patterns, needs []string
	tools                  bool
}

type testKey struct{ suite, test string }

// size is a share of a graph's bounds.
type size struct{ tests, edges, files, bytes int }

// NewGraph returns an empty graph. It is an [sdk.ListSink].
func NewGraph() *Graph {
	return &Graph{Suites: map[string]*Node{}, parts: map[string]*part{}, tests: map[testKey]bool{}}
}

// Suite adds a suite, or tests and needs to one.
func (g *Graph) Suite(s sdk.ListedSuite) {
	g.closure = nil
	if s.Incomplete != "" {
		g.Error(s.Incomplete)
		if len(s.Tests)+len(s.Needs) == 0 && s.Opaque == "" {
			return // nothing is known of it
		}
	}
	node := g.Suites[s.Suite]
	if node == nil {
		if !g.checkBound(len(g.Suites) < maxSuites, "suites") {
			return
		}
		node = &Node{Suite: s.Suite}
		g.Suites[s.Suite] = node
	}
	if node.Incomplete == "" {
		node.Incomplete = s.Incomplete
	}
	for _, t := range s.Tests {
		key := testKey{s.Suite, t.Name}
		if t.OnRequest || g.tests[key] || !g.take(size{tests: 1, bytes: len(t.Name)}) {
			continue
		}
		g.tests[key] = true
		node.Tests = append(node.Tests, t.Name)
	}
	node.Needs = g.add(node.Needs, s.Needs, size{edges: 1})
	node.Sealed = node.Sealed || s.Sealed
	if node.Opaque == "" {
		node.Opaque = s.Opaque
	}
}

// Part adds a part, or files, patterns and needs to one.
func (g *Graph) Part(p sdk.ListedPart) {
	g.closure = nil
	known := g.parts[p.Name]
	if known == nil {
		if !g.checkBound(len(g.parts) < maxParts, "parts") {
			return
		}
		known = &part{}
		g.parts[p.Name] = known
	}
	known.files = g.add(known.files, p.Files, size{files: 1})
	known.patterns = g.add(known.patterns, p.Patterns, size{files: 1})
	known.needs = g.add(known.needs, p.Needs, size{edges: 1})
	known.tools = known.tools || p.Tools
}

// Error records that something is missing.
func (g *Graph) Error(text string) {
	g.closure = nil
	if len(g.errors) < maxErrors && !slices.Contains(g.errors, text) {
		g.errors = append(g.errors, text)
	}
}

// Errors says why the graph is incomplete; empty if it is complete. A part that is
// needed but was not described is an error.
func (g *Graph) Errors() []string { return g.closed().errors }

// HasTest reports whether a suite has a test that runs by default.
func (g *Graph) HasTest(suite, test string) bool { return g.tests[testKey{suite, test}] }

// SuiteNames returns the names of all suites, sorted.
func (g *Graph) SuiteNames() []string { return slices.Sorted(maps.Keys(g.Suites)) }

// TestsTotal counts the tests of all suites.
func (g *Graph) TestsTotal() int {
	total := 0
	for _, node := range g.Suites {
		total += len(node.Tests)
	}
	return total
}

// add appends texts while there is room.
func (g *Graph) add(list, more []string, each size) []string {
	for _, text := range more {
		each.bytes = len(text)
		if !g.take(each) {
			break
		}
		list = append(list, text)
	}
	return list
}

// take uses up a share of the bounds and reports whether there was enough.
func (g *Graph) take(s size) bool {
	sum := size{g.size.tests + s.tests, g.size.edges + s.edges, g.size.files + s.files, g.size.bytes + s.bytes}
	if !g.checkBound(sum.tests <= maxTests && sum.edges <= maxEdges && sum.files <= maxFiles && sum.bytes <= maxGraphBytes, "names") {
		return false
	}
	g.size = sum
	return true
}

// checkBound records, once, that a bound was exceeded.
func (g *Graph) checkBound(ok bool, what string) bool {
	if !ok && !g.full {
		g.full = true
		g.errors = append(g.errors, fmt.Sprintf("there are more %s than proctor can handle", what))
	}
	return ok
}

func (g *Graph) closed() *closure {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closure == nil {
		g.closure = newClosure(g)
	}
	return g.closure
}

// everything, as the last element of a pattern, matches everything below.
const everything = "**"

// Matches reports whether a path matches a pattern of [sdk.ListedPart]. A pattern that
// [path.Match] rejects matches all files of its directory.
func Matches(pattern, file string) bool {
	dir, last := split(pattern)
	if last == everything {
		return file != dir && isBelow(dir, file)
	}
	in, name := split(file)
	if in != dir {
		return false
	}
	ok, err := path.Match(last, name)
	return ok || err != nil
}

// isBelow reports whether a file is below a directory.
func isBelow(dir, file string) bool {
	switch dir {
	case "":
		return !strings.HasPrefix(file, "/")
	case "/":
		return strings.HasPrefix(file, "/")
	}
	return strings.HasPrefix(file, dir) && len(file) > len(dir) && file[len(dir)] == '/'
}

// split separates the last element of a slash-separated path. The directory is empty
// for files at the workspace's root, and a slash at the file system's root.
func split(file string) (dir, last string) {
	switch i := strings.LastIndexByte(file, '/'); i {
	case -1:
		return "", file
	case 0:
		return "/", file[1:]
	default:
		return file[:i], file[i+1:]
	}
}
