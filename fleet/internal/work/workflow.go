package work

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Queue is the task queue of all workers. The workflow and its activity have versions in
// their names, whose meaning never changes.
const (
	Queue        = "proctor"
	Name         = "run/v1"
	activityName = "batch/v1"
)

// Input is what a workflow needs to know; everything else is in the store.
type Input struct {
	Job     string
	Batches int
	// Window is how many batches wait or run at a time: twice as many as there are slots.
	// A batch that is handed out again queues behind those already waiting.
	Window int
	// Silence is how long a machine may be silent before its batch is handed out again, at
	// least [LeastSilence].
	Silence time.Duration
}

// Output names the batches that were given up, with the reasons.
type Output struct{ Lost []string }

// The limits of Temporal for one workflow: a history of 51,200 events and 50 MiB, and 2,000
// activities that wait or run. A batch is at most six events, of less than 3 KiB in all
// unless it is given up.
const (
	MaxBatches = 8000
	MaxWindow  = 1900
	// maxReason bounds what a history has of why a batch was given up.
	maxReason = 1000
)

// maxLost is how many lost batches an output names; the merge names all that is missing.
const maxLost = 20

// A batch may take as long as its tests, which have a deadline of their own.
const (
	BatchLimit   = 7 * 24 * time.Hour
	firstRetry   = time.Second
	longestRetry = 10 * time.Second
	// mostAttempts is when a batch is given up: it kills every machine that takes it, or no
	// machine can run it.
	mostAttempts = 20
	// headStart is how much earlier than all others the first batches are handed out.
	headStart = 250 * time.Millisecond
)

// Workflow hands out the batches of a run in order. Of batches that wait Temporal may hand
// out a later one first, and the first are the longest: so there are as many of them as
// slots, and until these have them, no others.
func Workflow(ctx workflow.Context, in Input) (Output, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: Queue, StartToCloseTimeout: BatchLimit, HeartbeatTimeout: in.Silence,
		WaitForCancellation: true, // keep what a batch found until then
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: firstRetry, MaximumInterval: longestRetry, BackoffCoefficient: 2, MaximumAttempts: mostAttempts,
		},
	})
	var out Output
	places := workflow.NewSemaphore(ctx, int64(max(in.Window, 1)))
	all := workflow.NewWaitGroup(ctx)
	for n := range in.Batches {
		if n == (in.Window+1)/2 && workflow.Sleep(ctx, headStart) != nil {
			break // cancelled
		}
		if places.Acquire(ctx, 1) != nil {
			break // cancelled
		}
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			defer places.Release(1)
			err := workflow.ExecuteActivity(ctx, activityName, in.Job, n).Get(ctx, nil)
			if err != nil && len(out.Lost) < maxLost {
				out.Lost = append(out.Lost, fmt.Sprintf("part %d: %v", n+1, rootOf(err)))
			}
		})
	}
	ended, _ := workflow.NewDisconnectedContext(ctx)
	all.Wait(ended)
	return out, ctx.Err()
}

// rootOf returns the cause of an activity's error, without Temporal's wrapping.
func rootOf(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}
