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

// special tells the characters that some shell takes for something else.
func special(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("_./:=,@%+-", r)
}

// ShellWord quotes one argument, where it needs it; see POSIX.1 XCU 2.2.2.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
