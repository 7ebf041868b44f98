package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// selection is which of the declared tests a command runs.
type selection struct {
	// known: the command is. All else is zero without it.
	known bool
	// list: nothing is run.
	list bool
	// narrowed: a flag leaves tests out, or a package without tests says
	// nothing of it.
	narrowed bool
	// failfast: nothing starts after the first failure.
	failfast bool
	// verbose: the user asked for -v.
	verbose bool
	// covers: coverage is measured, which changes some of what is printed.
	covers bool
	// run, skip, bench and fuzz are the patterns; nil when not given.
	run, skip, bench, fuzz *pattern.Filter
	// tags are the build tags that the command sets, instruments those that come
	// with instrumented code.
	tags, instruments []string
	// given are the arguments of the command, without those of GOFLAGS.
	given goflags.Args
	// trailing is what the tests themselves are given.
	trailing []string
	// files are the source files that it names in place of packages.
	files []string
	// targets are the suites that a rerun is about, whole those of them of which it
	// asks for all tests.
	targets, whole map[string]bool
	// obscured: something that is no filter decides which tests there are; exec: a
	// program starts the tests.
	obscured, exec bool
}

// readSelection reads the arguments of go test and those that GOFLAGS adds; the
// former win.
func readSelection(run sdk.RunInfo) selection {
	at := slices.Index(run.Command.Argv, "test")
	if at < 0 {
		return selection{}
	}
	variable, set := run.Command.Env["GOFLAGS"]
	if !set {
		variable = run.Workspace.Env["GOFLAGS"]
	}
	words, _ := goflags.Split(variable) // the go command refuses what cannot be split
	defaults, _ := goflags.Parse(words)
	args, err := goflags.Parse(run.Command.Argv[at+1:])
	if err != nil {
		return selection{}
	}
	given := args
	args.Flags = slices.Concat(defaults.Flags, args.Flags)
	s := selection{known: true, given: given, targets: map[string]bool{}, whole: map[string]bool{}}
	for _, flag := range args.Flags {
		s.add(flag)
	}
	// Flags behind -args reach the tests past the go command.
	s.trailing = args.Trailing()
	if slices.ContainsFunc(s.trailing, func(word string) bool {
		return strings.HasPrefix(strings.TrimLeft(word, "-"), "test.")
	}) {
		s.narrowed, s.obscured = true, true
	}
	for _, word := range args.Packages {
		if strings.HasSuffix(word, ".go") {
			s.files = append(s.files, word)
		}
	}
	for _, target := range run.Command.Targets {
		s.targets[target.Suite] = true
		s.whole[target.Suite] = s.whole[target.Suite] || target.Test == ""
	}
	return s
}

func (s *selection) add(flag goflags.Flag) {
	filter := func() *pattern.Filter {
		s.narrowed = true
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
	case "count", "overlay":
		// -count=0 runs nothing, an overlay hides files.
		if flag.Name == "overlay" || flag.Value == "0" {
			s.narrowed, s.obscured = true, true
		}
	case "exec":
		s.exec = true
	case "tags":
		// Of several the last one counts.
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

// selects reports whether a declared function of a suite runs. A rerun may hand
// its patterns to the tests past the command line, so what it is about counts
// as selected.
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
