package gotest

import (
	"fmt"
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
