package upload

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxFiles is the number of files of a source set.
	maxFiles = 500
	// maxPath and maxName keep a path usable on every system, even below a long
	// temporary directory.
	maxPath = 240
	maxName = 120
)

// checkFiles validates a source set: each path, and all of them together. The error is a
// [*refusedError].
func checkFiles(files []sdk.SourceFile) error {
	if len(files) == 0 {
		return &refusedError{Rule: "there are no files", Fix: "give at least one file"}
	}
	if len(files) > maxFiles {
		return tooMany()
	}
	size := 0
	paths := make([]string, len(files))
	for i, f := range files {
		if err := checkPath(f.Path); err != nil {
			return err
		}
		paths[i] = f.Path
		if size += len(f.Path) + len(f.Content); size > sdk.MaxSources {
			return tooLarge()
		}
	}
	return checkTree(paths)
}

func tooMany() error {
	return &refusedError{Rule: "there are more than 500 files", Fix: "hand over only what the tests need"}
}

func tooLarge() error {
	return &refusedError{Rule: "the files have more than 2 MiB together", Fix: "hand over only what the tests need"}
}

// checkPath examines one path.
func checkPath(name string) error {
	refuse := func(rule, fix string) error { return &refusedError{File: name, Rule: rule, Fix: fix} }
	switch {
	case name == "":
		return refuse("the path is empty", "name the file")
	case len(name) > maxPath:
		return refuse("the path has more than 240 bytes", "shorten it")
	case !utf8.ValidString(name):
		return refuse("the path is not valid UTF-8", "rename the file")
	case strings.ContainsFunc(name, isUnseen):
		return refuse("the path holds a control or an invisible character", "rename the file")
	case strings.ContainsRune(name, '\\'):
		return refuse("the path holds a backslash", "separate directories with /")
	case path.IsAbs(name):
		return refuse("the path is absolute", "make it relative to the root of the sources")
	case name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, "/../") || strings.HasSuffix(name, "/.."):
		return refuse("the path leaves its directory with ..", "make it relative to the root of the sources")
	case name == "." || path.Clean(name) != name:
		return refuse("the path is not in its shortest form", "write it as "+path.Clean(name))
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case len(part) > maxName:
			return refuse("a name in the path has more than 120 bytes", "shorten it")
		case part[0] == '.':
			return refuse("hidden files are not allowed: tools read settings from them", "leave it out")
		case part[0] == '-':
			return refuse("a name that begins with - could be taken for a flag", "rename it")
		case strings.ContainsAny(part, `<>:"|?*`):
			return refuse(`a name in the path holds one of < > : " | ? *, which Windows does not allow`, "rename it")
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return refuse("a name in the path ends in a dot or a space, which Windows drops", "rename it")
		case isDevice(part):
			return refuse("a name in the path means a device on Windows", "rename it")
		}
	}
	return nil
}

// isUnseen reports whether a character is invisible, and so can make different names look
// alike.
func isUnseen(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

// isDevice reports whether Windows reserves the name for a device, also with an
// extension.
func isDevice(part string) bool {
	base, _, _ := strings.Cut(strings.ToLower(part), ".")
	base = strings.TrimRight(base, " ")
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	number, ok := strings.CutPrefix(base, "com")
	if !ok {
		number, ok = strings.CutPrefix(base, "lpt")
	}
	return ok && (len(number) == 1 && number[0] >= '0' && number[0] <= '9' || number == "¹" || number == "²" || number == "³")
}

// checkTree validates paths together: two that differ only in case are the same file on
// some systems, and no path can be both a file and a directory.
func checkTree(paths []string) error {
	// spelled maps a folded path to its spelling, for files and their parent
	// directories.
	spelled := map[string]string{}
	dirs := map[string]bool{}
	for _, name := range paths {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			key := foldName(dir)
			if other, ok := spelled[key]; ok && other != dir {
				return &refusedError{File: name, Rule: "its directory differs from " + other + " only in case", Fix: "spell both alike"}
			}
			spelled[key], dirs[key] = dir, true
		}
	}
	seen := map[string]bool{}
	for _, name := range paths {
		key := foldName(name)
		switch {
		case dirs[key]:
			return &refusedError{File: name, Rule: "it is a directory of other files too", Fix: "rename one of them"}
		case seen[key] && spelled[key] == name:
			return &refusedError{File: name, Rule: "it appears twice", Fix: "leave one out"}
		case seen[key]:
			return &refusedError{File: name, Rule: "it differs from " + spelled[key] + " only in case", Fix: "rename one of them"}
		}
		seen[key], spelled[key] = true, name
	}
	return nil
}

// foldName maps all spellings of a name that differ only in case to one.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// refusedError reports that a source set was refused.
type refusedError struct {
	// File is the path within the set; empty for the set as a whole.
	File string
	// Rule is what the file violates.
	Rule string
	// Fix is what to do.
	Fix string
}

func (e *refusedError) Error() string {
	text := e.Rule + "; " + e.Fix
	if e.File == "" {
		return "sources: " + text
	}
	// Quoted, as a refused name may contain anything.
	return "source " + strconv.QuoteToGraphic(prose.Cut(e.File, maxShown, "...")) + ": " + text
}

// maxShown is how much of a refused name an error repeats.
const maxShown = 200
