package settings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// noCompiler is a version that no compiler has. If a variable asks for it, forge prints
// its configuration without starting the compiler that the project names, which it
// otherwise does to learn the version. That compiler may be any program in the
// workspace, so package settings reads by itself what the project names. Found with
// forge 1.7.1.
const noCompiler = "0.8.99"

// ProbeEnv returns the variables for a probe: those of [ForcedEnv], and one that keeps
// forge from starting a compiler.
func ProbeEnv() map[string]string {
	env := ForcedEnv()
	env["FOUNDRY_SOLC"] = noCompiler
	return env
}

// anotherSpelling matches a line of .env with a name that forge treats as FOUNDRY_SOLC.
// It would override the variable of [ProbeEnv].
var anotherSpelling = lazyregexp.New(`(?im)^[^#\n]*?(foundry_solc)\s*=`)

// ExplainUnaskable returns why forge cannot print a project's configuration without
// executing something of the project, or "" if it can.
func ExplainUnaskable(root string) string {
	data := readFile(root, ".env")
	if len(data) == maxFile {
		return "the file .env is too long to look for settings of forge in it: set no variables there that forge does not need"
	}
	for _, found := range anotherSpelling.FindAllSubmatch(data, -1) {
		if name := string(found[1]); name != "FOUNDRY_SOLC" {
			return fmt.Sprintf("the file .env sets %s: rename it to FOUNDRY_SOLC, because otherwise forge executes that compiler even to print its settings", name)
		}
	}
	return ""
}

// OwnCompiler returns a compiler that the project brings or may bring, as text for
// users, or "" if there is none. If it is certain which compiler forge uses, only that
// one counts; otherwise every mention does, in any profile and any library.
func (s Settings) OwnCompiler(ws sdk.Workspace) string {
	w := readWritten(ws)
	certain := release.MatchString(w.solc) && w.whole
	if w.solc == "" && ws.Root != "" {
		w.readLibraries(ws.Root, s.Libs)
	}
	if !w.whole {
		// Forge cannot read the configuration either. It says so and executes nothing.
		if ws.Probes[ConfigProbe].ExitCode != 0 {
			return ""
		}
		return "a configuration that proctor cannot read may name a compiler of the workspace"
	}
	for _, program := range w.programs {
		if (program.vyper || !certain) && (program.unclear || isOwn(ws.Root, program.text)) {
			return fmt.Sprintf("%s names a compiler of the workspace, %q", program.file, program.text)
		}
	}
	return ""
}

// isOwn reports whether a program may belong to the project. A program that does not
// exist cannot be executed.
func isOwn(root, program string) bool {
	switch {
	case release.MatchString(program):
		return false
	case !filepath.IsAbs(program):
		_, err := os.Stat(filepath.Join(root, program))
		return !os.IsNotExist(err)
	}
	clean := filepath.ToSlash(filepath.Clean(program))
	if strings.HasPrefix(clean, "/proc/") || strings.HasPrefix(clean, "/dev/") {
		return true // depends on the process that asks
	}
	target, err := filepath.EvalSymlinks(program)
	if err != nil {
		return !os.IsNotExist(err)
	}
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(top, target)
	return err != nil || filepath.IsLocal(rel)
}

// evmVersions lists the first compiler for each EVM version. If the project asks for a
// later EVM version than its compiler knows, forge takes the latest one it knows.
var evmVersions = []struct {
	since [3]int
	name  string
}{
	{[3]int{0, 4, 21}, "byzantium"},
	{[3]int{0, 4, 22}, "constantinople"},
	{[3]int{0, 5, 5}, "petersburg"},
	{[3]int{0, 5, 14}, "istanbul"},
	{[3]int{0, 8, 5}, "berlin"},
	{[3]int{0, 8, 7}, "london"},
	{[3]int{0, 8, 18}, "paris"},
	{[3]int{0, 8, 20}, "shanghai"},
	{[3]int{0, 8, 24}, "cancun"},
	{[3]int{0, 8, 27}, "prague"},
	{[3]int{0, 8, 29}, "osaka"},
}

// evmVersionOf returns the EVM version that a compiler compiles for.
func evmVersionOf(asked, compiler string) string {
	version, ok := releaseOf(compilerVersion(compiler))
	if !ok {
		return asked
	}
	latest := -1
	for i, m := range evmVersions {
		if slices.Compare(m.since[:], version[:]) <= 0 {
			latest = i
		}
	}
	at := slices.IndexFunc(evmVersions, func(m struct {
		since [3]int
		name  string
	}) bool {
		return m.name == asked
	})
	if latest < 0 || at <= latest {
		return asked
	}
	return evmVersions[latest].name
}

// releaseOf parses the version of a release. Nightly builds and candidates are not
// releases.
func releaseOf(text string) (version [3]int, ok bool) {
	found := release.FindStringSubmatch(text)
	if found == nil {
		return version, false
	}
	for i, digits := range found[1:] {
		n, err := strconv.Atoi(digits)
		if err != nil {
			return version, false
		}
		version[i] = n
	}
	return version, true
}

// withCompiler adds the compiler that the project names to a configuration that forge printed
// without one.
func (c config) withCompiler(w written) config {
	if c.Solc == noCompiler {
		c.Solc = w.solc
		c.EVMVersion = evmVersionOf(c.EVMVersion, cmp.Or(c.Solc, noCompiler))
	}
	return c
}
