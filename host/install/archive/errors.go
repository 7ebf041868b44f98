package archive

import (
	"strconv"
	"strings"
)

// RefusedError: an archive is not one of a plugin.
type RefusedError struct {
	Path string
	// Entry is the name of what is wrong in it, quoted and cut short where its
	// characters or its length are; empty is the whole.
	Entry  string
	Reason string
}

func (e *RefusedError) Error() string {
	if e.Entry == "" {
		return e.Path + ": " + e.Reason
	}
	return e.Path + ": " + e.Entry + ": " + e.Reason
}

// shown is an entry's name as an error may have it.
func shown(entry string) string {
	if strings.Trim(entry, nameCharacters+"/") == "" && len(entry) <= maxName {
		return entry
	}
	if len(entry) > maxName {
		return strconv.QuoteToASCII(entry[:maxName]) + "…"
	}
	return strconv.QuoteToASCII(entry)
}
