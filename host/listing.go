package host

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/sdk"
)

// listDeadline bounds a listing beside or after a run. A listing that takes
// longer is not worth holding up an answer.
const listDeadline = 30 * time.Second

// listing is a plan to list tests.
type listing struct {
	host    *base
	project project
	req     sdk.ListRequest
	plan    sdk.Plan
}

// errNoListing says that a plugin has no way to list what was asked for.
var errNoListing = errors.New("the plugin cannot list tests")

// listing composes the commands that list tests.
func (h *base) listing(ctx context.Context, p project, req sdk.ListRequest) (*listing, error) {
	if !p.id.List {
		return nil, errNoListing
	}
	l := &listing{host: h, project: p, req: req}
	l.req.Workspace = p.ws
	var err error
	if l.plan, err = p.plugin.ListCmd(ctx, l.req); err == nil && len(l.plan.Commands) == 0 {
		err = errNoListing
	}
	return l, err
}

// exclusive tells whether the listing has to wait for other commands.
func (l *listing) exclusive() bool {
	return slices.ContainsFunc(l.plan.Commands, func(c sdk.Command) bool { return c.Exclusive })
}

// inventory lists the tests that exist, within a time. ok is false when the
// plugin cannot list or the listing failed.
func (h *base) inventory(ctx context.Context, p project, req sdk.ListRequest, limit time.Duration) (rerun.Inventory, bool) {
	l, err := h.listing(ctx, p, req)
	if err != nil {
		return rerun.Inventory{}, false
	}
	return l.read(ctx, limit)
}

// read executes the listing's commands and keeps what there is.
func (l *listing) read(ctx context.Context, limit time.Duration) (rerun.Inventory, bool) {
	inv := rerun.Inventory{Tests: map[string][]string{}, OnRequest: map[string][]string{}, Declared: map[record.Test]rerun.Declaration{}, Complete: true}
	err := l.execute(ctx, limit, (*inventorySink)(&inv))
	return inv, err == nil
}

// execute executes the listing's commands, within a time.
func (l *listing) execute(ctx context.Context, limit time.Duration, sink sdk.ListSink) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, cmd := range l.plan.Commands {
		if err := l.command(ctx, cmd, sink); err != nil {
			return err
		}
	}
	return nil
}

func (l *listing) command(ctx context.Context, cmd sdk.Command, sink sdk.ListSink) error {
	deadline, _ := ctx.Deadline()
	ready, err := l.host.prepare(l.project, cmd, deadline)
	if err != nil {
		return err
	}
	defer ready.cleanup()
	stream, err := l.project.plugin.ParseList(ctx, l.req, cmd, sink)
	if err != nil {
		return err
	}
	ready.Sink = sinkTo(stream)
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		stream.Cancel()
		return err
	}
	err = stream.Close(result.Exit)
	if exit := result.Exit; err == nil && (exit.Signal != "" || exit.TimedOut || exit.Cancelled) {
		// A plugin may overlook it: what was printed until then can look whole.
		sink.Error(cmd.Argv[0] + " was stopped before it had listed everything")
	}
	return err
}

// inventorySink fills an inventory.
type inventorySink rerun.Inventory

func (s *inventorySink) Suite(suite sdk.ListedSuite) {
	tests := s.Tests[suite.Suite]
	for _, t := range suite.Tests {
		if t.OnRequest {
			s.OnRequest[suite.Suite] = append(s.OnRequest[suite.Suite], t.Name)
			continue
		}
		tests = append(tests, t.Name)
		s.Declared[record.Test{Suite: suite.Suite, Test: t.Name}] = rerun.Declaration{File: t.Location.File, Line: t.Location.Line, Body: t.Body}
	}
	if tests == nil {
		tests = []string{}
	}
	s.Tests[suite.Suite] = tests
}

func (s *inventorySink) Part(sdk.ListedPart) {}

func (s *inventorySink) Error(string) { s.Complete = false }
