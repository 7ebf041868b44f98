package ledger

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/project"
)

// Known is what a process found out of a workspace just before a run, so that the run
// need not find it out again. That is safe only as every run compares all of the sources
// when it ends: what no longer held shows as changed during the run. Nil knows nothing.
type Known struct {
	// Sources are those that it was found out of.
	Sources *fingerprint.Snapshot
	// Earlier are states that changes are told from.
	Earlier []fingerprint.State
	// Projects are those that were found for a request of these languages.
	Projects  []project.Project
	Languages []string
	// Graphs say what tests are built from.
	Graphs []KnownGraph
}

// KnownGraph is what the tests of a language are built from with these arguments.
type KnownGraph struct {
	Language string
	Args     []string
	Graph    *coverage.Graph
}

// Knowing returns a Keeper for one run of a workspace of which this is known. Closing
// either closes both.
func (h *Keeper) Knowing(k *Known) *Keeper {
	return &Keeper{Host: h.Host, opens: h.opens, known: k}
}

// Projects is like that of the host.
func (h *Keeper) Projects(ctx context.Context, where api.Where, languages []string) ([]project.Project, error) {
	if k := h.known; k != nil && len(k.Projects) > 0 && where.Exact && where.Dir == k.Projects[0].Root.Path && k.answers(languages) {
		var asked []project.Project
		for _, p := range k.Projects {
			if len(languages) == 0 || slices.ContainsFunc(languages, p.IsCalled) {
				asked = append(asked, p)
			}
		}
		return asked, nil
	}
	return h.Host.Projects(ctx, where, languages)
}

// answers reports whether the projects of these languages are known, and their plugins
// alive.
func (k *Known) answers(languages []string) bool {
	if slices.ContainsFunc(k.Projects, func(p project.Project) bool { return p.Plugin.Stopped() }) {
		return false
	}
	if slices.Equal(languages, k.Languages) {
		return true
	}
	// Some of those that were found: none of the others is missing.
	return len(languages) > 0 && !slices.ContainsFunc(languages, func(l string) bool {
		return !slices.ContainsFunc(k.Projects, func(p project.Project) bool { return p.IsCalled(l) })
	})
}

// SeenSources returns the sources that were found before this run; nil if none were.
func (h *Keeper) SeenSources() *fingerprint.Snapshot {
	if h.known == nil {
		return nil
	}
	return h.known.Sources
}

// KnownSources returns the present sources, as far as they are known.
func (m *Ledger) KnownSources(cfg fingerprint.Config) *fingerprint.Snapshot {
	return m.Keeper.known.sources(cfg)
}

func (k *Known) sources(cfg fingerprint.Config) *fingerprint.Snapshot {
	if k == nil || k.Sources == nil || !k.Sources.IsOf(cfg) {
		return nil
	}
	return k.Sources
}

func (k *Known) state(id string) (fingerprint.State, bool) {
	if k == nil || id == "" {
		return fingerprint.State{}, false
	}
	i := slices.IndexFunc(k.Earlier, func(s fingerprint.State) bool { return s.ID == id })
	if i < 0 {
		return fingerprint.State{}, false
	}
	return k.Earlier[i], true
}

// KnownGraph returns what the tests of a language are built from; nil if that has to be
// found out.
func (h *Keeper) KnownGraph(language string, args []string) *coverage.Graph {
	if h.known == nil {
		return nil
	}
	i := slices.IndexFunc(h.known.Graphs, func(g KnownGraph) bool { return g.Language == language && slices.Equal(g.Args, args) })
	if i < 0 {
		return nil
	}
	return h.known.Graphs[i].Graph
}
