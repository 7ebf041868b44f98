package work

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

// The clock of the test's environment is not that of the wall.
func TestTheLongestBatchesAreHandedOutFirst(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine needs more than a second
	var mu sync.Mutex
	at := map[int]time.Time{}
	env.RegisterActivityWithOptions(func(_ context.Context, _ string, n int) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		at[n] = env.Now()
		return "", nil
	}, activity.RegisterOptions{Name: activityName})
	env.ExecuteWorkflow(Workflow, Input{Job: "j", Batches: 6, Window: 4, Silence: time.Minute})
	if err := env.GetWorkflowError(); err != nil || len(at) != 6 {
		t.Fatalf("%d batches, %v", len(at), err)
	}
	first := at[0]
	if at[1].Before(first) {
		first = at[1]
	}
	for n := range 6 {
		if late := at[n].Sub(first) >= headStart; late != (n >= 2) {
			t.Errorf("batch %d was handed out %v after the first", n, at[n].Sub(first))
		}
	}
}
