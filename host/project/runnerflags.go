package project

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
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

// FindHarmful returns the first word for a runner that only the user may give, since it may
// have something executed, read or written, or rewrites what tests compare with; empty if
// there is none. unknown reports whether the plugin does not declare it.
func FindHarmful(declared []sdk.RunnerFlag, words []string) (word string, unknown bool) {
	for len(words) > 0 {
		f, missing, ok := TakeFlag(declared, words)
		if !ok || missing || !f.Harmless || f.Effect == sdk.FlagUpdates || len(f.Words) > 1 && strings.HasPrefix(f.Argument, "-") {
			return words[0], !ok || missing
		}
		words = words[len(f.Words):]
	}
	return "", false
}

// CheckHarmless refuses words for a project's runner that only the user may give.
func CheckHarmless(p Project, words []string) error {
	word, unknown := FindHarmful(p.ID.RunnerFlags, words)
	if word == "" {
		return nil
	}
	word = prose.Line(word)
	if !unknown {
		return &api.UsageError{
			Reason: fmt.Sprintf("flag %s may have something executed, read or written beside the tests", word),
			Fix:    "only a user at the command line can give it",
		}
	}
	var takes []string
	for _, f := range p.ID.RunnerFlags {
		if f.Harmless && f.Effect != sdk.FlagUpdates {
			takes = append(takes, f.Name)
		}
	}
	return &api.UsageError{Reason: fmt.Sprintf("%s takes no flag %q, or it lacks its value", p.ID.Language, word), Fix: "its flags are " + strings.Join(takes, ", ")}
}

// WithoutUpdates returns arguments without the declared flags that make tests rewrite what
// they expect.
func WithoutUpdates(declared []sdk.RunnerFlag, words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return strings.HasPrefix(word, "-") && slices.ContainsFunc(declared, func(f sdk.RunnerFlag) bool {
			return f.Effect == sdk.FlagUpdates && strings.TrimLeft(name, "-") == strings.TrimLeft(f.Name, "-")
		})
	})
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
