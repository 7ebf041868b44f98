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

// takes checks the number of positional arguments. Its error shows how to write the
// command.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misuse(cmd, "an argument is missing: %s", usageLine(cmd))
		case most == 0 && len(args) > 0 && cmd.HasAvailableSubCommands():
			return unknownCommand(cmd, args[0])
		case most == 0 && len(args) > 0:
			return misuse(cmd, "%s takes no argument such as %q", cmd.CommandPath(), args[0])
		case most != many && len(args) > most:
			return misuse(cmd, "%d arguments are too many for %s; put quotes round a name with spaces", len(args), usageLine(cmd))
		}
		return nil
	}
}

// misuse is an error in how a command was called. It says where the help is.
func misuse(cmd *cobra.Command, format string, args ...any) error {
	return &flags.Error{Err: fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)}
}

// usageLine shows how to write a command.
func usageLine(cmd *cobra.Command) string {
	if parent := cmd.Parent(); parent != nil {
		return parent.CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

// unknownCommand suggests commands for an unknown one.
func unknownCommand(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = flags.Slips
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		for i := range like {
			like[i] = "`" + cmd.CommandPath() + " " + like[i] + "`"
		}
		return &flags.Error{Err: fmt.Errorf("unknown command %q; did you mean %s?", word, strings.Join(like, " or "))}
	}
	return misuse(cmd, "unknown command %q", word)
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
		return misuse(cmd, "--%s needs a value: %s", bare.GetFlag().Name, name)
	case errors.As(err, &value):
		return misuse(cmd, "--%s: %s", value.GetFlag().Name, whyNoValue(value))
	}
	return misuse(cmd, "%w", err)
}

// whyNoValue says why a flag rejects a value. A flag of proctor's own says so itself.
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
		return misuse(cmd, "unknown flag: %s; flags that proctor does not know go to the runner after --, as in `%s -- %s`", given, cmd.CommandPath(), given)
	}
	return misuse(cmd, "unknown flag: %s", given)
}

// suggest lets common other words mean a command of ours, and names the completion
// command like the others.
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
		}
	}
}
