package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
)

// MaxChangedFiles is how many changed files an answer names.
const MaxChangedFiles = 200

// Changes are the files that differ between two states on record.
func (m *Ledger) Changes(ctx context.Context, from, to string) (api.FileChanges, error) {
	if from == "" || to == "" {
		return api.FileChanges{Why: "the state of the sources is not known of both runs"}, nil
	}
	if from == to {
		return api.FileChanges{Known: true}, nil
	}
	a, known, err := m.State(ctx, from)
	if err != nil {
		return api.FileChanges{}, err
	}
	if !known {
		return api.FileChanges{Why: "the source state " + from + " is not on record any more"}, nil
	}
	b, known, err := m.State(ctx, to)
	if err != nil {
		return api.FileChanges{}, err
	}
	if !known {
		return api.FileChanges{Why: "the source state " + to + " is not on record any more"}, nil
	}
	return m.ChangesOf(a, b), nil
}

// ChangesOf are the files that differ between two states.
func (m *Ledger) ChangesOf(a, b fingerprint.State) api.FileChanges {
	if a.ID != "" && a.ID == b.ID {
		return api.FileChanges{Known: true} // however it was found
	}
	if why := Unlike(a, b); why != "" {
		return api.FileChanges{Why: why}
	}
	changed := api.FileChanges{Known: true}
	root := m.RootIn(b.Top)
	for _, c := range fingerprint.Diff(a, b) {
		if changed.Total++; len(changed.Files) < MaxChangedFiles {
			changed.Files = append(changed.Files, api.FileChange{File: FromTop(b.Top, root, c.Path), Change: c.Kind.String()})
		}
	}
	return changed
}

// Unlike says why two states have no files in common to compare.
func Unlike(a, b fingerprint.State) string {
	if a.Kind != b.Kind {
		return "one of the states was found with git and the other without it"
	}
	if a.Top != "" && b.Top != "" && a.Top != b.Top {
		return "the states are of different directories: " + a.Top + " and " + b.Top
	}
	return ""
}

// RootIn is the root of the workspace as the directory of a state has it, which is
// without links.
func (m *Ledger) RootIn(top string) string {
	root := m.Artifacts.Workspace()
	if below, err := filepath.Rel(top, root); err == nil && filepath.IsLocal(below) {
		return root
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return root
}

// SourceWatch reports whether the sources of a workspace are still what they were when
// it began.
type SourceWatch struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the first look has ended

	// A snapshot answers one question at a time; a token is the right to ask.
	asking chan struct{}
	// snapshot is nil where the state of the sources cannot be had.
	snapshot *fingerprint.Snapshot
}

// WatchSources begins to look at the sources of a workspace, in the background. It
// starts no plugin. The watch must be closed.
func (h *Keeper) WatchSources(ctx context.Context, where api.Where) *SourceWatch {
	since := time.Now()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &SourceWatch{cancel: cancel, done: make(chan struct{}), asking: make(chan struct{}, 1)}
	cfg, ok := h.WatchConfig(ctx, where)
	if !ok {
		close(w.done)
		return w
	}
	cfg.Since = since
	go func() {
		defer close(w.done)
		if s, err := fingerprint.Take(ctx, cfg); err == nil {
			w.snapshot = s
		}
	}()
	return w
}

// WatchConfig says what to look at. Before there are records, what runners write
// counts as a source. ok is false where nobody knows where the workspace begins.
func (h *Keeper) WatchConfig(ctx context.Context, where api.Where) (cfg fingerprint.Config, ok bool) {
	store, err := h.OpenRecords(where)
	if err != nil {
		return h.SourceConfig(where.Dir), where.Exact && where.Dir != ""
	}
	if hasHistory(store) {
		if m, err := h.Remember(ctx, store); err == nil {
			return m.SourceConfig(ctx), true
		}
	}
	return h.SourceConfig(store.Workspace()), true
}

// Unchanged reports whether nothing was changed or written anew since the watch began.
// Where that is not found out before ctx ends, or cannot be, it is not known.
func (w *SourceWatch) Unchanged(ctx context.Context) (unchanged, known bool) {
	select {
	case <-w.done:
	case <-ctx.Done():
		return false, false
	}
	if w.snapshot == nil {
		return false, false
	}
	select {
	case w.asking <- struct{}{}:
		defer func() { <-w.asking }()
	case <-ctx.Done():
		return false, false
	}
	_, now, err := w.snapshot.Changed(ctx)
	return err == nil && now == w.snapshot, err == nil
}

// Close ends the watch. It does not wait for a file system that does not answer.
func (w *SourceWatch) Close() { w.cancel() }

// StateWatch finds out what state of the sources a run sees, beside the run.
type StateWatch struct {
	cancel   context.CancelFunc
	done     chan struct{}
	snapshot *fingerprint.Snapshot
	err      error
}

// sourceLimit bounds how long the end of a run waits for the state of the
// sources. Where they are too many for that, their state is not known.
const sourceLimit = 5 * time.Second

// WatchSource begins to look at the sources.
func (m *Ledger) WatchSource(ctx context.Context) *StateWatch {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &StateWatch{cancel: cancel, done: make(chan struct{})}
	cfg := m.SourceConfig(ctx)
	cfg.Since = time.Now()
	go func() {
		defer close(w.done)
		w.snapshot, w.err = fingerprint.Take(ctx, cfg)
	}()
	return w
}

func (h *Keeper) SourceConfig(root string) fingerprint.Config {
	git, err := workspace.FindTool("git", h.Cfg.Env)
	if err != nil {
		git = "" // the sources are walked
	}
	return fingerprint.Config{Root: root, Env: h.Cfg.Env, Git: git}
}

// SourceConfig looks at the workspace without what runners write there.
func (m *Ledger) SourceConfig(ctx context.Context) fingerprint.Config {
	cfg := m.Keeper.SourceConfig(m.Artifacts.Workspace())
	outputs := m.outputs(ctx)
	for _, language := range slices.Sorted(maps.Keys(outputs)) {
		cfg.Outputs = append(cfg.Outputs, outputs[language]...)
	}
	return cfg
}

// OutputsKey is where the history has what runners write, by language. It is of
// the workspace, so that a state has one name whatever language is run.
const OutputsKey = "outputs/v1"

func (m *Ledger) outputs(ctx context.Context) map[string][]string {
	outputs := map[string][]string{}
	if raw, ok, err := m.History.Get(ctx, OutputsKey); err == nil && ok {
		_ = json.Unmarshal(raw, &outputs) // without it, more counts as a source
	}
	return outputs
}

// SetOutputs notes what the runner of a language writes in the workspace.
func (m *Ledger) SetOutputs(ctx context.Context, language string, paths []string) error {
	outputs := m.outputs(ctx)
	if slices.Equal(outputs[language], paths) {
		return nil
	}
	outputs[language] = paths
	raw, err := json.Marshal(outputs)
	if err == nil {
		err = m.History.Put(ctx, OutputsKey, raw)
	}
	return err
}

// Seen is what a watch found out.
type Seen struct {
	State   fingerprint.State
	Source  *api.Source
	Changed []string
	Err     error
}

// End says what state the run saw, and which files changed while it was going on.
func (w *StateWatch) End(ctx context.Context) Seen {
	defer w.cancel()
	ctx, cancel := context.WithTimeout(ctx, sourceLimit)
	defer cancel()
	select {
	case <-w.done:
	case <-ctx.Done():
		// Nobody waits for a file system that does not answer.
		return Seen{Err: fmt.Errorf("it takes longer than %v to look at them", sourceLimit)}
	}
	if w.err != nil {
		return Seen{Err: w.err}
	}
	changed, _, err := w.snapshot.Changed(ctx)
	if err != nil {
		return Seen{Err: err}
	}
	state := w.snapshot.State
	return Seen{State: state, Source: SourceOf(state), Changed: changed}
}

func SourceOf(s fingerprint.State) *api.Source {
	return &api.Source{
		Fingerprint: s.ID, Kind: s.Kind, Commit: s.Commit, Branch: s.Branch, Worktree: s.Worktree, Dirty: s.Dirty,
	}
}

// MixedWarning says that a run's results are of no one state of the sources. It is
// said of whatever tests write there, too: what came and went meanwhile may have
// been a source.
func MixedWarning(changed []string) string {
	if i := slices.Index(changed, ""); i >= 0 {
		changed = slices.Clone(changed)
		changed[i] = "the workspace itself"
	}
	return "files changed during the run, so it is of no one state of the sources: " + SomeOf(changed, 3)
}

// SomeOf names the first few of a list and counts the others.
func SomeOf(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// State is a state on record with its files.
func (m *Ledger) State(ctx context.Context, id string) (fingerprint.State, bool, error) {
	return RecordedState(ctx, m.History, id)
}

// RecordedState reads a source state. One whose files do not add up to its id is
// as good as not on record.
func RecordedState(ctx context.Context, store history.Store, id string) (fingerprint.State, bool, error) {
	if id == "" {
		return fingerprint.State{}, false, nil
	}
	s, ok, err := store.State(ctx, id)
	if err != nil || !ok || fingerprint.Identify(s.Files) != id {
		return fingerprint.State{}, false, err
	}
	return s, true, nil
}

// WorkingTree is the state of the sources now.
func (m *Ledger) WorkingTree(ctx context.Context) (fingerprint.State, error) {
	ctx, cancel := context.WithTimeout(ctx, sourceLimit)
	defer cancel()
	snapshot, err := fingerprint.Take(ctx, m.SourceConfig(ctx))
	if err != nil {
		return fingerprint.State{}, fmt.Errorf("%s", prose.Line(err.Error()))
	}
	return snapshot.State, nil
}

// maxStaleFiles is how many changed files are named, and looked up.
const maxStaleFiles = 20

// Stale says what happened to the sources since a run; nil where that is not
// known.
func (m *Ledger) Stale(ctx context.Context, run api.Run) *api.Stale {
	if run.Source == nil || LeavesNothing(run.Kind) {
		return nil
	}
	now, err := m.WorkingTree(ctx)
	if err != nil {
		return nil
	}
	if now.ID == run.Source.Fingerprint {
		return &api.Stale{} // also where the state itself is no longer on record
	}
	then, ok, err := m.State(ctx, run.Source.Fingerprint)
	if err != nil || !ok {
		return nil
	}
	changes := m.ChangesOf(then, now)
	if !changes.Known {
		return nil
	}
	found := &api.Stale{Changed: changes.Total}
	for _, c := range changes.Files[:min(len(changes.Files), maxStaleFiles)] {
		found.Files = append(found.Files, c.File)
		suites, err := m.History.Suites(ctx, run.Language, c.File)
		if err != nil {
			continue
		}
		for _, suite := range suites {
			if !slices.Contains(found.Suites, suite) {
				found.Suites = append(found.Suites, suite)
			}
		}
	}
	slices.Sort(found.Suites)
	return found
}

// FromTop turns a path below the directory that a state is of into one that is
// relative to the workspace.
func FromTop(top, workspace, path string) string {
	below, err := filepath.Rel(workspace, filepath.Join(top, filepath.FromSlash(path)))
	if err != nil {
		return path
	}
	return filepath.ToSlash(below)
}
