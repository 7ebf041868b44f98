package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// Error reports that a manifest is invalid.
type Error struct {
	// Field is the place, such as "platforms.linux_amd64.sha256"; empty means the
	// whole.
	Field  string
	Reason string
}

func (e *Error) Error() string {
	if e.Field == "" {
		return File + " " + e.Reason
	}
	return File + ": " + e.Field + " " + e.Reason
}

// SchemaError reports that a document has a format that this proctor does not know.
type SchemaError struct {
	// Document is its name, such as "manifest.json" or "proctor.lock".
	Document    string
	Schema, Own int
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s has schema %d, and this proctor knows %d: upgrade proctor", e.Document, e.Schema, e.Own)
}

// ProtocolError reports that host and plugin have no protocol in common.
type ProtocolError struct {
	Plugin, Version string
	// Speaks are the plugin's protocols, Host those of the host.
	Speaks, Host []int
	// Locked reports whether a lock file names the plugin, so that `proctor plugin`
	// knows where it comes from.
	Locked bool
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("plugin %s %s speaks protocol %s, and this proctor %s: %s",
		e.Plugin, e.Version, Numbers(e.Speaks), Numbers(e.Host), e.Fix())
}

// PluginIsOlder reports whether the plugin must be upgraded, rather than proctor.
func (e *ProtocolError) PluginIsOlder() bool {
	return len(e.Speaks) == 0 || len(e.Host) > 0 && slices.Max(e.Speaks) < slices.Max(e.Host)
}

// Fix says what to do.
func (e *ProtocolError) Fix() string {
	switch older := e.PluginIsOlder(); {
	case older && e.Locked:
		return "the plugin is older, upgrade it: proctor plugin upgrade " + e.Plugin
	case older:
		return "the plugin is older, take a newer version of it, or ask its publisher for one"
	case e.Locked:
		return fmt.Sprintf(`the plugin is newer, upgrade proctor, or install an older version: proctor plugin install "%s@< %s"`, e.Plugin, e.Version)
	}
	return "the plugin is newer, upgrade proctor, or take an older version of the plugin"
}

// Numbers lists protocols for a message: "1 and 2", or "none".
func Numbers(protocols []int) string {
	if len(protocols) == 0 {
		return "none"
	}
	var words []string
	for _, p := range protocols {
		words = append(words, strconv.Itoa(p))
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// ConstraintError reports a malformed version constraint.
type ConstraintError struct{ Text, Reason string }

func (e *ConstraintError) Error() string {
	return "the constraint " + prose.Quote(e.Text) + " " + e.Reason
}
