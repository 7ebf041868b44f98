package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is a `proctor mcp` with a client.
type server struct {
	session *mcp.ClientSession
	pid     int
}

// serve starts a server over a pipe.
func (d *day) serve(ctx context.Context) (server, error) {
	cmd := exec.CommandContext(ctx, d.Proctor, "mcp", "--workspace", d.dir)
	cmd.Env, cmd.Stderr = d.env, io.Discard
	client := mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return server{}, fmt.Errorf("proctor mcp: %w", err)
	}
	return server{session: session, pid: cmd.Process.Pid}, nil
}

// reply is what is read of any tool's answer.
type reply struct {
	RunID       string `json:"run_id"`
	Status      string
	Counts      struct{ Passed, Failed int }
	Outstanding int
	Failures    []struct{ Suite, Test string }
	Text        string
	Total       int
	Message     string
	Tests       []struct{ Suite, Test string }
	Suspects    []struct{ File string }
	Timeline    []struct{ Status string }

	raw string
}

// red returns the failures, sorted.
func (r reply) red() []string {
	var all []string
	for _, f := range r.Failures {
		all = append(all, strings.TrimSpace(f.Suite+" "+f.Test))
	}
	slices.Sort(all)
	return all
}

// call calls a tool, and records how long it took.
func (d *day) call(ctx context.Context, s server, tool string, args map[string]any) (reply, error) {
	began := time.Now()
	res, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	took := time.Since(began)
	if err != nil {
		return reply{}, fmt.Errorf("%s %v: %w", tool, args, err)
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return reply{}, err
	}
	r := reply{raw: string(raw)}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("%s %v: %w: %.2000s", tool, args, err, raw)
	}
	if res.IsError {
		return r, fmt.Errorf("%s %v is an error: %.2000s", tool, args, raw)
	}
	if tool == "run_tests" && args["affected"] != nil {
		tool += " affected"
	}
	d.report.took(tool, took)
	return r, nil
}

func wrongAnswer(what string, r reply, format string, args ...any) error {
	return fmt.Errorf("%s: want %s, got %.3000s", what, fmt.Sprintf(format, args...), r.raw)
}
