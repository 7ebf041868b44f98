package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

// settings are what the workspace asks for. Those of an upload do not count.
func (h *Host) settings(root string) (config.Config, error) {
	if h.box != nil {
		return config.Default(), nil
	}
	settings, err := config.Load(root)
	var wrong *config.Error
	if errors.As(err, &wrong) {
		err = &UsageError{Reason: wrong.Error()}
	}
	return settings, err
}

// RawOutput tells whether a workspace, a directory with records, asks for runs to
// be answered with the runner's own output.
func (h *Host) RawOutput(workspace string) (bool, error) {
	settings, err := h.settings(workspace)
	return settings.MCP.RawOutput, err
}

// settled opens the history for a run, and ends runs that were killed. It is nil
// where there is none: in a box, or with the error that says why.
func (h *Host) settled(ctx context.Context, store *session.Store) (*memory, error) {
	if h.box != nil {
		return nil, nil
	}
	return h.settledMemory(ctx, store)
}

// before is what was outstanding before a run. Without a history it is not known.
func (h *Host) before(ctx context.Context, m *memory, language string) (rerun.Set, error) {
	switch {
	case m != nil:
		return m.outstanding(ctx, language)
	case h.box != nil:
		return rerun.Set{}, nil
	}
	return everything(""), nil
}

// environment names what a run's results depend on beside the sources.
func (f *finisher) environment() string {
	return history.EnvironmentOf(f.project.setting(f.argsKey()), surroundings(f.host.cfg.Env))
}

// setting names the plugin, the tools and what the probes say of them, and what key
// stands for.
func (p project) setting(key string) string {
	sum := sha256.New()
	part := func(text string) { fmt.Fprintf(sum, "%d:%s", len(text), text) }
	for _, text := range []string{p.id.Name, p.id.Version, p.override, key} {
		part(text)
	}
	for _, name := range sortedKeys(p.ws.Tools) {
		part(name + "=" + p.ws.Tools[name])
	}
	for _, name := range sortedKeys(p.ws.Probes) {
		part(name)
		part(string(p.ws.Probes[name].Stdout))
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// surroundings names the variables that tests see, up to those that change from one
// command to the next without meaning anything.
func surroundings(env []string) string {
	kept := slices.DeleteFunc(slices.Clone(env), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.ContainsFunc(passing, func(p string) bool {
			return name == p || strings.HasSuffix(p, "*") && strings.HasPrefix(name, p[:len(p)-1])
		})
	})
	slices.Sort(kept)
	sum := sha256.Sum256([]byte(strings.Join(kept, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// passing are variables of a shell, a terminal or a session.
var passing = []string{
	"_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "TERM*", "COLORTERM", "WINDOWID", "TMUX*", "STY", "SSH_*", "XDG_SESSION_*", "DBUS_*",
	"INVOCATION_ID", "JOURNAL_STREAM", "PROCTOR_*",
}

// see finds out what state of the sources the run saw, now that its commands have
// ended.
func (f *finisher) see(ctx context.Context, run *record.Run) {
	if f.watch == nil {
		return
	}
	f.seen = f.watch.end(context.WithoutCancel(ctx))
	switch {
	case f.seen.err != nil:
		run.Warnings = append(run.Warnings, "the state of the sources is not known: "+f.seen.err.Error())
	case len(f.seen.changed) > 0:
		run.MixedState = true
		run.Warnings = append(run.Warnings, mixedWarning(f.seen.changed))
	}
	run.Source = f.seen.source
}

// everything says that it is not known what is outstanding since a run.
func everything(runID string) rerun.Set {
	return rerun.Set{Entries: []rerun.Entry{{Reason: rerun.ReasonRun, Why: rerun.WhyLost, RunID: runID, LastRunID: runID}}}
}
