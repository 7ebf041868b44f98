package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/plugin/store"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// Where says which workspace a request is about.
type Where struct {
	// Dir is where the user stands; the working directory when empty.
	Dir string
	// Exact: Dir is the workspace. Otherwise the workspace is the nearest
	// directory, from Dir upwards, that holds a project.
	Exact bool
}

// project is one language's project in the workspace.
type project struct {
	plugin *plugin.Plugin
	id     client.Identity
	root   workspace.Root
	ws     sdk.Workspace
	// missing are the tools that were not found.
	missing  []error
	override string
	// lock is the lock file that names the plugin; empty where none does.
	lock string
	// instead is what the user would have without the project's lock file, where
	// that is something else.
	instead  string
	untested []sdk.Untested
	// settings are what the plugin found out of tools and their settings, and counted
	// the variables that the workspace wants to count as well.
	settings map[string]string
	counted  []string
	// environ is the environment of the tests, changed that it is not the user's.
	environ []string
	changed bool
}

// candidates finds the plugins that a request may need: all, or those of the
// given languages. A language is matched with a plugin's name first, so that
// naming it starts no other plugin.
func (h *base) candidates(ctx context.Context, where Where, languages []string) ([]plugin.Candidate, plugin.Found, error) {
	found, err := h.finder(where).Find(ctx)
	if err != nil || len(languages) == 0 {
		return found.Candidates, found, err
	}
	var named []plugin.Candidate
	for _, c := range found.Candidates {
		if among(languages, c.Name) {
			named = append(named, c)
		}
	}
	if len(named) == len(languages) {
		return named, found, nil
	}
	return found.Candidates, found, nil
}

// finder looks for plugins as they count in a place.
func (h *base) finder(where Where) *plugin.Finder {
	cfg := plugin.FinderConfig{
		Executable: h.cfg.Executable, Overrides: h.cfg.Plugins, UserLock: h.cfg.UserLock, Dir: cmp.Or(where.Dir, "."),
	}
	if h.cfg.PluginStore != "" {
		cfg.Store = store.Open(h.cfg.PluginStore)
	}
	return plugin.NewFinder(cfg)
}

// started is a plugin that was asked to start.
type started struct {
	candidate plugin.Candidate
	plugin    *plugin.Plugin
	err       error
}

// startAll starts plugins side by side: each takes milliseconds of waiting.
func (h *base) startAll(ctx context.Context, candidates []plugin.Candidate) []started {
	all := make([]started, len(candidates))
	var wg sync.WaitGroup
	for i, c := range candidates {
		wg.Go(func() {
			p, err := h.start(ctx, c)
			all[i] = started{c, p, err}
		})
	}
	wg.Wait()
	return all
}

// projects finds the workspace and what is in it: every language that was asked
// for, as running only some would pass for running all.
func (h *base) projects(ctx context.Context, where Where, languages []string) ([]project, error) {
	projects, err := h.find(ctx, where, languages)
	if err == nil {
		err = undetected(languages, projects)
	}
	if err != nil {
		return nil, err
	}
	return projects, nil
}

// find finds the workspace, and those of the languages, or of all, that are in
// it: at least one. A plugin that cannot be started is an error: without it
// nobody knows whether its tests were left out. One whose manifest says that it has
// no business there is not started.
func (h *base) find(ctx context.Context, where Where, languages []string) ([]project, error) {
	return h.findWith(ctx, where, languages, len(languages) > 0)
}

// findWith is find; all starts also those that have no business there, and asks for
// every language: otherwise the others are only left out.
func (h *base) findWith(ctx context.Context, where Where, languages []string, all bool) ([]project, error) {
	candidates, found, err := h.candidates(ctx, where, languages)
	if err != nil {
		return nil, err
	}
	if err := refused(found, languages); err != nil {
		return nil, err
	}
	matching := plugin.Match(candidates, found.Refused, h.remembered(languages))
	if all {
		matching = plugin.Matching{Start: candidates}
	}
	var plugins []started
	markers := matching.Files()
	var installed []string
	for _, s := range h.startAll(ctx, matching.Start) {
		if s.err != nil {
			return nil, s.err
		}
		d := s.plugin.Identity()
		installed = append(installed, d.Language)
		if len(languages) > 0 && !slices.ContainsFunc(languages, s.speaks) {
			continue
		}
		plugins = append(plugins, s)
		markers = append(markers, d.Markers...)
	}
	for _, l := range languages {
		if all && !slices.ContainsFunc(plugins, func(s started) bool { return s.speaks(l) }) {
			return nil, &LanguageError{Language: l, Installed: installed}
		}
	}
	root, err := workspace.FindRoot(where.Dir, where.Exact, markers)
	var none *workspace.NoProjectError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	for _, s := range plugins {
		matching.Told(s.candidate, s.plugin.Identity().Markers, root.Path)
	}
	later, err := h.startIn(ctx, matching, root.Path)
	if err != nil {
		return nil, err
	}
	plugins = append(plugins, later...)
	slices.SortStableFunc(plugins, func(a, b started) int { return strings.Compare(a.candidate.Name, b.candidate.Name) })
	var projects []project
	var elsewhere []sdk.Untested
	var declined []workspace.Declined
	for _, d := range h.detectAll(ctx, plugins, root) {
		switch {
		case d.err != nil:
			return nil, d.err
		case d.detected:
			projects = append(projects, d.project)
		default:
			elsewhere = append(elsewhere, d.project.untested...)
			for _, u := range d.project.untested {
				declined = append(declined, workspace.Declined{Plugin: d.project.id.Name, Path: u.Path, Reason: u.Reason})
			}
		}
	}
	if err := oneEach(projects); err != nil {
		return nil, err
	}
	for i := range projects {
		projects[i].untested = append(projects[i].untested, elsewhere...)
	}
	if len(projects) == 0 {
		if none == nil {
			none = &workspace.NoProjectError{Start: root.Path, Markers: markers}
		}
		none.Declined = declined
		return nil, none
	}
	return projects, nil
}

// remembered are the markers of plugins beside proctor, for requests that name no
// language: one that does is not to miss a plugin of that language.
func (h *base) remembered(languages []string) *plugin.Remembered {
	if h.cfg.CacheHome == "" || len(languages) > 0 {
		return nil
	}
	return plugin.OpenRemembered(h.cfg.CacheHome, h.cfg.Now)
}

// startIn starts the plugins that have business in a directory, while it looks whether
// others have some below it.
func (h *base) startIn(ctx context.Context, matching plugin.Matching, root string) ([]started, error) {
	there, err := matching.In(root)
	if err != nil {
		return nil, err
	}
	var below []plugin.Candidate
	var looked sync.WaitGroup
	looked.Go(func() { below = matching.Below(ctx, root) })
	all := h.startAll(ctx, there)
	looked.Wait()
	all = append(all, h.startAll(ctx, below)...)
	for _, s := range all {
		if s.err != nil {
			return nil, s.err
		}
	}
	return all, nil
}

// oneEach holds that each language has one plugin: two would share the record, and the
// green of one hide the red of the other.
func oneEach(projects []project) error {
	by := map[string]client.Identity{}
	for _, p := range projects {
		other, twice := by[p.id.Language]
		if twice {
			return &UsageError{
				Reason: fmt.Sprintf("plugins %s and %s are both for %s here, and would share its record", other.Name, p.id.Name, p.id.Language),
				Fix:    fmt.Sprintf("choose one with --lang %s or --lang %s, or remove one", other.Name, p.id.Name),
			}
		}
		by[p.id.Language] = p.id
	}
	return nil
}

// speaks tells whether a started plugin is for a language, or has its name.
func (s started) speaks(language string) bool { return isCalled(s.plugin.Identity(), language) }

// isCalled tells whether users may call a plugin's language so. All of its names
// are in lower case; what users write need not be.
func isCalled(id client.Identity, language string) bool {
	return among(id.Aliases, language) || among([]string{id.Language, id.Name}, language)
}

// among tells whether a name is among others, in any letters' case.
func among(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// undetected tells whether a language was asked for that is not in the
// workspace.
func undetected(languages []string, projects []project) error {
	for _, l := range languages {
		if !slices.ContainsFunc(projects, func(p project) bool { return isCalled(p.id, l) }) {
			var detected []string
			for _, p := range projects {
				detected = append(detected, p.id.Language, p.id.Name)
			}
			slices.Sort(detected)
			return &LanguageError{Language: l, Detected: slices.Compact(detected)}
		}
	}
	return nil
}

// refused tells whether a plugin that a request may need was found and may not be
// started: without it nobody knows whether its tests were left out.
func refused(found plugin.Found, languages []string) error {
	for _, r := range found.Refused {
		_, err := found.Lookup(r.Name)
		switch {
		case err == nil || r.Waits() || len(languages) > 0 && !among(languages, r.Name):
		case r.Override:
			return &UsageError{Reason: err.Error()}
		default:
			return err
		}
	}
	if len(found.Candidates) == 0 {
		return &NoPluginError{Searched: found.Searched}
	}
	return nil
}

// detected is a plugin's answer about the root.
type detected struct {
	project  project
	detected bool
	err      error
}

// detectAll asks plugins side by side: each may walk through the workspace.
func (h *base) detectAll(ctx context.Context, plugins []started, root workspace.Root) []detected {
	all := make([]detected, len(plugins))
	var wg sync.WaitGroup
	for i, s := range plugins {
		wg.Go(func() { all[i].project, all[i].detected, all[i].err = h.detect(ctx, s, root) })
	}
	wg.Wait()
	return all
}

// detect asks one plugin about the root.
func (h *base) detect(ctx context.Context, s started, root workspace.Root) (project, bool, error) {
	p := project{plugin: s.plugin, id: s.plugin.Identity(), root: root, environ: h.cfg.Env}
	if s.candidate.Override {
		p.override = s.candidate.Path
	}
	if l := s.candidate.Lock; l != nil {
		p.lock, p.instead = l.File, l.Instead
	}
	p.ws = sdk.Workspace{Root: root.Path, Tools: map[string]string{}, Env: workspace.Pick(h.cfg.Env, p.id.Env)}
	for _, tool := range p.id.Tools {
		path, err := h.tool(ctx, tool, p.id.ToolDirs)
		if err != nil {
			p.missing = append(p.missing, err)
			continue
		}
		p.ws.Tools[tool] = path
	}
	detection, err := s.plugin.Detect(ctx, p.ws)
	p.untested, p.settings = detection.Untested, detection.Settings
	// Whoever runs something says what is wrong with the file.
	if asked, unread := h.settings(root.Path); unread == nil {
		p.counted = asked.Env
	}
	return p, detection.Detected, err
}
