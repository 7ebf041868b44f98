package document

import (
	"strconv"
	"strings"
)

// Error: a document cannot be read.
type Error struct {
	// Field is where, such as "platforms.linux_amd64.sha256"; empty is the whole.
	Field string
	// Line is where, from 1.
	Line   int
	Reason string
}

func (e *Error) Error() string {
	if e.Field == "" {
		return "line " + strconv.Itoa(e.Line) + ": " + e.Reason
	}
	return "line " + strconv.Itoa(e.Line) + ": " + e.Field + ": " + e.Reason
}

// Path joins keys as the Field of an Error has them. They may be anything: what is
// long is cut, and what a terminal could obey is quoted.
func Path(keys ...string) string {
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = Quoted(key)
		if plain := parts[i][1 : len(parts[i])-1]; plain == key && !strings.ContainsAny(key, " .") && key != "" {
			parts[i] = key
		}
	}
	return strings.Join(parts, ".")
}

// maxQuoted bounds a word of the document in a message.
const maxQuoted = 60

// Quoted is a word of a document in a message, in quotes, short and without control
// characters.
func Quoted(text string) string {
	if runes := []rune(text); len(runes) > maxQuoted {
		return strconv.Quote(string(runes[:maxQuoted]) + "...")
	}
	return strconv.Quote(text)
}
