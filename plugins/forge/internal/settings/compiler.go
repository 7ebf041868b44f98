package settings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// noCompiler is the version of a compiler that nobody has. Where a variable asks for it,
// forge prints its configuration without starting the compiler which the project names,
// to learn its version: that may be any program of the workspace. What the project names
// is then read here. Found with forge 1.7.1.
const noCompiler = "0.8.99"

// Asking are the variables of a probe: those of every command, and one that keeps forge
// from starting a compiler.
func Asking() map[string]string {
	env := Forced()
	env["FOUNDRY_SOLC"] = noCompiler
	return env
}

// anotherSpelling is a line of .env with a name that forge takes for FOUNDRY_SOLC. It
// would beat the variable of [Asking].
var anotherSpelling = regexp.MustCompile(`(?im)^[^#\n]*?(foundry_solc)\s*=`)

// Unaskable tells why forge cannot be asked for the configuration of a project without
// executing something of it; empty where it can.
func Unaskable(root string) string {
	data := content(root, ".env")
	if len(data) == maxFile {
		return "the file .env is too long to look for settings of forge in it: set no variables there that forge does not need"
	}
	for _, found := range anotherSpelling.FindAllSubmatch(data, -1) {
		if name := string(found[1]); name != "FOUNDRY_SOLC" {
			return fmt.Sprintf("the file .env sets %s: write it FOUNDRY_SOLC, since forge would execute that compiler already to print its settings", name)
		}
	}
	return ""
}

// OwnCompiler finds a compiler that the project brings or may bring, as text for users;
// empty where there is none. Where it is certain which compiler forge takes, that one
// counts; else every mention, of any profile and any library.
func (s Settings) OwnCompiler(ws sdk.Workspace) string {
	w := readWritten(ws)
	certain := release.MatchString(w.solc) && w.whole
	if w.solc == "" && ws.Root != "" {
		w.libraries(ws.Root, s.Libs)
	}
	if !w.whole {
		// Where forge cannot read it either, it says so, and executes nothing.
		if ws.Probes[ConfigProbe].ExitCode != 0 {
			return ""
		}
		return "a configuration that cannot be read here may name a compiler of the workspace"
	}
	for _, program := range w.programs {
		if (program.vyper || !certain) && (program.unclear || isOwn(ws.Root, program.text)) {
			return fmt.Sprintf("%s names a compiler of the workspace, %q", program.file, program.text)
		}
	}
	return ""
}

// isOwn reports whether a program may be one of the project's. What is not there is
// executed by nobody.
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
		return true // it depends on who asks
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

// machines tells since which compiler there has been an EVM version: forge takes the
// latest that the compiler knows, where the project asks for a later one.
var machines = []struct {
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

// machine is the EVM version that a compiler compiles for.
func machine(asked, compiler string) string {
	version, ok := releaseOf(compilerVersion(compiler))
	if !ok {
		return asked
	}
	latest := -1
	for i, m := range machines {
		if slices.Compare(m.since[:], version[:]) <= 0 {
			latest = i
		}
	}
	at := slices.IndexFunc(machines, func(m struct {
		since [3]int
		name  string
	}) bool {
		return m.name == asked
	})
	if latest < 0 || at <= latest {
		return asked
	}
	return machines[latest].name
}

// releaseOf reads the version of a release, and of no nightly or candidate.
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

// named puts what the project names into a configuration for which forge was asked
// without a compiler.
func (c config) named(w written) config {
	if c.Solc == noCompiler {
		c.Solc = w.solc
		c.EVMVersion = machine(c.EVMVersion, cmp.Or(c.Solc, noCompiler))
	}
	return c
}
