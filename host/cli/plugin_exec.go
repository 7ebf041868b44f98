package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/cli/plugincall"
)

func newPluginExecCommand(a *app) *cobra.Command {
	var call plugincall.Call
	cmd := &cobra.Command{
		Use:   "exec [flags] BINARY CALL [ARGUMENT]...",
		Short: "Call a plugin by hand",
		Long: `Start one plugin, make one call of the protocol, print the answer as JSON with the
protocol's names, and stop the plugin. Only its probes are executed, before calls about a
workspace.

CALL is one of
  describe            who the plugin is and what it can do
  detect              whether the directory of -C is a project
  testcmd             the commands that run all tests
  rerun SUITE NAME    the commands that run one test again
  list                the commands that list tests
  parse               read a runner's output on standard input; print events as they come
  parse-list          read the output of a command of list`,
		Example: `  proctor plugin exec ./proctor-plugin-tap describe
  proctor plugin exec ./proctor-plugin-tap parse --exit-code 1 < recorded.tap
  proctor plugin exec ./proctor-plugin-tap parse --want --case testdata/cases/red > testdata/cases/red/want.json`,
		Args: arguments(func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("give a plugin's binary and a call: %s", strings.Join(plugincall.Names(), ", "))
			}
			return plugincall.Check(args[1], len(args)-2)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			call.ExitKnown = cmd.Flags().Changed("exit-code")
			call.Binary, call.Name, call.Arguments, call.HostVersion = args[0], args[1], args[2:], version()
			call.Stdin, call.Stdout, call.Stderr = a.env.Stdin, a.env.Stdout, a.env.Stderr
			var err error
			if call.Path, err = binaryPath(args[0]); err != nil {
				return &flags.Error{Err: err}
			}
			if call.Root, err = filepath.Abs(a.where().Dir); err == nil {
				call.Root, err = filepath.EvalSymlinks(call.Root)
			}
			if err != nil {
				return &flags.Error{Err: fmt.Errorf("the workspace: %w", err)}
			}
			return call.Make(cmd.Context())
		},
	}
	set := cmd.Flags()
	set.BoolVar(&call.Widen, "widen", false, "with rerun: use the outermost test")
	set.BoolVar(&call.Want, "want", false, "with parse: print a want.json for review")
	set.StringVar(&call.CaseDir, "case", "", "with parse: read the recorded case in `DIR` instead of standard input")
	set.IntVar(&call.ExitCode, "exit-code", 0, "with parse: the runner's exit `CODE` (default: unknown)")
	set.StringVar(&call.StderrFile, "stderr", "", "with parse: a `FILE` with the runner's standard error")
	return cmd
}
