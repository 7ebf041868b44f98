package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCalls is how many calls of a read-only tool are measured.
const mcpCalls = 300

// measureMCP measures how soon an agent's client gets its first answer and, after a red run of
// a small module, how long a call takes whose answer is on record.
func measureMCP(ctx context.Context, b *bench) error {
	const (
		mostStart = 100
		mostCall  = 20
	)
	dir, err := b.writeModule("mcp", map[string]string{
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestRed(t *testing.T) { t.Error(\"got 1, want 2\") }\n",
	})
	if err != nil {
		return err
	}
	var starts []time.Duration
	for range shortTurns * b.turns {
		session, took, err := b.mcpClient(ctx, dir)
		if err != nil {
			return err
		}
		starts = append(starts, took)
		if err := session.Close(); err != nil {
			return err
		}
	}
	session, _, err := b.mcpClient(ctx, dir)
	if err != nil {
		return err
	}
	calls, err := readCalls(ctx, session)
	if err := errors.Join(err, session.Close()); err != nil {
		return err
	}
	b.within("proctor mcp, from its start to its answer to initialize, wall", milliseconds(starts), mostStart, "ms")
	b.addRow("`proctor mcp`, start to first answer", onlyOurs("%.1f ms", milliseconds(starts)))
	b.within("last_test_failures over a pipe, wall", milliseconds(calls), mostCall, "ms")
	b.addRow("a tool's answer from the record, round trip", onlyOurs("%.1f ms", milliseconds(calls)))
	return nil
}

// mcpClient starts a server, and returns how long the server took to answer initialize.
func (b *bench) mcpClient(ctx context.Context, dir string) (*mcp.ClientSession, time.Duration, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "proctor"), "mcp", "--workspace", dir)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	began := time.Now()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	return session, time.Since(began), err
}

// readCalls runs the tests once and then repeatedly asks what failed.
func readCalls(ctx context.Context, session *mcp.ClientSession) ([]time.Duration, error) {
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "run_tests"}); err != nil {
		return nil, err
	}
	var calls []time.Duration
	for range mcpCalls {
		began := time.Now()
		answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "last_test_failures"})
		if err != nil {
			return nil, err
		}
		calls = append(calls, time.Since(began))
		if answer.IsError {
			return nil, fmt.Errorf("last_test_failures: %v", answer.Content)
		}
	}
	return calls, nil
}

// milliseconds returns the median in milliseconds.
func milliseconds(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2]) / float64(time.Millisecond)
}
