package project

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// ListDependencies lists what the suites of a project are built from. The graph's errors
// say what is missing.
func ListDependencies(ctx context.Context, h *Host, p Project, selection sdk.Selection, args []string, limit time.Duration) (*coverage.Graph, error) {
	l, err := h.Listing(ctx, p, sdk.ListRequest{Selection: selection, RunnerArgs: args, Selected: true, Dependencies: true})
	if err != nil {
		return nil, err
	}
	g := coverage.NewGraph()
	return g, l.Execute(ctx, limit, g)
}

// Outlines asks for the declarations of source files. A plugin without outlines returns
// none.
func Outlines(ctx context.Context, p Project, files []string) (map[string][]sdk.SourceUnit, error) {
	found := outlineSink{}
	if !p.ID.Outline || len(files) == 0 {
		return found, nil
	}
	err := p.Plugin.Outline(ctx, sdk.OutlineRequest{Workspace: p.Ws, Files: files}, found)
	return found, err
}

// outlineSink collects outlines by file.
type outlineSink map[string][]sdk.SourceUnit

// File adds an outline. A file without units has one all the same.
func (s outlineSink) File(f sdk.OutlinedFile) {
	if f.Units == nil {
		f.Units = []sdk.SourceUnit{}
	}
	s[f.File] = f.Units
}
