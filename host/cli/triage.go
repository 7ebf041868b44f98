package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/triage"
)

// newTriageCommand says whose the failures are.
func newTriageCommand(a *app) *cobra.Command {
	var req api.TriageRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "triage [TEST...]",
		Short: "Tell new failures from existing ones",
		Long: `Run the tests that failed in the last run, or else what is outstanding, on a clean
checkout of a base revision in a temporary directory. Report each as introduced (it passes
there, or is new), pre-existing (it fails there too), or unknown (it did not run there,
with the reason). The last run and the outstanding set do not change, and nothing is
written to the repository.

Exit codes: 0 answered · 3 the tests could not run there · 4 no run yet`,
		Example: `  proctor triage
  proctor triage TestParse --base v1.2.0
  proctor triage --base merge-base:main`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Tests = a.where(), args
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			view := newView(a, out)
			// The answer says what its failures mean.
			view.Silent = true
			view.Place = "a clean checkout of " + req.Base
			answers, err := triage.Triage(cmd.Context(), k, req, view)
			view.Close()
			for i, t := range answers {
				a.code = triageExit(a.code, t)
				if i > 0 && !out.isJSON() {
					fmt.Fprintln(a.env.Stdout)
				}
				if t.NoRunYet && !out.isJSON() {
					t.Message = noRunYet
				}
				if err := printIn(a, out, t, render.Triage, func() render.Style { return styleIn(cmd.Context(), a, k, a.where()) }); err != nil {
					return err
				}
			}
			return err
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Triage object, one line per language")
	return cmd
}

// triageExit returns the worse of an exit code and that of a triage, which says whether
// it could answer, not what.
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
