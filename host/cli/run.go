package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

func (a *app) runCommand() *cobra.Command {
	var req api.RunRequest
	var out output
	var src sources
	var chosen runFlags
	var evmVersion string
	timeout := seconds(api.DefaultTimeout)
	cmd := &cobra.Command{
		Use:   "run [flags] [-- RUNNER ARGS]",
		Short: "Run the tests of the workspace",
		Long: `Run the tests of the workspace: of every language that is detected in it, each
as a run of its own. Results go to standard output, progress to standard error.

` + affectedHelp,
		Example: `  proctor run
  proctor run -p ./parser/... -f 'TestParse'
  proctor run --affected
  proctor run --affected=main --json | jq .affected
  proctor run --cover
  proctor run --timeout 60 -- -race -tags integration
  proctor run --match-path 'test/Token*.sol' --match-contract Token
  proctor run --json | jq .verdict`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := chosen.take(cmd, args, &req)
			if err != nil {
				return err
			}
			req.Where, req.RunnerArgs, req.Timeout = a.where(), args, time.Duration(timeout)
			if evmVersion != "" {
				req.RunnerFlags = []api.RunnerFlag{{Name: "--evm-version", Value: evmVersion}}
			}
			if err := errors.Join(out.check(), src.check(cmd)); err != nil {
				return err
			}
			if note := clampNote("timeout", timeout, api.MaxTimeout); note != "" {
				a.hint("%s", note)
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			if src.given() {
				return a.runSources(cmd.Context(), h, out, src, req)
			}
			view := a.newView(out)
			runs, err := engine.Run(cmd.Context(), h, req, view.observer())
			view.close()
			a.code = runsExit(runs)
			return a.printRuns(cmd.Context(), h, out, runs, err)
		},
	}
	flags := cmd.Flags()
	flags.Var(&timeout, "timeout", fmt.Sprintf("stop after this time, up to %g", api.MaxTimeout.Seconds()))
	flags.StringArrayVarP(&req.Packages, "package", "p", nil, "run these suites (`SUITE`, repeatable): packages, files or targets, as the language names them, with its patterns such as ./parser/... of Go")
	flags.StringVarP(&req.Filter, "filter", "f", "", "run the tests whose name matches this `REGEX`, in the runner's notation")
	flags.StringVar(&req.MatchPath, "match-path", "", "Foundry: run the tests in files whose path matches this `GLOB`")
	flags.StringVar(&req.MatchContract, "match-contract", "", "Foundry: run the tests of contracts whose name matches this `REGEX`")
	flags.StringVar(&evmVersion, "evm-version", "", "Foundry: run for this `VERSION` of the EVM")
	flags.StringVar(&req.Seed, "seed", "", "Foundry: the `SEED` of whatever the runner draws at random (default: that of the project's settings, or a new one; it is on record with the run)")
	flags.BoolVar(&req.Precise, "precise", false, "Foundry: find the lines that failed, by running failed tests once more")
	flags.StringSliceVar(&req.Languages, "lang", nil, "run these of the detected languages (`LANG`, repeatable)")
	chosen.flags(cmd)
	src.flags(cmd)
	out.flags(cmd)
	return cmd
}

// onlyAfterDash refuses positional arguments that are not behind "--".
func onlyAfterDash(cmd *cobra.Command, args []string) error {
	if before, _ := splitAtDash(cmd, args); len(before) > 0 {
		return stray(before[0])
	}
	return nil
}

// stray refuses a word that stands where none is taken. One that begins as a path
// does is meant as a package; any other can be the name of a test as well.
func stray(word string) error {
	if strings.HasPrefix(word, ".") || strings.HasPrefix(word, "/") {
		return fmt.Errorf("unexpected argument %q: name packages with -p %s, and put the runner's own arguments behind --", word, word)
	}
	return fmt.Errorf("unexpected argument %q: choose tests with -f %s, packages with -p, and put the runner's own arguments behind --", word, word)
}

// splitAtDash takes the arguments apart into those before and behind "--".
func splitAtDash(cmd *cobra.Command, args []string) (before, behind []string) {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}
