package source

import (
	"path/filepath"
	"slices"
	"strings"
)

// Dependencies is what a go.mod file says about other modules.
type Dependencies struct {
	// Go is the version of the go line, such as "1.24"; empty if there is none.
	Go string
	// Lines are the require, replace and exclude directives, one each, that also hold
	// outside of the file's directory.
	Lines []string
	// Local are the modules replaced by a directory: such directives hold nowhere else,
	// so they are omitted.
	Local []string
}

// ReadDependencies reads the go.mod file of a module's directory.
func ReadDependencies(dir string) (Dependencies, error) {
	text, err := Reader{}.modText(filepath.Join(dir, "go.mod"))
	if err != nil {
		return Dependencies{}, err
	}
	file := parseModFile(text)
	deps := Dependencies{Go: file.goVersion}
	for module := range file.replaces {
		deps.Local = append(deps.Local, module)
	}
	slices.Sort(deps.Local)
	eachDirective(text, func(verb string, args []string) {
		switch verb {
		case "require", "replace", "exclude":
			if len(args) >= 2 && !slices.Contains(deps.Local, args[0]) && !slices.ContainsFunc(args, needsQuotes) {
				deps.Lines = append(deps.Lines, verb+" "+strings.Join(args, " "))
			}
		}
	})
	return deps, nil
}

// needsQuotes reports whether a word would need quotes. Module paths and versions never do.
func needsQuotes(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"`()[],\x7f", r) })
}
