package forge

import (
	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// reproduce returns a command that reproduces a failure, printing the calls that led to it,
// with the arguments of the command that failed. A fixture is reproduced by its whole
// suite. A test of a removed kind fails without running.
func (p *parser) reproduce(id sdk.TestID, t *testjson.Test) sdk.Command {
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
