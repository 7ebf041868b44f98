package forge

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk"
)

// sourceDirs returns the directories that may hold sources.
func sourceDirs() []string { return []string{"src", "test", "script", "lib"} }

// checkSources rejects what must not be among sources. The host checks paths, too, but
// what protects the machine must not depend on that.
func checkSources(sources []sdk.SourceFile) error {
	if len(sources) == 0 {
		return invalidSources("there are no sources: give at least one .sol file below test/")
	}
	seen := map[string]string{}
	for _, source := range sources {
		if why := badPath(source.Path); why != "" {
			return invalidSources("%q cannot be a source: %s", source.Path, why)
		}
		folded := strings.ToLower(source.Path)
		if other, known := seen[folded]; known {
			return invalidSources("%q and %q are the same file on systems that ignore case: rename one", other, source.Path)
		}
		seen[folded] = source.Path
		if !utf8.Valid(source.Content) {
			return invalidSources("%q is not UTF-8 text: save it as UTF-8", source.Path)
		}
		if why := badConfiguration(string(source.Content)); why != "" {
			return invalidSources("%q cannot be a source: %s", source.Path, why)
		}
	}
	return nil
}

// badPath says what is wrong with a path; empty means nothing.
func badPath(name string) string {
	switch {
	case name == "" || path.Clean(name) != name || path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, `\`):
		return "its path must be relative and clean, with slashes"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "its path contains characters that are not text"
	}
	parts := strings.Split(name, "/")
	if slices.ContainsFunc(parts, func(part string) bool { return part[0] == '.' || strings.TrimSpace(part) != part }) {
		return "a part of its path begins with a dot, or begins or ends with a space"
	}
	if !strings.HasSuffix(name, ".sol") {
		return "only .sol files are accepted: proctor supplies the project's configuration, remappings and dependencies, because they decide what forge may do on this machine"
	}
	if len(parts) < 2 || !slices.Contains(sourceDirs(), parts[0]) {
		return "sources belong below " + strings.Join(sourceDirs(), "/, ") + "/, in this spelling: put tests below test/"
	}
	return ""
}

func invalidSources(format string, values ...any) error {
	return &sdk.Error{Reason: sdk.InvalidSources, Message: fmt.Sprintf(format, values...)}
}
