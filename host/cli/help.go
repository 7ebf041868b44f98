package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/cli/flags"
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
		{"Run tests", []string{"run", "rerun", "watch", "triage"}},
		{"Ask about them", []string{"failures", "output", "why", "diff", "history", "covering", "gas"}},
		{"Keep the record", []string{"runs", "quarantine", "ingest"}},
		{"Set up", []string{"doctor", "mcp", "plugin", "completion", "help"}},
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
		"mcp context":    "proctor history --recurring, proctor rerun --list",
		"doctor":         "proctor plugin list",
	}[command]
}

// usage writes the part of a help below the text: synopsis, examples, subcommands and
// flags.
func usage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprintln(w, "Usage:")
	if flags := ownFlags(cmd); cmd.HasParent() && (flags.HasAvailableFlags() || !cmd.HasAvailableSubCommands()) {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	writeCommands(w, cmd)
	if flags := ownFlags(cmd); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s\n", strings.TrimRight(flags.FlagUsagesWrapped(helpWidth), " \n"))
	}
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintln(w, "\nFlags of every command: -h, -q, -v, -C DIR, --color WHEN, --plugin NAME=PATH; see proctor --help")
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help has examples and flags.\n", cmd.CommandPath())
	}
	if also := seeAlso(strings.TrimPrefix(cmd.CommandPath(), "proctor ")); also != "" {
		fmt.Fprintf(w, "\nSee also: %s\n", also)
	}
	return nil
}

// ownFlags returns the flags of a command without those of every command.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	own := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" || !cmd.HasParent() {
			own.AddFlag(f)
		}
	})
	return own
}

// writeCommands lists the subcommands of a command: those of proctor itself in groups.
func writeCommands(w io.Writer, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	known := map[string]*cobra.Command{}
	all := commandGroup{title: "Commands"}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			known[c.Name()] = c
			all.commands = append(all.commands, c.Name())
		}
	}
	groups := []commandGroup{all}
	if !cmd.HasParent() {
		groups = commandGroups()
	}
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s:\n", group.title)
		for _, name := range group.commands {
			if c := known[name]; c != nil {
				fmt.Fprintf(w, "  %-*s %s\n", cmd.NamePadding(), name, c.Short)
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
			return found.Help()
		},
	}
}
