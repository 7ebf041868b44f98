package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// taker is the plugin that takes the sources of an upload, and what it wants
// around them.
type taker struct {
	project  project
	scaffold sdk.Scaffold
	// none says that there is no project of dependencies where the request
	// names one.
	none *workspace.NoProjectError
}

// taker finds the plugin that takes a set of sources: the one for the given
// language, or the only one that does not refuse them.
func (h *Host) taker(ctx context.Context, req UploadRequest, files []sdk.SourceFile) (taker, error) {
	if len(req.Languages) > 1 {
		return taker{}, &UsageError{Reason: "an upload has one language", Fix: "give --lang once"}
	}
	able, err := h.scaffolders(ctx, req.Languages)
	if err != nil {
		return taker{}, err
	}
	var takers []taker
	var refusals []string
	for _, s := range able {
		t, err := h.scaffold(ctx, s, req.Where, files)
		var refused *sdk.Error
		switch {
		case err == nil:
			takers = append(takers, t)
		case errors.As(err, &refused) && refused.Reason == sdk.InvalidSources:
			refusals = append(refusals, s.plugin.Identity().Language+": "+refused.Message)
		default:
			return taker{}, err
		}
	}
	switch len(takers) {
	case 0:
		return taker{}, &UsageError{Reason: "no plugin takes the sources: " + strings.Join(refusals, "; ")}
	case 1:
		// Whoever names a project means its dependencies.
		if none := takers[0].none; none != nil && req.Where.Exact {
			return taker{}, none
		}
		return takers[0], nil
	}
	var languages []string
	for _, t := range takers {
		languages = append(languages, t.project.id.Language)
	}
	return taker{}, &UsageError{
		Reason: "the sources could be of several languages: " + strings.Join(languages, ", "),
		Fix:    "name the one that is meant with --lang",
	}
}

// scaffolders starts the plugins that take sources.
func (h *Host) scaffolders(ctx context.Context, languages []string) ([]started, error) {
	candidates, found, err := h.candidates(ctx, Where{}, languages)
	if err != nil {
		return nil, err
	}
	if err := refused(found, languages); err != nil {
		return nil, err
	}
	var able []started
	var installed, unable []string
	for _, s := range h.startAll(ctx, candidates) {
		if s.err != nil {
			return nil, s.err
		}
		id := s.plugin.Identity()
		installed = append(installed, id.Language)
		switch {
		case len(languages) > 0 && !slices.ContainsFunc(languages, s.speaks):
		case id.Scaffold:
			able = append(able, s)
		default:
			unable = append(unable, id.Language)
		}
	}
	switch {
	case len(able) > 0:
		return able, nil
	case len(unable) > 0:
		return nil, &UsageError{Reason: fmt.Sprintf("the plugin for %s takes no sources", strings.Join(unable, ", "))}
	}
	return nil, &LanguageError{Language: strings.Join(languages, ", "), Installed: installed}
}

// scaffold asks one plugin about the sources. The project that the request names
// is one of dependencies only: there need not be any, unless it was named.
func (h *Host) scaffold(ctx context.Context, s started, where Where, files []sdk.SourceFile) (taker, error) {
	root, err := workspace.FindRoot(where.Dir, where.Exact, s.plugin.Identity().Markers)
	var none *workspace.NoProjectError
	if err != nil && !errors.As(err, &none) {
		return taker{}, err
	}
	p, detected, err := h.detect(ctx, s, root)
	if err != nil {
		return taker{}, err
	}
	if detected {
		p = h.probed(ctx, p)
	} else {
		p.ws.Root = ""
	}
	sc, err := s.plugin.Scaffold(ctx, sdk.ScaffoldRequest{Workspace: p.ws, Sources: files})
	return taker{project: p, scaffold: sc, none: none}, err
}
