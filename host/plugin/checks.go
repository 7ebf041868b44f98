package plugin

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

const (
	// maxCommands bounds a plan: one for each suite of a very large project.
	maxCommands = 10_000
	// maxArg is the longest argument or variable that Linux accepts (MAX_ARG_STRLEN),
	// without the final NUL.
	maxArg = 128<<10 - 1
	// maxArgs bounds the total length of arguments. Linux accepts 2 MiB with the
	// environment, macOS 1 MiB.
	maxArgs = 768 << 10
	// maxInput bounds one input file; all of a reply fit into one message.
	maxInput = 2 << 20
	// maxIdentityList bounds each list of a description.
	maxIdentityList = 64
	// maxVersion and maxLanguage are not part of the patterns: a bound in a pattern
	// compiles to that many copies.
	maxVersion  = 128
	maxLanguage = 32
	// maxProbes bounds the probes: each is a process in every run.
	maxProbes = 4
	// maxFileName is what common file systems accept.
	maxFileName = 255
)

var (
	variablePattern = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	versionPattern  = lazyregexp.New(`^[0-9A-Za-z(][0-9A-Za-z.+_()-]*$`)
	nounPattern     = lazyregexp.New(`^[a-z]{1,20}( [a-z]{1,20})?$`)
	flagPattern     = lazyregexp.New(`^--?[a-z][a-z0-9-]*$`)
	languagePattern = lazyregexp.New(`^[a-z][a-z0-9+#.-]*$`)
)

// violation is a field of a reply with an invalid value.
type violation struct{ field, reason string }

func violates(field, reason string, args ...any) *violation {
	return &violation{field: field, reason: fmt.Sprintf(reason, args...)}
}

func isLanguage(name string) bool {
	return len(name) <= maxLanguage && languagePattern.MatchString(name)
}

// checkIdentity validates the answer to Describe.
func checkIdentity(id client.Identity, want string) *violation {
	switch {
	case id.Name != want:
		return violates("name", "it is installed as %q and calls itself %q; rename the file or rebuild the plugin", want, cleanLine(id.Name, 64))
	case len(id.Version) > maxVersion || !versionPattern.MatchString(id.Version):
		return violates("version", "%q is not a version", cleanLine(id.Version, 64))
	case id.SuiteNoun != "" && !nounPattern.MatchString(id.SuiteNoun):
		return violates("suite_noun", "%q is not a word in lower case", cleanLine(id.SuiteNoun, 64))
	case !isLanguage(id.Language):
		return violates("language", "%q is not a language in lower case", cleanLine(id.Language, 64))
	}
	for _, list := range []struct {
		field  string
		values []string
		valid  func(string) bool
	}{
		{"aliases", id.Aliases, isLanguage},
		{"markers", id.Markers, isFileName},
		{"tools", id.Tools, isFileName},
		{"env", id.Env, variablePattern.MatchString},
		{"deciding_env", id.Deciding, func(name string) bool { return variablePattern.MatchString(strings.TrimSuffix(name, "*")) }},
		{"tool_dirs", id.ToolDirs, isToolDir},
		{"runner_flags", flagNames(id.RunnerFlags), flagPattern.MatchString},
	} {
		if len(list.values) > maxIdentityList {
			return violates(list.field, "it has %d entries; the limit is %d", len(list.values), maxIdentityList)
		}
		if i := slices.IndexFunc(list.values, func(v string) bool { return !list.valid(v) }); i >= 0 {
			return violates(fmt.Sprintf("%s[%d]", list.field, i), "%q is not a plain name", cleanLine(list.values[i], 64))
		}
	}
	if len(id.FailedExits) > maxIdentityList {
		return violates("failed_exits", "it has %d entries; the limit is %d", len(id.FailedExits), maxIdentityList)
	}
	for i, code := range id.FailedExits {
		if code < 1 || code > 255 {
			return violates(fmt.Sprintf("failed_exits[%d]", i), "%d is not an exit code from 1 to 255", code)
		}
	}
	return checkProbes(id.Probes)
}

func flagNames(flags []sdk.RunnerFlag) []string {
	names := make([]string, len(flags))
	for i, f := range flags {
		names[i] = f.Name
	}
	return names
}

func checkProbes(probes []sdk.Probe) *violation {
	if len(probes) > maxProbes {
		return violates("probes", "there are %d; the limit is %d", len(probes), maxProbes)
	}
	for i, p := range probes {
		field := fmt.Sprintf("probes[%d].", i)
		if p.Name == "" || len(p.Name) > maxVersion {
			return violates(field+"name", "%q is not a plain name", cleanLine(p.Name, 64))
		}
		if v := checkCommand(sdk.Command{Argv: p.Argv, Env: p.Env, UnsetEnv: p.UnsetEnv}); v != nil {
			return violates(field+v.field, "%s", v.reason)
		}
	}
	return nil
}

// allowed is what only some requests allow the commands of a plan: to leave coverage, and
// not to be executed.
type allowed struct{ covers, known bool }

// planCheck returns a check for the commands of a plan, made before any is executed.
func planCheck(may allowed) func(sdk.Plan) *violation {
	return func(p sdk.Plan) *violation {
		if len(p.Commands) > maxCommands {
			return violates("commands", "there are %d; the limit is %d", len(p.Commands), maxCommands)
		}
		for i, c := range p.Commands {
			v := checkCommand(c)
			switch {
			case v != nil:
			case c.Covers && !may.covers:
				v = violates("covers", "coverage was not asked for")
			case c.Known && !may.known:
				v = violates("known", "what a run prints is known only after it")
			}
			if v != nil {
				return violates(fmt.Sprintf("commands[%d].%s", i, v.field), "%s", v.reason)
			}
		}
		if p.Check == nil {
			return nil
		}
		if v := checkCommand(*p.Check); v != nil {
			return violates("check."+v.field, "%s", v.reason)
		}
		if !p.Check.Prepares || p.Check.Covers || p.Check.Known {
			return violates("check.prepares", "a check runs no test, and must say so")
		}
		return nil
	}
}

func checkCommand(c sdk.Command) *violation {
	if !isLocalPath(c.Dir) {
		return violates("dir", "%q leaves the workspace", cleanLine(c.Dir, 256))
	}
	if v := checkArgv(c.Argv); v != nil {
		return v
	}
	if c.Covers && c.Prepares {
		return violates("covers", "a command that prepares runs no test, and so leaves no coverage")
	}
	for name, value := range c.Env {
		field := fmt.Sprintf("env[%q]", cleanLine(name, 64))
		switch {
		case !variablePattern.MatchString(name):
			return violates(field, "it is not the name of a variable")
		case strings.HasPrefix(name, "PROCTOR_"):
			return violates(field, "a plugin may not set this variable: names that begin with PROCTOR_ are the host's")
		case sdk.IsReservedSetting(name, value):
			return violates(field, "a plugin may not set this variable: it decides which code is loaded")
		case len(value) > maxArg || strings.ContainsRune(value, 0):
			return violates(field, "the value is too long or holds a NUL")
		}
	}
	for i, name := range c.UnsetEnv {
		// At least a letter: a plugin may not claim the whole environment.
		kept, isKept := strings.CutPrefix(name, "!")
		if isKept && variablePattern.MatchString(kept) {
			continue
		}
		if !variablePattern.MatchString(strings.TrimSuffix(name, "*")) {
			return violates(fmt.Sprintf("unset_env[%d]", i), "%q is not the name of a variable, the beginning of one and *, or ! and a name", cleanLine(name, 64))
		}
	}
	return checkInputs(c.Inputs)
}

// isToolDir accepts only directories that do not depend on the working directory.
func isToolDir(dir string) bool {
	rest, home := strings.CutPrefix(dir, "~/")
	return home && isLocalPath(rest) && rest != "" || isMachinePath(dir)
}

func checkArgv(argv []string) *violation {
	if len(argv) == 0 || argv[0] == "" {
		return violates("argv", "it names no program")
	}
	total := 0
	for i, arg := range argv {
		field := fmt.Sprintf("argv[%d]", i)
		if len(arg) > maxArg {
			return violates(field, "it has %d bytes; the limit is %d", len(arg), maxArg)
		}
		if strings.ContainsRune(arg, 0) {
			return violates(field, "it holds a NUL")
		}
		total += len(arg) + 1
	}
	if total > maxArgs {
		return violates("argv", "it has %d bytes; the limit is %d", total, maxArgs)
	}
	return nil
}

func checkInputs(inputs []sdk.InputFile) *violation {
	seen := map[string]bool{}
	for i, input := range inputs {
		field := fmt.Sprintf("inputs[%d]", i)
		// Some file systems fold case.
		folded := strings.ToLower(input.Name)
		switch {
		case !isFileName(input.Name):
			return violates(field+".name", "%q is not a plain file name", cleanLine(input.Name, 64))
		case seen[folded]:
			return violates(field+".name", "%q appears twice", input.Name)
		case len(input.Data) > maxInput:
			return violates(field+".data", "it has %d bytes; the limit is %d", len(input.Data), maxInput)
		}
		seen[folded] = true
	}
	return nil
}

// isLocalPath reports whether a path stays below its base. Plugins use slashes on every
// system.
func isLocalPath(path string) bool {
	return path == "" || filepath.IsLocal(filepath.FromSlash(path)) && !strings.ContainsRune(path, 0)
}

// isFileName reports whether a name is a bare file name on every system.
func isFileName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= maxFileName &&
		!strings.ContainsAny(name, "/\\:\x00\n") && filepath.IsLocal(name)
}

// maxScaffold bounds each list of a scaffold.
const maxScaffold = 1000

// checkScaffold validates what a plugin wants around a source set: it must stay within
// the workspace, and paths on the machine must be absolute.
func checkScaffold(s sdk.Scaffold) *violation {
	if n := max(len(s.Files), len(s.Links), len(s.Readable)); n > maxScaffold {
		return violates("files", "a list has %d entries; the limit is %d", n, maxScaffold)
	}
	for i, f := range s.Files {
		if f.Path == "" || !isLocalPath(f.Path) {
			return violates(fmt.Sprintf("files[%d].path", i), "%q leaves the workspace", cleanLine(f.Path, 256))
		}
	}
	for i, l := range s.Links {
		field := fmt.Sprintf("links[%d].", i)
		if l.Path == "" || !isLocalPath(l.Path) {
			return violates(field+"path", "%q leaves the workspace", cleanLine(l.Path, 256))
		}
		if !isMachinePath(l.Target) {
			return violates(field+"target", "%q is not an absolute, clean path below the root", cleanLine(l.Target, 256))
		}
	}
	for i, path := range s.Readable {
		if !isMachinePath(path) {
			return violates(fmt.Sprintf("readable[%d]", i), "%q is not an absolute, clean path below the root", cleanLine(path, 256))
		}
	}
	return checkCommand(sdk.Command{Argv: []string{"-"}, Env: s.Env})
}

// isMachinePath reports whether a path is absolute, clean and not the root: exposing the
// whole machine is not a scaffold.
func isMachinePath(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && filepath.Dir(path) != path
}

// maxSettings and maxSetting bound the settings that narrow a run, which the verdict's line
// names.
const (
	maxSettings = 20
	maxSetting  = 200
)

// boundSettings shortens the settings that narrow a run. Since they distinguish runs,
// different ones stay different.
func boundSettings(settings []string) []string {
	if len(settings) > maxSettings {
		rest := strings.Join(settings[maxSettings-1:], ", ")
		settings = append(settings[:maxSettings-1:maxSettings-1], rest)
	}
	for i, s := range settings {
		if settings[i] = cleanLine(boundTo(s, maxSetting), maxSetting); strings.TrimSpace(settings[i]) == "" {
			settings[i] = "a setting that the plugin does not name"
		}
	}
	return settings
}
