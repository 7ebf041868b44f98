package forge

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/sdk"
)

// selectNamed takes a path that is the name of a suite, as proctor shows it, for the patterns
// that select this suite alone.
func selectNamed(root string, asked sdk.Selection) sdk.Selection {
	if path, contract, ok := splitNamed(root, asked.PathPattern); ok && asked.SuitePattern == "" {
		asked.PathPattern, asked.SuitePattern = selection.Glob([]string{path}), selection.Expression([]string{contract})
	}
	return asked
}

// splitNamed splits the name of a suite whose file exists.
func splitNamed(root, name string) (path, contract string, ok bool) {
	path, contract, ok = selection.Split(name)
	return path, contract, ok && !lineOfFile.MatchString(name) && isFile(below(root, path))
}

// checkMatched rejects a path that can match no file: a typo is not a run of nothing. It uses
// only what the disk shows for certain, and leaves patterns to forge.
func checkMatched(root string, libs []string, asked sdk.Selection, list arguments.List) error {
	if _, contract, ok := splitNamed(root, asked.PathPattern); ok && asked.SuitePattern != "" {
		return invalidSelection("%s and the pattern %q both select contracts: give one of them", contract, asked.SuitePattern)
	}
	name := asked.PathPattern
	if given, set := list.Get("match-path"); name == "" && set {
		name = given
	}
	if name == "" {
		name = pathArgument(list)
	}
	if name == "" || root == "" || strings.ContainsAny(name, "*?[]{}!\\\x00") {
		return nil
	}
	info, err := os.Stat(below(root, name))
	switch {
	case err == nil && !info.IsDir() || !strings.Contains(name, "/") && mayBeIn(root, libs, name):
		return nil
	case err == nil:
		return invalidSelection("%s is a directory, and forge matches the paths of files: write '%s/*'", name, strings.TrimSuffix(name, "/"))
	}
	if at := lineOfFile.FindStringSubmatch(name); at != nil && isFile(below(root, at[1])) {
		return invalidSelection("forge selects whole files: leave out :%s", at[2])
	}
	return invalidSelection("there is no file %s; name one that exists, a pattern such as 'test/*', or none to run all", name)
}

func below(root, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(root, name)
}

// lineOfFile is a file with a line, and perhaps a column, in it.
var lineOfFile = lazyregexp.New(`^(.*\.sol):(\d+(?::\d+)?)$`)

// maxVisited bounds the search for a file. Beyond it there may be one.
const maxVisited = 20_000

// mayBeIn reports whether the name of a file may contain a word: forge then selects the file, unless it
// is of a library.
func mayBeIn(root string, libs []string, word string) bool {
	looked, found := 0, false
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if looked++; err != nil || looked > maxVisited {
			return fs.ErrInvalid // unknown
		}
		name := entry.Name()
		switch {
		case path == root:
		case entry.IsDir() && (name == ".git" || slices.ContainsFunc(libs, func(lib string) bool { return below(root, lib) == path })):
			return fs.SkipDir
		case entry.Type() == fs.ModeSymlink && leadsToDirectory(path):
			return fs.ErrInvalid // forge follows it
		case !entry.IsDir() && strings.HasSuffix(name, ".sol") && strings.Contains(name, word):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found || err != nil
}

func leadsToDirectory(link string) bool {
	info, err := os.Stat(link)
	return err == nil && info.IsDir()
}
