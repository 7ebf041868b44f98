package forge

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/sdk"
)

// composeFilters turns a selection into filters.
func composeFilters(selection sdk.Selection, list arguments.List) (filters, warnings []string, err error) {
	if len(selection.Suites) > 0 {
		return nil, nil, invalidSelection("forge selects by patterns, not by names of suites: use a path pattern, a suite pattern or a filter of test names instead of %q", selection.Suites[0])
	}
	for _, one := range []struct {
		option, pattern string
		expression      bool
	}{
		{"match-path", selection.PathPattern, false},
		{"match-contract", selection.SuitePattern, true},
		{"match-test", selection.TestPattern, true},
	} {
		if one.pattern == "" {
			continue
		}
		given, set := list.Get(one.option)
		if one.option == "match-path" && list.Count("") > 0 {
			given, set = pathArgument(list), true
		}
		if set {
			return nil, nil, invalidSelection("the pattern %q and the runner argument --%s %q both select tests: give one of them", one.pattern, one.option, given)
		}
		if strings.ContainsRune(one.pattern, 0) {
			return nil, nil, invalidSelection("the pattern %q holds a NUL character, which no argument can: leave it out", one.pattern)
		}
		if one.expression {
			if err := checkExpression(one.pattern); err != nil {
				return nil, nil, err
			}
		}
		// Joined, so that a pattern that begins with a dash is not an option.
		filters = append(filters, "--"+one.option+"="+one.pattern)
	}
	pattern := selection.TestPattern
	if pattern == "" {
		pattern, _ = list.Get("match-test")
	}
	if mayEndInName(pattern) {
		warnings = append(warnings, fmt.Sprintf("the filter %q may select nothing: forge matches it against signatures, such as test_x() or testFuzz_x(uint256), so that the name is not the end; write \\( in place of $", pattern))
	}
	return filters, warnings, nil
}

// checkExpression rejects malformed regular expressions. Forge reads Rust's syntax,
// which differs from Go's in rare constructs: those that only Go does not know are left
// to forge.
func checkExpression(pattern string) error {
	_, err := syntax.Parse(pattern, syntax.Perl)
	var broken *syntax.Error
	if !errors.As(err, &broken) {
		return nil
	}
	switch broken.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingBracket, syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash:
		if strings.Contains(pattern, "(?") || strings.Contains(pattern, "[[") {
			return nil // it may be Rust's own syntax
		}
		return invalidSelection("the pattern %q is not a regular expression: %s; put a backslash before characters that stand for themselves, such as \\( and \\)", pattern, broken.Code)
	case syntax.ErrInvalidPerlOp:
		for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
			if strings.HasPrefix(broken.Expr, look) {
				return invalidSelection("the pattern %q uses %s, which forge's regular expressions do not have: describe what is to match instead, or exclude tests with -- --no-match-test", pattern, look)
			}
		}
	}
	return nil
}

// mayEndInName reports whether a pattern, or an alternative of it, ends in $ after a
// character other than a bracket: every signature ends in one.
func mayEndInName(pattern string) bool {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && pattern != "" && endsInName(parsed.Simplify())
}

// endsInName examines the end of an expression. It only handles plain cases, for a
// warning.
func endsInName(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return endsInName(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if endsInName(sub) {
				return true
			}
		}
	case syntax.OpConcat:
		if last := re.Sub[len(re.Sub)-1]; last.Op != syntax.OpEndText && last.Op != syntax.OpEndLine {
			return endsInName(last)
		}
		return !canEndInBracket(re.Sub[len(re.Sub)-2])
	}
	return false
}

// canEndInBracket reports whether a match of the expression may end in ")", as far as
// is obvious.
func canEndInBracket(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return re.Rune[len(re.Rune)-1] == ')'
	case syntax.OpCharClass:
		return regexp.MustCompile(re.String()).MatchString(")")
	case syntax.OpPlus, syntax.OpCapture:
		return canEndInBracket(re.Sub[0])
	case syntax.OpConcat:
		return canEndInBracket(re.Sub[len(re.Sub)-1])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if canEndInBracket(sub) {
				return true
			}
		}
		return false
	}
	return true
}
