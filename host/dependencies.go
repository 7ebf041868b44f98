package host

import (
	"context"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// dependencies lists what the suites of a project are built from. What is missing is
// among the errors of the graph.
func (h *base) dependencies(ctx context.Context, p project, selection sdk.Selection, args []string, limit time.Duration) (*coverage.Graph, error) {
	l, err := h.listing(ctx, p, sdk.ListRequest{Selection: selection, RunnerArgs: args, Selected: true, Dependencies: true})
	if err != nil {
		return nil, err
	}
	g := coverage.NewGraph()
	return g, l.execute(ctx, limit, g)
}

// measurements is where it is kept what was measured of a workspace.
func measurements(store *session.Store) *coveragestore.Store {
	return coveragestore.New(coveragestore.Config{Dir: filepath.Join(store.Dir(), coverageName)})
}

// coverageName is the directory of measurements beside the records.
const coverageName = "coverage"

// measured are the measurements of a project's suites in a setting, by name.
func measured(ctx context.Context, kept *coveragestore.Store, p project, args []string) (map[string]*coverage.Suite, error) {
	suites, err := kept.Suites(ctx, p.id.Language, p.setting(args))
	byName := make(map[string]*coverage.Suite, len(suites))
	for _, s := range suites {
		byName[s.Suite] = s
	}
	return byName, err
}

// outlines asks for the declarations of source files. A plugin that cannot tell them
// gives none.
func outlines(ctx context.Context, p project, files []string) (map[string][]sdk.SourceUnit, error) {
	found := outlineSink{}
	if !p.id.Outline || len(files) == 0 {
		return found, nil
	}
	err := p.plugin.Outline(ctx, sdk.OutlineRequest{Workspace: p.ws, Files: files}, found)
	return found, err
}

// outlineSink collects outlines by file.
type outlineSink map[string][]sdk.SourceUnit

// File takes an outline. A file without units has one all the same.
func (s outlineSink) File(f sdk.OutlinedFile) {
	if f.Units == nil {
		f.Units = []sdk.SourceUnit{}
	}
	s[f.File] = f.Units
}
