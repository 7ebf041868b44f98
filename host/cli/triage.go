package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/triage"
)

// newTriageCommand tells whose the failures are.
func newTriageCommand(a *app) *cobra.Command {
	var req api.TriageRequest
	var asJSON bool
	timeout := seconds(api.DefaultTimeout)
	cmd := &cobra.Command{
		Use:   "triage [TEST...]",
		Short: "Tell which failures were there before",
		Long: `Run the tests that failed in the last run, or else what is outstanding, on a
clean checkout of another state of the sources in a temporary directory, and
tell of each: introduced (it passes there, or is new), pre-existing (it fails
there too), or unknown (it did not run there, and why). Neither the last run nor
what is outstanding is touched, and nothing is written to the repository.

Exit codes: 0 answered · 3 the tests could not be run there · 4 no run yet`,
		Example: `  proctor triage
  proctor triage TestParse --base v1.2.0
  proctor triage --base merge-base:main`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Tests, req.Timeout = a.where(), args, time.Duration(timeout)
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			view := a.newView(output{})
			// What fails there is no news: the answer says what it means.
			view.failures, view.results = false, false
			view.place = "a clean checkout of " + req.Base
			answers, err := triage.Triage(cmd.Context(), h, req, view)
			view.close()
			for i, t := range answers {
				a.code = triageExit(a.code, t)
				if asJSON {
					if err := a.printJSON(t); err != nil {
						return err
					}
					continue
				}
				if i > 0 {
					fmt.Fprintln(a.env.Stdout)
				}
				fmt.Fprint(a.env.Stdout, render.Triage(t, a.style()))
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&req.Base, "base", api.DefaultBase, "compare with this `REVISION`: whatever git understands, or merge-base:REVISION")
	flags.BoolVar(&req.NoCache, "no-cache", false, "run everything, also what an earlier triage saw")
	flags.Var(&timeout, "timeout", fmt.Sprintf("stop after this time, up to %g", api.MaxTimeout.Seconds()))
	flags.StringSliceVar(&req.Languages, "lang", nil, "only these of the detected languages (`LANG`, repeatable)")
	flags.BoolVar(&asJSON, "json", false, "print the answer as an object, one a line for each language")
	return cmd
}

// triageExit is the worse of an exit code and that of a triage: whether it could
// answer, not what.
func triageExit(code int, t api.Triage) int {
	switch {
	case t.Cancelled:
		return worse(code, exitInterrupted)
	case t.RunError != "" && t.Unknown == len(t.Tests) && t.Unknown > 0:
		return worse(code, exitTool)
	case len(t.Tests) == 0 && !t.Clean:
		return worse(code, exitNothingRan)
	}
	return code
}
