package index

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// Error reports that an index is invalid.
type Error struct{ Field, Reason string }

func (e *Error) Error() string {
	if e.Field == "" {
		return File + " " + e.Reason
	}
	return File + ": " + e.Field + " " + e.Reason
}

// NoVersionError reports that an index has no suitable version of a plugin.
type NoVersionError struct {
	Plugin, Constraint string
	// Passed are the existing versions, newest first, with the reason against each;
	// empty if the index lacks the plugin.
	Passed []Passed
	// Plugins are the plugins of the index.
	Plugins []string
}

// Passed is an unsuitable version.
type Passed struct{ Version, Reason string }

// maxNamed is how many versions or plugins a message names: the newest versions matter.
const maxNamed = 5

func (e *NoVersionError) Error() string {
	if len(e.Passed) == 0 {
		return fmt.Sprintf("the index has no plugin %s: it has %s", prose.Quote(e.Plugin), list(e.Plugins))
	}
	wanted := e.Plugin
	if e.Constraint != "" {
		wanted += " " + prose.Quote(e.Constraint)
	}
	var reasons []string
	for _, p := range e.Passed {
		reasons = append(reasons, p.Version+" "+p.Reason)
	}
	return "the index has no version of " + wanted + " that will do: " + joinSome(reasons, "; ")
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return joinSome(names, ", ")
}

// joinSome joins words, and counts those beyond the limit.
func joinSome(words []string, separator string) string {
	rest := ""
	if more := len(words) - maxNamed; more > 0 {
		words, rest = words[:maxNamed], fmt.Sprintf("%sand %d more", separator, more)
	}
	return strings.Join(words, separator) + rest
}
