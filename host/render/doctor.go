package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Diagnosis formats what proctor sees, one thing a line.
func Diagnosis(d api.Diagnosis) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("proctor", "%s", d.Version)
	line("session", "%s", d.SessionID)
	line("searched", "%s", strings.Join(d.Searched, ", "))
	for _, p := range d.Plugins {
		if p.Error == "" {
			line("plugin", "%s %s (%s) %s", p.Name, p.Version, p.Language, p.Path)
		}
	}
	for _, r := range d.Refused {
		line("refused", "%s: %s", cmp.Or(r.Path, r.Name), r.Reason)
	}
	if d.Workspace != "" {
		line("workspace", "%s", d.Workspace)
		line("records", "%s", cmp.Or(d.Records, "none yet"))
	}
	for _, p := range d.Projects {
		for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
			line("tool", "%s %s", name, p.Tools[name])
		}
		for _, c := range p.Commands {
			line("would run", "%s (in %s)", prose.CommandLine(c.Argv), c.Dir)
		}
		if n := p.Tests; n != nil {
			text := fmt.Sprintf("%d in %s", n.Tests, api.Plural(n.Suites, cmp.Or(n.SuiteNoun, "suite")))
			if n.OnRequest > 0 {
				text += fmt.Sprintf("; %d only run on request", n.OnRequest)
			}
			line("tests", "%s", text)
		}
		for _, u := range p.Untested {
			line("untested", "%s", u)
		}
		for _, n := range p.Notes {
			line("note", "%s", underItsLine(Style{}.note(n)))
		}
	}
	for _, p := range d.Problems {
		line("problem", "%s", underItsLine(p.Text))
		if advice := Advice(p.Advice); advice != "" {
			line("advice", "%s", advice)
		}
	}
	if len(d.Problems) == 0 {
		line("ok", "nothing is wrong")
	}
	return prose.Plain(b.String())
}

// underItsLine aligns the lines of a text.
func underItsLine(text string) string { return strings.ReplaceAll(text, "\n", "\n           ") }
