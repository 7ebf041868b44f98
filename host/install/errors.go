package install

import (
	"errors"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// NotLockedError reports that a lock file does not name a plugin.
type NotLockedError struct {
	Name, Lock string
	// Wanted means that the plugin was to be installed; Absent, that there is no lock
	// file yet.
	Wanted, Absent bool
}

func (e *NotLockedError) Error() string {
	says := "names"
	if e.Absent {
		says = "does not exist yet, and names"
	}
	if !e.Wanted {
		return fmt.Sprintf("%s %s no plugin %s; see which there are: proctor plugin list", e.Lock, says, e.Name)
	}
	return fmt.Sprintf("%s %s no plugin %s, so it is not known where it comes from; give its source: proctor plugin install https://HOST/index.json#%s, or ./FILE.tar.gz", e.Lock, says, e.Name, e.Name)
}

// NoPlatformError reports that a source has no archive of a plugin for a platform.
type NoPlatformError struct {
	Name, Version, Source string
	Platform              manifest.Platform
}

func (e *NoPlatformError) Error() string {
	if strings.HasPrefix(e.Source, source.LocalPrefix) {
		return fmt.Sprintf("%s has the binary of one platform, and plugin %s %s for %s is elsewhere: publish an index with `proctor plugin pack`, and install from that",
			e.Source, e.Name, e.Version, e.Platform)
	}
	return fmt.Sprintf("%s has no plugin %s %s for %s; ask its publisher for one, or see other versions with `proctor plugin upgrade --dry-run`",
		e.Source, e.Name, e.Version, e.Platform)
}

// RollbackError reports that an index is older than what was already locked from it.
type RollbackError struct {
	Name, Source, Lock string
	// Locked is the locked version, Newest the newest in the index; Missing reports
	// whether the index lacks the locked one.
	Locked, Newest string
	Missing        bool
}

func (e *RollbackError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s no longer has plugin %s %s, which %s names: an index never takes a version away, so this one is old or not the publisher's. Nothing was changed; to follow it, name a version: proctor plugin install %s#%s@VERSION",
			e.Source, e.Name, e.Locked, e.Lock, e.Source, e.Name)
	}
	return fmt.Sprintf("%s offers plugin %s %s, and %s names the newer %s already. Nothing was changed; to go back, name the version: proctor plugin install %s@%s",
		e.Source, e.Name, e.Newest, e.Lock, e.Locked, e.Name, e.Newest)
}

// ContentError reports that what was fetched is not what its source announced, or not a
// plugin.
type ContentError struct{ Name, Version, Source, Reason string }

func (e *ContentError) Error() string {
	return fmt.Sprintf("plugin %s %s from %s was rejected: %s; nothing was installed", e.Name, e.Version, e.Source, e.Reason)
}

// SourceError reports that the source of a locked plugin cannot supply what is locked.
type SourceError struct {
	Name, Version, Source string
	Err                   error
}

func (e *SourceError) Error() string {
	return fmt.Sprintf("plugin %s %s cannot be obtained from %s: %v", e.Name, e.Version, e.Source, e.Err)
}

func (e *SourceError) Unwrap() error { return e.Err }

// detail returns an error's further lines; empty if it has none.
func detail(err error) string {
	var d interface{ Detail() string }
	if errors.As(err, &d) {
		return d.Detail()
	}
	return ""
}

// code returns an error's code; empty if it has none.
func code(err error) string {
	var c interface{ Code() string }
	if errors.As(err, &c) {
		return c.Code()
	}
	return ""
}

// UsageError reports an invalid request.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

// ConflictError reports that other content is installed under the same version, perhaps
// for somebody else. It is not overwritten.
type ConflictError struct {
	Name, Version, Source string
	Err                   *store.DifferentError
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("plugin %s %s is installed (in %s) with different content than %s has; it was not overwritten", e.Name, e.Version, e.Err.Path, e.Source)
}

// Detail says what to do.
func (e *ConflictError) Detail() string {
	return fmt.Sprintf("  installed  %s\n  offered    %s\nA published version never changes. If you build the plugin yourself, use --plugin %s=PATH while you develop,\nor take the installed one out with `proctor plugin remove %s` and install again.",
		e.Err.Installed, e.Err.Offered, e.Name, e.Name)
}

func (e *ConflictError) Unwrap() error { return e.Err }

// Misuse reports whether an error is about the request, rather than about what was
// found.
func Misuse(err error) bool {
	var usage *UsageError
	var spec *source.SpecError
	var constraint *manifest.ConstraintError
	return errors.As(err, &usage) || errors.As(err, &spec) || errors.As(err, &constraint)
}
