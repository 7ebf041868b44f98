package watch

import (
	"context"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

// Open prepares the watch of a workspace. With poll it does not use events of the file
// system. The returned function releases its resources.
func Open(ctx context.Context, k *ledger.Keeper, req api.RunRequest, poll bool) (*Watch, func(), error) {
	projects, err := k.Projects(ctx, req.Where, req.Languages)
	if err != nil {
		return nil, nil, err
	}
	req.Where = api.Where{Dir: projects[0].Root.Path, Exact: true}
	sources := &Tree{Keeper: k, Where: req.Where}
	w := &Watch{Sources: sources, Runner: newRounds(k, req)}
	w.Explain = func(ctx context.Context, t api.OutstandingTest) (api.Why, error) {
		return query.Why(ctx, k, api.WhyRequest{Where: req.Where, Test: prose.Joined(t.Suite, " ", t.Test), Language: t.Language})
	}
	if poll {
		sources.Deaf = "events of the file system are not waited for"
		return w, func() {}, nil
	}
	events, err := newEvents()
	if err != nil {
		sources.Deaf = whyDeaf(err)
		return w, func() {}, nil
	}
	sources.Events, w.Hints = events, events.C
	return w, events.Close, nil
}
