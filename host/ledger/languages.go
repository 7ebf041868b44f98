package ledger

import (
	"context"
	"errors"

	"github.com/proctorhq/proctor/host/api"
)

// EachLanguage returns the requests that ask for the last run of each language of
// the session, where req names neither a run nor a language: each language has a
// last run of its own, and leaving one out could hide what failed in it.
func (h *Keeper) EachLanguage(ctx context.Context, req api.LastRun) ([]api.LastRun, error) {
	if req.Ref != "" || req.Language != "" {
		return []api.LastRun{req}, nil
	}
	store, err := h.OpenRecords(req.Where)
	var none *api.NoRunError
	if errors.As(err, &none) {
		return []api.LastRun{req}, nil // the answer is that there is none
	}
	if err != nil {
		return nil, err
	}
	languages, err := store.Languages()
	if err != nil || len(languages) == 0 {
		return []api.LastRun{req}, err
	}
	requests := make([]api.LastRun, len(languages))
	for i, language := range languages {
		requests[i] = req
		requests[i].Language = language
	}
	return requests, ctx.Err()
}
