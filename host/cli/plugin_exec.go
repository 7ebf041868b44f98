package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/host/prose"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	started "github.com/proctorhq/proctor/sdk/plugintest/process"
)

// execution is one call to a plugin by hand.
type execution struct {
	app  *app
	rpc  pb.DetectorServiceClient
	conn *started.Session
	root string
	execFlags
}

// execFlags are the flags of plugin exec.
type execFlags struct {
	widen, want bool
	exitCode    int
	exitKnown   bool
	stderr      string
	caseDir     string
}

// execCalls are what can be asked, by name, with the number of further
// arguments.
var execCalls = map[string]struct {
	arguments int
	call      func(*execution, context.Context, []string) error
}{
	"describe":   {0, (*execution).describe},
	"detect":     {0, (*execution).detect},
	"testcmd":    {0, (*execution).testCmd},
	"rerun":      {2, (*execution).rerun},
	"list":       {0, (*execution).list},
	"parse":      {0, (*execution).parse},
	"parse-list": {0, (*execution).parseList},
}

func (a *app) pluginExecCommand() *cobra.Command {
	var given execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] BINARY CALL [ARGUMENT]...",
		Short: "Talk to one plugin by hand",
		Long: `Start one plugin, make one call of the protocol, print the answer in JSON with the
names of the protocol, and end it. No command that it composes is executed but its
probes, before the calls about a workspace.

CALL is one of
  describe            who the plugin is and what it can do
  detect              whether the directory of -C is a project
  testcmd             the commands that run all tests
  rerun SUITE NAME    the commands that run one test again
  list                the commands that list tests
  parse               read a runner's output on standard input; events as they come
  parse-list          read the output of a command of list`,
		Example: `  proctor plugin exec ./proctor-plugin-tap describe
  proctor plugin exec ./proctor-plugin-tap parse --exit-code 1 < recorded.tap
  proctor plugin exec ./proctor-plugin-tap parse --want --case testdata/cases/red > testdata/cases/red/want.json`,
		Args: arguments(checkExecArguments),
		RunE: func(cmd *cobra.Command, args []string) error {
			given.exitKnown = cmd.Flags().Changed("exit-code")
			return a.execPlugin(cmd.Context(), given, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&given.widen, "widen", false, "with rerun: the outermost test instead")
	flags.BoolVar(&given.want, "want", false, "with parse: print a want.json to be reviewed")
	flags.StringVar(&given.caseDir, "case", "", "with parse: read a recorded case in a `DIR`, not standard input")
	flags.IntVar(&given.exitCode, "exit-code", 0, "with parse: the `CODE` that the runner exited with (default: unknown)")
	flags.StringVar(&given.stderr, "stderr", "", "with parse: the runner's standard error, in a `FILE`")
	return cmd
}

func checkExecArguments(_ *cobra.Command, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("give a plugin's binary and a call: %s", strings.Join(sortedCalls(), ", "))
	}
	call, ok := execCalls[args[1]]
	switch {
	case !ok:
		return fmt.Errorf("unknown call %q: give one of %s", args[1], strings.Join(sortedCalls(), ", "))
	case len(args)-2 != call.arguments:
		return fmt.Errorf("%s takes %d further arguments and got %d", args[1], call.arguments, len(args)-2)
	}
	return nil
}

func sortedCalls() []string {
	names := map[string]string{}
	for name := range execCalls {
		names[name] = ""
	}
	return sortedNames(names)
}

func (a *app) execPlugin(ctx context.Context, given execFlags, args []string) error {
	path, err := binaryPath(args[0])
	if err != nil {
		return &flagError{err}
	}
	root, err := filepath.Abs(a.where().Dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return &flagError{fmt.Errorf("the workspace: %w", err)}
	}
	session, err := started.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("plugin %s: %w", args[0], err)
	}
	defer session.Close(context.WithoutCancel(ctx))
	e := &execution{app: a, rpc: pb.NewDetectorServiceClient(session.Conn), conn: session, root: root, execFlags: given}
	err = execCalls[args[1]].call(e, ctx, args[2:])
	a.printWords(session.Stderr())
	if err != nil {
		return fmt.Errorf("plugin %s: %s: %w", args[0], args[1], err)
	}
	return nil
}

// printWords passes on what a plugin printed to standard error.
func (a *app) printWords(stderr string) {
	if words := strings.TrimSpace(stderr); words != "" {
		fmt.Fprintln(a.env.Stderr, prose.Plain(words))
	}
}

// answer prints a message, or passes err on.
func (e *execution) answer(m proto.Message, err error) error {
	if err != nil {
		return err
	}
	return e.print("", m)
}

// print prints a message on one line, below a name where there is one.
func (e *execution) print(name string, m proto.Message) error {
	raw, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return err
	}
	if name == "" {
		return e.app.printJSON(json.RawMessage(raw))
	}
	return e.app.printJSON(map[string]json.RawMessage{name: raw})
}
