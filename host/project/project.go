package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/plugin/store"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// Project is one language's project in the workspace.
type Project struct {
	Plugin *plugin.Plugin
	ID     client.Identity
	Root   workspace.Root
	Ws     sdk.Workspace
	// Missing are the tools that were not found.
	Missing  []error
	Override string
	// Lock is the lock file that names the plugin, or "".
	Lock string
	// Instead is the plugin that the user would get without the project's lock file, if
	// it is a different one.
	Instead  string
	Untested []sdk.Untested
	// SuitePrefixes and Outside are as in [sdk.Detection].
	SuitePrefixes, Outside []string
	// MarkersBelow are the files that mark a project of a language that only directories
	// below the workspace have.
	MarkersBelow []string
	// settings are what the plugin found out about tools and their settings. counted are
	// further variables that affect results, as the workspace's settings say.
	settings map[string]string
	counted  []string
	// Environ is the environment of the tests. changed reports whether it differs from
	// the user's.
	Environ []string
	changed bool
}

// Candidates finds the plugins that a request may need: all, or those for the given
// languages. A language is first compared with plugins' names, so that naming a plugin
// starts no other.
func (h *Host) Candidates(ctx context.Context, where api.Where, languages []string) ([]plugin.Candidate, plugin.Found, error) {
	found, err := h.finder(where).Find(ctx)
	if err != nil || len(languages) == 0 {
		return found.Candidates, found, err
	}
	var named []plugin.Candidate
	for _, c := range found.Candidates {
		if isAmong(languages, c.Name) {
			named = append(named, c)
		}
	}
	if len(named) == len(languages) {
		return named, found, nil
	}
	return found.Candidates, found, nil
}

// finder returns a finder for the plugins that apply in a place.
func (h *Host) finder(where api.Where) *plugin.Finder {
	cfg := plugin.FinderConfig{
		Executable: h.Cfg.Executable, Overrides: h.Cfg.Plugins, UserLock: h.Cfg.UserLock, Dir: cmp.Or(where.Dir, "."),
	}
	if h.Cfg.PluginStore != "" {
		cfg.Store = store.Open(h.Cfg.PluginStore)
	}
	return plugin.NewFinder(cfg)
}

// Started is a plugin that was asked to start.
type Started struct {
	Candidate plugin.Candidate
	Plugin    *plugin.Plugin
	Err       error
}

// StartAll starts plugins concurrently: each takes milliseconds.
func StartAll(ctx context.Context, h *Host, candidates []plugin.Candidate) []Started {
	all := make([]Started, len(candidates))
	var wg sync.WaitGroup
	for i, c := range candidates {
		wg.Go(func() {
			p, err := h.Start(ctx, c)
			all[i] = Started{c, p, err}
		})
	}
	wg.Wait()
	return all
}

// Projects finds the workspace and its projects. It is an error if one of the requested
// languages is missing: running only some of them must not look like running all.
func (h *Host) Projects(ctx context.Context, where api.Where, languages []string) ([]Project, error) {
	projects, err := h.find(ctx, where, languages)
	if err == nil {
		err = undetectedError(languages, projects)
	}
	if err != nil {
		return nil, err
	}
	return projects, nil
}

// find finds the workspace, and at least one project in it of the given languages, or
// of any. It is an error if a plugin cannot be started, since its tests might be left
// out unnoticed. A plugin whose manifest rules out the directory is not started.
func (h *Host) find(ctx context.Context, where api.Where, languages []string) ([]Project, error) {
	return h.FindWith(ctx, where, languages, len(languages) > 0)
}

// FindWith is like find. With all, it also starts the plugins whose manifest rules out
// the directory, and each of the languages must have a plugin.
func (h *Host) FindWith(ctx context.Context, where api.Where, languages []string, all bool) ([]Project, error) {
	site, err := h.findSite(ctx, where, languages, all)
	if err != nil {
		return nil, err
	}
	plugins, root, none := site.plugins, site.root, site.none
	later, err := startIn(ctx, h, site.matching, root.Path)
	if err != nil {
		return nil, err
	}
	plugins = append(plugins, later...)
	slices.SortStableFunc(plugins, func(a, b Started) int { return strings.Compare(a.Candidate.Name, b.Candidate.Name) })
	var projects []Project
	var elsewhere []sdk.Untested
	var markersBelow []string
	var declined []api.Declined
	for _, d := range detectAll(ctx, h, plugins, root) {
		switch {
		case d.err != nil:
			return nil, d.err
		case d.detected:
			projects = append(projects, d.project)
		default:
			elsewhere, markersBelow = append(elsewhere, d.project.Untested...), append(markersBelow, d.project.ID.Markers...)
			for _, u := range d.project.Untested {
				declined = append(declined, api.Declined{Plugin: d.project.ID.Name, Path: u.Path, Reason: u.Reason})
			}
		}
	}
	if err := checkOnePerLanguage(projects); err != nil {
		return nil, err
	}
	for i := range projects {
		projects[i].Untested, projects[i].MarkersBelow = append(projects[i].Untested, elsewhere...), markersBelow
	}
	if len(projects) == 0 {
		if none == nil {
			none = &api.NoProjectError{Start: root.Path, Markers: site.markers}
		}
		none.Declined = declined
		return nil, none
	}
	return projects, nil
}

// site is where a workspace seems to be.
type site struct {
	root workspace.Root
	// none is set if nothing there says so.
	none    *api.NoProjectError
	markers []string
	// plugins had to be started to find it.
	plugins  []Started
	matching plugin.Matching
}

// findSite finds the directory that markers say is the workspace. It starts the plugins
// whose markers only they know.
func (h *Host) findSite(ctx context.Context, where api.Where, languages []string, all bool) (site, error) {
	candidates, found, err := h.Candidates(ctx, where, languages)
	if err != nil {
		return site{}, err
	}
	if err := CheckRefused(found, languages); err != nil {
		return site{}, err
	}
	f := site{matching: plugin.Match(candidates, found.Refused, h.remembered(languages))}
	if all {
		f.matching = plugin.Matching{Start: candidates}
	}
	f.markers = f.matching.Files()
	var installed []string
	for _, s := range StartAll(ctx, h, f.matching.Start) {
		if s.Err != nil {
			return site{}, s.Err
		}
		d := s.Plugin.Identity()
		installed = append(installed, d.Language)
		if len(languages) > 0 && !slices.ContainsFunc(languages, s.IsFor) {
			continue
		}
		f.plugins = append(f.plugins, s)
		f.markers = append(f.markers, d.Markers...)
	}
	for _, l := range languages {
		if all && !slices.ContainsFunc(f.plugins, func(s Started) bool { return s.IsFor(l) }) {
			return site{}, &api.LanguageError{Language: l, Installed: installed}
		}
	}
	f.root, err = workspace.FindRoot(where.Dir, where.Exact, f.markers)
	if err != nil && !errors.As(err, &f.none) {
		return site{}, err
	}
	for _, s := range f.plugins {
		f.matching.Remember(s.Candidate, s.Plugin.Identity().Markers, f.root.Path)
	}
	return f, nil
}

// LikelyRoot returns the directory of the workspace as its markers say, "" if there are
// none. It mostly starts no plugin. Only plugins know whether there is a project, see
// [Host.Root].
func (h *Host) LikelyRoot(ctx context.Context, where api.Where) (string, error) {
	f, err := h.findSite(ctx, where, nil, false)
	if err != nil || f.none != nil {
		return "", err
	}
	return f.root.Path, nil
}

// remembered returns the cached markers of the plugins beside proctor. It returns nil
// for a request that names a language, which must not miss a plugin for it.
func (h *Host) remembered(languages []string) *plugin.Remembered {
	if h.Cfg.CacheHome == "" || len(languages) > 0 {
		return nil
	}
	return plugin.OpenRemembered(h.Cfg.CacheHome, h.Cfg.Now)
}

// startIn starts the plugins that may apply in a directory, and meanwhile checks
// whether others may apply below it.
func startIn(ctx context.Context, h *Host, matching plugin.Matching, root string) ([]Started, error) {
	there, err := matching.In(root)
	if err != nil {
		return nil, err
	}
	var below []plugin.Candidate
	var looked sync.WaitGroup
	looked.Go(func() { below = matching.Below(ctx, root) })
	all := StartAll(ctx, h, there)
	looked.Wait()
	all = append(all, StartAll(ctx, h, below)...)
	for _, s := range all {
		if s.Err != nil {
			return nil, s.Err
		}
	}
	return all, nil
}

// checkOnePerLanguage checks that each language has only one plugin: two would share the
// record, and a pass of one would hide a failure of the other.
func checkOnePerLanguage(projects []Project) error {
	by := map[string]client.Identity{}
	for _, p := range projects {
		other, twice := by[p.ID.Language]
		if twice {
			return &api.UsageError{
				Reason: fmt.Sprintf("plugins %s and %s are both for %s here, and would share its record", other.Name, p.ID.Name, p.ID.Language),
				Fix:    fmt.Sprintf("choose %s or %s by name, or remove one", other.Name, p.ID.Name), Advice: api.Advice{Operation: api.AdviseLanguage},
			}
		}
		by[p.ID.Language] = p.ID
	}
	return nil
}

// IsFor reports whether a started plugin is for a language, or has that name.
func (s Started) IsFor(language string) bool { return isCalled(s.Plugin.Identity(), language) }

// isCalled reports whether users may refer to a plugin's language by this name. All its
// names are lower case; what users write need not be.
func isCalled(id client.Identity, language string) bool {
	return isAmong(id.Aliases, language) || isAmong([]string{id.Language, id.Name}, language)
}

// isAmong reports whether names contains a name, ignoring case.
func isAmong(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// undetectedError returns an error if a requested language is not in the workspace.
func undetectedError(languages []string, projects []Project) error {
	for _, l := range languages {
		if !slices.ContainsFunc(projects, func(p Project) bool { return isCalled(p.ID, l) }) {
			var detected []string
			for _, p := range projects {
				detected = append(detected, p.ID.Language, p.ID.Name)
			}
			slices.Sort(detected)
			return &api.LanguageError{Language: l, Detected: slices.Compact(detected)}
		}
	}
	return nil
}

// CheckRefused returns an error if a plugin that a request may need was found but must
// not be started, since its tests might be left out unnoticed.
func CheckRefused(found plugin.Found, languages []string) error {
	for _, r := range found.Refused {
		_, err := found.Lookup(r.Name)
		switch {
		case err == nil || r.Waits() || len(languages) > 0 && !isAmong(languages, r.Name):
		case r.Override:
			return &api.UsageError{Reason: err.Error()}
		default:
			return err
		}
	}
	if len(found.Candidates) == 0 {
		return &api.NoPluginError{Searched: found.Searched}
	}
	return nil
}

// detected is a plugin's answer about the root.
type detected struct {
	project  Project
	detected bool
	err      error
}

// detectAll asks plugins concurrently: each may walk the whole workspace.
func detectAll(ctx context.Context, h *Host, plugins []Started, root workspace.Root) []detected {
	all := make([]detected, len(plugins))
	var wg sync.WaitGroup
	for i, s := range plugins {
		wg.Go(func() { all[i].project, all[i].detected, all[i].err = h.Detect(ctx, s, root) })
	}
	wg.Wait()
	return all
}

// Detect asks one plugin about the root.
func (h *Host) Detect(ctx context.Context, s Started, root workspace.Root) (Project, bool, error) {
	p := Project{Plugin: s.Plugin, ID: s.Plugin.Identity(), Root: root, Environ: h.Cfg.Env}
	if s.Candidate.Override {
		p.Override = s.Candidate.Path
	}
	if l := s.Candidate.Lock; l != nil {
		p.Lock, p.Instead = l.File, l.Instead
	}
	p.Ws = sdk.Workspace{Root: root.Path, Env: workspace.Pick(h.Cfg.Env, p.ID.Env)}
	// Only a project's own tools are worth asking the login shell, which takes a while.
	usual := p.findTools(func(name string) (string, error) {
		return workspace.FindTool(name, h.Cfg.Env, h.toolDirs(p.ID.ToolDirs)...)
	})
	detection, err := s.Plugin.Detect(ctx, p.Ws)
	if err == nil && detection.Detected {
		if tools := p.findTools(func(name string) (string, error) { return h.findTool(ctx, name, p.ID.ToolDirs) }); !maps.Equal(usual, tools) {
			detection, err = s.Plugin.Detect(ctx, p.Ws)
		}
	}
	p.Untested, p.settings, p.SuitePrefixes, p.Outside = detection.Untested, detection.Settings, detection.SuitePrefixes, detection.Outside
	// A run reports what is wrong with the file.
	if asked, unread := h.Settings(root.Path); unread == nil {
		p.counted = asked.Env
	}
	return p, detection.Detected, err
}

// findTools finds the plugin's tools, and notes those that are missing.
func (p *Project) findTools(find func(name string) (string, error)) map[string]string {
	p.Ws.Tools, p.Missing = map[string]string{}, nil
	for _, name := range p.ID.Tools {
		path, err := find(name)
		if err != nil {
			p.Missing = append(p.Missing, err)
			continue
		}
		p.Ws.Tools[name] = path
	}
	return p.Ws.Tools
}

// CheckOneLanguage returns an error if there are several languages and one is set.
func CheckOneLanguage(projects []Project, one bool) error {
	if !one || len(projects) < 2 {
		return nil
	}
	e := &api.LanguagesError{}
	for _, p := range projects {
		e.Detected = append(e.Detected, p.ID.Language)
	}
	slices.Sort(e.Detected)
	return e
}

// Root returns the directory of the workspace. It starts plugins, because only they
// know what makes a project. A [*api.NoProjectError] means that there is none.
func (h *Host) Root(ctx context.Context, where api.Where) (string, error) {
	projects, err := h.find(ctx, where, nil)
	if err != nil {
		return "", err
	}
	return projects[0].Root.Path, nil
}

// Settings returns the workspace's settings. Those of an upload do not count.
func (h *Host) Settings(root string) (config.Config, error) {
	if h.Box != nil {
		return config.Default(), nil
	}
	settings, err := config.Load(root, h.Cfg.UserConfig)
	if wrong, ok := errors.AsType[*config.Error](err); ok {
		err = &api.UsageError{Reason: wrong.Error()}
	}
	return settings, err
}

// Options returns the defaults of runs of a project.
func (h *Host) Options(p Project) (config.Options, error) {
	settings, err := h.Settings(p.Root.Path)
	return settings.Run.Options(p.IsCalled), err
}

// IsCalled reports whether users may refer to the language of a project by this name.
func (p Project) IsCalled(name string) bool { return isCalled(p.ID, name) }

// WantsRawOutput reports whether a workspace, a directory with records, wants answers
// to runs to be the runner's own output.
func WantsRawOutput(h *Host, workspace string) (bool, error) {
	settings, err := h.Settings(workspace)
	return settings.MCP.RawOutput, err
}
