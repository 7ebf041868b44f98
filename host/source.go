package host

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/workspace"
)

// sourceWatch finds out what state of the sources a run sees, beside the run.
type sourceWatch struct {
	cancel   context.CancelFunc
	done     chan struct{}
	snapshot *fingerprint.Snapshot
	err      error
}

// sourceLimit bounds how long the end of a run waits for the state of the
// sources. Where they are too many for that, their state is not known.
const sourceLimit = 5 * time.Second

// watchSource begins to look at the sources.
func (m *memory) watchSource(ctx context.Context) *sourceWatch {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &sourceWatch{cancel: cancel, done: make(chan struct{})}
	cfg := m.sourceConfig(ctx)
	cfg.Since = time.Now()
	go func() {
		defer close(w.done)
		w.snapshot, w.err = fingerprint.Take(ctx, cfg)
	}()
	return w
}

func (h *Host) sourceConfig(root string) fingerprint.Config {
	git, err := workspace.FindTool("git", h.cfg.Env)
	if err != nil {
		git = "" // the sources are walked
	}
	return fingerprint.Config{Root: root, Env: h.cfg.Env, Git: git}
}

// sourceConfig looks at the workspace without what runners write there.
func (m *memory) sourceConfig(ctx context.Context) fingerprint.Config {
	cfg := m.host.sourceConfig(m.store.Workspace())
	outputs := m.outputs(ctx)
	for _, language := range slices.Sorted(maps.Keys(outputs)) {
		cfg.Outputs = append(cfg.Outputs, outputs[language]...)
	}
	return cfg
}

// outputsKey is where the history has what runners write, by language. It is of
// the workspace, so that a state has one name whatever language is run.
const outputsKey = "outputs/v1"

func (m *memory) outputs(ctx context.Context) map[string][]string {
	outputs := map[string][]string{}
	if raw, ok, err := m.history.Get(ctx, outputsKey); err == nil && ok {
		_ = json.Unmarshal(raw, &outputs) // without it, more counts as a source
	}
	return outputs
}

// setOutputs notes what the runner of a language writes in the workspace.
func (m *memory) setOutputs(ctx context.Context, language string, paths []string) error {
	outputs := m.outputs(ctx)
	if slices.Equal(outputs[language], paths) {
		return nil
	}
	outputs[language] = paths
	raw, err := json.Marshal(outputs)
	if err == nil {
		err = m.history.Put(ctx, outputsKey, raw)
	}
	return err
}

// seen is what a watch found out.
type seen struct {
	state   fingerprint.State
	source  *record.Source
	changed []string
	err     error
}

// end says what state the run saw, and which files changed while it was going on.
func (w *sourceWatch) end(ctx context.Context) seen {
	defer w.cancel()
	ctx, cancel := context.WithTimeout(ctx, sourceLimit)
	defer cancel()
	select {
	case <-w.done:
	case <-ctx.Done():
		// Nobody waits for a file system that does not answer.
		return seen{err: fmt.Errorf("it takes longer than %v to look at them", sourceLimit)}
	}
	if w.err != nil {
		return seen{err: w.err}
	}
	changed, _, err := w.snapshot.Changed(ctx)
	if err != nil {
		return seen{err: err}
	}
	state := w.snapshot.State
	return seen{state: state, source: sourceOf(state), changed: changed}
}

func sourceOf(s fingerprint.State) *record.Source {
	return &record.Source{
		Fingerprint: s.ID, Kind: s.Kind, Commit: s.Commit, Branch: s.Branch, Worktree: s.Worktree, Dirty: s.Dirty,
	}
}

// mixedWarning says that a run's results are of no one state of the sources. It is
// said of whatever tests write there, too: what came and went meanwhile may have
// been a source.
func mixedWarning(changed []string) string {
	if i := slices.Index(changed, ""); i >= 0 {
		changed = slices.Clone(changed)
		changed[i] = "the workspace itself"
	}
	return "files changed during the run, so it is of no one state of the sources: " + someOf(changed, 3)
}

// someOf names the first few of a list and counts the others.
func someOf(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
