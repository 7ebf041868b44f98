package host

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/host/workspace"
)

// Diagnosis is what proctor sees of its surroundings.
type Diagnosis struct {
	Schema    string          `json:"schema"`
	Version   string          `json:"version"`
	SessionID string          `json:"session_id"`
	Plugins   []PluginReport  `json:"plugins"`
	Refused   []RefusedReport `json:"refused,omitempty"`
	Searched  []string        `json:"searched"`
	Workspace string          `json:"workspace,omitempty"`
	// Records is where runs are recorded; empty before the first.
	Records  string          `json:"records,omitempty"`
	Projects []ProjectReport `json:"projects"`
	Problems []string        `json:"problems,omitempty"`
}

// PluginReport is one plugin.
type PluginReport struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	// Lock is the lock file that names it; empty where none does.
	Lock  string `json:"lock,omitempty"`
	Error string `json:"error,omitempty"`
}

// RefusedReport is a plugin binary that will not be started.
type RefusedReport struct {
	Name string `json:"name"`
	// Path is empty where a lock file names one that is not installed.
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// ProjectReport is a language's project in the workspace.
type ProjectReport struct {
	Language string            `json:"language"`
	Tools    map[string]string `json:"tools"`
	Missing  []string          `json:"missing,omitempty"`
	// Commands are what a run would execute.
	Commands []record.Command `json:"commands"`
	Untested []string         `json:"untested,omitempty"`
	// Notes are what a run there would say before it began.
	Notes []string `json:"notes,omitempty"`
	// Tests is how many tests there are in how many suites; nil where that was not, or
	// could not be found out.
	Tests *TestsReport `json:"tests,omitempty"`
}

// TestsReport counts the tests of a project.
type TestsReport struct {
	Tests  int `json:"tests"`
	Suites int `json:"suites"`
}

// Doctor looks at plugins, toolchains, the workspace, what would run, and whether the
// tests can be listed. What is wrong is in the answer; it never fails.
func (h *Host) Doctor(ctx context.Context, where Where) Diagnosis {
	return h.diagnose(ctx, where, true)
}

// Glance is [Host.Doctor] without a listing, which may take seconds.
func (h *Host) Glance(ctx context.Context, where Where) Diagnosis {
	return h.diagnose(ctx, where, false)
}

func (h *Host) diagnose(ctx context.Context, where Where, thorough bool) Diagnosis {
	d, working := h.installed(ctx, where)
	if len(working) > 0 {
		d.examine(ctx, h, where, working, thorough)
	}
	return d
}

// Installed is [Host.Doctor] without a workspace: it looks at plugins alone.
func (h *Host) Installed(ctx context.Context) Diagnosis {
	d, _ := h.installed(ctx, Where{})
	return d
}

// installed also returns the names of those plugins that work.
func (h *Host) installed(ctx context.Context, where Where) (d Diagnosis, working []string) {
	d = Diagnosis{
		Schema: "proctor.doctor/v1", Version: h.cfg.Version, SessionID: cmp.Or(h.cfg.Session, sharedSession),
		Plugins: []PluginReport{}, Projects: []ProjectReport{},
	}
	candidates, found, err := h.candidates(ctx, where, nil)
	if err != nil {
		d.Problems = append(d.Problems, err.Error())
	}
	d.Searched = found.Searched
	for _, r := range found.Refused {
		d.Refused = append(d.Refused, RefusedReport{Name: r.Name, Path: r.Path, Reason: r.Reason})
		// Unless another binary of the name serves, no run will start without it.
		if _, err := found.Lookup(r.Name); err != nil && !slices.Contains(d.Problems, err.Error()) {
			d.Problems = append(d.Problems, err.Error())
		}
	}
	if len(candidates) == 0 {
		d.Problems = append(d.Problems, "no plugin was found, neither beside proctor nor by a lock file")
	}
	for _, s := range h.startAll(ctx, candidates) {
		r := PluginReport{Name: s.candidate.Name, Path: s.candidate.Path}
		if l := s.candidate.Lock; l != nil {
			r.Lock = l.File
		}
		if s.err != nil {
			r.Error = s.err.Error()
			d.Problems = append(d.Problems, r.Error)
		} else {
			id := s.plugin.Identity()
			r.Version, r.Language = id.Version, id.Language
			working = append(working, s.candidate.Name)
		}
		d.Plugins = append(d.Plugins, r)
	}
	return d, working
}

// examine looks at the workspace with those plugins that work.
func (d *Diagnosis) examine(ctx context.Context, h *Host, where Where, working []string, thorough bool) {
	projects, err := h.findWith(ctx, where, working, false)
	var none *workspace.NoProjectError
	if errors.As(err, &none) && len(d.Problems) > 0 {
		return // those that do not work may be what it is a project of
	}
	if err != nil {
		d.problem(err.Error())
		return
	}
	for _, p := range projects {
		d.Workspace = p.root.Path
		d.Projects = append(d.Projects, d.project(ctx, h, h.probed(ctx, p), thorough))
	}
	if _, err := h.settings(d.Workspace); err != nil {
		d.problem(err.Error())
	}
	// To look is not to make: before the first run there are no records.
	if store, ok := session.Existing(h.records(d.Workspace)); ok {
		d.SessionID = store.SessionID()
		d.Records = store.Dir()
	}
}

// problem adds what is wrong, once.
func (d *Diagnosis) problem(text string) {
	if !slices.Contains(d.Problems, text) {
		d.Problems = append(d.Problems, text)
	}
}
