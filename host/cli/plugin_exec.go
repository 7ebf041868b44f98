package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	recorded "github.com/proctorhq/proctor/sdk/plugintest/golden"
	started "github.com/proctorhq/proctor/sdk/plugintest/process"
)

// execution is one manual call of a plugin.
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

// execCalls maps the possible calls to the number of further arguments.
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

func newPluginExecCommand(a *app) *cobra.Command {
	var given execFlags
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
		Args: arguments(checkExecArguments),
		RunE: func(cmd *cobra.Command, args []string) error {
			given.exitKnown = cmd.Flags().Changed("exit-code")
			return a.execPlugin(cmd.Context(), given, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&given.widen, "widen", false, "with rerun: use the outermost test")
	flags.BoolVar(&given.want, "want", false, "with parse: print a want.json for review")
	flags.StringVar(&given.caseDir, "case", "", "with parse: read the recorded case in `DIR` instead of standard input")
	flags.IntVar(&given.exitCode, "exit-code", 0, "with parse: the runner's exit `CODE` (default: unknown)")
	flags.StringVar(&given.stderr, "stderr", "", "with parse: a `FILE` with the runner's standard error")
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

func sortedCalls() []string { return slices.Sorted(maps.Keys(execCalls)) }

func (a *app) execPlugin(ctx context.Context, given execFlags, args []string) error {
	path, err := binaryPath(args[0])
	if err != nil {
		return &flags.Error{Err: err}
	}
	root, err := filepath.Abs(a.where().Dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return &flags.Error{Err: fmt.Errorf("the workspace: %w", err)}
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

// printWords prints a plugin's standard error.
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

// print prints a message on one line, below its name if there is one.
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

// maxRecorded bounds output that is read at once.
const maxRecorded = 256 << 20

func (e *execution) describe(ctx context.Context, _ []string) error {
	m, err := e.rpc.Describe(ctx, &pb.DescribeRequest{HostVersion: version()})
	return e.answer(m, err)
}

// project returns the directory of -C, with those of the plugin's tools that exist and
// the output of its probes.
func (e *execution) project(ctx context.Context) (sdk.Workspace, error) {
	m, err := e.rpc.Describe(ctx, &pb.DescribeRequest{HostVersion: version()})
	if err != nil {
		return sdk.Workspace{}, err
	}
	ws := sdk.Workspace{Root: e.root, Tools: started.FindTools(m.GetTools(), m.GetToolDirs())}
	probes := map[string]sdk.ProbeOutput{}
	for _, p := range m.GetProbes() {
		out, err := started.Probe(ctx, sdk.Probe{Name: p.GetName(), Argv: p.GetArgv(), Env: p.GetEnv(), UnsetEnv: p.GetUnsetEnv()}, ws)
		if err != nil {
			fmt.Fprintln(e.app.env.Stderr, prose.Plain(err.Error()))
			continue
		}
		probes[p.GetName()] = out
	}
	ws.Probes = probes
	return ws, nil
}

// workspace is the project as a message.
func (e *execution) workspace(ctx context.Context) (*pb.Workspace, error) {
	ws, err := e.project(ctx)
	m := &pb.Workspace{Root: ws.Root, Tools: ws.Tools, Probes: map[string]*pb.ProbeOutput{}}
	for name, out := range ws.Probes {
		m.Probes[name] = &pb.ProbeOutput{Stdout: out.Stdout, Stderr: out.Stderr, ExitCode: int32(out.ExitCode)}
	}
	return m, err
}

func (e *execution) detect(ctx context.Context, _ []string) error {
	ws, err := e.workspace(ctx)
	if err != nil {
		return err
	}
	m, err := e.rpc.Detect(ctx, &pb.DetectRequest{Workspace: ws})
	return e.answer(m, err)
}

func (e *execution) testCmd(ctx context.Context, _ []string) error {
	ws, err := e.workspace(ctx)
	if err != nil {
		return err
	}
	m, err := e.rpc.TestCmd(ctx, &pb.TestCmdRequest{Workspace: ws})
	return e.answer(m, err)
}

func (e *execution) rerun(ctx context.Context, args []string) error {
	ws, err := e.workspace(ctx)
	if err != nil {
		return err
	}
	target := &pb.TestId{Suite: args[0], Name: args[1]}
	m, err := e.rpc.RerunCmd(ctx, &pb.RerunCmdRequest{Workspace: ws, Targets: []*pb.TestId{target}, Widen: e.widen})
	return e.answer(m, err)
}

func (e *execution) list(ctx context.Context, _ []string) error {
	ws, err := e.workspace(ctx)
	if err != nil {
		return err
	}
	m, err := e.rpc.ListCmd(ctx, &pb.ListCmdRequest{Workspace: ws})
	return e.answer(m, err)
}

func (e *execution) parse(ctx context.Context, _ []string) error {
	r, err := e.recording(ctx)
	if err != nil {
		return err
	}
	if !e.want {
		return e.follow(ctx, r)
	}
	events, err := recorded.Play(ctx, client.New(e.conn.Conn), r, recorded.WholeChunks)
	if err != nil {
		return err
	}
	return e.printWant(recorded.Observed(events))
}

func (e *execution) parseList(ctx context.Context, _ []string) error {
	r, err := e.recording(ctx)
	if err != nil {
		return err
	}
	req := sdk.ListRequest{Workspace: r.Run.Workspace}
	listing, err := recorded.PlayList(ctx, client.New(e.conn.Conn), req, r, recorded.WholeChunks)
	switch {
	case err != nil:
		return err
	case e.want:
		return e.printWant(recorded.ObservedListing(listing))
	}
	return e.app.printJSON(listing)
}

// recording returns a case, or what is on standard input.
func (e *execution) recording(ctx context.Context) (recorded.Recording, error) {
	if e.caseDir != "" {
		c, err := recorded.ReadOutput(ctx, e.caseDir)
		if err != nil {
			return recorded.Recording{}, err
		}
		ws, err := e.project(ctx)
		return c.In(ws).Recording, err
	}
	if e.app.env.Stdin == nil {
		return recorded.Recording{}, errors.New("there is no output to read: give it on standard input, or --case DIR")
	}
	stdout, err := io.ReadAll(io.LimitReader(e.app.env.Stdin, maxRecorded+1))
	if err != nil {
		return recorded.Recording{}, fmt.Errorf("standard input: %w", err)
	}
	if len(stdout) > maxRecorded {
		return recorded.Recording{}, fmt.Errorf("standard input has more than %d MiB", maxRecorded>>20)
	}
	r := recorded.Stdout("standard input", stdout, sdk.Exit{Code: e.exitCode, Unknown: !e.exitKnown})
	r.Run.Workspace.Root = e.root
	if e.stderr != "" {
		data, err := os.ReadFile(e.stderr)
		if err != nil {
			return r, err
		}
		r.Pieces = append(r.Pieces, recorded.Piece{Stream: sdk.Stderr, Data: data})
	}
	return r, nil
}

// printWant prints one thing a line, for a person to review.
func (e *execution) printWant(w recorded.Want) error {
	line, err := prose.JSON(w)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return err
	}
	_, err = e.app.env.Stdout.Write(b.Bytes())
	return err
}

// follow sends a recording and prints the events as they arrive.
func (e *execution) follow(ctx context.Context, r recorded.Recording) error {
	ctx, cancel := context.WithCancel(ctx)
	rpc, err := e.rpc.ParseTestFailures(ctx)
	if err != nil {
		cancel()
		return err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for m := range r.Requests() {
			if rpc.Send(m) != nil {
				break // the answer says why
			}
		}
		_ = rpc.CloseSend()
	}()
	defer func() { cancel(); <-sent }()
	for {
		m, err := rpc.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = e.printEvents(m)
		}
		if err != nil {
			return err
		}
	}
}

// printEvents prints each event of a batch on a line of its own.
func (e *execution) printEvents(m *pb.ParseTestFailuresResponse) error {
	for _, print := range []func() error{
		func() error { return printMessages(e, "test", m.GetTests()) },
		func() error { return printMessages(e, "failure", m.GetFailures()) },
		func() error { return printMessages(e, "suite", m.GetSuites()) },
		func() error { return printMessages(e, "unread", m.GetUnread()) },
		func() error { return e.printTexts("note", m.GetNotes()) },
		func() error { return e.printTexts("run_error", m.GetRunErrors()) },
		func() error { return e.printConditions(m.GetConditions()) },
	} {
		if err := print(); err != nil {
			return err
		}
	}
	return nil
}

func printMessages[M proto.Message](e *execution, name string, messages []M) error {
	for _, m := range messages {
		if err := e.print(name, m); err != nil {
			return err
		}
	}
	return nil
}

func (e *execution) printTexts(name string, texts []string) error {
	for _, text := range texts {
		if err := e.app.printJSON(map[string]string{name: text}); err != nil {
			return err
		}
	}
	return nil
}

func (e *execution) printConditions(conditions map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		if err := e.app.printJSON(map[string]any{"condition": map[string]string{"name": name, "value": conditions[name]}}); err != nil {
			return err
		}
	}
	return nil
}
