package front

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/fleet/internal/work"
	"github.com/proctorhq/proctor/host/portable"
)

// unknowing is a server that knows no run.
type unknowing struct{ client.Client }

func (unknowing) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return nil, serviceerror.NewNotFound("no such workflow")
}

// A run that one server does not know may be running on another.
func TestPruneLeavesARunThatMayRunElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	for id, age := range map[string]time.Duration{"elsewhere": 100 * time.Hour, "over": work.BatchLimit + time.Hour} {
		name := "jobs/" + id + "/job.json"
		_, err := s.Put(t.Context(), name, []byte("{}"))
		if at := time.Now().Add(-age); err == nil {
			err = os.Chtimes(filepath.Join(dir, name), at, at)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	removed, err := prune(t.Context(), unknowing{}, s, 72*time.Hour)
	if err != nil || !slices.Equal(removed, []string{"over"}) {
		t.Errorf("removed %q, %v", removed, err)
	}
}

// A merge reads all reports of the largest run, even with two attempts at each part.
func TestTheLargestRunCanBeMerged(t *testing.T) {
	t.Parallel()
	if reports := 2 * work.MaxBatches; reports > portable.MaxFiles {
		t.Errorf("%d reports, but a merge reads only %d", reports, portable.MaxFiles)
	}
}
