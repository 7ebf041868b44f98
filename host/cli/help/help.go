package help

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// widest is the column at which the texts of flags are wrapped in a terminal of any width.
const widest = 96

// Help is the help of a command. In a workspace it is limited to what its languages take.
type Help struct {
	Cmd      *cobra.Command
	Projects []project.Project
	// Columns is the width of the terminal; 0 means that the help goes elsewhere.
	Columns int
}

// Write writes the whole help.
func (h Help) Write() {
	text := h.Cmd.Long
	if text == "" {
		text = h.Cmd.Short
	}
	fmt.Fprintf(h.Cmd.OutOrStdout(), "%s\n\n", h.fit(h.inItsWords(text)))
	h.WriteUsage()
}

// WriteUsage writes the part of a help below the text: synopsis, examples, subcommands
// and flags.
func (h Help) WriteUsage() {
	cmd, w := h.Cmd, h.Cmd.OutOrStdout()
	flags := h.flags()
	if cmd.HasParent() {
		fmt.Fprintln(w, "Usage:")
		if flags.HasAvailableFlags() || !cmd.HasAvailableSubCommands() {
			fmt.Fprintln(w, h.fold("  "+cmd.UseLine()))
		}
		if cmd.HasAvailableSubCommands() {
			fmt.Fprintf(w, "  %s COMMAND\n", cmd.CommandPath())
		}
		fmt.Fprintln(w)
		if cmd.HasExample() {
			fmt.Fprintln(w, "Examples:")
		}
	}
	if cmd.HasExample() {
		fmt.Fprintln(w, h.foldExamples(h.examples()))
	}
	h.writeCommands(w)
	if flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s\n", h.inItsWords(strings.TrimRight(flags.FlagUsagesWrapped(h.width()), " \n")))
	}
	h.writeRunners(w)
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintln(w, "\n"+h.fold("Flags of every command: -h, -q, -v, -C DIR, --color WHEN, --plugin NAME=PATH; see proctor --help"))
	}
	if !cmd.HasParent() {
		fmt.Fprintln(w, "\n"+h.fit(exitCodesHelp))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\n"+h.fold(cmd.CommandPath()+" COMMAND --help has examples and flags."))
	}
	if also := SeeAlso(strings.TrimPrefix(cmd.CommandPath(), "proctor ")); also != "" {
		fmt.Fprintln(w, "\n"+h.fold("See also: "+also))
	}
}

// exitCodesHelp is what proctor --help says of exit codes.
const exitCodesHelp = `Exit codes: 0 passed · 1 failed or did not build · 2 usage · 3 a tool failed · 4 nothing ran ·
5 passed, but more is outstanding · 6 incomplete · 124 timed out · 130 interrupted`

// flags returns the flags of a command, without those of every command and without what
// no language of the workspace takes.
func (h Help) flags() *pflag.FlagSet {
	own := pflag.NewFlagSet(h.Cmd.Name(), pflag.ContinueOnError)
	h.Cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if (f.Name != "help" || !h.Cmd.HasParent()) && h.takes(f.Name) {
			own.AddFlag(f)
		}
	})
	return own
}

// takes reports whether any language of the workspace takes a flag.
func (h Help) takes(flag string) bool {
	if len(h.Projects) == 0 {
		return true
	}
	return slices.ContainsFunc(h.Projects, func(p project.Project) bool {
		selects := func(s sdk.Selector) bool { return slices.Contains(p.ID.Selectors, s) }
		switch flag {
		case "package":
			return selects(sdk.SelectSuites)
		case "filter":
			return selects(sdk.SelectTestPattern)
		case "match-path":
			return selects(sdk.SelectPathPattern)
		case "match-contract":
			return selects(sdk.SelectSuitePattern)
		case "evm-version":
			return slices.ContainsFunc(p.ID.RunnerFlags, func(f sdk.RunnerFlag) bool { return f.Name == "--evm-version" })
		case "seed":
			return p.ID.Seed
		case "precise":
			return p.ID.Locate
		case "cover", "no-cover":
			return p.ID.Cover
		case "cached", "no-cached":
			return p.ID.Cached
		case "lang":
			return len(h.Projects) > 1
		case "gas":
			return p.ID.Language == report.ForgeLanguage
		}
		return true
	})
}

// examples returns the examples that mean something to a language of the workspace.
func (h Help) examples() string {
	var lines []string
	for line := range strings.Lines(h.Cmd.Example) {
		means := true
		for _, word := range strings.Fields(line) {
			if name, ok := strings.CutPrefix(word, "--"); ok {
				name, _, _ = strings.Cut(name, "=")
				means = means && h.takes(name)
			} else if strings.HasPrefix(word, "./") {
				means = means && h.takes("package")
			}
		}
		if means {
			lines = append(lines, line)
		}
	}
	return strings.TrimRight(strings.Join(lines, ""), "\n")
}

// inItsWords calls a suite what the workspace's only language calls it, and does not say
// which language a flag belongs to.
func (h Help) inItsWords(text string) string {
	if len(h.Projects) != 1 {
		return text
	}
	return strings.ReplaceAll(prose.InWords(text, h.Projects[0].ID.SuiteNoun), api.Foundry+": ", "")
}

// writeRunners names the flags of the runners that a command takes as they are.
func (h Help) writeRunners(w io.Writer) {
	if !flags.TakesRunnerArgs(h.Cmd) {
		return
	}
	if len(h.Projects) == 0 {
		fmt.Fprintln(w, "\n"+h.fold("The runner's own flags are taken as they are; -- precedes those that proctor does not know."))
	}
	for _, p := range h.Projects {
		declared := slices.Clone(p.ID.RunnerFlags)
		slices.SortStableFunc(declared, func(a, b sdk.RunnerFlag) int {
			switch {
			case a.Harmless == b.Harmless:
				return 0
			case a.Harmless:
				return -1
			}
			return 1
		})
		fmt.Fprintf(w, "\nFlags of the runner (%s), taken as they are:\n", prose.Line(p.ID.Language))
		line := " "
		for _, f := range declared {
			if len(line)+len(f.Name) >= h.width() {
				fmt.Fprintln(w, line)
				line = " "
			}
			line += " " + prose.Line(f.Name)
		}
		fmt.Fprintln(w, line+"\n  and others after --")
	}
}

// writeCommands lists the subcommands of a command: those of proctor itself in groups.
func (h Help) writeCommands(w io.Writer) {
	cmd := h.Cmd
	if !cmd.HasAvailableSubCommands() {
		return
	}
	known := map[string]*cobra.Command{}
	all := Group{Title: "Commands"}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && h.takes(c.Name()) {
			known[c.Name()] = c
			all.Commands = append(all.Commands, c.Name())
		}
	}
	padding := 0
	for _, c := range known {
		padding = c.NamePadding() // the same for all
	}
	groups := []Group{all}
	if !cmd.HasParent() {
		groups = Groups()
	}
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s:\n", group.Title)
		for _, name := range group.Commands {
			if c := known[name]; c != nil {
				fmt.Fprintln(w, h.fold(fmt.Sprintf("  %-*s  %s", padding, name, c.Short)))
			}
		}
	}
	if !cmd.HasParent() {
		fmt.Fprintln(w, "\n"+h.fold("Less often needed: "+strings.Join(Others(), ", ")))
	}
}
