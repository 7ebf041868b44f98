package project

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// GivenFlag is a flag of the runner as the user gave it.
type GivenFlag struct {
	sdk.RunnerFlag
	// Words are the arguments that it consists of.
	Words []string
	// Argument is the value given with a flag that takes one.
	Argument string
}

// TakeFlag returns the declared flag that words begin with; ok reports whether they begin
// with one, and missing whether it lacks its value.
func TakeFlag(declared []sdk.RunnerFlag, words []string) (given GivenFlag, missing, ok bool) {
	name, value, hasValue := strings.Cut(words[0], "=")
	for _, f := range declared {
		if name != f.Name && (strings.HasPrefix(f.Name, "--") || len(f.Name) == 2 || name != "-"+f.Name) {
			continue
		}
		given = GivenFlag{RunnerFlag: f, Words: words[:1], Argument: value}
		if f.Value != "" && !hasValue {
			if len(words) == 1 {
				return given, true, true
			}
			given.Words, given.Argument = words[:2], words[1]
		}
		return given, false, true
	}
	return given, false, false
}

// SplitArgs splits the arguments for a runner into the declared flags that they begin
// with, and the rest, whose meaning only the plugin knows.
func SplitArgs(declared []sdk.RunnerFlag, words []string) (flags []GivenFlag, rest []string) {
	for len(words) > 0 {
		flag, missing, ok := TakeFlag(declared, words)
		if !ok || missing {
			break
		}
		flags, words = append(flags, flag), words[len(flag.Words):]
	}
	return flags, words
}
