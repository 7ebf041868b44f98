package forge

import (
	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// repro is a command that shows a failure again, with the calls that led to
// it, under the arguments of the command that failed. A fixture is shown by its
// whole suite. A test of a kind that forge has removed fails without running.
func (p *parser) repro(id sdk.TestID, t *testjson.Test) sdk.Command {
	file, contract, ok := selection.Split(id.Suite)
	if !ok || isRemoved(t) {
		return sdk.Command{}
	}
	argv := []string{
		tool, "test", "-vvvv",
		"--match-path=" + selection.Glob([]string{file}), "--match-contract=" + selection.Expression([]string{contract}),
	}
	if !isFixture(id.Test) {
		argv = append(argv, "--match-test="+selection.Expression([]string{id.Test}))
	}
	if p.seed != "" {
		argv = append(argv, "--fuzz-seed="+p.seed)
	}
	if given := p.run.Command.Argv; len(given) > 2 {
		list, _ := arguments.Parse(given[2:]) // proctor composed it
		argv = append(argv, list.Words(keptWithTests)...)
	}
	return sdk.Command{Argv: argv, Dir: p.run.Command.Dir}
}
