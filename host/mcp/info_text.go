package mcp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// infoArguments is how many arguments of a command are told.
const infoArguments = 20

// text says the same in words: what is wrong first, and first of all where there is
// no workspace.
func (info infoObject) text() []string {
	var blocks []string
	if info.Message != "" {
		blocks = append(blocks, info.Message)
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	for _, p := range info.Problems {
		line("problem", "%s", strings.ReplaceAll(p, "\n", "\n            "))
	}
	if len(info.Searched) > 0 {
		line("searched", "%s (for plugins)", strings.Join(info.Searched, ", "))
	}
	if info.Workspace != "" {
		line("workspace", "%s (found by: %s)", info.Workspace, info.FoundBy)
		records := info.Records
		if records == "" {
			records = "none yet"
		}
		line("records", "%s", records)
	}
	for _, p := range info.Projects {
		line("project", "%s", p.Language)
		for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
			line("  tool", "%s %s", name, p.Tools[name])
		}
		for _, c := range p.Commands {
			line("  would run", "%s (in %s)", prose.ShellLine(c.Argv), c.Dir)
		}
		for _, u := range p.Untested {
			line("  untested", "%s", u)
		}
	}
	for _, r := range info.Running {
		line("running", "run %s of session %s, %s, %s", r.RunID, r.SessionID, r.Language, infoAge(r))
	}
	for _, r := range info.Queued {
		what := "who is busy with the workspace"
		if r.WaitsFor != "" {
			what = "run " + r.WaitsFor
		}
		line("queued", "run %s of this session waits for %s, %s", r.RunID, what, infoAge(r))
	}
	if info.Outstanding > 0 {
		line("outstanding", "%s: %s", info.outstanding, info.Next)
	}
	if info.Note != "" {
		line("note", "%s", info.Note)
	}
	line("session", "%s", info.SessionID)
	line("proctor", "%s", info.Version)
	for _, p := range info.Plugins {
		if p.Error == "" {
			line("plugin", "%s %s (%s) %s", p.Name, p.Version, p.Language, p.Path)
		} else {
			line("plugin", "%s does not work: %s", p.Name, p.Path)
		}
	}
	for _, r := range info.Refused {
		line("refused", "%s: %s", cmp.Or(r.Path, r.Name), r.Reason)
	}
	return append(blocks, strings.TrimSuffix(b.String(), "\n"))
}

func infoAge(r infoRun) string {
	return "for " + prose.Duration(time.Duration(r.AgeS*float64(time.Second)))
}

// infoArgv is a command of bounded length.
func infoArgv(argv []string) []string {
	var cut []string
	for _, a := range argv[:min(len(argv), infoArguments)] {
		cut = append(cut, cutText(a, infoBytes/4, prose.Line))
	}
	if left := len(argv) - len(cut); left > 0 {
		cut = append(cut, fmt.Sprintf("… [%d more]", left))
	}
	return cut
}

// infoSpot are the first of some files, each with its name alone and how it stands.
func infoSpot(spots []api.Spot) []api.Spot {
	var cut []api.Spot
	for _, s := range spots[:min(len(spots), infoSpots)] {
		cut = append(cut, api.Spot{
			File: infoText(s.File), Classification: s.Classification, Resolution: s.Resolution, FailedSessions: s.FailedSessions, Recurring: s.Recurring,
		})
	}
	return cut
}
