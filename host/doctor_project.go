package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// project looks at one project.
func (d *Diagnosis) project(ctx context.Context, h *Host, p project, thorough bool) ProjectReport {
	r := ProjectReport{Language: p.id.Language, Tools: p.ws.Tools, Commands: []record.Command{}}
	for _, m := range p.missing {
		r.Missing = append(r.Missing, m.Error())
		d.problem(m.Error())
	}
	for _, u := range p.untested {
		r.Untested = append(r.Untested, u.Path+": "+u.Reason)
	}
	for _, probe := range p.id.Probes {
		if out, ok := p.ws.Probes[probe.Name]; ok && out.ExitCode != 0 {
			d.problem(failedProbe(probe, out))
		}
	}
	plan, err := p.plugin.TestCmd(ctx, sdk.TestRequest{Workspace: p.ws, Deadline: DefaultTimeout})
	if err != nil {
		d.problem(err.Error())
		return r
	}
	r.Commands, r.Notes = commandsOf(plan), plan.Warnings
	if thorough && len(p.missing) == 0 {
		d.list(ctx, h, p, &r)
	}
	return r
}

// maxDoctorLines is how many lines of what a tool says are repeated.
const maxDoctorLines = 4

// failedProbe says how a probe failed.
func failedProbe(probe sdk.Probe, out sdk.ProbeOutput) string {
	text := fmt.Sprintf("`%s` ended with %d", report.CommandLine(probe.Argv), out.ExitCode)
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

// list tells whether the tests can be listed, where nothing is compiled for that: a tool
// that is there may be unable to do anything in this project.
func (d *Diagnosis) list(ctx context.Context, h *Host, p project, r *ProjectReport) {
	l, err := h.listing(ctx, p, sdk.ListRequest{Selected: true})
	if errors.Is(err, errNoListing) || err == nil && l.exclusive() {
		return
	}
	found := &foundTests{named: map[string]bool{}}
	bounded, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	if err == nil {
		err = l.execute(bounded, doctorPatience, found)
	}
	found.sort()
	var list record.TestList
	found.summarize(&list)
	switch {
	case ctx.Err() != nil:
	case bounded.Err() != nil:
		r.Notes = append(r.Notes, fmt.Sprintf("the tests could not be listed within %v, so that it is not known whether they can be", doctorPatience))
	case err != nil:
		d.problem("the tests cannot be listed: " + firstLines(err.Error()))
	case !list.Complete:
		what := "not every test can be listed"
		if list.Total == 0 {
			what = "the tests cannot be listed"
		}
		d.problem(what + ": " + firstLines(strings.Join(list.Errors, "\n")))
	default:
		r.Tests = &TestsReport{Tests: list.Total, Suites: list.SuitesTotal}
	}
}
