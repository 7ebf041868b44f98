package host

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/report"
)

// found is what a name means on record: one test, or those of a file or suite, or
// both where a suite itself has results.
type found struct {
	test  *history.Test
	file  string
	tests []history.Test
}

// find looks a test, a file or a suite up. Names are compared whole or by their
// ends; they are never taken apart. What it does not find, or finds several
// times, is a [*UsageError].
func (m *memory) find(ctx context.Context, language, name string) (found, error) {
	tests, err := m.history.Tests(ctx, history.TestFilter{Language: language, Name: name})
	if err != nil {
		return found{}, err
	}
	meant := named(tests, name)
	switch {
	case len(meant) == 1 && meant[0].TestKey.Test.Test == "":
		suite := meant[0] // which has results of its own, and tests
		return found{test: &suite, tests: slices.DeleteFunc(tests, func(t history.Test) bool { return t.TestKey == suite.TestKey })}, nil
	case len(meant) == 1:
		return found{test: &meant[0]}, nil
	case len(meant) > 1:
		return found{}, ambiguous("tests", name, meant)
	}
	if of, err := m.findFile(ctx, language, name); err != nil || of.file != "" {
		return of, err
	}
	if len(tests) > 0 {
		return found{tests: tests}, nil // those of a suite
	}
	return found{}, &UsageError{
		Reason: fmt.Sprintf(`no test or file "%s" is on record`, report.Line(name)),
		Fix:    "`proctor history` names tests worth knowing of, `proctor show` all of the last run",
	}
}

// findFile looks a file up, by its path in the workspace or the end of that.
func (m *memory) findFile(ctx context.Context, language, name string) (found, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	tests, err := m.history.Tests(ctx, history.TestFilter{Language: language, File: name})
	if err != nil {
		return found{}, err
	}
	files := map[string][]history.Test{}
	for _, t := range tests {
		files[t.File] = append(files[t.File], t)
	}
	if len(files[name]) > 0 {
		return found{file: name, tests: files[name]}, nil
	}
	paths := slices.Sorted(maps.Keys(files))
	switch len(paths) {
	case 0:
		return found{}, nil
	case 1:
		return found{file: paths[0], tests: tests}, nil
	}
	return found{}, several("files", name, paths)
}

// named are the tests that a name means: those that it names whole, else those
// whose names end with it.
func named(tests []history.Test, name string) []history.Test {
	var exact, ending []history.Test
	for _, t := range tests {
		id := t.TestKey.Test
		switch {
		case namesWhole(id.Suite, id.Test, name):
			exact = append(exact, t)
		case id.Test != "" && id.Suite != name && strings.HasSuffix(report.QualifiedName(id.Suite, id.Test), "/"+name):
			ending = append(ending, t)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return ending
}

// namesWhole tells whether a name is that of a test, with or without its suite, or
// of a suite that has results of its own.
func namesWhole(suite, test, name string) bool {
	if test == "" {
		return suite == name
	}
	return test == name || report.QualifiedName(suite, test) == name || suite+" "+test == name
}

// ambiguous says which tests a name could mean.
func ambiguous(what, name string, tests []history.Test) error {
	names := make([]string, 0, len(tests))
	for _, t := range tests {
		names = append(names, report.QualifiedName(t.Suite, t.TestKey.Test.Test)+" ("+t.Language+")")
	}
	slices.Sort(names)
	return several(what, name, names)
}

func several(what, name string, names []string) error {
	shown := names[:min(len(names), maxMatches)]
	text := report.Line(strings.Join(shown, ", "))
	if left := len(names) - len(shown); left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return &UsageError{
		Reason: fmt.Sprintf(`"%s" names several %s: %s`, report.Line(name), what, text),
		Fix:    "give more of the name, or --lang",
	}
}
