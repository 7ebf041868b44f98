package pragma

import (
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

var (
	line       = lazyregexp.New(`pragma\s+solidity\s+([^;]{1,200});`)
	comparator = lazyregexp.New(`(\^|~|>=|<=|>|<|=)?\s*v?(\d{1,6})(?:\.(\d{1,6}|x|\*))?(?:\.(\d{1,6}|x|\*))?`)
	exact      = lazyregexp.New(`^solidity\s+=?\s*\d{1,6}\.\d{1,6}\.\d{1,6}$`)
	hyphen     = lazyregexp.New(`(\S+)\s+-\s+(\S+)`)
)

// version has three numbers; -1 matches any.
type version [3]int

// Latest returns the latest of the versions that all sources accept.
func Latest(versions, sources []string) (string, bool) {
	var ranges []string
	for _, source := range sources {
		for _, match := range line.FindAllStringSubmatch(source, -1) {
			if !slices.Contains(ranges, match[1]) {
				ranges = append(ranges, match[1])
			}
		}
	}
	best, found := version{-1}, ""
	for _, text := range versions {
		v, ok := parseVersion(text)
		if !ok || slices.Compare(v[:], best[:]) <= 0 {
			continue
		}
		if !slices.ContainsFunc(ranges, func(r string) bool { return !accepts(r, v) }) {
			best, found = v, text
		}
	}
	return found, found != ""
}

// IsExact reports whether a directive, without "pragma" and the semicolon, accepts a
// single version only: "solidity 0.8.30" or "solidity =0.8.30".
func IsExact(directive string) bool { return exact.MatchString(directive) }

// parseVersion parses a complete version.
func parseVersion(text string) (version, bool) {
	parts := strings.Split(text, ".")
	var v version
	if len(parts) != len(v) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 20)
		if err != nil {
			return v, false
		}
		v[i] = int(n)
	}
	return v, true
}

// accepts reports whether a range, which is a list of alternative comparators, contains a
// version.
func accepts(text string, v version) bool {
	return slices.ContainsFunc(strings.Split(text, "||"), func(alternative string) bool {
		alternative = hyphen.ReplaceAllString(strings.NewReplacer(`"`, "", `'`, "").Replace(alternative), ">=$1 <=$2")
		for _, match := range comparator.FindAllStringSubmatch(alternative, -1) {
			if !satisfies(match[1], version{parsePart(match[2]), parsePart(match[3]), parsePart(match[4])}, v) {
				return false
			}
		}
		return true
	})
}

// parsePart parses one part of a version; -1 matches any.
func parsePart(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

func satisfies(operator string, bound, v version) bool {
	low := bound
	for i := range low {
		low[i] = max(low[i], 0)
	}
	switch operator {
	case ">=":
		return slices.Compare(v[:], low[:]) >= 0
	case "<":
		return slices.Compare(v[:], low[:]) < 0
	case ">":
		return slices.Compare(v[:], low[:]) > 0 && !matchesBound(bound, v)
	case "<=":
		return slices.Compare(v[:], low[:]) <= 0 || matchesBound(bound, v)
	case "^":
		// Compare up to the first nonzero number.
		first := slices.IndexFunc(bound[:], func(n int) bool { return n != 0 })
		first = max(first, 0)
		return slices.Compare(v[:], low[:]) >= 0 && slices.Equal(v[:first+1], low[:first+1])
	case "~":
		return slices.Compare(v[:], low[:]) >= 0 && v[0] == low[0] && (bound[1] < 0 || v[1] == low[1])
	}
	return matchesBound(bound, v)
}

// matchesBound compares the numbers that the bound specifies.
func matchesBound(bound, v version) bool {
	for i := range v {
		if bound[i] >= 0 && bound[i] != v[i] {
			return false
		}
	}
	return true
}
