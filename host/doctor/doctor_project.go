package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/testlist"
	"github.com/proctorhq/proctor/sdk"
)

// diagnoseProject looks at one project.
func diagnoseProject(ctx context.Context, d *api.Diagnosis, h *ledger.Keeper, p project.Project, thorough bool) api.ProjectReport {
	r := api.ProjectReport{Language: p.ID.Language, Tools: p.Ws.Tools, Commands: []api.Command{}}
	for _, m := range p.Missing {
		r.Missing = append(r.Missing, m.Error())
		problem(d, m.Error())
	}
	for _, u := range p.Untested {
		r.Untested = append(r.Untested, u.Path+": "+u.Reason)
	}
	for _, probe := range p.ID.Probes {
		if out, ok := p.Ws.Probes[probe.Name]; ok && out.ExitCode != 0 {
			problem(d, failedProbe(probe, out))
		}
	}
	plan, err := p.Plugin.TestCmd(ctx, sdk.TestRequest{Workspace: p.Ws, Deadline: api.DefaultTimeout})
	if err != nil {
		problem(d, err.Error())
		return r
	}
	r.Commands, r.Notes = engine.CommandsOf(plan), plan.Warnings
	if thorough && len(p.Missing) == 0 {
		list(ctx, d, h, p, &r)
	}
	return r
}

// maxDoctorLines is how many lines of what a tool says are repeated.
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

// doctorPatience is for how long a doctor waits for a listing: a tool that cannot begin
// at all says so at once.
const doctorPatience = 10 * time.Second

// list reports whether the tests can be listed, where nothing is compiled for that: a tool
// that is there may be unable to do anything in this project.
func list(ctx context.Context, d *api.Diagnosis, h *ledger.Keeper, p project.Project, r *api.ProjectReport) {
	l, err := h.Listing(ctx, p, sdk.ListRequest{Selected: true})
	if errors.Is(err, project.ErrNoListing) || err == nil && l.Exclusive() {
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
		r.Notes = append(r.Notes, fmt.Sprintf("the tests could not be listed within %v, so that it is not known whether they can be", doctorPatience))
	case err != nil:
		problem(d, "the tests cannot be listed: "+firstLines(err.Error()))
	case !list.Complete:
		what := "not every test can be listed"
		if list.Total == 0 {
			what = "the tests cannot be listed"
		}
		problem(d, what+": "+firstLines(strings.Join(list.Errors, "\n")))
	default:
		r.Tests = &api.TestsReport{Tests: list.Total, Suites: list.SuitesTotal}
	}
}
