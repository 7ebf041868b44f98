package pattern

import (
	"regexp"
	"strconv"
	"strings"
)

// Filter is an expression as "go test -run" understands it: alternatives of elements,
// one for each level of subtests.
type Filter struct {
	alternatives [][]*regexp.Regexp
}

// Parse parses an expression. The empty one selects everything.
func Parse(expr string) (Filter, error) {
	var filter Filter
	for _, elements := range splitExpr(expr) {
		compiled := make([]*regexp.Regexp, len(elements))
		for i, element := range elements {
			var err error
			if compiled[i], err = regexp.Compile(rewriteName(element)); err != nil {
				return Filter{}, err
			}
		}
		filter.alternatives = append(filter.alternatives, compiled)
	}
	return filter, nil
}

// Inside reports whether the expression matches subtests, so that only a part of a test
// may be selected.
func Inside(expr string) bool {
	for _, elements := range splitExpr(expr) {
		if len(elements) > 1 {
			return true
		}
	}
	return false
}

// OnlyInside reports whether each alternative of the expression matches subtests, so
// that a top-level test is only entered for what is inside.
func OnlyInside(expr string) bool {
	for _, elements := range splitExpr(expr) {
		if len(elements) < 2 {
			return false
		}
	}
	return true
}

// Selects reports whether "-run" starts a top-level test.
func (f Filter) Selects(name string) bool {
	for _, elements := range f.alternatives {
		if elements[0].MatchString(name) {
			return true
		}
	}
	return false
}

// Skips reports whether "-skip" leaves out a top-level test as a whole.
func (f Filter) Skips(name string) bool {
	for _, elements := range f.alternatives {
		if len(elements) == 1 && elements[0].MatchString(name) {
			return true
		}
	}
	return false
}

// splitExpr splits at each | and / outside of brackets and parentheses, like package
// testing (testing/match.go, splitRegexp).
func splitExpr(expr string) [][]string {
	var alternatives [][]string
	var elements []string
	brackets, parens, start := 0, 0, 0
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(brackets-1, 0) // an unmatched one is legal
		case brackets > 0:
		case c == '(':
			parens++
		case c == ')':
			parens--
		case parens != 0:
		case c == '/', c == '|':
			elements = append(elements, expr[start:i])
			start = i + 1
			if c == '|' {
				alternatives, elements = append(alternatives, elements), nil
			}
		}
	}
	return append(alternatives, append(elements, expr[start:]))
}

// rewriteName does what package testing does to names and expressions.
func rewriteName(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case isSpace(r):
			b.WriteByte('_')
		case !strconv.IsPrint(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isSpace is package testing's definition, which differs from Unicode's.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}
