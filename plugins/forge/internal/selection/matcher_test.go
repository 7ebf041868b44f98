package selection_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
)

// matcher selects tests as forge 1.7.1 does: the glob matches the path or part of the
// file's name, the expressions match anywhere in the name and the signature, and all
// three must match.
type matcher struct {
	glob           *regexp.Regexp
	pattern        string
	contract, test *regexp.Regexp
}

func newMatcher(t *testing.T, f selection.Filter) matcher {
	t.Helper()
	return matcher{globsetRegexp(t, f.Path), f.Path, regexp.MustCompile(f.Contract), regexp.MustCompile(f.Test)}
}

func (m matcher) selects(one test) bool {
	file, contract, _ := selection.Split(one.Suite)
	return (m.glob.MatchString(file) || strings.Contains(path.Base(file), m.pattern)) &&
		m.contract.MatchString(contract) && m.test.MatchString(one.Name)
}

// globsetRegexp translates a glob as the Rust crate of that name does.
func globsetRegexp(t *testing.T, glob string) *regexp.Regexp {
	t.Helper()
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	depth := 0
	for rest := glob; rest != ""; {
		c := rest[0]
		rest = rest[1:]
		switch c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		case '{':
			depth++
			b.WriteString("(?:")
		case '}':
			depth--
			b.WriteString(")")
		case ',':
			if depth > 0 {
				b.WriteString("|")
			} else {
				b.WriteString(",")
			}
		case '[':
			end := strings.IndexByte(rest[1:], ']') + 1 // a bracket right after the opening one is literal
			if end < 1 || rest[0] == '!' || rest[0] == '^' {
				t.Fatalf("%q contains an invalid class", glob)
			}
			for _, r := range rest[:end] {
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
			rest = rest[end+1:]
		case '\\':
			t.Fatalf("%q contains an escape", glob)
		default:
			b.WriteString(regexp.QuoteMeta(string([]byte{c})))
		}
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

// fewestParts tries all partitions of the targets. It returns the smallest number of parts
// such that the paths, contracts and signatures of each part select just that part.
func fewestParts(targets, all []test) int {
	var whole, named []test
	for _, one := range targets {
		if one.Name == "" && !containsTest(whole, one) {
			whole = append(whole, one)
		}
	}
	for _, one := range targets {
		if one.Name != "" && !containsTest(whole, test{Suite: one.Suite}) {
			named = append(named, one)
		}
	}
	suites := map[test]bool{}
	for _, one := range all {
		suites[test{Suite: one.Suite}] = true
	}
	var everySuite []test
	for one := range suites {
		everySuite = append(everySuite, one)
	}
	return countParts(whole, nil, everySuite, len(whole)) + countParts(named, nil, all, len(named))
}

// countParts distributes the remaining targets over the existing parts and new ones.
func countParts(rest []test, made [][]test, all []test, best int) int {
	if len(made) > best {
		return best
	}
	if len(rest) == 0 {
		for _, part := range made {
			if !isBox(part, all) {
				return best
			}
		}
		return min(best, len(made))
	}
	for i := range made {
		made[i] = append(made[i], rest[0])
		best = countParts(rest[1:], made, all, best)
		made[i] = made[i][:len(made[i])-1]
	}
	return countParts(rest[1:], append(made[:len(made):len(made)], []test{rest[0]}), all, best)
}

func isBox(part, all []test) bool {
	for _, one := range all {
		if containsTest(part, one) {
			continue
		}
		file, contract, _ := selection.Split(one.Suite)
		var p, c, s bool
		for _, other := range part {
			otherFile, otherContract, _ := selection.Split(other.Suite)
			p, c, s = p || otherFile == file, c || otherContract == contract, s || other.Name == one.Name
		}
		if p && c && s {
			return false
		}
	}
	return true
}

func containsTest(some []test, one test) bool {
	for _, other := range some {
		if other == one {
			return true
		}
	}
	return false
}
