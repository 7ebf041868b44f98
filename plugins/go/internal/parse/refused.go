package parse

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// unknownFlag is a flag after the packages that every test binary rejects, and one
// mistake.
type unknownFlag struct {
	words  string
	suites []string
}

// maxUnknownFlags bounds the different ones; a test binary stops at the first.
const maxUnknownFlags = 64

// notDefined is package flag's message before it prints all known flags.
const notDefined = "flag provided but not defined: "

var (
	// refusedFlag matches package flag's messages about a flag. The go command, its
	// tools and test binaries use it.
	refusedFlag = lazyregexp.New(`^(?:` + notDefined + `|flag needs an argument: |invalid (?:boolean )?value ".*" for (?:flag )?)--?(?:test\.)?([^\s:=]+)`)
	// refusedByTesting matches package testing's messages about a flag before any test
	// runs.
	refusedByTesting = lazyregexp.New(`^testing: (?:invalid regexp for element \d+ of |invalid value ".*" for )?-(?:test\.)?([a-z]\w*)`)
	// namedFlag matches a flag in a message of the go command.
	namedFlag = lazyregexp.New(`(?:^|\s)-([a-z][\w.-]*)|^(buildmode)=\S+ not supported`)
	// aboutProject matches messages about the module itself, whatever flag they name:
	// "updates to go.mod needed, disabled by -mod=readonly".
	aboutProject = lazyregexp.New(`go\.(?:mod|sum|work)|vendor|disabled by`)
	// unsupported matches a message about the value of a flag.
	unsupported = lazyregexp.New(`^-[a-z]+=\S+ not supported`)
	// absent matches messages about a missing file or program that a flag names.
	absent = lazyregexp.New(`no such file or directory|executable file not found|cannot find the (?:file|path)|is a directory|not a directory`)
	// noPackage matches the go command's messages about a requested package that does
	// not exist.
	noPackage = lazyregexp.New(`^(?:no required module provides package |cannot find module providing package |cannot find package |(?:main )?module .* contain package )"?([^\s";:]+)|^package (\S+) is not in (?:std|GOROOT)`)
	// unmatchedWarning matches the warning about a single package pattern.
	unmatchedWarning = lazyregexp.New(`^go: warning: (".*") matched no packages$`)
	// toolUsage follows an argument that the compiler, the linker or the assembler
	// rejects.
	toolUsage = lazyregexp.New(`^usage: (?:compile|link|asm) \[options\]`)
)

// hasUnknownFlag records a suite whose binary rejected a flag of the command.
func (a *attributor) hasUnknownFlag(s *suite) bool {
	lines := withoutNoise(s.own.lines())
	if len(lines) < 2 || !strings.HasPrefix(lines[0].text, notDefined) || !strings.HasPrefix(lines[1].text, "Usage of ") {
		return false
	}
	words := lines[0].text
	i := slices.IndexFunc(a.unknownFlags, func(f unknownFlag) bool { return f.words == words })
	if i < 0 && len(a.unknownFlags) >= maxUnknownFlags {
		return false
	}
	if i < 0 {
		i = len(a.unknownFlags)
		a.unknownFlags = append(a.unknownFlags, unknownFlag{words: words})
	}
	a.unknownFlags[i].suites = append(a.unknownFlags[i].suites, s.name)
	a.explained = true
	return true
}

// reportUnknownFlags reports each of them once, without the list of all flags.
func (a *attributor) reportUnknownFlags() {
	for _, flag := range a.unknownFlags {
		f := finding{kind: sdk.KindSetup, own: true, lines: []line{{text: flag.words}}, message: flag.words}
		record := a.newFailure(sdk.TestID{Suite: flag.suites[0]}, f)
		record.Blocks = flag.suites[1:]
		a.report(record)
	}
}

// reportRefusal reports a suite whose test binary rejected an argument.
func (a *attributor) reportRefusal(s *suite) {
	if lines := withoutNoise(s.own.lines()); len(lines) > 0 && a.selection.refusedByBinary(lines[0].text) {
		sdk.Refuse(a.sink, sdk.Refusal{Words: lines[0].text, Suites: []string{s.name}})
	}
}

// refusedByBinary reports whether a line, printed by a process that ran no test, is
// about an argument of the command.
func (s *selection) refusedByBinary(text string) bool {
	for _, words := range []*lazyregexp.Regexp{refusedFlag, refusedByTesting} {
		if m := words.FindStringSubmatch(text); m != nil {
			return s.hasUserFlag(m[1])
		}
	}
	return s.namesAbsent(text)
}

// refusedByGo reports whether the go command's message is about an argument that it
// rejected, in which case it had not done anything yet.
func (s *selection) refusedByGo(text string) bool {
	if !s.known || s.list {
		return false
	}
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "no packages to test" {
		return s.matchesNothing(lines[:len(lines)-1])
	}
	first := strings.TrimPrefix(lines[0], "go: ")
	if m := refusedFlag.FindStringSubmatch(first); m != nil {
		return s.hasUserFlag(m[1])
	}
	if s.namesNoPackage(lines) || s.namesAbsent(first) {
		return true
	}
	if aboutProject.MatchString(first) && !unsupported.MatchString(first) {
		return false
	}
	return slices.ContainsFunc(namedFlag.FindAllStringSubmatch(first, -1), func(m []string) bool { return s.hasUserFlag(m[1] + m[2]) })
}

// matchesNothing reports whether a pattern that matched nothing was written for this
// run; ./... is what every run uses.
func (s *selection) matchesNothing(warnings []string) bool {
	written := false
	for _, text := range warnings {
		m := unmatchedWarning.FindStringSubmatch(text)
		if m == nil {
			return false
		}
		written = written || m[1] != `"./..."`
	}
	return written
}

// namesNoPackage reports whether the message says that a package named by the command
// does not exist, rather than one that another package needs.
func (s *selection) namesNoPackage(lines []string) bool {
	if len(lines) == 0 || diagnosticLine.MatchString(lines[0]) {
		return false
	}
	m := noPackage.FindStringSubmatch(strings.TrimPrefix(lines[0], "go: "))
	return m != nil && slices.ContainsFunc(s.given.Packages, func(name string) bool {
		name = filepath.ToSlash(name)
		found := m[1] + m[2]
		return name == found || strings.HasPrefix(name, "./") && strings.HasSuffix(found, "/"+path.Clean(name))
	})
}

// refusedInBuild reports whether a message about a package is really about the
// command's arguments.
func (s *selection) refusedInBuild(lines []string) bool {
	return len(lines) > 0 && (s.namesNoPackage(lines) || s.refusedByTool(lines) || s.namesAbsent(lines[0]))
}

// refusedByTool reports whether a build message says that a tool rejects an argument of
// the command.
func (s *selection) refusedByTool(lines []string) bool {
	if len(lines) < 2 || !refusedFlag.MatchString(lines[0]) || !toolUsage.MatchString(lines[1]) {
		return false
	}
	return s.hasUserFlag("gcflags") || s.hasUserFlag("ldflags") || s.hasUserFlag("asmflags")
}

// hasUserFlag reports whether the command has a flag that is not proctor's own.
func (s *selection) hasUserFlag(name string) bool {
	if name == "json" || name == "fullpath" {
		return false
	}
	has := func(word string) bool {
		flag, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		return strings.HasPrefix(word, "-") && strings.TrimPrefix(flag, "test.") == name
	}
	return slices.ContainsFunc(s.given.Flags, func(f goflags.Flag) bool { return f.Name == name && !isScratch(f.Value) }) ||
		slices.ContainsFunc(s.given.Unknown, has) || slices.ContainsFunc(s.given.Tail, has)
}

// namesAbsent reports whether a text says that a file or program named by a flag of the
// command is missing.
func (s *selection) namesAbsent(text string) bool {
	if !absent.MatchString(text) {
		return false
	}
	return slices.ContainsFunc(s.given.Flags, func(f goflags.Flag) bool {
		switch f.Name {
		case "exec", "toolexec":
			words, err := goflags.Split(f.Value)
			return err == nil && len(words) > 0 && strings.Contains(text, `"`+words[0]+`"`)
		case "overlay", "modfile", "o", "coverprofile", "trace", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "pgo", "pkgdir":
			return !isScratch(f.Value) && len(f.Value) > 1 && strings.Contains(text, filepath.Base(f.Value)+":")
		}
		return false
	})
}

// isScratch reports whether a value is proctor's own: only those contain this
// placeholder.
func isScratch(value string) bool { return strings.Contains(value, "{scratch}") }

// withoutUsage removes the usage text from a rejection.
func withoutUsage(text string) string {
	for _, usage := range []string{"\nusage: ", "\nUsage of "} {
		text, _, _ = strings.Cut(text, usage)
	}
	return text
}
