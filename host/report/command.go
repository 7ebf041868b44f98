package report

import "strings"

// scratch stands in a command for the directory of the files that the plugin gave
// it; see sdk.Scratch. It is gone with the command: nobody can paste what names it.
const scratch = "{scratch}"

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
