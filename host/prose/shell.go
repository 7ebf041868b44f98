package prose

import (
	"errors"
	"strings"
)

// CommandLine formats a command for a reader: the program without its directory, and
// without the file names in the scratch directory, which are long and differ each time.
// [ShellLine] is the exact command.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		if i == 0 {
			a = a[strings.LastIndexAny(a, `/\`)+1:]
		}
		words[i] = shownWord(a)
	}
	return strings.Join(words, " ")
}

// shownWord formats an argument, quoted if anything but the scratch directory requires
// it.
func shownWord(a string) string {
	parts := strings.Split(a, scratch+"/")
	if len(parts) == 1 {
		return ShellWord(a)
	}
	for i, p := range parts[1:] {
		// In a list of files, such as a path variable, more follows the name.
		rest := strings.IndexAny(p, ",:;")
		if rest < 0 {
			rest = len(p)
		}
		parts[i+1] = p[rest:]
	}
	shown := strings.Join(parts, scratch+"/…")
	if strings.ContainsFunc(strings.Join(parts, ""), isSpecial) {
		return "'" + strings.ReplaceAll(shown, "'", `'\''`) + "'"
	}
	return shown
}

// ShellLine formats a command for pasting into a shell.
func ShellLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = ShellWord(a)
	}
	return strings.Join(words, " ")
}

// ShellWord quotes an argument if needed; see POSIX.1 XCU 2.2.2.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, isSpecial) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// SplitShellLine splits a command into words as a shell does, without expanding
// anything: the reverse of [ShellLine].
func SplitShellLine(line string) (words []string, err error) {
	var word strings.Builder
	begun, quote := false, rune(0)
	letters := []rune(line)
	for i := 0; i < len(letters); i++ {
		r := letters[i]
		escapes := r == '\\' && quote != '\''
		switch {
		case escapes && i+1 == len(letters):
			return nil, errors.New("it ends with a backslash")
		case escapes && (quote == 0 || strings.ContainsRune("\"\\$`\n", letters[i+1])):
			i++
			begun = true
			if letters[i] != '\n' {
				word.WriteRune(letters[i])
			}
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && strings.ContainsRune(" \t\n", r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
