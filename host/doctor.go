package host

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
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
	Name   string `json:"name"`
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
}

// Doctor looks at plugins, toolchains, the workspace and what would run. What is
// wrong is in the answer; it never fails.
func (h *Host) Doctor(ctx context.Context, where Where) Diagnosis {
	d, working := h.installed(ctx, where)
	if len(working) > 0 {
		d.examine(ctx, h, where, working)
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
		Schema: "proctor.doctor/v1", Version: h.cfg.Version, SessionID: h.cfg.Session,
		Plugins: []PluginReport{}, Projects: []ProjectReport{},
	}
	candidates, found, err := h.candidates(ctx, where, nil)
	if err != nil {
		d.Problems = append(d.Problems, err.Error())
	}
	d.Searched = found.Searched
	for _, r := range found.Refused {
		d.Refused = append(d.Refused, RefusedReport{r.Name, r.Path, r.Reason})
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
func (d *Diagnosis) examine(ctx context.Context, h *Host, where Where, working []string) {
	projects, err := h.findWith(ctx, where, working, false)
	if err != nil {
		d.Problems = append(d.Problems, err.Error())
		return
	}
	for _, p := range projects {
		d.Workspace = p.root.Path
		p = h.probed(ctx, p)
		r := ProjectReport{Language: p.id.Language, Tools: p.ws.Tools, Commands: []record.Command{}}
		for _, m := range p.missing {
			r.Missing = append(r.Missing, m.Error())
			d.Problems = append(d.Problems, m.Error())
		}
		for _, u := range p.untested {
			r.Untested = append(r.Untested, u.Path+": "+u.Reason)
		}
		plan, err := p.plugin.TestCmd(ctx, sdk.TestRequest{Workspace: p.ws, Deadline: DefaultTimeout})
		if err != nil {
			d.Problems = append(d.Problems, err.Error())
		}
		r.Commands = commandsOf(plan)
		d.Projects = append(d.Projects, r)
	}
	// To look is not to make: before the first run there are no records.
	if store, ok := session.Existing(session.Config{Workspace: d.Workspace, SessionID: h.cfg.Session, StateHome: h.cfg.StateHome}); ok {
		d.Records = store.Dir()
	}
}
