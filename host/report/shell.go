package report

import "strings"

// ShellLine writes a command so that it can be pasted into a shell.
func ShellLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = ShellWord(a)
	}
	return strings.Join(words, " ")
}

// plainWord holds the characters that no shell takes for anything else.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-"

// ShellWord quotes one argument, where it needs it; see POSIX.1 XCU 2.2.2.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, plainWord) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
