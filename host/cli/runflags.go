package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
)

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
