package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

func newRunCommand(a *app) *cobra.Command {
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
			runs, err := engine.Run(cmd.Context(), h, req, view)
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

// runFlags are the flags of proctor run that choose tests by what was changed, or
// measure what they execute.
type runFlags struct {
	affected       revision
	cover, noCover bool
}

// selecting are the flags that choose tests in another way than by what was changed.
var selecting = []string{"package", "filter", "match-path", "match-contract", "sources"}

func (f *runFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&f.affected, "affected", "run the tests that the changes since this `REV` can break, uncommitted ones included, and what is not known; HEAD without one")
	flags.Lookup("affected").NoOptDefVal = bareRevision
	flags.BoolVar(&f.cover, "cover", false, "measure also which lines the tests execute, for proctor covering (default: run.cover of .proctor.toml)")
	flags.BoolVar(&f.noCover, "no-cover", false, "do not, whatever .proctor.toml says")
}

// take puts the flags into a request. Of the arguments, those before "--" are given
// back that are no value of a flag.
func (f *runFlags) take(cmd *cobra.Command, args []string, req *api.RunRequest) (rest []string, err error) {
	flags := cmd.Flags()
	before, behind := splitAtDash(cmd, args)
	if req.Affected, before, err = f.affected.take(before); err != nil {
		return nil, err
	}
	if f.affected.given {
		if i := slices.IndexFunc(selecting, flags.Changed); i >= 0 {
			return nil, &flagError{fmt.Errorf("--affected and --%s exclude each other: the one chooses tests by what was changed, the other by name", selecting[i])}
		}
	}
	switch {
	case len(before) > 0 && f.affected.given:
		return nil, &flagError{fmt.Errorf("unexpected argument %q: --affected chooses the tests; put the runner's own arguments behind --; see %s --help", before[0], cmd.CommandPath())}
	case len(before) > 0:
		return nil, &flagError{fmt.Errorf("%w; see %s --help", stray(before[0]), cmd.CommandPath())}
	case flags.Changed("cover") && flags.Changed("no-cover"):
		return nil, &flagError{errors.New("--cover and --no-cover exclude each other")}
	case flags.Changed("cover"):
		req.Cover = &f.cover
	case f.noCover:
		req.Cover = &f.cover // which is false
	}
	return behind, nil
}

// affectedHelp is what the help of proctor run says of --affected.
const affectedHelp = `With --affected it runs the tests that can notice what was changed since REV (HEAD
without one, so that only uncommitted changes count), by what proctor index has
found out, by what suites are built from, and by what tests read. What is not known
is run. It says which tests were chosen, why, and what was left out; a pass of them
is no pass of everything. Where nothing was chosen, nothing ran: exit code 4.`
