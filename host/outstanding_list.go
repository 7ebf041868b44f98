package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/workspace"
)

// OutstandingRequest asks what is outstanding in a workspace.
type OutstandingRequest struct {
	Where Where
	// Language narrows; empty is any.
	Language string
	// Limit is clamped; 0 is the default.
	Limit int
	// Drop names entries that the user takes off the list, as it shows them.
	Drop []string
}

// The limits of the list of what is outstanding.
const (
	DefaultOutstandingLimit = 50
	MaxOutstandingLimit     = 1000
)

// Outstanding lists what is outstanding, the longest first, after taking off what
// the user drops. It starts no plugin.
func (h *Host) Outstanding(ctx context.Context, req OutstandingRequest) (record.Outstanding, error) {
	answer := record.Outstanding{Schema: record.OutstandingSchema, Tests: []record.OutstandingTest{}}
	m, err := h.recallSets(ctx, req.Where)
	if err != nil {
		return answer, err
	}
	languages := []string{req.Language}
	if req.Language == "" {
		if languages, err = m.languages(ctx); err != nil {
			return answer, err
		}
	}
	dropped, err := m.meantToDrop(ctx, languages, req.Drop)
	if err != nil {
		return answer, err
	}
	drop := &dropping{names: dropped, found: map[string]bool{}}
	limit := clamp(req.Limit, DefaultOutstandingLimit, MaxOutstandingLimit)
	for _, language := range languages {
		set, err := m.outstanding(ctx, language)
		if err == nil && drop.any(set) {
			set, err = m.updateOutstanding(ctx, language, func(current rerun.Set) rerun.Set {
				var gone []rerun.Entry
				current, gone = drop.from(current)
				for _, e := range gone {
					answer.Dropped = append(answer.Dropped, m.outstandingTest(ctx, language, e))
				}
				return current
			})
		}
		if err != nil {
			return answer, err
		}
		answer.Total += set.Len()
		answer.Counts.Add(set.Counts())
		m.tellGone(&answer, language)
		if set.Len() == 0 {
			m.tellNoPass(&answer, language)
		}
		for _, e := range set.Entries[:min(set.Len(), limit-len(answer.Tests))] {
			answer.Tests = append(answer.Tests, m.outstandingTest(ctx, language, e))
		}
	}
	return answer, drop.missing()
}

// tellGone names what the session's last run took off the list since it is gone.
func (m *memory) tellGone(answer *record.Outstanding, language string) {
	slot, ok, err := m.store.Slot(language)
	if err != nil || !ok || slot.RunID == "" {
		return
	}
	last, err := m.store.Run(slot.RunID)
	if err != nil || last.Integrity == nil || last.Integrity.GoneTotal == 0 {
		return
	}
	answer.Gone, answer.GoneTotal, answer.GoneRun = last.Integrity.Gone, last.Integrity.GoneTotal, last.RunID
}

// tellNoPass says that the session's last run is no pass although it left nothing
// outstanding: one that was interrupted verified nothing of what it did not get to.
func (m *memory) tellNoPass(answer *record.Outstanding, language string) {
	slot, ok, err := m.store.Slot(language)
	if err != nil || !ok || slot.RunID == "" {
		return
	}
	last, err := m.store.Run(slot.RunID)
	if err == nil && last.State == record.StateFinished && last.Verdict != record.Passed {
		answer.NoPass = append(answer.NoPass, noPass(last, language))
	}
}

func noPass(last record.Run, language string) string {
	return fmt.Sprintf("the last run is not a pass: %s: %s (%s)", last.Verdict, last.Reason, language)
}

func (m *memory) outstandingTest(ctx context.Context, language string, e rerun.Entry) record.OutstandingTest {
	t := record.OutstandingTest{
		Language: language, Suite: e.Suite, Test: e.Test.Test, Was: e.Was, Reason: string(e.Reason), Why: string(e.Why), RunID: e.RunID, LastRunID: e.LastRunID,
	}
	args, env, _ := strings.Cut(e.Args, rerun.EnvMark)
	t.RunnerArgs, t.Environment = words(args), words(strings.TrimPrefix(env, "\x00"))
	t.Way = e.Way.Words()
	for _, variable := range t.Environment {
		if name, value, _ := strings.Cut(variable, "="); workspace.Getenv(m.host.cfg.Env, name) != value {
			t.Otherwise = append(t.Otherwise, variable)
		}
	}
	if e.RunID == "" {
		return t
	}
	if run, err := m.history.Run(ctx, e.RunID); err == nil && run.ID == e.RunID {
		t.SessionID, t.At, t.AgeS = run.SessionID, run.StartedAt, max(m.host.cfg.Now().Sub(run.StartedAt), 0).Seconds()
	}
	return t
}

// words are what a key of [rerun.Scope] has of arguments or variables.
func words(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, "\x00")
}

// dropping is what the user takes off the list.
type dropping struct {
	names []string
	found map[string]bool
}

// means tells whether an entry is named.
func (d *dropping) means(e rerun.Entry) bool {
	name := report.QualifiedName(e.Suite, e.Test.Test)
	named := false
	for _, n := range d.names {
		if n == name || n == e.Suite+" "+e.Test.Test || e.Suite != "" && n == e.Test.Test {
			d.found[n], named = true, true
		}
	}
	return named
}

func (d *dropping) any(set rerun.Set) bool { return slices.ContainsFunc(set.Entries, d.means) }

func (d *dropping) from(set rerun.Set) (left rerun.Set, gone []rerun.Entry) {
	left = rerun.Set{Known: set.Known}
	for _, e := range set.Entries {
		if d.means(e) {
			gone = append(gone, e)
		} else {
			left.Entries = append(left.Entries, e)
		}
	}
	return left, gone
}

// missing says which names are not on the list.
func (d *dropping) missing() error {
	for _, n := range d.names {
		if !d.found[n] {
			return &UsageError{Reason: "not outstanding: " + n, Fix: "`proctor outstanding` lists what is, by the names to give"}
		}
	}
	return nil
}
