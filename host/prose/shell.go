package prose

import "strings"

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
