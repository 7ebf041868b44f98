package arguments

import (
	"fmt"
	"strings"
)

// Option is an option as given, or a word that belongs to none.
type Option struct {
	// Name is the canonical long name without dashes: "match-test" for --mt. It is
	// empty for a word that belongs to no option.
	Name string
	// Values are the words it takes.
	Values []string
	// Words is the option as it can be passed to forge again. The letters of "-vvs" are
	// three options, of one word each.
	Words []string
}

// Value returns the last of the option's values, or "".
func (o Option) Value() string {
	if len(o.Values) == 0 {
		return ""
	}
	return o.Values[len(o.Values)-1]
}

// List is a list of arguments.
type List []Option

// MissingValueError reports that the last option lacks its value.
type MissingValueError struct {
	// Option is the word as written.
	Option string
}

func (e *MissingValueError) Error() string { return fmt.Sprintf("%s needs a value", e.Option) }

// Parse parses words. Its only error is a [MissingValueError].
func Parse(words []string) (List, error) {
	var list List
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			for _, path := range words {
				list = append(list, Option{Values: []string{path}, Words: []string{"--", path}})
			}
			return list, nil
		case strings.HasPrefix(word, "--"):
			name, value, glued := strings.Cut(word[2:], "=")
			option := Option{Name: canonicalName(name), Words: []string{word}}
			if glued {
				option.Values = []string{value}
			}
			var err error
			if words, err = option.take(word, glued, words); err != nil {
				return list, err
			}
			list = append(list, option)
		case len(word) > 1 && word[0] == '-':
			options, rest, err := parseLetters(word, words)
			list = append(list, options...)
			if err != nil {
				return list, err
			}
			words = rest
		default:
			list = append(list, Option{Values: []string{word}, Words: []string{word}})
		}
	}
	return list, nil
}

// take moves the words that belong to an option into it. glued reports whether it
// already has a value after "=".
func (o *Option) take(written string, glued bool, words []string) ([]string, error) {
	count := 0
	switch arityOf(o.Name) {
	case none:
	case one:
		if glued {
			break
		}
		if len(words) == 0 {
			return nil, &MissingValueError{Option: written}
		}
		count = 1
	case optional:
		if !glued && len(words) > 0 && !isOption(words[0]) {
			count = 1
		}
	case many:
		for !glued && count < len(words) && !isOption(words[count]) {
			count++
		}
	}
	o.Values = append(o.Values, words[:count]...)
	o.Words = append(o.Words, words[:count]...)
	return words[count:], nil
}

func isOption(word string) bool { return len(word) > 1 && word[0] == '-' }

// parseLetters parses a word of one-letter options: "-vvj4".
func parseLetters(word string, words []string) (options List, rest []string, err error) {
	for i := 1; i < len(word); i++ {
		option := Option{Name: letterOption(word[i]), Words: []string{"-" + word[i:i+1]}}
		if option.Name == "" {
			// Nothing is known about what follows either.
			option.Name, option.Words = word[i:], []string{"-" + word[i:]}
			return append(options, option), words, nil
		}
		if arityOf(option.Name) == none {
			options = append(options, option)
			continue
		}
		value := strings.TrimPrefix(word[i+1:], "=")
		if value != "" {
			option.Values = []string{value}
			option.Words = append(option.Words, value)
		}
		words, err = option.take(option.Words[0], value != "", words)
		return append(options, option), words, err
	}
	return options, words, nil
}

// Get returns the value of the last option with a name.
func (l List) Get(name string) (value string, set bool) {
	for _, option := range l {
		if option.Name == name {
			value, set = option.Value(), true
		}
	}
	return value, set
}

// Count returns how often an option is given.
func (l List) Count(name string) int {
	n := 0
	for _, option := range l {
		if option.Name == name {
			n++
		}
	}
	return n
}

// Words returns the options that keep selects, in an order that can follow other
// arguments. Words that belong to no option come last: an option of many values would
// absorb them.
func (l List) Words(keep func(Option) bool) []string {
	var words, paths []string
	for _, option := range l {
		switch {
		case !keep(option):
		case option.Name == "":
			paths = append(paths, option.Value())
		default:
			words = append(words, option.Words...)
		}
	}
	if len(paths) > 0 {
		words = append(append(words, "--"), paths...)
	}
	return words
}
