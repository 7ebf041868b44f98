package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// MatchTests returns the indices of the tests that a user's name refers to. It may be
// the full name, the one with the short name of its suite, the end of it, or a loose
// spelling: the first of these that matches any test counts. A suite is a test with an
// empty name.
func MatchTests(tests []sdk.TestID, name string, suites SuiteNames) []int {
	for _, fits := range []func(sdk.TestID) bool{
		func(t sdk.TestID) bool { return namesWhole(t, name) },
		func(t sdk.TestID) bool {
			return namesWhole(sdk.TestID{Suite: suites.Short(t.Suite), Test: t.Test}, name)
		},
		func(t sdk.TestID) bool { return namesEnd(t, name, "/") },
		func(t sdk.TestID) bool { return namesEnd(t, name, ":") },
		func(t sdk.TestID) bool { return NamesLoosely(t, name) },
	} {
		var meant []int
		for i, t := range tests {
			if fits(t) {
				meant = append(meant, i)
			}
		}
		if len(meant) > 0 {
			return meant
		}
	}
	return nil
}

// namesWhole reports whether name is the full name of a test, with or without its
// suite, or of a suite.
func namesWhole(t sdk.TestID, name string) bool {
	if t.Test == "" {
		return t.Suite == name
	}
	return t.Test == name || prose.QualifiedName(t.Suite, t.Test) == name || t.Suite+" "+t.Test == name
}

// namesEnd reports whether a test's name with its suite, or a suite's name, ends with
// name, starting after sep: a slash, or the colon that precedes a class or a contract.
func namesEnd(t sdk.TestID, name, sep string) bool {
	return strings.HasSuffix(prose.QualifiedName(t.Suite, t.Test), sep+name) ||
		t.Test != "" && strings.HasSuffix(t.Suite+" "+t.Test, sep+name)
}

// NamesLoosely reports whether name means a test as people type it: without a
// signature's brackets, and with spaces for the runner's underscores.
func NamesLoosely(t sdk.TestID, name string) bool {
	if t.Test == "" {
		return false
	}
	plain := t
	if !strings.ContainsRune(name, '(') {
		plain.Test, _, _ = strings.Cut(t.Test, "(")
	}
	if plain.Test == "" {
		return false
	}
	names := []string{name, strings.ReplaceAll(name, " ", "_")}
	if suite, test, ok := strings.Cut(name, " "); ok {
		names = append(names, suite+" "+strings.ReplaceAll(test, " ", "_"))
	}
	return slices.ContainsFunc(names, func(n string) bool {
		return n != "" && (namesWhole(plain, n) || namesEnd(plain, n, "/") || namesEnd(plain, n, ":"))
	})
}

// IsInside reports, by their names, whether a test is part of another that belongs to a
// listed test. What follows the listed test's name in that of a part follows the part's
// name in those of its own parts: "TestA/x" is around "TestA/x/y", not "TestA/x-y".
func IsInside(part, whole, listed string) bool {
	rest, ok := strings.CutPrefix(part, whole)
	if !ok || rest == "" {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if within, ok := strings.CutPrefix(whole, listed); ok && listed != "" && within != "" {
		sep, _ := utf8.DecodeRuneInString(within)
		return next == sep
	}
	return !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_'
}

// maxNearest is how many names are suggested for an unknown one.
const maxNearest = 3

// Nearest returns the names, as call gives them, of the tests most similar to an unknown
// name.
func Nearest(tests []sdk.TestID, name string, call func(sdk.TestID) string) []string {
	type near struct {
		name     string
		distance int
	}
	own := lastWord(name)
	most := min(max(len(own)/4, 1), 3) // a typo or two
	var found []near
	for _, t := range tests {
		if t.Test == "" {
			continue
		}
		plain, _, _ := strings.Cut(t.Test, "(")
		d := most + 1
		for _, n := range []string{plain, lastWord(plain)} {
			d = min(d, prose.Distance(n, own, most))
		}
		if full := call(t); d <= most && !slices.ContainsFunc(found, func(f near) bool { return f.name == full }) {
			found = append(found, near{full, d})
		}
		if len(found) > 2*MaxExamined {
			break
		}
	}
	slices.SortFunc(found, func(a, b near) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name)) })
	var names []string
	for _, f := range found[:min(len(found), maxNearest)] {
		names = append(names, f.name)
	}
	return names
}

// lastWord returns what follows the last slash or space.
func lastWord(name string) string { return name[strings.LastIndexAny(name, "/ ")+1:] }

// SuggestNames formats names as suggestions; empty if there are none.
func SuggestNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", prose.Line(strings.Join(names, ", ")))
}

// MaxExamined is how many tests are examined for one answer; with more, the user would
// have to wait.
const MaxExamined = 1000
