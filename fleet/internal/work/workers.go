package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/proctorhq/proctor/host/ledger"
)

// TakeIdentity returns an identity for a worker in a directory: a name, by which one that is
// started again there counts as the same, and its number of slots. A process id would not be
// unique, being 1 in every container. Another worker of the directory has another name until
// it is released.
func TakeIdentity(dir string, slots int) (identity string, release func(), err error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	dir = filepath.Join(dir, "workers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	for n := range maxWorkers {
		file := filepath.Join(dir, strconv.Itoa(n))
		lock := flock.New(file + ".lock")
		taken, err := lock.TryLock()
		if err != nil {
			return "", nil, err
		}
		if !taken {
			continue
		}
		id, err := os.ReadFile(file)
		if err != nil || len(id) == 0 {
			id = []byte(ledger.NewRunID())
			if err := os.WriteFile(file, id, 0o600); err != nil {
				return "", nil, errors.Join(err, lock.Unlock())
			}
		}
		return fmt.Sprintf("%s/%s%s%d", host, id, slotsMark, slots), func() { _ = lock.Unlock() }, nil
	}
	return "", nil, fmt.Errorf("%d workers run in %s already", maxWorkers, dir)
}

const (
	slotsMark = " slots="
	// maxWorkers bounds the workers of one directory.
	maxWorkers = 256
)

// nameOf returns the name in a worker's identity.
func nameOf(identity string) string {
	name, _, _ := strings.Cut(identity, slotsMark)
	return name
}

// SlotsOf reads how many slots a worker has.
func SlotsOf(identity string) int {
	_, number, _ := strings.Cut(identity, slotsMark)
	n, _ := strconv.Atoi(number)
	return max(n, 0)
}

// Workers returns the identities of the workers that are alive. Each polls for workflows
// whatever it is doing, but for batches only while it has a free slot.
func Workers(ctx context.Context, c client.Client, namespace string) ([]string, error) {
	answer, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: namespace, TaskQueue: &taskqueue.TaskQueue{Name: Queue}, TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	if err != nil {
		return nil, err
	}
	return latest(answer.GetPollers(), time.Now()), nil
}

// latest returns the identities of those who polled recently, one of each name.
func latest(pollers []*taskqueue.PollerInfo, now time.Time) []string {
	slices.SortStableFunc(pollers, func(a, b *taskqueue.PollerInfo) int {
		return b.GetLastAccessTime().AsTime().Compare(a.GetLastAccessTime().AsTime())
	})
	var alive []string
	seen := map[string]bool{}
	for _, p := range pollers {
		name := nameOf(p.GetIdentity())
		if recent := now.Sub(p.GetLastAccessTime().AsTime()) < pollerAge; recent && !seen[name] {
			seen[name] = true
			alive = append(alive, p.GetIdentity())
		}
	}
	return alive
}

// pollerAge is how recently a live worker has polled: it does so at least once a minute.
const pollerAge = 90 * time.Second
