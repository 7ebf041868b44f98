package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// Version renders the description of a build of proctor.
func Version(v api.Version) string {
	var b strings.Builder
	fmt.Fprintf(&b, "proctor %s\n%s\n", v.Version, commitOf(v))
	fmt.Fprintf(&b, "%s %s/%s, plugin protocol %d\n", v.GoVersion, v.OS, v.Arch, v.Protocol)
	return b.String()
}

// commitOf says which sources a build was made from.
func commitOf(v api.Version) string {
	switch {
	case v.Commit == "" && v.ModuleSum != "":
		return "commit not recorded: built from the published module, " + v.ModuleSum
	case v.Commit == "":
		return "commit not recorded: built outside a git checkout, or with -buildvcs=false"
	}
	text := "commit " + v.Commit
	if v.CommittedAt != "" {
		text += " of " + v.CommittedAt
	}
	if v.Modified {
		text += ", with uncommitted changes"
	}
	return text
}
