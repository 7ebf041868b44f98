package selection

import (
	"regexp"
	"slices"
	"strings"
)

// Glob returns a --match-path that matches only the given paths, which are
// slash-separated and relative to the root.
func Glob(paths []string) string {
	escaped := make([]string, len(paths))
	for i, path := range paths {
		escaped[i] = escapeGlob(path)
	}
	slices.Sort(escaped)
	if len(escaped) == 1 && strings.Contains(escaped[0], "/") {
		return escaped[0]
	}
	// Forge also matches a pattern against parts of a file's name, unless the pattern is
	// in braces or contains a slash.
	return "{" + strings.Join(escaped, ",") + "}"
}

// escapeGlob quotes the characters that are special in globs.
func escapeGlob(path string) string {
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

// special are those characters; see the Rust crate globset.
const special = `*?[]{},\`

// Expression returns a regular expression that matches only the given texts.
func Expression(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = regexp.QuoteMeta(text)
	}
	slices.Sort(quoted)
	return "^(" + strings.Join(quoted, "|") + ")$"
}

// Split splits the name of a suite, "test/C.t.sol:CTest", at the last colon: the name
// of a contract has none, the name of a file may.
func Split(suite string) (path, contract string, ok bool) {
	at := strings.LastIndexByte(suite, ':')
	if at <= 0 || at == len(suite)-1 || strings.IndexByte(suite, 0) >= 0 {
		return "", "", false
	}
	return suite[:at], suite[at+1:], true
}
