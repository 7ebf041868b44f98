package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/doctor"
	"github.com/proctorhq/proctor/host/render"
)

func newDoctorCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show toolchains, plugins and what would run",
		Long: `Show what proctor sees: its plugins and where it looks for them, the workspace, the
toolchains, the commands that a run would execute, how many tests there are, and what is
wrong with any of these. No test is run and nothing is compiled. Use it if a project or a
program is not found.

Exit codes: 0 nothing is wrong · 3 something is`,
		Example: `  proctor doctor
  proctor doctor -C path/to/project --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			d := doctor.Doctor(cmd.Context(), k, a.where())
			if len(d.Problems) > 0 {
				a.code = exitTool
			}
			return print(a, out, d, plainly(render.Diagnosis))
		},
	}
	out = newOutput(cmd, "an object")
	return cmd
}
