package config

import (
	"maps"
	"slices"
	"time"
)

// Run configures how tests are run: what the project says, and what the user says in
// a file of their own.
type Run struct{ Project, Personal Runs }

// Runs is what a file says about runs: of all languages, and of single ones by their
// name in the file.
type Runs struct {
	All Options
	In  map[string]Options
}

// Options are defaults of runs. Those that are nil or empty are not given.
type Options struct {
	// Args are given to the runner before the user's.
	Args *Args
	// Cover reports whether lines that tests execute are measured.
	Cover *bool
	// Timeout is when a run is stopped; 0 means never.
	Timeout *time.Duration
	// Retries is how often a failed test is run again; RetryLimit is how many failed
	// tests are too many for that.
	Retries, RetryLimit *int
	// FlakyPasses reports whether a test that passes when it is run again has passed.
	// Only a project can say so.
	FlakyPasses *bool
	// Cached reports whether the runner may answer from its cache of results.
	Cached *bool
	// Format is how runs are shown. Tests that take longer than Slow are named; 0 means
	// none. For these the user's file precedes the project's.
	Format string
	Slow   *time.Duration
	// PostRunCommand is executed after each run. Only a user can say so.
	PostRunCommand string
}

// Args are arguments for the runner.
type Args struct {
	Words []string
	// File and Line are where they stand. Personal reports whether the file is the
	// user's own.
	File     string
	Line     int
	Personal bool
}

// Options returns the defaults for a language; isCalled reports whether it has a name.
// For what decides results, the project's file precedes the user's; for how they are
// shown, it is the reverse. Within a file, a language's options precede those of all.
func (r Run) Options(isCalled func(name string) bool) Options {
	project, personal := r.Project.options(isCalled), r.Personal.options(isCalled)
	merged := project.or(personal)
	merged.Format, merged.Slow = personal.or(project).Format, personal.or(project).Slow
	return merged
}

// Languages returns the names of languages in the project's file.
func (r Run) Languages() []string { return slices.Sorted(maps.Keys(r.Project.In)) }

func (r Runs) options(isCalled func(string) bool) Options {
	var merged Options
	for _, name := range slices.Sorted(maps.Keys(r.In)) {
		if isCalled(name) {
			merged = merged.or(r.In[name])
		}
	}
	return merged.or(r.All)
}

// or returns the options, with those of other in place of those not given.
func (o Options) or(other Options) Options {
	if o.Format == "" {
		o.Format = other.Format
	}
	if o.PostRunCommand == "" {
		o.PostRunCommand = other.PostRunCommand
	}
	o.Args = given(o.Args, other.Args)
	o.Cover, o.Cached, o.FlakyPasses = given(o.Cover, other.Cover), given(o.Cached, other.Cached), given(o.FlakyPasses, other.FlakyPasses)
	o.Timeout, o.Slow = given(o.Timeout, other.Timeout), given(o.Slow, other.Slow)
	o.Retries, o.RetryLimit = given(o.Retries, other.Retries), given(o.RetryLimit, other.RetryLimit)
	return o
}

func given[T any](value, other *T) *T {
	if value == nil {
		return other
	}
	return value
}

// Retries says how often failed tests are run again: at most Most times, and not at all if
// more than Limit failed.
type Retries struct {
	Most, Limit int
	// FlakyPasses reports whether a test that then passes counts as passed.
	FlakyPasses bool
}

// RetriesWith returns what was requested, else what the options say. The limit is usual if
// neither says one.
func (o Options) RetriesWith(most, limit *int, usual int) Retries {
	r := Retries{Limit: usual, FlakyPasses: o.FlakyPasses != nil && *o.FlakyPasses}
	for _, n := range []*int{o.Retries, most} {
		if n != nil {
			r.Most = *n
		}
	}
	for _, n := range []*int{o.RetryLimit, limit} {
		if n != nil {
			r.Limit = *n
		}
	}
	return r
}
