package query

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
)

// roles orders suspects, likeliest first.
var roles = []string{api.RoleFailure, api.RoleStack, api.RoleTest, api.RoleBeside, api.RoleOther}

// findPlaces maps the files named by the first and the latest failure to their roles, by
// path in the workspace.
func (w *inquiry) findPlaces(ctx context.Context) (map[string]string, error) {
	found := map[string]string{}
	note := func(file, role string) {
		if file = w.local(file); file != "" && (found[file] == "" || slices.Index(roles, role) < slices.Index(roles, found[file])) {
			found[file] = role
		}
	}
	for _, id := range []string{w.FirstFailure.RunID, w.Latest.RunID} {
		err := w.ledger.Artifacts.Failures(id, func(f api.Failure) bool {
			if f.Suite != w.id.Suite || f.Test != w.id.Test {
				return ctx.Err() == nil
			}
			note(f.File, api.RoleFailure)
			if f.TestFrame.File != "" {
				note(f.TestFrame.File, api.RoleStack)
			}
			for _, frame := range f.Stack {
				note(frame.File, api.RoleStack)
			}
			for _, also := range f.Also {
				note(also.File, api.RoleFailure)
			}
			return ctx.Err() == nil
		})
		if err != nil {
			return found, err
		}
	}
	return found, ctx.Err()
}

// useFailedPlace replaces the test's place by that of its latest failure: of two tests with
// one name, the history knows only one's declaration.
func (w *inquiry) useFailedPlace(ctx context.Context) {
	_ = w.ledger.Artifacts.Failures(w.Latest.RunID, func(f api.Failure) bool {
		if f.Suite != w.id.Suite || f.Test != w.id.Test {
			return ctx.Err() == nil
		}
		file, line := f.File, f.Line
		if f.TestFrame.File != "" {
			file, line = f.TestFrame.File, f.TestFrame.Line
		}
		if file != "" {
			w.File, w.Line = file, line
		}
		return false
	})
}

// local returns a path relative to the workspace, as the changes have it; empty if that
// is impossible.
func (w *inquiry) local(file string) string {
	if file == "" {
		return ""
	}
	if !filepath.IsAbs(file) {
		return path.Clean(filepath.ToSlash(file))
	}
	below, err := filepath.Rel(w.ledger.Artifacts.Workspace(), file)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(below)
}

// rankSuspects ranks the changed files: those changed before the first failure come first,
// and of these the ones named by the failure.
func (w *inquiry) rankSuspects(places map[string]string, early, late []fingerprint.Change, top string) {
	root := ledger.RootIn(w.ledger, top)
	known := map[string]bool{}
	var suspects []api.Suspect
	add := func(changes []fingerprint.Change, since string) {
		for _, c := range changes {
			if known[c.Path] {
				continue
			}
			known[c.Path] = true
			file := ledger.RelateToWorkspace(top, root, c.Path)
			suspects = append(suspects, api.Suspect{
				FileChange: api.FileChange{File: file, Change: c.Kind.String()}, Since: since, Role: w.roleOf(file, places),
			})
		}
	}
	add(early, api.BeforeFailure)
	since := api.AfterFailure
	if !w.UntilFailure.Known {
		since = "" // unknown
	}
	add(late, since)
	slices.SortStableFunc(suspects, func(a, b api.Suspect) int {
		return cmp.Or(
			cmp.Compare(whenRank(a.Since), whenRank(b.Since)),
			cmp.Compare(slices.Index(roles, a.Role), slices.Index(roles, b.Role)),
			strings.Compare(a.File, b.File))
	})
	w.SuspectsTotal = len(suspects)
	w.Suspects = suspects[:min(len(suspects), api.MaxNames)]
}

func whenRank(since string) int {
	if since == api.AfterFailure {
		return 1
	}
	return 0
}

// roleOf returns how a changed file is related to the test.
func (w *inquiry) roleOf(file string, places map[string]string) string {
	switch {
	case file == w.File && places[file] != "":
		// Most failures show in the test's own file, which does not make it a better
		// suspect than the code that it tests.
		return api.RoleTest
	case places[file] != "":
		return places[file]
	case file == w.File:
		return api.RoleTest
	case w.File != "" && path.Dir(file) == path.Dir(w.File):
		return api.RoleBeside
	}
	return api.RoleOther
}
