package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/prose"
)

// many means no bound on the number of arguments.
const many = -1

// takes checks the number of positional arguments. Its error shows the command's usage.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usageErrorf(cmd, "an argument is missing: %s", usageLine(cmd))
		case most == 0 && len(args) > 0 && cmd.HasAvailableSubCommands():
			return unknownCommand(cmd, args[0])
		case most == 0 && len(args) > 0:
			return usageErrorf(cmd, "%s takes no arguments, such as %q", cmd.CommandPath(), args[0])
		case most != many && len(args) > most:
			return usageErrorf(cmd, "%d arguments are too many for %s; put quotes round a name with spaces", len(args), usageLine(cmd))
		}
		return nil
	}
}

// usageErrorf returns an error in how a command was called, which points to its help.
func usageErrorf(cmd *cobra.Command, format string, args ...any) error {
	return &flags.Error{Err: fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)}
}

// usageLine returns the usage of a command in one line.
func usageLine(cmd *cobra.Command) string {
	if parent := cmd.Parent(); parent != nil {
		return parent.CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

// unknownCommand suggests commands for an unknown one.
func unknownCommand(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = flags.MaxTypos
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		for i := range like {
			like[i] = "`" + cmd.CommandPath() + " " + like[i] + "`"
		}
		return &flags.Error{Err: fmt.Errorf("unknown command %q; did you mean %s?", word, strings.Join(like, " or "))}
	}
	return usageErrorf(cmd, "unknown command %q", word)
}

// wrongFlag rephrases an error of the flag parser.
func wrongFlag(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		value   *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &bare):
		name, _ := pflag.UnquoteUsage(bare.GetFlag())
		return usageErrorf(cmd, "--%s needs a value: %s", bare.GetFlag().Name, name)
	case errors.As(err, &value):
		return usageErrorf(cmd, "--%s: %s", value.GetFlag().Name, whyNoValue(value))
	}
	return usageErrorf(cmd, "%w", err)
}

// whyNoValue says why a flag rejects a value.
func whyNoValue(err *pflag.InvalidValueError) string {
	var number *strconv.NumError
	switch {
	case errors.As(err, &number) && number.Func == "ParseBool":
		return fmt.Sprintf("%q is neither true nor false; the flag alone means true", err.GetValue())
	case errors.As(err, &number):
		return fmt.Sprintf("%q is not a whole number", err.GetValue())
	}
	return err.Unwrap().Error()
}

// unknownFlag suggests flags for an unknown one: one of ours, or one of the runner's,
// which belongs after "--".
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name, dash := err.GetSpecifiedName(), "--"
	if short := err.GetSpecifiedShortnames(); short != "" {
		name, dash = short, "-"
	}
	name, _, _ = strings.Cut(name, "=")
	given := dash + prose.Line(name)
	if like := flags.Similar(cmd, name); like != "" {
		return &flags.Error{Err: fmt.Errorf("unknown flag: %s; did you mean `--%s`?", given, like)}
	}
	if flags.TakesRunnerArgs(cmd) {
		return usageErrorf(cmd, "unknown flag: %s; flags that proctor does not know go to the runner after --, as in `%s -- %s`", given, cmd.CommandPath(), given)
	}
	return usageErrorf(cmd, "unknown flag: %s", given)
}

// suggest adds common other words for commands, which an unknown command is compared with,
// and describes the completion command like the others.
func suggest(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		c.SuggestFor = map[string][]string{
			"run":      {"test", "exec", "tests"},
			"rerun":    {"retry", "outstanding", "status"},
			"failures": {"failed", "errors"},
			"output":   {"log", "logs"},
			"runs":     {"show", "list", "ls"},
			"covering": {"coverage", "cover", "index"},
			"plugin":   {"plugins", "install"},
		}[c.Name()]
		if c.Name() == "completion" {
			c.Short = "Print the completion script of a shell"
			c.Args, c.RunE = takes(0, 0), func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
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
