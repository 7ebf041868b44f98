package work

import (
	"context"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// Workers returns the identities of the workers that are alive. Each polls for workflows
// whatever it is doing, but for batches only while it has a free slot.
func Workers(ctx context.Context, c client.Client, namespace string) ([]string, error) {
	answer, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: namespace, TaskQueue: &taskqueue.TaskQueue{Name: Queue}, TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	if err != nil {
		return nil, err
	}
	var alive []string
	seen := map[string]bool{}
	for _, p := range answer.GetPollers() {
		id := p.GetIdentity()
		if recent := time.Since(p.GetLastAccessTime().AsTime()) < pollerAge; recent && !seen[id] {
			seen[id] = true
			alive = append(alive, id)
		}
	}
	return alive, nil
}

// pollerAge is how recently a live worker has polled: it does so at least once a minute.
const pollerAge = 90 * time.Second
