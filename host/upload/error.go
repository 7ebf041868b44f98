package upload

import (
	"strconv"
	"unicode/utf8"
)

// Error says that a source set is refused.
type Error struct {
	// File is the path within the set; empty when the set is meant.
	File string
	// Rule is what the file breaks.
	Rule string
	// Fix is what to do.
	Fix string
}

func (e *Error) Error() string {
	text := e.Rule + "; " + e.Fix
	if e.File == "" {
		return "sources: " + text
	}
	// Quoted, as a refused name may hold anything.
	return "source " + strconv.QuoteToGraphic(shorten(e.File)) + ": " + text
}

// maxShown is how much of a refused name an error repeats.
const maxShown = 200

func shorten(name string) string {
	if len(name) <= maxShown {
		return name
	}
	end := maxShown
	for end > maxShown-utf8.UTFMax && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "..."
}
