package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
)

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
