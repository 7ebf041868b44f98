package ledger

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/workspace"
)

// RunVariable is the environment variable that tells a test its run and the runs around
// that, separated by spaces. A proctor that a test starts in the same workspace must not
// wait for them to end.
const RunVariable = "PROCTOR_RUN_ID"

// LockRuns waits until no other run is in progress in the workspace, in any process: two
// at once would disturb each other's tests, and neither could be believed. release admits
// the next one. If runs cannot be kept apart, doubts say so; the only error is that of
// ctx. An empty runID stands for a listing of tests. l learns who holds the lock.
func LockRuns(ctx context.Context, k *Keeper, store *artifacts.Store, runID string, l api.Listener) (release func(), doubts []api.Note, err error) {
	if k.Box != nil {
		return func() {}, nil, nil // a sandbox has a workspace of its own
	}
	me := api.Holder{RunID: runID, SessionID: store.SessionID(), PID: os.Getpid(), Since: k.Cfg.Now().UTC(), Listing: runID == ""}
	release, err = artifacts.TakeRunLock(ctx, store, me, func(holder api.Holder) bool {
		if isWithin(k, store, holder) {
			return false
		}
		l.Listen(&api.Waiting{Holder: holder})
		return true
	})
	if err != nil && ctx.Err() == nil {
		return func() {}, api.Notes(api.NoteDisturbed, "another run in this workspace may have overlapped with this one and disturbed its tests: "+err.Error()), nil
	}
	return release, nil, err
}

// isWithin reports whether a test of the holder started this process. A holder without a
// name counts if any of the surrounding runs is alive here.
func isWithin(k *Keeper, store *artifacts.Store, holder api.Holder) bool {
	nameless := holder.RunID == api.Unknown && !holder.Listing
	return slices.ContainsFunc(strings.Fields(workspace.Getenv(k.Cfg.Env, RunVariable)), func(id string) bool {
		return id == holder.RunID && id != api.Unknown || nameless && store.Alive(id)
	})
}

// awaitRetry is how often [AwaitRun] checks.
const awaitRetry = 100 * time.Millisecond

// AwaitRun waits until a run, possibly another process's, is no longer in progress.
func AwaitRun(ctx context.Context, k *Keeper, where api.Where, runID string) error {
	store, err := k.OpenRecords(where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return nil
	}
	if err != nil {
		return err
	}
	for store.Alive(runID) {
		select {
		case <-time.After(awaitRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
