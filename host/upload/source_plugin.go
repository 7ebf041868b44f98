package upload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// sourcePlugin is the plugin that accepts an upload's sources, and what it adds to them.
type sourcePlugin struct {
	project  project.Project
	scaffold sdk.Scaffold
	// none is set if the project whose dependencies the sources may use does not exist.
	none *api.NoProjectError
}

// findSourcePlugin finds the plugin for a source set: the one for the given language, or
// the only one that accepts it.
func findSourcePlugin(ctx context.Context, k *ledger.Keeper, req api.UploadRequest, files []sdk.SourceFile) (sourcePlugin, error) {
	if len(req.Languages) > 1 {
		return sourcePlugin{}, &api.UsageError{Reason: "an upload has one language", Fix: "name one"}
	}
	able, err := findScaffolders(ctx, k, req.Languages)
	if err != nil {
		return sourcePlugin{}, err
	}
	var targets []sourcePlugin
	var refusals []string
	for _, s := range able {
		t, err := askScaffold(ctx, k, s, req.Where, files)
		var refused *sdk.Error
		switch {
		case err == nil:
			targets = append(targets, t)
		case errors.As(err, &refused) && refused.Reason == sdk.InvalidSources:
			refusals = append(refusals, s.Plugin.Identity().Language+": "+refused.Message)
		default:
			return sourcePlugin{}, err
		}
	}
	switch len(targets) {
	case 0:
		return sourcePlugin{}, &api.UsageError{Reason: "no plugin takes the sources: " + strings.Join(refusals, "; ")}
	case 1:
		// Whoever names a project means its dependencies.
		if none := targets[0].none; none != nil && req.Where.Exact {
			return sourcePlugin{}, none
		}
		return targets[0], nil
	}
	var languages []string
	for _, t := range targets {
		languages = append(languages, t.project.ID.Language)
	}
	return sourcePlugin{}, &api.UsageError{
		Reason: "the sources could be of several languages: " + strings.Join(languages, ", "),
		Advice: api.Advice{Operation: api.AdviseLanguage},
	}
}

// findScaffolders starts the plugins that accept sources.
func findScaffolders(ctx context.Context, k *ledger.Keeper, languages []string) ([]project.Started, error) {
	candidates, found, err := k.Candidates(ctx, api.Where{}, languages)
	if err != nil {
		return nil, err
	}
	if err := project.CheckRefused(found, languages); err != nil {
		return nil, err
	}
	var able []project.Started
	var installed, unable []string
	for _, s := range project.StartAll(ctx, k.Host, candidates) {
		if s.Err != nil {
			return nil, s.Err
		}
		id := s.Plugin.Identity()
		installed = append(installed, id.Language)
		switch {
		case len(languages) > 0 && !slices.ContainsFunc(languages, s.IsFor):
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
		return nil, &api.UsageError{Reason: fmt.Sprintf("the plugin for %s takes no sources", strings.Join(unable, ", "))}
	}
	return nil, &api.LanguageError{Language: strings.Join(languages, ", "), Installed: installed}
}

// askScaffold asks one plugin about the sources. The request's project only supplies
// dependencies: it need not exist, unless it was named.
func askScaffold(ctx context.Context, k *ledger.Keeper, s project.Started, where api.Where, files []sdk.SourceFile) (sourcePlugin, error) {
	root, err := workspace.FindRoot(where.Dir, where.Exact, s.Plugin.Identity().Markers)
	var none *api.NoProjectError
	if err != nil && !errors.As(err, &none) {
		return sourcePlugin{}, err
	}
	p, detected, err := k.Detect(ctx, s, root)
	if err != nil {
		return sourcePlugin{}, err
	}
	if detected {
		p = k.RunProbes(ctx, p)
	} else {
		p.Ws.Root = ""
	}
	sc, err := s.Plugin.Scaffold(ctx, sdk.ScaffoldRequest{Workspace: p.Ws, Sources: files})
	return sourcePlugin{project: p, scaffold: sc, none: none}, err
}
