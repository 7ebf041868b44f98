package mcp

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// noPlaceError says that no workspace was found for a call that names none, and
// where it was looked for.
type noPlaceError struct{ tried []attempt }

// attempt is one way of finding a workspace, and why it led to none.
type attempt struct{ by, reason string }

func (e *noPlaceError) add(by, reason string) { e.tried = append(e.tried, attempt{by, reason}) }

func (e *noPlaceError) Error() string {
	var b strings.Builder
	b.WriteString("The server has no workspace. It was looked for, in this order, in:\n")
	for _, a := range e.tried {
		fmt.Fprintf(&b, "- %s: %s\n", a.by, cutText(a.reason, maxReason, prose.Line))
	}
	b.WriteString(`Name the directory of the project in the call: "workspace": "/absolute/path". ` +
		"For all calls, start the server as `proctor mcp --workspace DIR`, or with PROCTOR_WORKSPACE=DIR in its environment.")
	return b.String()
}

// maxReason bounds a reason, which may hold what a client says.
const maxReason = 1 << 10

// Unwrap makes it the error of a workspace without a project, which it is to an
// agent.
func (e *noPlaceError) Unwrap() error { return &api.NoProjectError{} }

// noMarker says that there is no project around a directory.
func noMarker(none *api.NoProjectError) string {
	if len(none.Markers) == 0 || len(none.Looked) < 2 {
		return none.Found()
	}
	return none.Found() + ", nor has a directory above it"
}
