package parse

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// unknownFlag is a flag behind the packages that test binaries refuse: the same slip in
// each of them.
type unknownFlag struct {
	words  string
	suites []string
}

// maxUnknownFlags bounds the different ones; a test binary refuses the first.
const maxUnknownFlags = 64

// notDefined is what package flag says, before it prints all flags that there are.
const notDefined = "flag provided but not defined: "

var (
	// refusedFlag is what package flag says of a flag; the go command, its tools and
	// test binaries use it.
	refusedFlag = regexp.MustCompile(`^(?:` + notDefined + `|flag needs an argument: |invalid (?:boolean )?value ".*" for (?:flag )?)--?(?:test\.)?([^\s:=]+)`)
	// refusedByTesting is what package testing says of one before any test runs.
	refusedByTesting = regexp.MustCompile(`^testing: (?:invalid regexp for element \d+ of |invalid value ".*" for )?-(?:test\.)?([a-z]\w*)`)
	// namedFlag is a flag in a sentence of the go command.
	namedFlag = regexp.MustCompile(`(?:^|\s)-([a-z][\w.-]*)|^(buildmode)=\S+ not supported`)
	// aboutProject are sentences about what lies in the module, whatever flag they
	// name: "updates to go.mod needed, disabled by -mod=readonly".
	aboutProject = regexp.MustCompile(`go\.(?:mod|sum|work)|vendor|disabled by`)
	// unsupported is said of the value of a flag.
	unsupported = regexp.MustCompile(`^-[a-z]+=\S+ not supported`)
	// absent is what is said of a file or a program that a flag names.
	absent = regexp.MustCompile(`no such file or directory|executable file not found|cannot find the (?:file|path)|is a directory|not a directory`)
	// noPackage is what the go command says of a package that it was given and that
	// is nowhere.
	noPackage = regexp.MustCompile(`^(?:no required module provides package |cannot find module providing package |cannot find package |(?:main )?module .* contain package )"?([^\s";:]+)|^package (\S+) is not in (?:std|GOROOT)`)
	// unmatchedWarning is about one pattern of packages.
	unmatchedWarning = regexp.MustCompile(`^go: warning: (".*") matched no packages$`)
	// toolUsage follows what the compiler, the linker or the assembler does not take.
	toolUsage = regexp.MustCompile(`^usage: (?:compile|link|asm) \[options\]`)
)

// hasUnknownFlag takes a suite whose binary refused a flag of the command.
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
		record := a.failure(sdk.TestID{Suite: flag.suites[0]}, f)
		record.Blocks = flag.suites[1:]
		a.report(record)
	}
}

// tellRefusal tells of a suite whose test binary did not take an argument.
func (a *attributor) tellRefusal(s *suite) {
	if lines := withoutNoise(s.own.lines()); len(lines) > 0 && a.selection.refusedByBinary(lines[0].text) {
		sdk.Refuse(a.sink, sdk.Refusal{Words: lines[0].text, Suites: []string{s.name}})
	}
}

// refusedByBinary reports whether a line of a process that ran no test is about an
// argument that the command gives it.
func (s *selection) refusedByBinary(text string) bool {
	for _, words := range []*regexp.Regexp{refusedFlag, refusedByTesting} {
		if m := words.FindStringSubmatch(text); m != nil {
			return s.gives(m[1])
		}
	}
	return s.namesAbsent(text)
}

// refusedByGo reports whether the go command's words are about an argument that it
// did not take: it had done nothing yet.
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
		return s.gives(m[1])
	}
	if s.namesNoPackage(lines) || s.namesAbsent(first) {
		return true
	}
	if aboutProject.MatchString(first) && !unsupported.MatchString(first) {
		return false
	}
	return slices.ContainsFunc(namedFlag.FindAllStringSubmatch(first, -1), func(m []string) bool { return s.gives(m[1] + m[2]) })
}

// matchesNothing reports whether a pattern that matched nothing is one that was
// written for this run: ./... is what every run has.
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

// namesNoPackage reports whether what was said is that a package does not exist which
// the command names, and not that another one needs it.
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

// refusedInBuild reports whether what was said of a package is about what the command
// has, and not about the package.
func (s *selection) refusedInBuild(lines []string) bool {
	return len(lines) > 0 && (s.namesNoPackage(lines) || s.refusedByTool(lines) || s.namesAbsent(lines[0]))
}

// refusedByTool reports whether what was said of a build is that a tool does not take what
// the command has for it.
func (s *selection) refusedByTool(lines []string) bool {
	if len(lines) < 2 || !refusedFlag.MatchString(lines[0]) || !toolUsage.MatchString(lines[1]) {
		return false
	}
	return s.gives("gcflags") || s.gives("ldflags") || s.gives("asmflags")
}

// gives reports whether the command has a flag that is not proctor's own.
func (s *selection) gives(name string) bool {
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

// namesAbsent reports whether a text says that a file or program is not there which a
// flag of the command names.
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

// isScratch reports whether a value is proctor's own: the user's have no such word.
func isScratch(value string) bool { return strings.Contains(value, "{scratch}") }

// withoutUsage leaves out of the words of a refusal how the flags are written.
func withoutUsage(text string) string {
	for _, usage := range []string{"\nusage: ", "\nUsage of "} {
		text, _, _ = strings.Cut(text, usage)
	}
	return text
}
