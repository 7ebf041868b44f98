package cli

import (
	"cmp"
	"fmt"
	"github.com/proctorhq/proctor/host/render"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/doctor"
	"github.com/proctorhq/proctor/host/prose"
)

func newDoctorCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show toolchains, plugins and what would run",
		Long: `Show what proctor sees: its plugins and where it looks for them, the workspace,
the toolchains, the commands that a run would execute, how many tests there are,
and what is wrong with any of these. No test is run and nothing is compiled. For
when no project or no program is found.

Exit codes: 0 nothing is wrong · 3 something is`,
		Example: `  proctor doctor
  proctor doctor -C path/to/project --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			d := doctor.Doctor(cmd.Context(), h, a.where())
			if len(d.Problems) > 0 {
				a.code = exitTool
			}
			return print(a, out, d, plainly(diagnosisText))
		},
	}
	out = newOutput(cmd, "an object")
	return cmd
}

func diagnosisText(d api.Diagnosis) string {
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
		for _, name := range sortedNames(p.Tools) {
			line("tool", "%s %s", name, p.Tools[name])
		}
		for _, c := range p.Commands {
			line("would run", "%s (in %s)", prose.CommandLine(c.Argv), c.Dir)
		}
		if n := p.Tests; n != nil {
			line("tests", "%d in %s", n.Tests, api.Plural(n.Suites, "suite"))
		}
		for _, u := range p.Untested {
			line("untested", "%s", u)
		}
		for _, n := range p.Notes {
			line("note", "%s", underItsLine(n))
		}
	}
	for _, p := range d.Problems {
		line("problem", "%s", underItsLine(p))
	}
	if advice := render.Advice(d.Advice); advice != "" {
		line("advice", "%s", advice)
	}
	if len(d.Problems) == 0 {
		line("ok", "nothing is wrong")
	}
	return prose.Plain(b.String())
}

// underItsLine puts the lines of a text below one another.
func underItsLine(text string) string { return strings.ReplaceAll(text, "\n", "\n           ") }

func sortedNames(m map[string]string) []string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
