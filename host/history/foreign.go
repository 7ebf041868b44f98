package history

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// ImportedSession begins the names of the sessions of imported runs: those of the
// workspace that they were made in are none of this one.
const ImportedSession = "import:"

// Foreign reports whether the run was made elsewhere: its output was ingested, or it
// was imported. It says nothing of the workspace as it is here.
func (r Run) Foreign() bool { return r.Origin != "" || isForeign(r.Kind, r.SessionID) }

// Foreign reports whether the point is of a run that was made elsewhere.
func (p Point) Foreign() bool { return isForeign(p.RunKind, p.SessionID) }

func isForeign(kind api.Kind, session string) bool {
	return kind == api.KindIngest || strings.HasPrefix(session, ImportedSession)
}
