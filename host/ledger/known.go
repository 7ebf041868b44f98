package ledger

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/project"
)

// Known is what a process learned about a workspace just before a run, so that the run
// need not learn it again. It is safe because every run compares all sources at its end:
// whatever no longer held shows up as changed during the run. Nil knows nothing.
type Known struct {
	// Sources are the sources it was learned from.
	Sources *fingerprint.Snapshot
	// Earlier are earlier states that changes are computed against.
	Earlier []fingerprint.State
	// Projects are those found for a request for Languages.
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

// WithKnown returns a Keeper for one run that starts from what is known. Closing either
// closes both.
func (k *Keeper) WithKnown(known *Known) *Keeper {
	return &Keeper{Host: k.Host, sharedState: k.sharedState, known: known}
}

// Projects is [project.Host.Projects], without detecting again what is known.
func (k *Keeper) Projects(ctx context.Context, where api.Where, languages []string) ([]project.Project, error) {
	if known := k.known; known != nil && len(known.Projects) > 0 && where.Exact && where.Dir == known.Projects[0].Root.Path && known.answers(languages) {
		var asked []project.Project
		for _, p := range known.Projects {
			if len(languages) == 0 || slices.ContainsFunc(languages, p.IsCalled) {
				asked = append(asked, p)
			}
		}
		return asked, nil
	}
	projects, err := k.Host.Projects(ctx, where, languages)
	k.hear(projects)
	return projects, err
}

// answers reports whether the projects of these languages are known and their plugins
// alive.
func (k *Known) answers(languages []string) bool {
	if slices.ContainsFunc(k.Projects, func(p project.Project) bool { return p.Plugin.Stopped() }) {
		return false
	}
	if slices.Equal(languages, k.Languages) {
		return true
	}
	// A request for some of the found languages needs none of the others.
	return len(languages) > 0 && !slices.ContainsFunc(languages, func(l string) bool {
		return !slices.ContainsFunc(k.Projects, func(p project.Project) bool { return p.IsCalled(l) })
	})
}

// SeenSources returns the sources as seen before this run; nil if nobody looked.
func (k *Keeper) SeenSources() *fingerprint.Snapshot {
	if k.known == nil {
		return nil
	}
	return k.known.Sources
}

// KnownSources returns the present sources if they are known for this configuration, else
// nil.
func (l *Ledger) KnownSources(cfg fingerprint.Config) *fingerprint.Snapshot {
	return l.Keeper.known.sources(cfg)
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

// KnownGraph returns what the tests of a language are built from; nil if unknown.
func (k *Keeper) KnownGraph(language string, args []string) *coverage.Graph {
	if k.known == nil {
		return nil
	}
	i := slices.IndexFunc(k.known.Graphs, func(g KnownGraph) bool { return g.Language == language && slices.Equal(g.Args, args) })
	if i < 0 {
		return nil
	}
	return k.known.Graphs[i].Graph
}
