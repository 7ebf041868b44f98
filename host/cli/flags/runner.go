package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// MaxTypos is by how many letters a word may differ from one that is suggested for it.
const MaxTypos = 2

// Error says what is wrong with the arguments.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// TakesRunnerArgs reports whether a command takes arguments for the runner.
func TakesRunnerArgs(cmd *cobra.Command) bool { return strings.Contains(cmd.Use, "-- RUNNER ARGS") }

// MoveRunnerFlags moves the runner's flags behind "--", so that users can type them
// anywhere. If in doubt, a flag is proctor's own. declare asks the workspace's plugins
// which flags the runner has; it is only called if there is a flag that proctor does not
// know.
func MoveRunnerFlags(root *cobra.Command, args []string, declare func() ([]sdk.RunnerFlag, error)) ([]string, error) {
	cmd, rest, err := root.Find(args)
	if err != nil || !TakesRunnerArgs(cmd) {
		return args, nil
	}
	cmd.InitDefaultHelpFlag()
	var behind []string
	dash := slices.Index(rest, "--")
	if dash >= 0 {
		rest, behind = rest[:dash], rest[dash+1:]
	}
	var own, runners []string
	var declared []sdk.RunnerFlag
	asked := false
	for len(rest) > 0 {
		n, known := countOwn(cmd, rest)
		if !known && !asked {
			asked = true
			if declared, err = declare(); err != nil {
				return nil, err
			}
		}
		if flag, missing, ok := project.TakeFlag(declared, rest); ok && (!known || len(rest[0]) > 2 && rest[0][1] != '-') {
			if missing {
				return nil, &Error{Err: fmt.Errorf("%s needs a value: %s; see %s --help", flag.Name, flag.Value, cmd.CommandPath())}
			}
			runners, n = append(runners, flag.Words...), len(flag.Words)
		} else if !known && strings.HasPrefix(strings.TrimLeft(rest[0], "-"), "test.") {
			// pflag skips these without a word.
			return nil, &Error{Err: fmt.Errorf("unknown flag: %s; flags that proctor does not know go to the runner after --, as in `%s -- %s`", rest[0], cmd.CommandPath(), rest[0])}
		} else if other := Instead(cmd, rest[0]); !known && other != "" {
			return nil, &Error{Err: fmt.Errorf("unknown flag: %s; use %s", rest[0], other)}
		} else if like := nearestRunnerFlag(cmd, declared, rest[0]); !known && like != "" {
			return nil, &Error{Err: fmt.Errorf("unknown flag: %s; did you mean `%s`?", rest[0], like)}
		} else {
			own = append(own, rest[:n]...)
		}
		rest = rest[n:]
	}
	moved := append(strings.Fields(cmd.CommandPath())[1:], own...)
	if words := append(runners, behind...); len(words) > 0 || dash >= 0 {
		moved = append(append(moved, "--"), words...)
	}
	return moved, nil
}

// countOwn returns how many words the first argument takes with its value. known reports
// whether it is a flag of the command, or no flag. A word such as -race, which may be a row
// of short flags or a flag of the runner, is not known.
func countOwn(cmd *cobra.Command, words []string) (n int, known bool) {
	word := words[0]
	name, isLong := strings.CutPrefix(word, "--")
	switch {
	case len(word) < 2 || word[0] != '-':
		return 1, true
	case !isLong && len(word) > 2:
		return 1, false
	}
	name, _, hasValue := strings.Cut(name, "=")
	flag := cmd.Flag(name)
	if !isLong {
		if flag = cmd.Flags().ShorthandLookup(word[1:]); flag == nil {
			flag = cmd.InheritedFlags().ShorthandLookup(word[1:])
		}
	}
	if flag == nil {
		return 1, false
	}
	if hasValue || flag.NoOptDefVal != "" || len(words) == 1 {
		return 1, true
	}
	return 2, true
}

// nearestRunnerFlag returns the runner's flag with the name nearest to an unknown one; empty
// if none is near, or a flag of the command is nearer.
func nearestRunnerFlag(cmd *cobra.Command, declared []sdk.RunnerFlag, word string) string {
	word, _, _ = strings.Cut(word, "=")
	bare := strings.TrimLeft(word, "-")
	var names []string
	for _, f := range declared {
		names = append(names, strings.TrimLeft(f.Name, "-"))
	}
	at, distance := nearest(names, bare)
	if at < 0 {
		return ""
	}
	if strings.HasPrefix(word, "--") {
		if i, d := nearest(longNames(cmd), bare); i >= 0 && d <= distance {
			return ""
		}
	}
	return declared[at].Name
}

// Similar returns the flag of a command with the nearest name; empty if none is near.
func Similar(cmd *cobra.Command, name string) string {
	names := longNames(cmd)
	if at, _ := nearest(names, name); at >= 0 {
		return names[at]
	}
	return ""
}

func longNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && len(f.Name) > 2 {
			names = append(names, f.Name)
		}
	})
	return names
}

// nearest returns the index of the name that is nearest to a mistyped one, and how far it
// is; -1 if none is near. The beginning of a name is near, too.
func nearest(names []string, word string) (at, least int) {
	at, least = -1, MaxTypos+1
	if len(word) <= 2 {
		return at, least
	}
	for i, name := range names {
		d := prose.Distance(word, name, MaxTypos)
		if d > MaxTypos && strings.HasPrefix(name, word) {
			d = MaxTypos
		}
		if d < least {
			at, least = i, d
		}
	}
	return at, least
}
