package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/session"
)

// UsageError says that a request cannot be meant as it stands.
type UsageError struct {
	Reason string
	// Fix is what the user can do.
	Fix string
}

func (e *UsageError) Error() string {
	if e.Fix == "" {
		return e.Reason
	}
	return e.Reason + "; " + e.Fix
}

// UnrecordedError says that what the session ran last could not be put on record: that is
// not the same as no run, and nothing is known to be green.
type UnrecordedError struct {
	// RunID is the run, where that much is known.
	RunID string
}

func (e *UnrecordedError) Error() string {
	run := "the last run of this session"
	if e.RunID != "" {
		run += ", " + e.RunID + ","
	}
	return run + " ended and could not be put on record, as on a full disk; what it showed is not known here: make room and run the tests again"
}

// unrecorded is an [UnrecordedError] where the session's last run is one; else nil.
func unrecorded(store *session.Store) error {
	if store.Disowned() {
		return &UnrecordedError{RunID: store.Unwritten()}
	}
	return nil
}

// LanguageError says that a language was asked for that is not there.
type LanguageError struct {
	Language string
	// Detected are the languages of the workspace; Installed those that any
	// plugin knows.
	Detected, Installed []string
}

func (e *LanguageError) Error() string {
	if len(e.Detected) > 0 {
		return fmt.Sprintf("no %s project detected in workspace root; detected: %s", e.Language, strings.Join(e.Detected, ", "))
	}
	return fmt.Sprintf("no plugin for language %q; installed: %s", e.Language, strings.Join(slices.Sorted(slices.Values(e.Installed)), ", "))
}

// LanguagesError says that one language is meant and several were detected.
type LanguagesError struct {
	Detected []string
}

func (e *LanguagesError) Error() string {
	return fmt.Sprintf("several languages are detected: %s; name one of them", strings.Join(e.Detected, ", "))
}

// severalLanguages tells whether only one language may be there, and several are.
func severalLanguages(projects []project, one bool) error {
	if !one || len(projects) < 2 {
		return nil
	}
	e := &LanguagesError{}
	for _, p := range projects {
		e.Detected = append(e.Detected, p.id.Language)
	}
	slices.Sort(e.Detected)
	return e
}

// NoPluginError says that no plugin is installed at all.
type NoPluginError struct {
	Searched []string
}

func (e *NoPluginError) Error() string {
	return fmt.Sprintf("no language plugin is installed: there is no proctor-plugin-NAME beside proctor and no lock file names one (searched %s); install one (proctor plugin install), or name it with --plugin NAME=PATH",
		strings.Join(e.Searched, ", "))
}

// NoTestError says that a run has no such test.
type NoTestError struct {
	Test, RunID string
	// Matches are tests that the name could mean, More is how many more there are.
	Matches []string
	More    int
	// Nearest are tests of the run with names like it, where it means none.
	Nearest []string
}

func (e *NoTestError) Error() string {
	if len(e.Matches) > 0 {
		more := ""
		if e.More > 0 {
			more = fmt.Sprintf(" and %d more", e.More)
		}
		return fmt.Sprintf("%q names several tests of run %s: %s%s", e.Test, e.RunID, strings.Join(e.Matches, ", "), more)
	}
	if near := offered(e.Nearest); near != "" {
		return fmt.Sprintf("run %s has no test %q; %s", e.RunID, e.Test, near)
	}
	return fmt.Sprintf("run %s has no test %q; `proctor show %s` lists its tests", e.RunID, e.Test, e.RunID)
}
