package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	recorded "github.com/proctorhq/proctor/sdk/plugintest/golden"
	started "github.com/proctorhq/proctor/sdk/plugintest/process"
)

// maxRecorded bounds an output that is read at once.
const maxRecorded = 256 << 20

func (e *execution) describe(ctx context.Context, _ []string) error {
	m, err := e.rpc.Describe(ctx, &pb.DescribeRequest{HostVersion: version()})
	return e.answer(m, err)
}

// project is the directory of -C, with those of the plugin's tools that there are
// and what its probes print.
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

// recording is a case, or what is on standard input.
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

// printWant prints in lines, for a person to review.
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
