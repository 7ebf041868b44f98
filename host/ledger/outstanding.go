package ledger

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// Outstanding returns what is outstanding in a language. If that is no longer known,
// everything is: a failure must not be lost with its record.
func (l *Ledger) Outstanding(ctx context.Context, language string) (outstanding.Set, error) {
	if p, err := l.principal(ctx); err != nil || p != l {
		if err != nil {
			return everything(""), err
		}
		return p.Outstanding(ctx, language)
	}
	set, known, lost, err := l.History.Outstanding(ctx, language)
	kept, _ := l.Keeper.keptSets.get(l.key(language))
	switch {
	case err != nil:
		return unionSets(kept.set, everything(l.readGaps(ctx, language).last)), err
	case kept.unwritten:
		set, known, lost = kept.over(set, known), true, false
	case known:
		l.Keeper.keptSets.put(l.key(language), keptSet{set: set}, true)
	}
	return l.readGaps(ctx, language).fill(set, known, lost), nil
}

// OutstandingBeside returns the other languages in which something is outstanding, and how
// much: what is said of one language must not read as if it were said of the workspace.
func OutstandingBeside(ctx context.Context, l *Ledger, language string) (others []Beside, err error) {
	p, err := l.principal(ctx)
	if err != nil {
		return nil, err
	}
	languages, lost, err := p.History.OutstandingLanguages(ctx)
	if err != nil || lost {
		if languages, err = p.Languages(ctx); err != nil {
			return nil, err
		}
	}
	for other := range p.Keeper.keptSets.of(p.Artifacts.Workspace()) {
		if !slices.Contains(languages, other) {
			languages = append(languages, other)
		}
	}
	for _, other := range languages {
		if other == language {
			continue
		}
		set, err := p.Outstanding(ctx, other)
		if err != nil {
			return others, err
		}
		if set.Len() > 0 {
			others = append(others, Beside{Language: other, Counts: set.Counts()})
		}
	}
	slices.SortFunc(others, func(a, b Beside) int { return strings.Compare(a.Language, b.Language) })
	return others, nil
}

// Beside is how much is outstanding in another language of the workspace.
type Beside struct {
	Language string
	Counts   api.OutstandingCounts
}

// UpdateOutstanding replaces the outstanding set by the result of update, and returns it.
// It holds for this process even if the error says that it could not be written.
func (l *Ledger) UpdateOutstanding(ctx context.Context, language string, update func(outstanding.Set) outstanding.Set) (outstanding.Set, error) {
	unrenewed := l.renew(ctx)
	g := l.readGaps(ctx, language)
	kept, _ := l.Keeper.keptSets.get(l.key(language))
	var after keptSet
	_, err := l.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, known, lost bool) outstanding.Set {
		after.before, after.exact = set, true
		if kept.unwritten {
			set, known, lost = kept.over(set, known), true, false
		}
		after.set = update(g.fill(set, known, lost))
		return after.set
	})
	if err != nil && !after.exact {
		after.set = update(unionSets(kept.set, everything(g.last)))
	}
	after.unwritten = err != nil || unrenewed != nil
	l.Keeper.keptSets.put(l.key(language), after, false)
	return after.set, errors.Join(unrenewed, err)
}

// OutstandingBefore returns what was outstanding before a run; without a history, that is
// everything. m is nil in a sandbox, where nothing is.
func OutstandingBefore(ctx context.Context, k *Keeper, l *Ledger, language string) (outstanding.Set, error) {
	switch {
	case l != nil:
		return l.Outstanding(ctx, language)
	case k.Box != nil:
		return outstanding.Set{}, nil
	}
	return everything(""), nil
}

// gaps says what the history may lack about a language.
type gaps struct {
	// last is the session's last run.
	last string
	// begun means that there were runs before the history; unrecorded, that the last run
	// was shown but not recorded.
	begun, unrecorded bool
}

func (l *Ledger) readGaps(ctx context.Context, language string) gaps {
	slot, _, err := l.Artifacts.Slot(language)
	g := gaps{last: slot.RunID, begun: l.isLost(ctx) || err != nil}
	if g.last != "" {
		var unknown *history.NoRunError
		_, err := l.History.Run(ctx, g.last)
		kept, _ := l.Keeper.keptSets.get(l.key(language))
		g.unrecorded = errors.As(err, &unknown) && !kept.hasRun(g.last)
	}
	return g
}

// fill makes everything outstanding if the set may be incomplete.
func (g gaps) fill(set outstanding.Set, known, lost bool) outstanding.Set {
	if !lost && (known || !g.begun && g.last == "") && !g.unrecorded {
		return set
	}
	if lost || !known {
		return everything(g.last)
	}
	all := everything(g.last)
	if slices.ContainsFunc(set.Entries, func(e outstanding.Entry) bool { return e.TestID == all.Entries[0].TestID }) {
		return set
	}
	set.Entries = append(slices.Clone(set.Entries), all.Entries...)
	return set
}

// isLost reports whether there were runs before this history, or may have been: here, or
// in the other place.
func (l *Ledger) isLost(ctx context.Context) bool {
	_, gone, err := l.History.Get(ctx, lostKey)
	if gone || err != nil {
		return true
	}
	other, ok := artifacts.OtherPlace(l.Artifacts)
	return ok && !hasHistory(other) && artifacts.HasRuns(other)
}

// everything is the set in which everything is outstanding since a run, because what was
// is unknown.
func everything(runID string) outstanding.Set {
	return outstanding.Set{Entries: []outstanding.Entry{{Reason: outstanding.ReasonRun, Why: outstanding.WhyLost, RunID: runID, LastRunID: runID}}}
}

// doubtAll makes everything outstanding: while this history could not be written, runs
// went to the other place, and what they left is unknown here.
func doubtAll(ctx context.Context, l *Ledger) error {
	languages, err := l.Languages(ctx)
	if err != nil {
		return err
	}
	for _, language := range languages {
		_, err := l.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, _, _ bool) outstanding.Set {
			return unionSets(set, everything(""))
		})
		if err != nil {
			return err
		}
	}
	return artifacts.CatchUp(l.Artifacts, historyFile)
}

// unionSets returns the entries of both sets, those of a first.
func unionSets(a, b outstanding.Set) outstanding.Set {
	all := outstanding.Set{Entries: slices.Clone(a.Entries), Known: maps.Clone(b.Known)}
	has := map[sdk.TestID]bool{}
	for _, e := range a.Entries {
		has[e.TestID] = true
	}
	for _, e := range b.Entries {
		if !has[e.TestID] {
			all.Entries = append(all.Entries, e)
		}
	}
	for suite, names := range a.Known {
		if all.Known == nil {
			all.Known = map[string][]string{}
		}
		if _, ok := all.Known[suite]; !ok {
			all.Known[suite] = names
		}
	}
	return all
}
