package selection

import (
	"regexp"
	"slices"
	"strings"
)

// Glob is a --match-path that matches just the given paths, which are relative
// to the root with slashes.
func Glob(paths []string) string {
	escaped := make([]string, len(paths))
	for i, path := range paths {
		escaped[i] = escape(path)
	}
	slices.Sort(escaped)
	if len(escaped) == 1 && strings.Contains(escaped[0], "/") {
		return escaped[0]
	}
	// Forge also takes a pattern that is a part of a file's name. In braces it
	// is none, nor is a pattern with a slash.
	return "{" + strings.Join(escaped, ",") + "}"
}

// escape makes the characters stand for themselves that globs give a meaning.
func escape(path string) string {
	if !strings.ContainsAny(path, special) {
		return path
	}
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(special, path[i]) >= 0 {
			b.WriteString("[" + path[i:i+1] + "]")
		} else {
			b.WriteByte(path[i])
		}
	}
	return b.String()
}

// special are the characters with a meaning; see the Rust crate globset.
const special = `*?[]{},\`

// Expression is a regular expression that matches just the given texts.
func Expression(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = regexp.QuoteMeta(text)
	}
	slices.Sort(quoted)
	return "^(" + strings.Join(quoted, "|") + ")$"
}

// Split takes the name of a suite apart: "test/C.t.sol:CTest". The last colon
// counts: a contract's name has none, the name of a file may.
func Split(suite string) (path, contract string, ok bool) {
	at := strings.LastIndexByte(suite, ':')
	if at <= 0 || at == len(suite)-1 || strings.IndexByte(suite, 0) >= 0 {
		return "", "", false
	}
	return suite[:at], suite[at+1:], true
}
