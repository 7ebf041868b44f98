package cli

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
	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// helpWidth is the column at which the texts of flags are wrapped.
const helpWidth = 96

// commandGroup is a heading of proctor --help, with its commands in their order.
type commandGroup struct {
	title    string
	commands []string
}

// commandGroups puts every command under a heading, by purpose.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Run tests", []string{"run", "rerun", "watch", "triage", "merge", "timings"}},
		{"Ask about them", []string{"failures", "output", "why", "diff", "history", "covering", "gas"}},
		{"Keep the record", []string{"runs", "report", "quarantine", "ingest"}},
		{"Set up", []string{"doctor", "mcp", "plugin", "completion", "version"}},
	}
}

// seeAlso names related commands.
func seeAlso(command string) string {
	return map[string]string{
		"run":            "proctor rerun, proctor failures, proctor watch",
		"rerun":          "proctor run -f REGEX (one test), proctor triage",
		"watch":          "proctor run --affected, proctor rerun",
		"triage":         "proctor why (what changed), proctor history defer (set a test aside)",
		"failures":       "proctor output TEST (the whole output), proctor why TEST, proctor rerun",
		"output":         "proctor failures, proctor runs show",
		"why":            "proctor history TEST, proctor triage, proctor diff",
		"history":        "proctor why TEST, proctor runs",
		"history defer":  "proctor triage, proctor rerun --list",
		"runs":           "proctor failures, proctor diff RUN RUN",
		"runs show":      "proctor runs (run ids), proctor failures, proctor diff",
		"diff":           "proctor runs (run ids), proctor why TEST",
		"covering":       "proctor run --affected",
		"covering index": "proctor covering, proctor run --affected",
		"ingest":         "proctor runs import",
		"merge":          "proctor run --shard, proctor timings, proctor report",
		"timings":        "proctor run --shard, proctor history --slow",
		"report":         "proctor run --report FORMAT=FILE, proctor runs (run ids)",
		"mcp context":    "proctor history --recurring, proctor rerun --list",
		"doctor":         "proctor plugin list, proctor version",
	}[command]
}

// help is the help of a command. In a workspace it is limited to what its languages take.
type help struct {
	cmd      *cobra.Command
	projects []project.Project
}

// write writes the whole help.
func (h help) write() {
	text := h.cmd.Long
	if text == "" {
		text = h.cmd.Short
	}
	fmt.Fprintf(h.cmd.OutOrStdout(), "%s\n\n", h.inItsWords(text))
	h.writeUsage()
}

// writeUsage writes the part of a help below the text: synopsis, examples, subcommands
// and flags.
func (h help) writeUsage() {
	cmd, w := h.cmd, h.cmd.OutOrStdout()
	flags := h.flags()
	if cmd.HasParent() {
		fmt.Fprintln(w, "Usage:")
		if flags.HasAvailableFlags() || !cmd.HasAvailableSubCommands() {
			fmt.Fprintf(w, "  %s\n", cmd.UseLine())
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
		fmt.Fprintln(w, h.examples())
	}
	h.writeCommands(w)
	if flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s\n", h.inItsWords(strings.TrimRight(flags.FlagUsagesWrapped(helpWidth), " \n")))
	}
	h.writeRunners(w)
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintln(w, "\nFlags of every command: -h, -q, -v, -C DIR, --color WHEN, --plugin NAME=PATH; see proctor --help")
	}
	if !cmd.HasParent() {
		fmt.Fprint(w, exitCodesHelp)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help has examples and flags.\n", cmd.CommandPath())
	}
	if also := seeAlso(strings.TrimPrefix(cmd.CommandPath(), "proctor ")); also != "" {
		fmt.Fprintf(w, "\nSee also: %s\n", also)
	}
}

// exitCodesHelp is what proctor --help says of exit codes.
const exitCodesHelp = `
Exit codes: 0 passed · 1 failed or did not build · 2 usage · 3 a tool failed · 4 nothing ran
5 passed, but more is outstanding · 6 incomplete · 124 timed out · 130 interrupted
`

// flags returns the flags of a command, without those of every command and without what
// no language of the workspace takes.
func (h help) flags() *pflag.FlagSet {
	own := pflag.NewFlagSet(h.cmd.Name(), pflag.ContinueOnError)
	h.cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if (f.Name != "help" || !h.cmd.HasParent()) && h.takes(f.Name) {
			own.AddFlag(f)
		}
	})
	return own
}

// takes reports whether any language of the workspace takes a flag.
func (h help) takes(flag string) bool {
	if len(h.projects) == 0 {
		return true
	}
	return slices.ContainsFunc(h.projects, func(p project.Project) bool {
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
			return len(h.projects) > 1
		case "gas":
			return p.ID.Language == report.ForgeLanguage
		}
		return true
	})
}

// examples returns the examples that mean something to a language of the workspace.
func (h help) examples() string {
	var lines []string
	for line := range strings.Lines(h.cmd.Example) {
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

var suiteWord = lazyregexp.New(`(^|[^-.\w])suite(s?)\b`)

// inItsWords calls a suite what the workspace's only language calls it, and does not say
// which language a flag belongs to.
func (h help) inItsWords(text string) string {
	if len(h.projects) != 1 {
		return text
	}
	if noun := h.projects[0].ID.SuiteNoun; noun != "" {
		text = suiteWord.ReplaceAllString(text, "${1}"+prose.Line(noun)+"${2}")
	}
	return strings.ReplaceAll(text, api.Foundry+": ", "")
}

// writeRunners names the flags of the runners that a command takes as they are.
func (h help) writeRunners(w io.Writer) {
	if !flags.TakesRunnerArgs(h.cmd) {
		return
	}
	if len(h.projects) == 0 {
		fmt.Fprintln(w, "\nThe runner's own flags are taken as they are; -- precedes those that proctor does not know.")
	}
	for _, p := range h.projects {
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
			if len(line)+len(f.Name) >= helpWidth {
				fmt.Fprintln(w, line)
				line = " "
			}
			line += " " + prose.Line(f.Name)
		}
		fmt.Fprintln(w, line+"\n  and others after --")
	}
}

// writeCommands lists the subcommands of a command: those of proctor itself in groups.
func (h help) writeCommands(w io.Writer) {
	cmd := h.cmd
	if !cmd.HasAvailableSubCommands() {
		return
	}
	known := map[string]*cobra.Command{}
	all := commandGroup{title: "Commands"}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && h.takes(c.Name()) {
			known[c.Name()] = c
			all.commands = append(all.commands, c.Name())
		}
	}
	padding := 0
	for _, c := range known {
		padding = c.NamePadding() // the same for all
	}
	groups := []commandGroup{all}
	if !cmd.HasParent() {
		groups = commandGroups()
	}
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s:\n", group.title)
		for _, name := range group.commands {
			if c := known[name]; c != nil {
				fmt.Fprintf(w, "  %-*s %s\n", padding, name, c.Short)
			}
		}
	}
}

// helpCommand is proctor help COMMAND.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]...",
		DisableFlagsInUseLine: true,
		Short:                 "Show the help of a command, like proctor COMMAND --help",
		Example: `  proctor help run
  proctor help plugin install`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			within, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range within.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = unknownCommand(found, rest[0])
			}
			if err != nil {
				return &flags.Error{Err: err}
			}
			found.InitDefaultHelpFlag()
			found.SetContext(cmd.Context())
			return found.Help()
		},
	}
}
