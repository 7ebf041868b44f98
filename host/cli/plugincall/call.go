package plugincall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	recorded "github.com/proctorhq/proctor/sdk/plugintest/golden"
	started "github.com/proctorhq/proctor/sdk/plugintest/process"
)

// Call is one call of a plugin.
type Call struct {
	// Binary is the plugin's program as the user named it, Path its path.
	Binary, Path string
	// Name is one of [Names], and Arguments are what it takes.
	Name      string
	Arguments []string
	// Root is the workspace.
	Root           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	HostVersion    string
	// Widen has a rerun use the outermost test.
	Widen bool
	// What is parsed: the recorded case in CaseDir or else standard input, with StderrFile
	// as the runner's standard error. Want asks for a want.json.
	Want                bool
	CaseDir, StderrFile string
	ExitCode            int
	ExitKnown           bool
}

// execution is a call being made.
type execution struct {
	Call
	rpc  pb.DetectorServiceClient
	conn *started.Session
}

// calls maps the possible calls to the number of further arguments.
var calls = map[string]struct {
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

// Names returns the names of the calls.
func Names() []string { return slices.Sorted(maps.Keys(calls)) }

// Check reports what is wrong with a call and the number of its arguments.
func Check(name string, arguments int) error {
	call, ok := calls[name]
	switch {
	case !ok:
		return fmt.Errorf("unknown call %q: give one of %s", name, strings.Join(Names(), ", "))
	case arguments != call.arguments:
		return fmt.Errorf("%s takes %d further arguments, not %d", name, call.arguments, arguments)
	}
	return nil
}

// Make starts the plugin, makes the call, prints the answer, and stops the plugin.
func (c Call) Make(ctx context.Context) error {
	session, err := started.Open(ctx, c.Path)
	if err != nil {
		return fmt.Errorf("plugin %s: %w", c.Binary, err)
	}
	defer session.Close(context.WithoutCancel(ctx))
	e := &execution{Call: c, rpc: pb.NewDetectorServiceClient(session.Conn), conn: session}
	err = calls[c.Name].call(e, ctx, c.Arguments)
	if words := strings.TrimSpace(session.Stderr()); words != "" {
		fmt.Fprintln(c.Stderr, prose.Plain(words))
	}
	if err != nil {
		return fmt.Errorf("plugin %s: %s: %w", c.Binary, c.Name, err)
	}
	return nil
}

// printJSON prints an object on one line that is safe on a terminal.
func (e *execution) printJSON(v any) error {
	line, err := prose.JSON(v)
	if err == nil {
		_, err = e.Stdout.Write(line)
	}
	return err
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
		return e.printJSON(json.RawMessage(raw))
	}
	return e.printJSON(map[string]json.RawMessage{name: raw})
}

// maxRecorded bounds output that is read at once.
const maxRecorded = 256 << 20

func (e *execution) describe(ctx context.Context, _ []string) error {
	m, err := e.rpc.Describe(ctx, &pb.DescribeRequest{HostVersion: e.HostVersion})
	return e.answer(m, err)
}

// project returns the directory of -C, with those of the plugin's tools that exist and
// the output of its probes.
func (e *execution) project(ctx context.Context) (sdk.Workspace, error) {
	m, err := e.rpc.Describe(ctx, &pb.DescribeRequest{HostVersion: e.HostVersion})
	if err != nil {
		return sdk.Workspace{}, err
	}
	ws := sdk.Workspace{Root: e.Root, Tools: started.FindTools(m.GetTools(), m.GetToolDirs())}
	probes := map[string]sdk.ProbeOutput{}
	for _, p := range m.GetProbes() {
		out, err := started.Probe(ctx, sdk.Probe{Name: p.GetName(), Argv: p.GetArgv(), Env: p.GetEnv(), UnsetEnv: p.GetUnsetEnv()}, ws)
		if err != nil {
			fmt.Fprintln(e.Stderr, prose.Plain(err.Error()))
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
	m, err := e.rpc.RerunCmd(ctx, &pb.RerunCmdRequest{Workspace: ws, Targets: []*pb.TestId{target}, Widen: e.Widen})
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
	if !e.Want {
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
	case e.Want:
		return e.printWant(recorded.ObservedListing(listing))
	}
	return e.printJSON(listing)
}

// recording returns the recorded case, or what is on standard input.
func (e *execution) recording(ctx context.Context) (recorded.Recording, error) {
	if e.CaseDir != "" {
		c, err := recorded.ReadOutput(ctx, e.CaseDir)
		if err != nil {
			return recorded.Recording{}, err
		}
		ws, err := e.project(ctx)
		return c.In(ws).Recording, err
	}
	if e.Stdin == nil {
		return recorded.Recording{}, errors.New("there is no output to read: give it on standard input, or --case DIR")
	}
	stdout, err := io.ReadAll(io.LimitReader(e.Stdin, maxRecorded+1))
	if err != nil {
		return recorded.Recording{}, fmt.Errorf("standard input: %w", err)
	}
	if len(stdout) > maxRecorded {
		return recorded.Recording{}, fmt.Errorf("standard input has more than %d MiB", maxRecorded>>20)
	}
	r := recorded.Stdout("standard input", stdout, sdk.Exit{Code: e.ExitCode, Unknown: !e.ExitKnown})
	r.Run.Workspace.Root = e.Root
	if e.StderrFile != "" {
		data, err := os.ReadFile(e.StderrFile)
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
	_, err = e.Stdout.Write(b.Bytes())
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
		if err := e.printJSON(map[string]string{name: text}); err != nil {
			return err
		}
	}
	return nil
}

func (e *execution) printConditions(conditions map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		if err := e.printJSON(map[string]any{"condition": map[string]string{"name": name, "value": conditions[name]}}); err != nil {
			return err
		}
	}
	return nil
}
