package api

import (
	"path"
	"strings"
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

// IsEmpty reports whether no prefix is known.
func (n *SuiteNames) IsEmpty() bool { return len(n.prefixes) == 0 }

// isMajorVersion reports whether the last element of a suite only says which version of it
// this is.
func isMajorVersion(name string) bool {
	digits, found := strings.CutPrefix(name, "v")
	return found && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// Short returns the short name of a suite: without the longest prefix, of however many.
func (n *SuiteNames) Short(suite string) string {
	if n.prefixes[suite] {
		name := path.Base(suite)
		if isMajorVersion(name) && name != suite { // as in example.com/chi/v5
			name = path.Base(path.Dir(suite))
		}
		return name
	}
	for end := strings.LastIndexByte(suite, '/'); end >= 0; end = strings.LastIndexByte(suite[:end], '/') {
		if n.prefixes[suite[:end]] && end+1 < len(suite) {
			return suite[end+1:]
		}
	}
	return suite
}
