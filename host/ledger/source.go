package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
)

// MaxChangedFiles bounds how many changed files an answer names.
const MaxChangedFiles = 200

// Changes returns the files that differ between two recorded states.
func (l *Ledger) Changes(ctx context.Context, from, to string) (api.FileChanges, error) {
	if from == "" || to == "" {
		return api.FileChanges{Why: "the source state of at least one of the runs is unknown"}, nil
	}
	if from == to {
		return api.FileChanges{Known: true}, nil
	}
	a, known, err := l.State(ctx, from)
	if err != nil {
		return api.FileChanges{}, err
	}
	if !known {
		return api.FileChanges{Why: "the source state " + from + " is no longer on record"}, nil
	}
	b, known, err := l.State(ctx, to)
	if err != nil {
		return api.FileChanges{}, err
	}
	if !known {
		return api.FileChanges{Why: "the source state " + to + " is no longer on record"}, nil
	}
	return l.ChangesOf(a, b), nil
}

// ChangesOf returns the files that differ between two states.
func (l *Ledger) ChangesOf(a, b fingerprint.State) api.FileChanges {
	if a.ID != "" && a.ID == b.ID {
		return api.FileChanges{Known: true} // however it was found
	}
	if why := WhyIncomparable(a, b); why != "" {
		return api.FileChanges{Why: why}
	}
	changed := api.FileChanges{Known: true}
	root := RootIn(l, b.Top)
	for _, c := range fingerprint.Diff(a, b) {
		if changed.Total++; len(changed.Files) < MaxChangedFiles {
			changed.Files = append(changed.Files, api.FileChange{File: RelateToWorkspace(b.Top, root, c.Path), Change: c.Kind.String()})
		}
	}
	return changed
}

// WhyIncomparable says why the files of two states cannot be compared; empty if they can.
func WhyIncomparable(a, b fingerprint.State) string {
	if a.Kind != b.Kind {
		return "one of the states was found with git and the other without it"
	}
	if a.Top != "" && b.Top != "" && a.Top != b.Top {
		return "the states are of different directories: " + a.Top + " and " + b.Top
	}
	return ""
}

// RootIn returns the workspace's root as a path below top, with links resolved if need
// be.
func RootIn(l *Ledger, top string) string {
	root := l.Artifacts.Workspace()
	if below, err := filepath.Rel(top, root); err == nil && filepath.IsLocal(below) {
		return root
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return root
}

// SourceWatch reports whether a workspace's sources are still what they were when it
// began.
type SourceWatch struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the snapshot was taken
	// snapshot is nil if the state of the sources is unavailable.
	snapshot *fingerprint.Snapshot
}

// WatchSources starts watching the sources of a workspace, in the background. It starts
// no plugin. The watch must be closed.
func WatchSources(ctx context.Context, k *Keeper, where api.Where) *SourceWatch {
	since := time.Now()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &SourceWatch{cancel: cancel, done: make(chan struct{})}
	cfg, ok := WatchConfig(ctx, k, where)
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

// WatchConfig returns the configuration of a snapshot of the workspace. Before there are
// records, what runners write counts as a source. ok is false if the workspace is unknown.
func WatchConfig(ctx context.Context, k *Keeper, where api.Where) (cfg fingerprint.Config, ok bool) {
	store, err := k.OpenRecords(where)
	if err != nil {
		return k.SourceConfig(where.Dir), where.Exact && where.Dir != ""
	}
	if hasHistory(store) {
		if l, err := OpenHistory(ctx, k, store); err == nil {
			return l.SourceConfig(ctx), true
		}
	}
	return k.SourceConfig(store.Workspace()), true
}

// Unchanged reports whether nothing was changed or rewritten since the watch began.
// known is false if that cannot be determined, or not before ctx ends.
func (w *SourceWatch) Unchanged(ctx context.Context) (unchanged, known bool) {
	select {
	case <-w.done:
	case <-ctx.Done():
		return false, false
	}
	if w.snapshot == nil {
		return false, false
	}
	_, now, err := w.snapshot.Changed(ctx)
	return err == nil && now == w.snapshot, err == nil
}

// Close ends the watch. It does not wait for an unresponsive file system.
func (w *SourceWatch) Close() { w.cancel() }

// StateWatch determines the state of a run's sources while the run is in progress.
type StateWatch struct {
	cancel   context.CancelFunc
	done     chan struct{}
	snapshot *fingerprint.Snapshot
	err      error
	outside  *outsideWatch
}

// sourceLimit bounds how long the end of a run waits for the state of the sources; beyond
// it, the state is unknown.
const sourceLimit = 5 * time.Second

var errSlow = fmt.Errorf("reading them takes longer than %v", sourceLimit)

// WatchState starts to determine the state of the sources. If it was determined just before
// the run, seen is that state; else nil. outside are directories outside of the workspace
// that the tests are built from.
func WatchState(ctx context.Context, l *Ledger, seen *fingerprint.Snapshot, outside []string) *StateWatch {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &StateWatch{cancel: cancel, done: make(chan struct{}), outside: watchOutside(ctx, l, outside)}
	since := time.Now()
	go func() {
		defer close(w.done)
		cfg := l.SourceConfig(ctx)
		if seen == nil || !seen.IsOf(cfg) {
			seen = l.Keeper.known.sources(cfg)
		}
		if seen != nil {
			// What changed since it was taken will show as changed during the run.
			w.snapshot = seen
			return
		}
		cfg.Since = since
		w.snapshot, w.err = fingerprint.Take(ctx, cfg)
	}()
	return w
}

// outsideWatch determines the states of directories outside of the workspace.
type outsideWatch struct {
	// dirs are without those in the repository of the workspace, with whose state they are.
	dirs []string
	done chan struct{}
	// snapshots has nil where the state is unknown.
	snapshots map[string]*fingerprint.Snapshot
}

func watchOutside(ctx context.Context, l *Ledger, dirs []string) *outsideWatch {
	own := workspace.RepositoryOf(l.Artifacts.Workspace())
	w := &outsideWatch{done: make(chan struct{}), snapshots: map[string]*fingerprint.Snapshot{}}
	w.dirs = slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return own != "" && workspace.RepositoryOf(dir) == own })
	go func() {
		defer close(w.done)
		for _, dir := range w.dirs {
			if s, err := fingerprint.Take(ctx, l.Keeper.SourceConfig(dir)); err == nil {
				w.snapshots[dir] = s
			}
		}
	}()
	return w
}

// end returns the states, "" where that is unknown or files changed meanwhile.
func (w *outsideWatch) end(ctx context.Context) map[string]string {
	states := map[string]string{}
	for _, dir := range w.dirs {
		states[dir] = ""
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		return states
	}
	for dir, s := range w.snapshots {
		if changed, _, err := s.Changed(ctx); err == nil && len(changed) == 0 {
			states[dir] = s.State.ID
		}
	}
	return states
}

func (k *Keeper) SourceConfig(root string) fingerprint.Config {
	git, err := workspace.FindTool("git", k.Cfg.Env)
	if err != nil {
		git = "" // the sources are walked
	}
	return fingerprint.Config{Root: root, Env: k.Cfg.Env, Git: git, Written: k.Cfg.Written}
}

// SourceConfig covers the workspace without what runners write there.
func (l *Ledger) SourceConfig(ctx context.Context) fingerprint.Config {
	cfg := l.Keeper.SourceConfig(l.Artifacts.Workspace())
	outputs := readOutputs(ctx, l)
	for _, language := range slices.Sorted(maps.Keys(outputs)) {
		cfg.Outputs = append(cfg.Outputs, outputs[language]...)
	}
	return cfg
}

// outputsKey is where the history stores what the runners of all languages write: a state
// has one id, whatever language runs.
const outputsKey = "outputs/v1"

func readOutputs(ctx context.Context, l *Ledger) map[string][]string {
	outputs := map[string][]string{}
	if raw, ok, err := l.History.Get(ctx, outputsKey); err == nil && ok {
		_ = json.Unmarshal(raw, &outputs) // if unreadable, more counts as a source
	}
	return outputs
}

// SetOutputs records what a language's runner writes in the workspace.
func SetOutputs(ctx context.Context, l *Ledger, language string, paths []string) error {
	outputs := readOutputs(ctx, l)
	if slices.Equal(outputs[language], paths) {
		return nil
	}
	outputs[language] = paths
	raw, err := json.Marshal(outputs)
	if err == nil {
		err = l.History.Put(ctx, outputsKey, raw)
	}
	return err
}

// Seen is the result of a [StateWatch].
type Seen struct {
	State   fingerprint.State
	Source  *api.Source
	Changed []string
	// Uncommitted are files that no commit holds, up to a bound.
	Uncommitted []fingerprint.File
	// Outside are the states of directories outside of the workspace, "" if unknown or not
	// one during the whole run.
	Outside map[string]string
	Err     error
}

// End returns the state that the run saw, and which files changed meanwhile.
func (w *StateWatch) End(ctx context.Context) Seen {
	defer w.cancel()
	ctx, cancel := context.WithTimeout(ctx, sourceLimit)
	defer cancel()
	select {
	case <-w.done:
	case <-ctx.Done():
		// Nobody waits for an unresponsive file system.
		return Seen{Err: errSlow}
	}
	if w.err != nil {
		return Seen{Err: w.err}
	}
	changed, _, err := w.snapshot.Changed(ctx)
	if err != nil && ctx.Err() != nil {
		err = errSlow
	}
	if err != nil {
		return Seen{Err: err}
	}
	state := w.snapshot.State
	return Seen{State: state, Source: SourceOf(state), Changed: changed, Uncommitted: w.snapshot.Uncommitted(), Outside: w.outside.end(ctx)}
}

func SourceOf(s fingerprint.State) *api.Source {
	return &api.Source{
		Fingerprint: s.ID, Kind: s.Kind, Commit: s.Commit, Branch: s.Branch, Worktree: s.Worktree, Dirty: s.Dirty,
	}
}

// MixedWarning says that a run's results belong to no single state of the sources.
// changed includes whatever tests write there, as that may have been a source.
func MixedWarning(changed []string) string {
	if i := slices.Index(changed, ""); i >= 0 {
		changed = slices.Clone(changed)
		changed[i] = "the workspace itself"
	}
	return "files changed during the run, so it belongs to no single state of the sources: " + NameSome(changed)
}

// NameSome names the first three of a list and counts the others.
func NameSome(names []string) string {
	return prose.Listed(names, len(names), 3, func(name string) string { return name })
}

// State returns a recorded state with its files.
func (l *Ledger) State(ctx context.Context, id string) (fingerprint.State, bool, error) {
	if s, ok := l.Keeper.known.state(id); ok {
		return s, true, nil
	}
	if l.History == nil { // runs are shown without it
		return fingerprint.State{}, false, nil
	}
	return RecordedState(ctx, l.History, id)
}

// RecordedState reads a source state. One whose files do not match its id counts as
// missing.
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

// OpenSources begins to find out the present state of a workspace's sources, while its
// records are read; nil if it has none. It must be closed.
func OpenSources(ctx context.Context, k *Keeper, where api.Where) *fingerprint.Opening {
	store, err := k.OpenRecords(where)
	if err != nil {
		return nil
	}
	return fingerprint.Open(ctx, k.SourceConfig(store.Workspace()))
}

// WorkingTree returns the present state of the sources, which may have been opened before.
func (l *Ledger) WorkingTree(ctx context.Context, sources *fingerprint.Opening) (fingerprint.State, error) {
	ctx, cancel := context.WithTimeout(ctx, sourceLimit)
	defer cancel()
	snapshot, err := sources.Take(ctx, l.SourceConfig(ctx))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errSlow
	}
	if err != nil {
		return fingerprint.State{}, fmt.Errorf("%s", prose.Line(err.Error()))
	}
	return snapshot.State, nil
}

// maxStaleFiles bounds how many changed files are named and looked up.
const maxStaleFiles = 20

// Stale says what happened to the sources, which may have been opened before, since a run;
// nil if unknown.
func (l *Ledger) Stale(ctx context.Context, run api.Run, sources *fingerprint.Opening) *api.Stale {
	if run.Source == nil || SparesOutstanding(run.Kind) {
		return nil
	}
	now, err := l.WorkingTree(ctx, sources)
	if err != nil {
		return nil
	}
	if now.ID == run.Source.Fingerprint {
		return &api.Stale{} // even if that state is no longer on record
	}
	then, ok, err := l.State(ctx, run.Source.Fingerprint)
	if err != nil || !ok {
		return nil
	}
	changes := l.ChangesOf(then, now)
	if !changes.Known {
		return nil
	}
	found := &api.Stale{Changed: changes.Total}
	for _, c := range changes.Files[:min(len(changes.Files), maxStaleFiles)] {
		found.Files = append(found.Files, c.File)
		suites, err := l.History.Suites(ctx, run.Language, c.File)
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
	found.SuitesTotal = len(found.Suites)
	return found
}

// RelateToWorkspace converts a path relative to a state's directory into one relative to
// the workspace.
func RelateToWorkspace(top, workspace, path string) string {
	below, err := filepath.Rel(workspace, filepath.Join(top, filepath.FromSlash(path)))
	if err != nil {
		return path
	}
	return filepath.ToSlash(below)
}
