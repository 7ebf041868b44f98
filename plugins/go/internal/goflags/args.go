package goflags

import (
	"fmt"
	"slices"
)

// Args are the arguments of "go test", sorted by what the go command does with them.
type Args struct {
	// Flags are those of the go command.
	Flags []Flag
	// Packages are the patterns of packages.
	Packages []string
	// Unknown are flags for the test binary, with their possible values. The go command
	// accepts no package after them.
	Unknown []string
	// Tail are further words for the test binary, such as those after -args.
	Tail []string
}

// MissingValueError reports a flag at the end that needs a value.
type MissingValueError struct{ Flag string }

// Error names the flag.
func (e *MissingValueError) Error() string {
	return fmt.Sprintf("the flag %s of go test needs a value", e.Flag)
}

// Parse sorts arguments like the go command (cmd/go, testFlags): flags may be anywhere,
// packages only in one sequence and before any unknown flag.
func Parse(words []string) (Args, error) {
	var args Args
	inPackages, packagesDone, maybeValue := false, false, false
	for at := 0; at < len(words); at++ {
		word := words[at]
		wasMaybeValue := maybeValue
		maybeValue = false
		name, value, hasValue, isFlag := cutFlag(word)
		needed, known := takesValue(name)
		switch {
		case word == "--":
			args.Tail = slices.Clone(words[at:])
			return args, nil
		case isFlag && name == "args" && !hasValue:
			args.Tail = slices.Clone(words[at+1:])
			return args, nil
		case !isFlag && packagesDone && wasMaybeValue:
			args.Unknown = append(args.Unknown, word)
		case !isFlag && packagesDone:
			args.Tail = slices.Clone(words[at:])
			return args, nil
		case !isFlag:
			inPackages = true
			args.Packages = append(args.Packages, word)
		case !known:
			packagesDone, maybeValue = true, !hasValue
			args.Unknown = append(args.Unknown, word)
		default:
			packagesDone = packagesDone || inPackages
			flag := Flag{Name: name, Value: value, Words: []string{word}}
			switch {
			case hasValue:
			case !needed:
				flag.Value = "true"
			case at+1 == len(words):
				return Args{}, &MissingValueError{Flag: word}
			default:
				at++
				flag.Value = words[at]
				flag.Words = append(flag.Words, words[at])
			}
			args.Flags = append(args.Flags, flag)
		}
	}
	return args, nil
}

// Get returns the value of a flag; the last one counts.
func (a Args) Get(name string) (value string, set bool) {
	for _, flag := range slices.Backward(a.Flags) {
		if flag.Name == name {
			return flag.Value, true
		}
	}
	return "", false
}

// Words returns the flags of the go command that keep selects, as written.
func (a Args) Words(keep func(Flag) bool) []string {
	var words []string
	for _, flag := range a.Flags {
		if keep(flag) {
			words = append(words, flag.Words...)
		}
	}
	return words
}

// Trailing returns what follows the packages.
func (a Args) Trailing() []string {
	words := slices.Clone(a.Unknown)
	if len(a.Tail) > 0 {
		words = append(append(words, "-args"), a.Tail...)
	}
	return words
}
