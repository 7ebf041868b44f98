package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

// newRerunCommand runs again what is outstanding.
func newRerunCommand(a *app) *cobra.Command {
	var req api.RerunRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "rerun",
		Short: "Run exactly what is outstanding",
		Long: `Run exactly what is outstanding in the workspace, whichever session left it: every
test that failed, did not finish or never started since it last passed. Each
requested test is reported: passed, failed, skipped, or did not run.

A rerun that passes proves its own tests only: finish with proctor run. Where it
passed and tests are still outstanding, as beyond --limit, the exit code is 5.`,
		Example: `  proctor rerun
  proctor rerun --limit 5`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			view := newView(a, out)
			answer, err := engine.Rerun(cmd.Context(), h, req, view)
			view.close()
			for _, n := range answer.Notices {
				a.notice(out, notice{Message: n})
			}
			a.code = rerunExit(answer)
			return printRuns(cmd.Context(), a, h, out, answer.Runs, err)
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	return cmd
}

// rerunExit: that nothing is left to rerun after a green run is green; that
// nothing was ever run is not.
func rerunExit(answer api.RerunAnswer) int {
	notices := exitPassed
	if answer.NoRunYet || !answer.Green {
		notices = exitNothingRan
	}
	if len(answer.Runs) == 0 {
		return notices
	}
	return worse(notices, runsExit(answer.Runs))
}
