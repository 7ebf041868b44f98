package prose

import "strings"

// CommandLine writes a command for a reader: the program without its directory, and
// without the names of files in the scratch directory, which can be as long as the
// rest and are others each time. [ShellLine] is the command itself.
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

// shownWord is an argument, quoted where it needs it for more than the scratch
// directory in it.
func shownWord(a string) string {
	parts := strings.Split(a, scratch+"/")
	if len(parts) == 1 {
		return ShellWord(a)
	}
	for i, p := range parts[1:] {
		// A list of files, as in a path variable, goes on behind a name.
		rest := strings.IndexAny(p, ",:;")
		if rest < 0 {
			rest = len(p)
		}
		parts[i+1] = p[rest:]
	}
	shown := strings.Join(parts, scratch+"/…")
	if strings.ContainsFunc(strings.Join(parts, ""), special) {
		return "'" + strings.ReplaceAll(shown, "'", `'\''`) + "'"
	}
	return shown
}

// ShellLine writes a command so that it can be pasted into a shell.
func ShellLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = ShellWord(a)
	}
	return strings.Join(words, " ")
}

// ShellWord quotes one argument, where it needs it; see POSIX.1 XCU 2.2.2.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
