package document

import (
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// Error reports that a document cannot be read.
type Error struct {
	// Field is the place, such as "platforms.linux_amd64.sha256"; empty means the
	// whole.
	Field string
	// Line is the line, from 1.
	Line   int
	Reason string
}

func (e *Error) Error() string {
	if e.Field == "" {
		return "line " + strconv.Itoa(e.Line) + ": " + e.Reason
	}
	return "line " + strconv.Itoa(e.Line) + ": " + e.Field + ": " + e.Reason
}

// Path joins keys as in the Field of an Error. Keys may be anything: long ones are
// truncated, and those that could control a terminal are quoted.
func Path(keys ...string) string {
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = prose.Quote(key)
		if plain := parts[i][1 : len(parts[i])-1]; plain == key && !strings.ContainsAny(key, " .") && key != "" {
			parts[i] = key
		}
	}
	return strings.Join(parts, ".")
}
