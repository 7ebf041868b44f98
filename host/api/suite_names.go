package api

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// SuiteNames shortens the names of suites. If suites are named after the directories of
// their files, as in Go, the directory suffices, since all share what precedes it.
type SuiteNames struct{ prefixes map[string]bool }

// Learn derives a common prefix from a suite and one of its files.
func (n *SuiteNames) Learn(suite, file string) {
	if file == "" || suite == "" || path.IsAbs(file) || n.prefixes[suite] {
		return
	}
	dir := path.Dir(file)
	prefix, found := strings.CutSuffix(suite, "/"+dir)
	if dir == "." && !strings.ContainsRune(suite, ':') && path.Base(suite) != file {
		prefix, found = suite, true
	}
	if found {
		n.LearnPrefixes([]string{prefix})
	}
}

// LearnPrefixes takes what precedes the directories of suites, such as a module's path.
func (n *SuiteNames) LearnPrefixes(prefixes []string) {
	for _, prefix := range prefixes {
		if prefix == "" || n.prefixes[prefix] {
			continue
		}
		if n.prefixes == nil {
			n.prefixes = map[string]bool{}
		}
		n.prefixes[prefix] = true
	}
}

// Join takes what is known to others.
func (n *SuiteNames) Join(other SuiteNames) {
	n.LearnPrefixes(slices.Collect(maps.Keys(other.prefixes)))
}

// IsEmpty reports whether no prefix is known.
func (n *SuiteNames) IsEmpty() bool { return len(n.prefixes) == 0 }

// isMajorVersion reports whether the last element of a suite only says which version of it
// this is.
func isMajorVersion(name string) bool {
	digits, found := strings.CutPrefix(name, "v")
	return found && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// root returns what the suite of a prefix's own directory is called.
func root(prefix string) string {
	name := path.Base(prefix)
	if isMajorVersion(name) && name != prefix { // as in example.com/chi/v5
		name = path.Base(path.Dir(prefix))
	}
	return name
}

// isRoot reports whether the suite of some prefix's own directory has this name.
func (n *SuiteNames) isRoot(name string) bool {
	for prefix := range n.prefixes {
		if root(prefix) == name {
			return true
		}
	}
	return false
}

// Short returns the short name of a suite: its directory, without the longest prefix, of
// however many. The directory of a prefix itself is called by its last element, unless that
// is so of several; to tell them apart, what lies in a directory of that name is called by
// both.
func (n *SuiteNames) Short(suite string) string {
	if n.prefixes[suite] {
		for prefix := range n.prefixes {
			if prefix != suite && root(prefix) == root(suite) {
				return suite
			}
		}
		return root(suite)
	}
	for end := strings.LastIndexByte(suite, '/'); end >= 0; end = strings.LastIndexByte(suite[:end], '/') {
		if n.prefixes[suite[:end]] && end+1 < len(suite) {
			dir := suite[end+1:]
			if first, _, _ := strings.Cut(dir, "/"); n.isRoot(first) {
				dir = root(suite[:end]) + "/" + dir
			}
			return dir
		}
	}
	return suite
}

// IsIn reports whether a suite is in a directory relative to that of its prefix, or with
// below in one below it. Empty is the directory of the prefix itself.
func (n *SuiteNames) IsIn(suite, dir string, below bool) bool {
	at := suite
	for prefix := range n.prefixes {
		if rest, found := strings.CutPrefix(suite+"/", prefix+"/"); found && len(rest) <= len(at) {
			at = strings.TrimSuffix(rest, "/")
		}
	}
	return at == dir || below && (dir == "" || strings.HasPrefix(at, dir+"/"))
}

// Call returns a name of a test, with the short one of its suite, that [MatchTests] takes.
func (n *SuiteNames) Call(t sdk.TestID) string { return prose.QualifiedName(n.Short(t.Suite), t.Test) }

// Long returns what a name means that begins with the short name of a prefix's own
// directory.
func (n *SuiteNames) Long(name string) (meant []string) {
	for prefix := range n.prefixes {
		if rest, found := strings.CutPrefix(name, root(prefix)); found && (rest == "" || rest[0] == '/' || rest[0] == ' ') {
			meant = append(meant, prefix+rest)
		}
	}
	return meant
}
