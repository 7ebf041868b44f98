package forge

import (
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/sdk"
)

// repro is a command that shows a failure again, with the calls that led to
// it. A fixture is shown by its whole suite.
func (p *parser) repro(id sdk.TestID) sdk.Command {
	file, contract, ok := selection.Split(id.Suite)
	if !ok {
		return sdk.Command{}
	}
	argv := []string{
		tool, "test", "-vvvv",
		"--match-path=" + selection.Glob([]string{file}), "--match-contract=" + selection.Expression([]string{contract}),
	}
	if !isFixture(id.Name) {
		argv = append(argv, "--match-test="+selection.Expression([]string{id.Name}))
	}
	if p.seed != "" {
		argv = append(argv, "--fuzz-seed="+p.seed)
	}
	return sdk.Command{Argv: argv, Dir: p.run.Command.Dir}
}
