package install

import (
	"errors"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// noPlatform reports that a source has no archive of a plugin for a platform.
func noPlatform(name, version, from string, p manifest.Platform) error {
	if strings.HasPrefix(from, source.LocalPrefix) {
		return fmt.Errorf("%s has the binary of one platform, and plugin %s %s for %s is elsewhere: publish an index with `proctor plugin pack`, and install from that",
			from, name, version, p)
	}
	return fmt.Errorf("%s has no plugin %s %s for %s; ask its publisher for one, or see other versions with `proctor plugin upgrade --dry-run`",
		from, name, version, p)
}

// rejected reports that what was fetched is not what its source announced, or not a plugin.
func rejected(name, version, from, reason string) error {
	return fmt.Errorf("plugin %s %s from %s was rejected: %s; nothing was installed", name, version, from, reason)
}

// unobtainable reports that the source of a locked plugin cannot supply what is locked.
func unobtainable(name, version, from string, err error) error {
	return fmt.Errorf("plugin %s %s cannot be obtained from %s: %w", name, version, from, err)
}

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
