package plugin

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// NotFoundError reports that there is no usable plugin with this name.
type NotFoundError struct {
	Name     string
	Searched []string
	// Refused are binaries with this name that will not be started.
	Refused []Refused
}

func (e *NotFoundError) Error() string {
	if len(e.Refused) > 0 {
		var reasons []string
		for _, r := range e.Refused {
			if r.Path == "" || r.Lock != "" { // the reason names it
				reasons = append(reasons, r.Reason)
				continue
			}
			reasons = append(reasons, r.Path+": "+r.Reason)
		}
		return fmt.Sprintf("plugin %s cannot be used: %s", e.Name, strings.Join(reasons, "; "))
	}
	return fmt.Sprintf("no plugin %s: there is no %s%s beside proctor and no lock file names it (searched %s); install it with `proctor plugin install`, or name it with --plugin %s=PATH",
		e.Name, manifest.BinaryPrefix, e.Name, strings.Join(e.Searched, ", "), e.Name)
}

// Unwrap returns the typed reasons of refusals.
func (e *NotFoundError) Unwrap() []error {
	var errs []error
	for _, r := range e.Refused {
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	return errs
}

// RunDirError reports that there is no safe place for a plugin's socket.
type RunDirError struct {
	Dir, Reason string
}

func (e *RunDirError) Error() string {
	return fmt.Sprintf("no directory for plugin sockets at %s: %s; set XDG_RUNTIME_DIR or TMPDIR to a short path of your own", e.Dir, e.Reason)
}
