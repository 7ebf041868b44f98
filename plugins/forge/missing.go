package forge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/solcout"
)

// missing collects the libraries whose sources the compiler did not find. One library
// that was not fetched causes an error for every import of it, worded by a compiler
// that does not know how projects get their libraries.
type missing struct {
	root  string
	names []string
}

// addFrom notes a message such as
//
//	Source "forge-std/src/Test.sol" not found: File import callback not supported
func (m *missing) addFrom(d solcout.Diagnostic) {
	rest, ok := strings.CutPrefix(d.Message, `Source "`)
	if !ok {
		return
	}
	path, _, ok := strings.Cut(rest, `" not found`)
	if !ok || !filepath.IsLocal(filepath.FromSlash(path)) || strings.HasPrefix(path, ".") {
		return
	}
	name := m.libraryIn(path)
	if name != "" && !slices.Contains(m.names, name) {
		m.names = append(m.names, name)
	}
}

// ownDirectories are where projects have their own sources, which may all be missing.
var ownDirectories = []string{"src", "contracts", "test", "script"}

// libraryIn returns the library in a path: "" if the path begins with an existing
// directory, so that only a file is wrong. Remappings turn a name into lib/NAME and
// node_modules/NAME.
func (m *missing) libraryIn(path string) string {
	parts := strings.Split(path, "/")
	dir := ""
	if parts[0] == "lib" || parts[0] == "node_modules" {
		dir, parts = parts[0], parts[1:]
	}
	if len(parts) < 2 || dir == "" && slices.Contains(ownDirectories, parts[0]) {
		return "" // a file beside the project's own
	}
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) > 2 {
		name += "/" + parts[1]
	}
	if !libraryName.MatchString(name) || m.holdsSources(filepath.Join(dir, filepath.FromSlash(name))) {
		return ""
	}
	return name
}

// holdsSources reports whether a directory of the project has anything in it. That of a
// submodule which was not fetched is empty.
func (m *missing) holdsSources(dir string) bool {
	entries, _ := os.ReadDir(filepath.Join(m.root, dir))
	return len(entries) > 0
}

// maxMissing bounds the names in the note.
const maxMissing = 10

// note says what to do, "" if nothing is missing.
func (m *missing) note() string {
	if len(m.names) == 0 || m.root == "" {
		return ""
	}
	names := strings.Join(m.names[:min(len(m.names), maxMissing)], ", ")
	if more := len(m.names) - maxMissing; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	what := "a library"
	if len(m.names) > 1 {
		what = "libraries"
	}
	return fmt.Sprintf("%s not found: %s; %s, or map the name in remappings", what, names, strings.Join(m.remedies(), ", "))
}

// remedies returns the ways in which this project fetches libraries.
func (m *missing) remedies() []string {
	var ways []string
	for _, way := range [][2]string{
		{".gitmodules", "fetch the submodules (git submodule update --init --recursive)"},
		{"package.json", "install the packages of package.json"},
		{"soldeer.lock", "fetch the dependencies (forge soldeer install)"},
	} {
		if isFile(filepath.Join(m.root, way[0])) {
			ways = append(ways, way[1])
		}
	}
	if len(ways) == 0 {
		ways = []string{"install it (forge install)"}
	}
	return ways
}

// removedTests counts functions of a kind that forge no longer runs. Each keeps all
// other tests of its contract from running, so projects written for an earlier forge
// have many affected contracts: one note is enough.
type removedTests struct {
	first             string
	functions, suites int
}

func (r *removedTests) add(suite string, functions int) {
	if functions == 0 {
		return
	}
	if r.suites == 0 {
		r.first = suite
	}
	r.functions += functions
	r.suites++
}

func (r *removedTests) report(notes *noter) {
	if r.suites == 0 {
		return
	}
	where, others, are := r.first, "this contract", "are"
	if r.suites > 1 {
		where, others = fmt.Sprintf("%d contracts, such as %s,", r.suites, r.first), "these contracts"
	}
	if r.functions == 1 {
		are = "is"
	}
	notes.add(fmt.Sprintf("%s in %s %s of a kind that forge no longer runs (testFail*), which kept the other tests of %s from running: the runner argument --no-match-test '^testFail' leaves them out",
		countNoun(r.functions, "function", "functions"), where, are, others))
}
