package pattern

import (
	"regexp"
	"strings"
)

// selection is a set of alternatives that select inside of tests.
type selection struct {
	alternatives []string
	// leaves is how many names they select, bytes their length, firsts the
	// length of their outermost elements.
	leaves, bytes, firsts int
}

// parent is a path of names and the requested ones directly below.
type parent struct {
	path     string
	children []string
}

// selectSubtests writes one alternative for all children of one parent.
func selectSubtests(tops []Top) selection {
	var all selection
	for _, top := range tops {
		if top.Whole {
			continue
		}
		for _, parent := range groupByParent(top.Requested) {
			expr := anchorPath(parent.path) + "/" + alternateNames(quoteAll(parent.children))
			all.alternatives = append(all.alternatives, expr)
			all.leaves += len(parent.children)
			all.bytes += len(expr) + len("|")
			all.firsts += len(top.Name)
		}
	}
	return all
}

// groupByParent collects names by their parent, without duplicates and names inside of
// others.
func groupByParent(names []string) []parent {
	requested := make(map[string]bool, len(names))
	for _, name := range names {
		requested[name] = true
	}
	var parents []parent
	index := map[string]int{}
	done := make(map[string]bool, len(names))
	for _, name := range names {
		if done[name] || hasEnclosing(requested, name) {
			continue
		}
		done[name] = true
		slash := strings.LastIndexByte(name, '/')
		path, child := name[:slash], name[slash+1:]
		at, known := index[path]
		if !known {
			at = len(parents)
			index[path] = at
			parents = append(parents, parent{path: path})
		}
		parents[at].children = append(parents[at].children, child)
	}
	return parents
}

// hasEnclosing reports whether the set has a test that contains the named one.
func hasEnclosing(set map[string]bool, name string) bool {
	for i := range len(name) {
		if name[i] == '/' && set[name[:i]] {
			return true
		}
	}
	return false
}

// anchorPath selects the elements of one path.
func anchorPath(path string) string {
	elements := strings.Split(path, "/")
	for i, element := range elements {
		elements[i] = alternateNames([]string{regexp.QuoteMeta(element)})
	}
	return strings.Join(elements, "/")
}

// alternateNames selects one element among quoted names. It has no "|" outside of
// parentheses: package testing recompiles such a part for every name.
func alternateNames(quoted []string) string {
	switch len(quoted) {
	case 0:
		return ""
	case 1:
		return "^" + quoted[0] + "$"
	default:
		return "^(" + strings.Join(quoted, "|") + ")$"
	}
}

func quoteAll(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = regexp.QuoteMeta(name)
	}
	return all
}
