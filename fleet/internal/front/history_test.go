package front

import (
	"context"
	"fmt"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/proctorhq/proctor/fleet/internal/server"
	"github.com/proctorhq/proctor/fleet/internal/work"
)

// The largest run is far below the size at which Temporal terminates a workflow for its
// history.
func TestTheLargestRunFitsIntoAHistory(t *testing.T) {
	t.Parallel()
	const (
		batches   = 300
		maxEvents = 51_200
		maxBytes  = 50 << 20
	)
	port := freePort(t)
	s, err := server.Start(t.Context(), t.TempDir(), port, defaultNamespace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	c, err := client.Dial(client.Options{HostPort: s.Address, Namespace: defaultNamespace, Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, work.Queue, worker.Options{MaxConcurrentActivityExecutionSize: 16, Identity: "here/w slots=16"})
	w.RegisterWorkflowWithOptions(work.Workflow, workflow.RegisterOptions{Name: work.Name})
	w.RegisterActivityWithOptions(func(ctx context.Context, id string, n int) (string, error) {
		if n%10 == 0 && activity.GetInfo(ctx).Attempt == 1 {
			return "", temporal.NewApplicationError("once", "machine") // a retry adds no events
		}
		return fmt.Sprintf("0001-%010d", n), nil
	}, activity.RegisterOptions{Name: "batch/v1"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "all", TaskQueue: work.Queue}, work.Name,
		work.Input{Job: "abcdefghij", Batches: batches, Window: 32, Silence: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var out work.Output
	if err := run.Get(t.Context(), &out); err != nil || len(out.Lost) > 0 {
		t.Fatalf("%v, lost %q", err, out.Lost)
	}
	answer, err := c.DescribeWorkflowExecution(t.Context(), "all", "")
	if err != nil {
		t.Fatal(err)
	}
	info := answer.GetWorkflowExecutionInfo()
	events, bytes := info.GetHistoryLength()*work.MaxBatches/batches, info.GetHistorySizeBytes()*work.MaxBatches/batches
	t.Logf("%d batches: %d events, %d bytes; %d would have %d and %d", batches, info.GetHistoryLength(), info.GetHistorySizeBytes(), work.MaxBatches, events, bytes)
	if info.GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_COMPLETED || events > maxEvents || bytes > maxBytes {
		t.Errorf("%s: %d events and %d bytes, want at most %d and %d", info.GetStatus(), events, bytes, maxEvents, maxBytes)
	}
}
