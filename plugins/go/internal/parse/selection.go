package parse

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// selection says which of the declared tests a command runs.
type selection struct {
	// known reports whether the command is known. Otherwise everything else is zero.
	known bool
	// list reports whether tests are only listed.
	list bool
	// failfast reports whether nothing starts after the first failure.
	failfast bool
	// verbose reports whether the user passed -v.
	verbose bool
	// count and cpu are how often, and for which numbers of processors, tests run.
	count, cpu string
	// covers reports whether coverage is measured, which changes some of the output.
	covers bool
	// run, skip, bench and fuzz are the patterns, or nil if not given.
	run, skip, bench, fuzz *pattern.Filter
	// tags are the build tags that the command sets, and instruments those that
	// instrumentation adds.
	tags, instruments []string
	// given are the arguments of the command, without those from GOFLAGS.
	given goflags.Args
	// trailing are the arguments for the tests themselves.
	trailing []string
	// files are the source files that it names instead of packages.
	files []string
	// targets are the suites of a rerun, and whole those of which all tests are
	// requested.
	targets, whole map[string]bool
	// benchmarks are those that a rerun is for.
	benchmarks map[sdk.TestID]bool
	// obscured reports whether something other than a filter decides which tests there
	// are, and exec whether a program starts the tests.
	obscured, exec bool
}

// readSelection parses the arguments of go test, and those that GOFLAGS adds; the
// former take precedence.
func readSelection(run sdk.RunInfo) selection {
	at := slices.Index(run.Command.Argv, "test")
	if at < 0 {
		return selection{}
	}
	variable, set := run.Command.Env["GOFLAGS"]
	if !set {
		variable = run.Workspace.Env["GOFLAGS"]
	}
	words, _ := goflags.Split(variable) // the go command rejects what cannot be split
	defaults, _ := goflags.Parse(words)
	args, err := goflags.Parse(run.Command.Argv[at+1:])
	if err != nil {
		return selection{}
	}
	given := args
	args.Flags = slices.Concat(defaults.Flags, args.Flags)
	s := selection{known: true, given: given, targets: map[string]bool{}, whole: map[string]bool{}, benchmarks: map[sdk.TestID]bool{}}
	for _, flag := range args.Flags {
		s.add(flag)
	}
	// Flags after -args go to the tests, past the go command.
	s.trailing = args.Trailing()
	if slices.ContainsFunc(s.trailing, func(word string) bool {
		return strings.HasPrefix(strings.TrimLeft(word, "-"), "test.")
	}) {
		s.obscured = true
	}
	for _, word := range args.Packages {
		if strings.HasSuffix(word, ".go") {
			s.files = append(s.files, word)
		}
	}
	for _, target := range run.Command.Targets {
		s.targets[target.Suite] = true
		s.whole[target.Suite] = s.whole[target.Suite] || target.Test == ""
		if name, _, _ := strings.Cut(target.Test, "/"); source.KindOf(name) == source.Benchmark {
			s.benchmarks[sdk.TestID{Suite: target.Suite, Test: name}] = true
		}
	}
	return s
}

func (s *selection) add(flag goflags.Flag) {
	filter := func() *pattern.Filter {
		f, err := pattern.Parse(flag.Value)
		if err != nil || flag.Value == "" {
			return nil
		}
		return &f
	}
	switch flag.Name {
	case "run":
		s.run = filter()
	case "skip":
		s.skip = filter()
	case "bench":
		s.bench = filter()
	case "fuzz":
		s.fuzz = filter()
	case "list", "c", "n":
		s.list = true
	case "overlay":
		s.obscured = true // it hides files
	case "count":
		s.count = flag.Value
		s.obscured = s.obscured || flag.Value == "0" // which runs nothing
	case "cpu":
		s.cpu = flag.Value
	case "exec":
		s.exec = true
	case "tags":
		// The last one counts.
		s.tags = strings.FieldsFunc(flag.Value, func(r rune) bool { return r == ',' || r == ' ' })
	case "race", "msan", "asan":
		if flag.Bool() {
			s.instruments = append(s.instruments, flag.Name)
		}
	case "failfast":
		s.failfast = flag.Bool()
	case "v":
		s.verbose = flag.Bool()
	case "cover":
		s.covers = flag.Bool()
	case "coverprofile", "coverpkg", "covermode":
		s.covers = true
	}
}

// repeats reports whether tests may run more than once.
func (s *selection) repeats() bool {
	return s.count != "" && s.count != "1" || strings.Contains(s.cpu, ",")
}

// selects reports whether a declared function of a suite runs. A rerun may pass its
// patterns to the tests outside of the command line, so its targets count as selected.
func (s *selection) selects(suite, name string) bool {
	if s.targets[suite] {
		return true
	}
	switch source.KindOf(name) {
	case source.Benchmark:
		return s.bench != nil && s.bench.Selects(name)
	case source.Fuzz:
		if s.fuzz != nil && s.fuzz.Selects(name) {
			return true
		}
	case 0:
		return false
	}
	return (s.run == nil || s.run.Selects(name)) && (s.skip == nil || !s.skip.Skips(name))
}

// selectsBenchmark is selects for a benchmark: a rerun of tests runs none, unless the command
// says so.
func (s *selection) selectsBenchmark(suite, name string) bool {
	if s.targets[suite] && s.bench == nil {
		return s.benchmarks[sdk.TestID{Suite: suite, Test: name}]
	}
	return s.selects(suite, name)
}

// flags holds what the arguments of the recorded command say.
type flags struct {
	// fullpath reports whether places are absolute paths.
	fullpath bool
	// verbose reports whether the user passed -v.
	verbose bool
	// kept are the flags that a reproduction needs, too.
	kept []string
}

// keptFlags change what is built or how the tests behave. A true value means that the
// next argument may be the flag's value.
var keptFlags = map[string]bool{
	"race": false, "msan": false, "asan": false, "short": false, "trimpath": false, "modcacherw": false,
	"tags": true, "mod": true, "modfile": true, "overlay": true, "cpu": true, "gcflags": true, "ldflags": true,
	"asmflags": true, "buildmode": true, "compiler": true, "vet": true, "shuffle": true, "parallel": true,
}

// readFlags parses the arguments of go test up to those of the tests.
func readFlags(argv []string) flags {
	var f flags
	for i := 0; i < len(argv); i++ {
		name, value, hasValue := strings.Cut(strings.TrimLeft(argv[i], "-"), "=")
		if !strings.HasPrefix(argv[i], "-") {
			continue
		}
		if name == "args" {
			break
		}
		name = strings.TrimPrefix(name, "test.")
		switch takesValue, kept := keptFlags[name]; {
		case kept && takesValue && !hasValue && i+1 < len(argv):
			f.kept = append(f.kept, argv[i], argv[i+1])
			i++
		case kept:
			f.kept = append(f.kept, argv[i])
		case name == "fullpath":
			f.fullpath = value != "false"
		case name == "v":
			f.verbose = value != "false"
		}
	}
	return f
}

// uncompiled is the runtime's message on standard error when a process that was built
// to measure coverage ends without having any code to measure; see
// internal/coverage/cfile. It is not why the process ended.
const uncompiled = "program not built with -cover"

// isCoverageNoise reports whether output exists only because coverage is measured and
// would be mistaken for the last words of a process. If it follows an unterminated
// line, it is cut off.
func (s *selection) isCoverageNoise(ev *testjson.Event) bool {
	if !s.covers {
		return false
	}
	text := bytes.TrimSuffix(ev.Output, []byte(`\n`))
	rest, found := bytes.CutSuffix(text, []byte(uncompiled))
	if found {
		ev.Output = rest
	}
	return found && len(rest) == 0
}

// unreported begins package testing's message, with exit status 2, if a test closed or
// replaced standard output, to which it writes the coverage; see testing/newcover.go.
// Without coverage nothing would have failed.
const unreported = "error generating coverage report: "

// byCoverage is the message of a suite that failed only because coverage is measured.
const byCoverage = "it failed because coverage is measured: the report goes to standard output, which the tests closed or replaced"

// failedByCoverage reports whether a suite failed for that reason.
func (s *selection) failedByCoverage(lines []line) bool {
	return s.covers && slices.ContainsFunc(lines, func(l line) bool { return strings.HasPrefix(l.text, unreported) })
}

// written is a place in a source file.
type written struct{ file, column string }

// uncovered returns the place that a build error has without coverage. With coverage, a
// file with counters is compiled in place of the source: on a line with a counter the
// column is wrong, and messages of a C compiler name the file with counters. Vet reads
// the source itself.
func (s *selection) uncovered(kind, file, column string) written {
	if !s.covers || kind == sdk.KindVet || strings.HasSuffix(file, "_test.go") {
		return written{file, column}
	}
	if name, is := strings.CutSuffix(filepath.Base(file), ".cover.go"); is && strings.HasPrefix(file, "$WORK") {
		file = name + ".go"
	}
	return written{file, ""}
}
