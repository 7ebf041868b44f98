package gotest

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// suite is what a rerun wants from one package.
type suite struct {
	path string
	// dir is its directory; empty if unknown.
	dir string
	// whole means all of its tests.
	whole bool
	// build means none of its tests, but it must be built.
	build bool
	// names are the wanted tests and benchmarks.
	names [benchmarks + 1][]string
	// declared holds the functions in its test files; nil if unknown.
	declared map[string]struct{}
	// gone reports whether nothing, or nothing that is left, can be run.
	gone bool
}

// groupBySuite collects the targets by suite, in order. everything reports whether one of them
// is the run itself.
func groupBySuite(targets []sdk.TestID) (suites []*suite, everything bool) {
	index := map[string]*suite{}
	var last *suite
	for _, target := range targets {
		if target.Suite == "" {
			everything = everything || target.Test == ""
			continue
		}
		if last == nil || last.path != target.Suite {
			if last = index[target.Suite]; last == nil {
				last = &suite{path: target.Suite, gone: !isImportPath(target.Suite)}
				index[target.Suite] = last
				suites = append(suites, last)
			}
		}
		if strings.IndexByte(target.Test, 0) >= 0 {
			continue // no argument can hold it, and no test has such a name
		}
		if target.Test == "" {
			last.whole = true
			continue
		}
		kind := kindOf(target.Test)
		last.names[kind] = append(last.names[kind], target.Test)
	}
	return suites, everything
}

// alsoBuild adds suites without wanted tests.
func alsoBuild(suites []*suite, paths []string) []*suite {
	known := make(map[string]bool, len(suites)+len(paths))
	for _, s := range suites {
		known[s.path] = true
	}
	for _, path := range paths {
		if path != "" && !known[path] {
			known[path] = true
			suites = append(suites, &suite{path: path, build: true, gone: !isImportPath(path)})
		}
	}
	return suites
}

// isImportPath reports whether a suite can be an argument that names one package.
// Results are untrusted: one could look like a flag, or like all packages.
func isImportPath(path string) bool {
	switch path {
	case "all", "cmd", "std", "tool", "work": // patterns with a special meaning
		return false
	}
	return !strings.HasPrefix(path, "-") && !strings.HasPrefix(path, ".") && !strings.HasPrefix(path, "/") &&
		!strings.Contains(path, "...") && !strings.ContainsAny(path, "@\\") && !strings.ContainsFunc(path, isNotInPath)
}

func isNotInPath(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError
}

// survey finds what is left of the suites in the sources, and drops those of which
// nothing is.
func (p project) survey(ctx context.Context, suites []*suite) ([]*suite, error) {
	for _, s := range suites {
		if ctx.Err() == nil {
			p.surveySuite(s)
		}
	}
	return slices.DeleteFunc(suites, func(s *suite) bool { return s.gone }), ctx.Err()
}

func (p project) surveySuite(s *suite) {
	if s.gone {
		return
	}
	dir, known := p.layout.Dir(s.path)
	if !known {
		return
	}
	s.dir = dir
	functions, err := p.layout.Reader.DirFunctions(dir)
	if errors.Is(err, fs.ErrNotExist) && len(functions) == 0 || err == nil && len(functions) == 0 && !p.layout.Reader.IsPackage(dir) {
		s.gone = true
		return
	}
	if err != nil {
		return // an unreadable file may declare anything
	}
	s.declared = make(map[string]struct{}, len(functions))
	for _, function := range functions {
		s.declared[function.Name] = struct{}{}
	}
	s.gone = !s.whole && !s.build
	for kind := range s.names {
		s.names[kind] = slices.DeleteFunc(s.names[kind], func(name string) bool {
			_, exists := s.declared[topLevelName(name)]
			return !exists
		})
		s.gone = s.gone && len(s.names[kind]) == 0
	}
}

// topLevelName returns the top-level function of a test.
func topLevelName(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

func kindOf(name string) testKind {
	if source.KindOf(topLevelName(name)) == source.Benchmark {
		return benchmarks
	}
	return tests
}
