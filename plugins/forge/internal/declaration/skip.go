package declaration

import (
	"path"
	"regexp"
	"strings"
)

// skipPatterns returns the patterns of the configuration's `skip` that can be parsed.
func skipPatterns(patterns []string) []skipPattern {
	var read []skipPattern
	for _, p := range patterns {
		switch p {
		case "test", "tests":
			p = ".t.sol"
		case "script", "scripts":
			p = ".s.sol"
		}
		if expression, err := regexp.Compile(globExpression(strings.TrimPrefix(p, "./"))); err == nil {
			read = append(read, skipPattern{text: p, path: expression})
		}
	}
	return read
}

// skipPattern leaves out a file whose name contains the text or whose path matches the
// glob.
type skipPattern struct {
	text string
	path *regexp.Regexp
}

// isSkipped reports whether forge compiles a source only if it is imported.
func (s *state) isSkipped(p string) bool {
	for _, pattern := range s.skip {
		if strings.Contains(path.Base(p), pattern.text) || pattern.path.MatchString(p) {
			return true
		}
	}
	return false
}

// globExpression translates a glob to a regular expression, in forge's dialect (the
// Rust crate globset): `*` and `?` match slashes, `{a,b}` are alternatives, `[x]` is a
// class, and `**/` may match nothing.
func globExpression(glob string) string {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	depth := 0
	for glob != "" {
		c := glob[0]
		switch {
		case strings.HasPrefix(glob, "**/"):
			b.WriteString(`(?:.*/)?`)
			glob = glob[3:]
			continue
		case c == '*':
			b.WriteString(`.*`)
			glob = strings.TrimLeft(glob, "*")
			continue
		case c == '?':
			b.WriteString(`.`)
		case c == '{':
			depth++
			b.WriteString(`(?:`)
		case c == '}' && depth > 0:
			depth--
			b.WriteString(`)`)
		case c == ',' && depth > 0:
			b.WriteString(`|`)
		case c == '[' && strings.Contains(glob[1:], "]"):
			stop := 1 + strings.IndexByte(glob[1:], ']')
			b.WriteString(`[` + strings.Replace(glob[1:stop], "!", "^", 1) + `]`)
			glob = glob[stop:]
		default:
			b.WriteString(regexp.QuoteMeta(glob[:1]))
		}
		glob = glob[1:]
	}
	b.WriteString(`$`)
	return b.String()
}
