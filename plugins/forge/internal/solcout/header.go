package solcout

import "strings"

// header is the first line of a message.
type header struct {
	severity Severity
	code     string
	message  string
	place    Place
	// own reports whether the message may be forge's own rather than the compiler's.
	own bool
}

// severityOf maps the word before a message, in any version, to its severity.
func severityOf(word string) (severity Severity, known bool) {
	switch word {
	case "Error", "error":
		return Error, true
	case "Warning", "warning":
		return Warning, true
	case "Info", "info":
		return Info, true
	case "ParserError", "DeclarationError", "TypeError", "SyntaxError", "DocstringParsingError", "CompilerError",
		"InternalCompilerError", "UnimplementedFeatureError", "YulException", "SMTLogicException", "JSONError", "IOError",
		"Exception", "FatalError", "CodeGenerationError", "UnimplementedFeature", "Fatal", "Internal exception":
		return Error, true
	}
	return 0, false
}

// readHeader parses "Error (7576): text", "error[7576]: text", "TypeError: text" and
// "file:3:75: Error: text".
func readHeader(line string) (h header, ok bool) {
	if h, ok = readWord(line); ok {
		return h, true
	}
	// Before version 0.5 solc printed the place first.
	at := strings.Index(line, ": ")
	for at > 0 {
		place, isPlace := readPlace(line[:at])
		if isPlace && place.Line > 0 {
			if h, ok = readWord(line[at+2:]); ok {
				h.place, h.own = place, false
				return h, true
			}
		}
		next := strings.Index(line[at+2:], ": ")
		if next < 0 || at > maxPlace {
			break
		}
		at += 2 + next
	}
	return header{}, false
}

// maxPlace is more than a path and two numbers need.
const maxPlace = 5000

func readWord(line string) (h header, ok bool) {
	const longestHead = 40
	colon := strings.IndexByte(line[:min(len(line), longestHead)], ':')
	if colon < 0 {
		return header{}, false
	}
	word, message := line[:colon], strings.TrimSpace(line[colon+1:])
	bare := true
	for _, brackets := range []string{"()", "[]"} {
		open := strings.IndexByte(word, brackets[0])
		if open < 0 || word[len(word)-1] != brackets[1] {
			continue
		}
		if h.code = word[open+1 : len(word)-1]; h.code == "" || strings.Trim(h.code, "0123456789") != "" {
			return header{}, false
		}
		word, bare = strings.TrimSuffix(word[:open], " "), false
		break
	}
	if h.severity, ok = severityOf(word); !ok {
		return header{}, false
	}
	h.message = message
	h.own = bare && (strings.EqualFold(word, "error") || strings.EqualFold(word, "warning"))
	if bare && strings.HasPrefix(h.message, "Compiler error (") {
		h.own = false
	}
	return h, true
}

// readPlace parses "file:3:75", "file:3:75:", "file:3" and "file".
func readPlace(s string) (Place, bool) {
	s = strings.TrimSuffix(strings.TrimSpace(s), ":")
	if s == "" || len(s) > maxPlace {
		return Place{}, false
	}
	file, last, ok := cutNumber(s)
	if !ok {
		return Place{File: s}, true
	}
	before, line, ok := cutNumber(file)
	if !ok {
		return Place{File: file, Line: last}, true
	}
	return Place{File: before, Line: line, Column: last}, true
}

// cutNumber cuts ":75" off the end.
func cutNumber(s string) (rest string, n int, ok bool) {
	colon := strings.LastIndexByte(s, ':')
	digits := s[colon+1:]
	if colon <= 0 || digits == "" || len(digits) > 9 {
		return s, 0, false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return s, 0, false
		}
		n = n*10 + int(c-'0')
	}
	return s[:colon], n, true
}
