package archive

import (
	"strconv"
	"strings"
)

// RefusedError reports that an archive is not that of a plugin.
type RefusedError struct {
	Path string
	// Entry is the offending name, quoted and truncated if necessary; empty means the
	// whole.
	Entry  string
	Reason string
}

func (e *RefusedError) Error() string {
	if e.Entry == "" {
		return e.Path + ": " + e.Reason
	}
	return e.Path + ": " + e.Entry + ": " + e.Reason
}

// quoteEntry formats an entry's name for an error.
func quoteEntry(entry string) string {
	if strings.Trim(entry, nameCharacters+"/") == "" && len(entry) <= maxName {
		return entry
	}
	if len(entry) > maxName {
		return strconv.QuoteToASCII(entry[:maxName]) + "…"
	}
	return strconv.QuoteToASCII(entry)
}
