package gotest

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/sdk"
)

// composer composes the commands of a rerun.
type composer struct {
	project    project
	executable string
	args       goflags.Args
	// argv is the beginning of each command.
	argv   []string
	widen  bool
	limits limits
	// widened are tests that run although only subtests of them were requested.
	widened []sdk.TestID
}

// warnings says what runs beyond the request.
func (c *composer) warnings() []string {
	if len(c.widened) == 0 {
		return nil
	}
	first := c.widened[0]
	text := fmt.Sprintf("all of %s in %s runs: its failed subtests are too many to select one by one", first.Test, first.Suite)
	if more := len(c.widened) - 1; more > 0 {
		text += fmt.Sprintf("; so do %d other tests", more)
	}
	return []string{text}
}

// testKind is one of the two kinds of commands.
type testKind int

const (
	tests testKind = iota
	benchmarks
)

// flag is the flag of "go test" that selects.
func (r testKind) flag() string {
	if r == benchmarks {
		return "bench"
	}
	return "run"
}

// commands composes the commands for one kind.
func (c *composer) commands(suites []*suite, kind testKind) []sdk.Command {
	wanted := slices.DeleteFunc(slices.Clone(suites), func(s *suite) bool {
		return len(s.names[kind]) == 0 && (!s.whole && !s.build || kind == benchmarks)
	})
	if len(wanted) == 0 {
		return nil
	}
	if pieces, ok := c.findSharedExpr(wanted, kind); ok {
		return c.splitCommand(pieces, kind, c.plainForm)
	}
	var commands []sdk.Command
	for _, wave := range c.waves(wanted, kind) {
		commands = append(commands, c.waveCommands(wave, kind)...)
	}
	return commands
}

// waveCommands composes the commands that run these pieces, each of another suite.
func (c *composer) waveCommands(pieces []piece, kind testKind) []sdk.Command {
	var commands []sdk.Command
	if _, rest := splitByExpr(pieces); len(rest) == 0 {
		return c.splitCommand(pieces, kind, c.plainForm)
	}
	if c.canExec() {
		located := func(p piece) bool { return p.suite.dir != "" }
		commands = c.splitCommand(slices.DeleteFunc(slices.Clone(pieces), negate(located)), kind, c.execForm)
		pieces = slices.DeleteFunc(slices.Clone(pieces), located)
	}
	for len(pieces) > 0 {
		var same []piece
		same, pieces = splitByExpr(pieces)
		commands = append(commands, c.splitCommand(same, kind, c.plainForm)...)
	}
	return commands
}

// form turns pieces into the arguments that select them, and the command that these
// need.
type form func(pieces []piece, kind testKind) (selecting []string, command sdk.Command)

// splitCommand composes one command, or several if the packages take too much room.
func (c *composer) splitCommand(pieces []piece, kind testKind, form form) []sdk.Command {
	var commands []sdk.Command
	for len(pieces) > 0 {
		n, bytes := 0, 0
		for n < len(pieces) && (n == 0 || bytes+len(pieces[n].suite.path) < c.limits.packages) {
			bytes += len(pieces[n].suite.path) + len(" ")
			n++
		}
		selecting, command := form(pieces[:n], kind)
		command.Argv = slices.Concat(c.argv, selecting)
		command.Targets = make([]sdk.TestID, 0, countTargets(pieces[:n]))
		for _, p := range pieces[:n] {
			command.Argv = append(command.Argv, p.suite.path)
			command.Targets = append(command.Targets, p.targets...)
			command.SelectsInsideTests = command.SelectsInsideTests || p.inside
		}
		command.Argv = append(command.Argv, c.args.Trailing()...)
		commands = append(commands, command)
		pieces = pieces[n:]
	}
	return commands
}

func countTargets(pieces []piece) int {
	n := 0
	for _, p := range pieces {
		n += len(p.targets)
	}
	return n
}

// plainForm selects by an expression shared by all pieces.
func (c *composer) plainForm(pieces []piece, kind testKind) ([]string, sdk.Command) {
	var selecting []string
	if expr := pieces[0].expr; expr != "" {
		if kind == benchmarks {
			selecting = append(selecting, "-run", testexec.Placeholder)
		}
		selecting = append(selecting, "-"+kind.flag(), expr)
	}
	return append(selecting, c.args.Words(anyFlag)...), sdk.Command{}
}

// limits is what the platform allows, in bytes.
type limits struct {
	// argument bounds one argument, packages all packages of a command.
	argument, packages int
}

// platformLimits returns the system's limits on arguments. Linux bounds one at 128 KiB,
// and all of them with the environment at 2 MiB, macOS at 1 MiB. Windows bounds the
// whole command line at 32,767 characters.
func platformLimits() limits {
	if runtime.GOOS == "windows" {
		return limits{argument: 14 << 10, packages: 14 << 10}
	}
	return limits{argument: 100 << 10, packages: 512 << 10}
}

// tableFile is the name of the table among a command's inputs.
const tableFile = "tests.json"

// canExec reports whether the plugin's binary can be inserted between the go command
// and the test binaries. It may have been removed since this process started.
func (c *composer) canExec() bool {
	_, quotable := goflags.Quote(c.executable)
	return quotable && isFile(c.executable)
}

// execForm gives each package its own expression: the go command gets one that selects
// nothing, and the plugin's binary replaces it. It also starts the program of the
// user's own -exec.
func (c *composer) execForm(pieces []piece, kind testKind) ([]string, sdk.Command) {
	program, _ := goflags.Quote(c.executable)
	program += " " + ExecCommand
	users := userExec(c.args, c.project.workspace.Env["GOFLAGS"])
	table := testexec.Table{Flag: kind.flag(), Packages: make([]testexec.Package, len(pieces))}
	if users != "" {
		program += " " + users
	} else {
		table.Cross = c.crossProgram()
	}
	for i, p := range pieces {
		table.Packages[i] = testexec.Package{Dir: p.suite.dir, Expr: p.expr}
	}
	data, _ := json.Marshal(table) // a table of texts always marshals
	selecting := []string{"-run", testexec.Placeholder}
	if kind == benchmarks {
		selecting = append(selecting, "-bench", testexec.Placeholder)
	}
	selecting = append(selecting, "-exec", program)
	return append(selecting, c.args.Words(isNotExec)...), sdk.Command{
		Env:    map[string]string{testexec.TableVariable: sdk.Scratch + "/" + tableFile},
		Inputs: []sdk.InputFile{{Name: tableFile, Data: data}},
	}
}

func isNotExec(flag goflags.Flag) bool { return flag.Name != "exec" }

// crossProgram returns the program with which the go command runs binaries for another
// platform if it finds one (go help run); our -exec replaces it.
func (c *composer) crossProgram() string {
	goos, goarch := c.project.workspace.Env["GOOS"], c.project.workspace.Env["GOARCH"]
	if goos == "" {
		goos = runtime.GOOS
	}
	if goarch == "" {
		goarch = runtime.GOARCH
	}
	if goos == runtime.GOOS && goarch == runtime.GOARCH {
		return ""
	}
	return fmt.Sprintf("go_%s_%s_exec", goos, goarch)
}
