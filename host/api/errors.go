package api

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// UsageError reports a request that makes no sense as it stands.
type UsageError struct {
	Reason string
	// Fix says what the user can do, in words that fit every front; Advice is the part
	// that each front puts in its own.
	Fix    string
	Advice Advice
}

func (e *UsageError) Advise() Advice { return e.Advice }

func (e *UsageError) Error() string {
	if e.Fix == "" {
		return e.Reason
	}
	return e.Reason + "; " + e.Fix
}

// NotTakenError reports that the tests of a language cannot be run with a parameter.
type NotTakenError struct {
	Language string
	// Given is a parameter of the request, such as [ParamPackages], or a flag of a runner;
	// Takes are those that can be given.
	Given string
	Takes []string
	// Several reports whether there are other languages, for which the parameter may be
	// meant.
	Several bool
}

// The parameters that choose tests or decide how they run.
const (
	ParamPackages      = "packages"
	ParamMatchPath     = "match_path"
	ParamMatchContract = "match_contract"
	ParamFilter        = "filter"
	ParamSeed          = "seed"
)

func (e *NotTakenError) Error() string { return e.Text(func(name string) string { return name }) }

// Text returns the message with a front's own names of the parameters.
func (e *NotTakenError) Text(name func(string) string) string {
	text := fmt.Sprintf("%s does not take %s", e.Language, name(e.Given))
	if e.Several {
		return text
	}
	var takes []string
	for _, t := range e.Takes {
		takes = append(takes, name(t))
	}
	return text + "; it takes " + strings.Join(takes, ", ")
}

func (e *NotTakenError) Advise() Advice {
	if !e.Several {
		return Advice{}
	}
	return Advice{Operation: AdviseLanguage}
}

// LanguageError reports that the requested language is not available.
type LanguageError struct {
	Language string
	// Detected are the workspace's languages; Installed those that some plugin
	// supports.
	Detected, Installed []string
}

func (e *LanguageError) Error() string {
	if len(e.Detected) > 0 {
		return fmt.Sprintf("no %s project detected in workspace root; detected: %s", e.Language, strings.Join(e.Detected, ", "))
	}
	return fmt.Sprintf("no plugin for language %q; installed: %s", e.Language, strings.Join(slices.Sorted(slices.Values(e.Installed)), ", "))
}

// LanguagesError reports that one language is needed but several were detected.
type LanguagesError struct {
	Detected []string
}

func (e *LanguagesError) Error() string {
	return fmt.Sprintf("several languages are detected: %s", strings.Join(e.Detected, ", "))
}

func (e *LanguagesError) Advise() Advice { return Advice{Operation: AdviseLanguage} }

// NoPluginError reports that no plugin is installed.
type NoPluginError struct {
	Searched []string
}

func (e *NoPluginError) Error() string {
	return fmt.Sprintf("no language plugin is installed: there is no proctor-plugin-NAME beside proctor and no lock file names one (searched %s)", strings.Join(e.Searched, ", "))
}

func (e *NoPluginError) Advise() Advice { return Advice{Operation: AdviseInstall} }

// NoTestError reports that a run has no such test.
type NoTestError struct {
	Test, RunID string
	// Matches are tests that the name could mean; More counts the rest.
	Matches []string
	More    int
	// Nearest are tests of the run with similar names, if none matches.
	Nearest []string
	// Other is the newest run on record that has the test, where the last one was asked.
	Other string
}

func (e *NoTestError) Error() string {
	if len(e.Matches) > 0 {
		more := ""
		if e.More > 0 {
			more = fmt.Sprintf(" and %d more", e.More)
		}
		return fmt.Sprintf("%q names several tests of run %s: %s%s", e.Test, e.RunID, strings.Join(e.Matches, ", "), more)
	}
	if near := SuggestNames(e.Nearest); near != "" {
		return fmt.Sprintf("run %s has no test %q; %s", e.RunID, e.Test, near)
	}
	return fmt.Sprintf("run %s has no test %q", e.RunID, e.Test)
}

func (e *NoTestError) Advise() Advice {
	if len(e.Matches) > 0 || len(e.Nearest) > 0 {
		return Advice{}
	}
	return Advice{Operation: AdviseTests, Of: e.RunID}
}

// NoRunError reports that the session has no run yet.
type NoRunError struct {
	// Language is the requested one; empty means any.
	Language string
	// Earlier is what other sessions left outstanding; nil means nothing.
	Earlier *Earlier
	// Running is the first run, still in progress; empty means none.
	Running string
}

func (e *NoRunError) Error() string { return NoRunYet }

// Earlier is what earlier sessions left outstanding in the workspace.
type Earlier struct {
	// Count is the number of outstanding entries, Kinds breaks it down.
	Count int               `json:"outstanding"`
	Kinds OutstandingCounts `json:"outstanding_counts"`
	// RunID and SessionID are the run since which the first entry is outstanding; empty
	// if it is no longer on record.
	RunID     string `json:"since_run_id,omitempty"`
	SessionID string `json:"since_session_id,omitempty"`
	// At is the time of that run.
	At time.Time `json:"since,omitzero"`
	// AgeS is its age in seconds.
	AgeS float64 `json:"age_s,omitempty"`
	// Own reports whether that run was this session's.
	Own bool `json:"own,omitempty"`
}

// Add adds what is outstanding in another language.
func (e *Earlier) Add(o Earlier) {
	e.Count += o.Count
	e.Kinds.Add(o.Kinds)
}

// String returns it as a sentence.
func (e *Earlier) String() string {
	text := "outstanding from earlier sessions: " + e.Kinds.String()
	switch {
	case e.Own:
		text = fmt.Sprintf("outstanding: %s, since run %s of this session, %s ago", e.Kinds, e.RunID, prose.Duration(time.Duration(e.AgeS*float64(time.Second))))
	case e.RunID != "":
		text += fmt.Sprintf(", since run %s of session %s, %s ago", e.RunID, e.SessionID, prose.Duration(time.Duration(e.AgeS*float64(time.Second))))
	}
	return text
}

// ArchiveError reports that a file is not an archive of runs that can be imported.
// Nothing was imported.
type ArchiveError struct {
	File string
	Err  error
}

func (e *ArchiveError) Error() string {
	return fmt.Sprintf("%s cannot be imported: %v; nothing was imported", e.File, e.Err)
}

func (e *ArchiveError) Unwrap() error { return e.Err }

// UnknownRunError reports that a run is not on record.
type UnknownRunError struct {
	// Ref is the requested reference: an id, the beginning of one, "last" or "prev".
	Ref string
	// Matches are the ids of the runs that begin with Ref, if there are several, the
	// first ones with kind and verdict.
	Matches []string
}

// MaxMatches is how many of the matches the error names.
const MaxMatches = 10

func (e *UnknownRunError) Error() string {
	if len(e.Matches) > 0 {
		return fmt.Sprintf("run %q is not unique: %d begin with it; give more of the id: %s",
			e.Ref, len(e.Matches), strings.Join(e.Matches[:min(len(e.Matches), MaxMatches)], ", "))
	}
	return fmt.Sprintf("no run %q is on record in this workspace", e.Ref)
}

func (e *UnknownRunError) Advise() Advice {
	if len(e.Matches) > 0 {
		return Advice{}
	}
	return Advice{Operation: AdviseLastRun}
}

// UploadUnavailableError reports that an upload did not run because there is no sandbox.
type UploadUnavailableError struct{ Err error }

func (e *UploadUnavailableError) Error() string {
	return fmt.Sprintf("the sources were not run: %v", e.Err)
}

func (e *UploadUnavailableError) Advise() Advice { return Advice{Operation: AdviseAllowUnsandboxed} }

func (e *UploadUnavailableError) Unwrap() error { return e.Err }

// NoListingError reports that a plugin cannot list tests.
type NoListingError struct {
	Plugin, Version, Language string
}

func (e *NoListingError) Error() string {
	return fmt.Sprintf("plugin %s %s cannot list the tests of %s without running them; run them: the results name them", e.Plugin, e.Version, e.Language)
}

// BusyError reports that a run in progress excludes the request.
type BusyError struct {
	Holder Holder
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is in progress in this workspace, and listing tests would rebuild what it is using; ask again when it has ended", e.Holder)
}
