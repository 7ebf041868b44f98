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

// RunVariable tells a test in which run it is, and in which ones that run is, with
// spaces between. A proctor that a test starts in the same workspace must not wait
// for the end of such a run.
const RunVariable = "PROCTOR_RUN_ID"

// Lane waits until no other run is going on in the workspace, of whatever process:
// two at once would disturb each other's tests, and neither could be believed. The
// returned function lets the next one begin. Where runs cannot be kept apart, the
// doubts say so. An error is the end of ctx. Without an id it is a listing of tests
// that waits. l hears for whom.
func (h *Keeper) Lane(ctx context.Context, store *artifacts.Store, runID string, l api.Listener) (release func(), doubts []api.Note, err error) {
	if h.Box != nil {
		return func() {}, nil, nil // nobody else has its workspace
	}
	me := api.Holder{RunID: runID, SessionID: store.SessionID(), PID: os.Getpid(), Since: h.Cfg.Now().UTC(), Listing: runID == ""}
	release, err = artifacts.TakeLane(ctx, store, me, func(holder api.Holder) bool {
		if h.isWithin(store, holder) {
			return false
		}
		l.Listen(&api.Waiting{Holder: holder})
		return true
	})
	if err != nil && ctx.Err() == nil {
		return func() {}, api.Notes(api.NoteDisturbed, "another run of this workspace may have gone on beside this one and disturbed its tests: "+err.Error()), nil
	}
	return release, nil, err
}

// isWithin reports whether a test of the holder's started this process. Of a holder that
// is not named it is one that goes on here.
func (h *Keeper) isWithin(store *artifacts.Store, holder api.Holder) bool {
	nameless := holder.RunID == api.Unknown && !holder.Listing
	return slices.ContainsFunc(strings.Fields(workspace.Getenv(h.Cfg.Env, RunVariable)), func(id string) bool {
		return id == holder.RunID && id != api.Unknown || nameless && store.Alive(id)
	})
}

// awaitRetry is how often [Keeper.Await] looks.
const awaitRetry = 100 * time.Millisecond

// Await waits until a run, which may be another process's, does not go on any more.
func (h *Keeper) Await(ctx context.Context, where api.Where, runID string) error {
	store, err := h.OpenRecords(where)
	var none *api.NoRunError
	if errors.As(err, &none) {
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
