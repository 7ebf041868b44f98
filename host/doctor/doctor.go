package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/testlist"
	"github.com/proctorhq/proctor/sdk"
)

// Doctor examines plugins, toolchains, the workspace, what would run, and whether the
// tests can be listed. It never fails: problems are in the answer.
func Doctor(ctx context.Context, k *ledger.Keeper, where api.Where) api.Diagnosis {
	return diagnose(ctx, k, where, true)
}

// Glance is [Doctor] without a listing, which may take seconds.
func Glance(ctx context.Context, k *ledger.Keeper, where api.Where) api.Diagnosis {
	return diagnose(ctx, k, where, false)
}

func diagnose(ctx context.Context, k *ledger.Keeper, where api.Where, thorough bool) api.Diagnosis {
	d, working := findInstalled(ctx, k, where)
	if len(working) > 0 {
		examine(ctx, &d, k, where, working, thorough)
	}
	return d
}

// Installed is [Doctor] without a workspace: it only examines plugins.
func Installed(ctx context.Context, k *ledger.Keeper) api.Diagnosis {
	d, _ := findInstalled(ctx, k, api.Where{})
	return d
}

// findInstalled also returns the names of the plugins that work.
func findInstalled(ctx context.Context, k *ledger.Keeper, where api.Where) (d api.Diagnosis, working []string) {
	d = api.Diagnosis{
		Schema: "proctor.doctor/v1", Version: k.Cfg.Version, SessionID: cmp.Or(k.Cfg.Session, ledger.SharedSession),
		Plugins: []api.PluginReport{}, Projects: []api.ProjectReport{},
	}
	candidates, found, err := k.Candidates(ctx, where, nil)
	if err != nil {
		noteProblem(&d, api.NotePlugin, err.Error())
	}
	d.Searched = found.Searched
	for _, r := range found.Refused {
		d.Refused = append(d.Refused, api.RefusedReport{Name: r.Name, Path: r.Path, Reason: r.Reason})
		// Unless another binary with that name works, no run starts without it.
		if _, err := found.Lookup(r.Name); err != nil {
			noteProblem(&d, api.NotePlugin, err.Error())
		}
	}
	if len(candidates) == 0 {
		noteProblem(&d, api.NotePlugin, "no plugin was found, neither beside proctor nor through a lock file")
	}
	for _, s := range project.StartAll(ctx, k.Host, candidates) {
		r := api.PluginReport{Name: s.Candidate.Name, Path: s.Candidate.Path}
		if l := s.Candidate.Lock; l != nil {
			r.Lock = l.File
		}
		if s.Err != nil {
			r.Error = s.Err.Error()
			noteProblem(&d, api.NotePlugin, r.Error)
		} else {
			id := s.Plugin.Identity()
			r.Version, r.Language = id.Version, id.Language
			working = append(working, s.Candidate.Name)
		}
		d.Plugins = append(d.Plugins, r)
	}
	return d, working
}

// examine examines the workspace with the working plugins.
func examine(ctx context.Context, d *api.Diagnosis, k *ledger.Keeper, where api.Where, working []string, thorough bool) {
	projects, err := k.FindWith(ctx, where, working, false)
	var none *api.NoProjectError
	if errors.As(err, &none) && len(d.Problems) > 0 {
		return // it may be a project of those that do not work
	}
	if err != nil {
		addProblem(d, api.Note{Code: api.NoteProject, Text: err.Error(), Advice: api.AdviceOf(err)})
		return
	}
	for _, p := range projects {
		d.Workspace = p.Root.Path
		d.Projects = append(d.Projects, diagnoseProject(ctx, d, k, k.RunProbes(ctx, p), thorough))
	}
	if _, err := k.Settings(d.Workspace); err != nil {
		noteProblem(d, api.NoteProject, err.Error())
	}
	// Do not create records: before the first run there are none.
	if store, ok := artifacts.OpenExisting(k.Records(d.Workspace)); ok {
		d.SessionID = store.SessionID()
		d.Records = store.Dir()
	}
}

func noteProblem(d *api.Diagnosis, code api.NoteCode, text string) {
	addProblem(d, api.Note{Code: code, Text: text})
}

// addProblem adds a problem, once.
func addProblem(d *api.Diagnosis, n api.Note) {
	if !slices.Contains(d.Problems, n) {
		d.Problems = append(d.Problems, n)
	}
}

// diagnoseProject examines one project.
func diagnoseProject(ctx context.Context, d *api.Diagnosis, k *ledger.Keeper, p project.Project, thorough bool) api.ProjectReport {
	r := api.ProjectReport{Language: p.ID.Language, Tools: p.Ws.Tools, Commands: []api.Command{}}
	for _, m := range p.Missing {
		r.Missing = append(r.Missing, m.Error())
		noteProblem(d, api.NoteTool, m.Error())
	}
	for _, u := range p.Untested {
		r.Untested = append(r.Untested, u.Path+": "+u.Reason)
	}
	for _, probe := range p.ID.Probes {
		if out, ok := p.Ws.Probes[probe.Name]; ok && out.ExitCode != 0 {
			noteProblem(d, api.NoteTool, failedProbe(probe, out))
		}
	}
	limit := api.DefaultTimeout // that of an agent, who has a glance
	if thorough {
		limit = userDeadline(k, p)
	}
	plan, err := p.Plugin.TestCmd(ctx, sdk.TestRequest{Workspace: p.Ws, Deadline: limit})
	if err != nil {
		noteProblem(d, api.NotePlugin, err.Error())
		return r
	}
	r.Commands, r.Notes = engine.CommandsOf(plan), api.Notes(api.NotePlugin, plan.Warnings...)
	if thorough && len(p.Missing) == 0 {
		list(ctx, d, k, p, &r)
	}
	return r
}

// userDeadline returns that of a run at a terminal: none, unless the settings have one.
func userDeadline(k *ledger.Keeper, p project.Project) time.Duration {
	options, err := k.Options(p)
	if err != nil || options.Timeout == nil {
		return 0 // what is wrong with the settings is told elsewhere
	}
	return *options.Timeout
}

// maxDoctorLines is how many lines of a tool's output are repeated.
const maxDoctorLines = 4

// failedProbe says how a probe failed.
func failedProbe(probe sdk.Probe, out sdk.ProbeOutput) string {
	text := fmt.Sprintf("`%s` ended with %d", prose.CommandLine(probe.Argv), out.ExitCode)
	if out.Stderr != "" {
		text += ": " + firstLines(out.Stderr)
	}
	return text
}

func firstLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if left := len(lines) - maxDoctorLines; left > 0 {
		lines = append(lines[:maxDoctorLines], fmt.Sprintf("[%d lines more]", left))
	}
	return strings.Join(lines, "\n")
}

// doctorPatience is how long to wait for a listing: a tool that cannot start fails at
// once.
const doctorPatience = 10 * time.Second

// list reports whether the tests can be listed, if that compiles nothing: an installed
// tool may still be useless in this project.
func list(ctx context.Context, d *api.Diagnosis, k *ledger.Keeper, p project.Project, r *api.ProjectReport) {
	l, err := k.PlanListing(ctx, p, sdk.ListRequest{Selected: true})
	if errors.Is(err, project.ErrNoListing) || err == nil && l.IsExclusive() {
		return
	}
	found := &testlist.FoundTests{Named: map[string]bool{}}
	bounded, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	if err == nil {
		err = l.Execute(bounded, doctorPatience, found)
	}
	found.Sort()
	var list api.TestList
	found.Summarize(&list)
	switch {
	case ctx.Err() != nil:
	case bounded.Err() != nil:
		r.Notes = append(r.Notes, api.Notes(api.NotePartly, fmt.Sprintf("the tests could not be listed within %v, so it is unknown whether they can be", doctorPatience))...)
	case err != nil:
		noteProblem(d, api.NoteTool, "the tests cannot be listed: "+firstLines(err.Error()))
	case !list.Complete:
		what := "not every test can be listed"
		if list.Total == 0 {
			what = "the tests cannot be listed"
		}
		noteProblem(d, api.NotePartly, what+": "+firstLines(strings.Join(list.Errors, "\n")))
	default:
		r.Tests = &api.TestsReport{Tests: list.Total, OnRequest: list.OnRequest, Suites: list.SuitesTotal, SuiteNoun: p.ID.SuiteNoun}
	}
}
