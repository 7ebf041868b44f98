package plugin

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// FinderConfig says where plugins may come from.
type FinderConfig struct {
	// Executable is the path of proctor itself, as [os.Executable] returns it.
	Executable string
	// Overrides maps names to absolute paths given by the user. They replace anything
	// else with that name.
	Overrides map[string]string
	// Store holds the installed plugins; nil means none.
	Store *store.Store
	// Dir is the user's directory: the search for a project's lock file goes upwards
	// from there. Empty means no search.
	Dir string
	// UserLock is the path of the user's lock file; empty means none.
	UserLock string
}

// Finder finds plugin binaries: those the user named, then those in the project's lock
// file, then those in the user's, then those beside proctor itself. The first to claim
// a name has it, even if it is unusable: any other binary would be a silent
// substitution. Finder never searches $PATH, the working directory or the workspace,
// where a hostile repository could leave a binary, and executes nothing.
type Finder struct {
	config FinderConfig
}

// NewFinder returns a Finder.
func NewFinder(config FinderConfig) *Finder { return &Finder{config: config} }

// Found is the result of a [Finder].
type Found struct {
	// Candidates are sorted by name, each name once.
	Candidates []Candidate
	// Refused were found but will not be started.
	Refused []Refused
	// Searched are the directories and lock files that were searched.
	Searched []string
	// Locks are the lock files that were read, the project's and the user's, if any.
	Locks []string
}

// Find looks for plugins. An unreadable directory or lock file is an error; an unusable
// binary is listed as refused.
func (f *Finder) Find(ctx context.Context) (Found, error) {
	var found Found
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(f.config.Overrides)) {
		// A refused override takes the name, too: any other binary than the one the
		// user named would be a silent substitution.
		taken[name] = true
		found.addOverride(name, f.config.Overrides[name])
	}
	if err := f.addLocked(ctx, &found, taken); err != nil {
		return Found{}, err
	}
	for _, dir := range directoriesOf(f.config.Executable) {
		if err := ctx.Err(); err != nil {
			return Found{}, err
		}
		found.Searched = append(found.Searched, dir)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return Found{}, fmt.Errorf("look for plugins beside proctor: %w", err)
		}
		for _, entry := range entries {
			name, ok := nameOfBinary(entry.Name())
			if !ok {
				continue
			}
			if taken[name] {
				found.noteReplaced(name, "", "the one beside proctor")
				continue
			}
			path := filepath.Join(dir, entry.Name())
			if reason := refusal(path, f.config.Executable); reason != "" {
				found.Refused = append(found.Refused, Refused{Name: name, Path: path, Reason: reason})
				continue
			}
			taken[name] = true
			found.Candidates = append(found.Candidates, Candidate{Name: name, Path: path, Beside: true})
		}
	}
	slices.SortFunc(found.Candidates, func(a, b Candidate) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// Lookup returns the candidate with a name, or a [*NotFoundError] that says what was
// refused or searched.
func (f Found) Lookup(name string) (Candidate, error) {
	for _, c := range f.Candidates {
		if c.Name == name {
			return c, nil
		}
	}
	missing := &NotFoundError{Name: name, Searched: f.Searched}
	for _, r := range f.Refused {
		if r.Name == name {
			missing.Refused = append(missing.Refused, r)
		}
	}
	return Candidate{}, missing
}

func (f *Found) addOverride(name, path string) {
	refuse := func(reason string) {
		f.Refused = append(f.Refused, Refused{Name: name, Path: path, Override: true, Reason: reason})
	}
	switch {
	case !manifest.ValidName(name):
		refuse("a plugin's name is a lower-case letter, then up to 31 letters, digits and hyphens")
	case !filepath.IsAbs(path):
		refuse("the path is not absolute")
	default:
		// Permissions of the file are the user's business: they named it.
		if reason := notRunnable(path); reason != "" {
			refuse(reason)
			return
		}
		f.Candidates = append(f.Candidates, Candidate{Name: name, Path: path, Override: true})
	}
}

// directoriesOf lists the directories that count as beside proctor: that of the real
// binary, and that of a link to it.
func directoriesOf(executable string) []string {
	if executable == "" {
		return nil
	}
	var dirs []string
	if resolved, err := filepath.EvalSymlinks(executable); err == nil {
		dirs = append(dirs, filepath.Dir(resolved))
	}
	if linked := filepath.Dir(executable); !slices.Contains(dirs, linked) {
		dirs = append(dirs, linked)
	}
	return dirs
}

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
