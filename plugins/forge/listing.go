package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/declaration"
	"github.com/proctorhq/proctor/plugins/forge/internal/solcout"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxListed bounds the listing, in bytes; ten thousand tests take 1 MiB.
	maxListed = 64 << 20
	// maxListError is how much of forge's error output is kept.
	maxListError = 16 << 10
)

// listing reads the output of "forge test --list --json", an object of test names by
// contract by file, and finds the signatures, which forge does not print: a name may be
// several tests.
type listing struct {
	ctx    context.Context
	root   string
	finder *declaration.Finder
	suites []string
	// pattern and without select among signatures of one name.
	pattern, without *regexp.Regexp
	sink             sdk.ListSink
	// dependencies reports what suites are built from; nil if not requested.
	dependencies *dependencyReport

	stdout, stderr []byte
	tooLong        bool
}

// Write implements [sdk.Parser].
func (l *listing) Write(stream sdk.Stream, data []byte) {
	if stream == sdk.Stderr {
		l.stderr = append(l.stderr, data[:min(len(data), maxListError-len(l.stderr))]...)
		return
	}
	l.tooLong = l.tooLong || len(l.stdout)+len(data) > maxListed
	if !l.tooLong {
		l.stdout = append(l.stdout, data...)
	}
}

// Close implements [sdk.Parser].
func (l *listing) Close(exit sdk.Exit) {
	if l.tooLong {
		l.sink.Error(fmt.Sprintf("forge test --list printed more than %d bytes", maxListed))
		return
	}
	if exit.Code != 0 && !exit.Unknown {
		l.sink.Error("forge test --list failed: " + cmp.Or(l.buildError(), l.errorText()) + l.missingLibraries())
		return
	}
	names, read := parseListing(l.stdout)
	if !read {
		if text := bytes.TrimSpace(l.stdout); len(text) > 0 && !nothingToList(string(text)) {
			l.sink.Error("cannot read the output of forge test --list: " + l.errorText())
		}
		return
	}
	if len(names) > 0 {
		l.report(names)
	}
}

// errorText returns forge's error: from standard error, or from standard output, where
// compiler errors appear when tests are selected.
func (l *listing) errorText() string {
	text := strings.TrimSpace(string(l.stdout[:min(len(l.stdout), maxListError)]))
	if said := strings.TrimSpace(string(l.stderr)); said != "" {
		text = strings.TrimSpace(said + "\n" + text)
	}
	return text
}

// buildError returns the compiler's first error in a line, which several answers quote, and
// how many more there are; empty if there are none.
func (l *listing) buildError() string {
	var scanner solcout.Scanner
	for line := range strings.Lines(l.errorText()) {
		scanner.Line([]byte(strings.TrimSuffix(line, "\n")))
	}
	errors := scanner.Report().Blocking()
	if len(errors) == 0 {
		return ""
	}
	first := errors[0]
	text, _, _ := strings.Cut(first.Message, "\n")
	if first.Place.Line > 0 {
		text = fmt.Sprintf("%s:%d: %s", first.Place.File, first.Place.Line, text)
	}
	if more := len(errors) - 1; more > 0 {
		text += fmt.Sprintf(" (and %s)", countNoun(more, "more error", "more errors"))
	}
	return makeVisible(text)
}

// missingLibraries names the libraries that the compiler lacks: a listing must not fetch any.
func (l *listing) missingLibraries() string {
	m := missing{root: l.root}
	for line := range strings.Lines(l.errorText()) {
		if at := strings.Index(line, `Source "`); at >= 0 {
			m.addFrom(solcout.Diagnostic{Message: line[at:]})
		}
	}
	if note := m.note(); note != "" {
		return "\n" + note
	}
	return ""
}

// nothingToList reports whether forge printed one of its sentences instead of an empty
// list.
func nothingToList(text string) bool {
	return strings.HasPrefix(text, "No tests found") || strings.HasPrefix(text, "Nothing to compile") ||
		strings.HasPrefix(text, "No files changed")
}

// parseListing finds the line with the list: names by suite. Other lines may surround it.
func parseListing(output []byte) (names map[string][]string, read bool) {
	for line := range bytes.Lines(output) {
		var files map[string]map[string][]string
		if json.Unmarshal(line, &files) != nil || files == nil {
			continue
		}
		if names == nil {
			names = map[string][]string{}
		}
		for file, contracts := range files {
			for contract, tests := range contracts {
				suite := file + ":" + contract
				names[suite] = append(names[suite], tests...)
			}
		}
	}
	return names, names != nil
}

// report reports the tests by signature.
func (l *listing) report(names map[string][]string) {
	var known map[string][]sdk.ListedTest
	if l.finder != nil {
		var err error
		if known, _, err = l.finder.Tests(l.ctx); err != nil {
			l.sink.Error("the signatures of the tests are not all known: " + err.Error())
		}
	}
	l.dependencies.readIndex(l.ctx, l.sink)
	for _, suite := range slices.Sorted(maps.Keys(names)) {
		if len(l.suites) > 0 && !slices.Contains(l.suites, suite) {
			continue
		}
		tests, missing := matchSignatures(names[suite], known[suite])
		if len(missing) > 0 && l.finder != nil {
			tests, missing = matchSignatures(names[suite], l.finder.Suite(l.ctx, suite))
		}
		if len(missing) > 0 {
			// A suite with some of its tests would imply that it has no others.
			l.sink.Error(fmt.Sprintf("the signatures of %d tests of %s are not known, among them that of %s", len(missing), suite, missing[0]))
			continue
		}
		tests = slices.DeleteFunc(tests, func(t sdk.ListedTest) bool {
			return l.pattern != nil && !l.pattern.MatchString(t.Name) || l.without != nil && l.without.MatchString(t.Name)
		})
		listed := sdk.ListedSuite{Suite: suite, Tests: tests}
		listed.Needs, listed.Opaque = l.dependencies.suiteNeeds(l.ctx, suite)
		// Without a cheat code that reads files nothing in the EVM can.
		listed.Sealed = listed.Opaque == ""
		l.sink.Suite(listed)
	}
}

// matchSignatures finds the tests with the given names. A name is missing if it has fewer
// signatures than listed.
func matchSignatures(names []string, known []sdk.ListedTest) (tests []sdk.ListedTest, missing []string) {
	wanted := map[string]int{}
	for _, name := range names {
		wanted[name]++
	}
	found := map[string]int{}
	for _, test := range known {
		name, _, _ := strings.Cut(test.Name, "(")
		if wanted[name] > 0 {
			found[name]++
			tests = append(tests, test)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if found[name] < wanted[name] {
			missing = append(missing, name)
		}
	}
	return tests, missing
}
