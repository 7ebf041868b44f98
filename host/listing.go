package host

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/sdk"
)

// listDeadline bounds a listing. It reads sources and builds nothing; a listing
// that takes longer is not worth holding up an answer.
const listDeadline = 30 * time.Second

// inventory lists the tests that exist. ok is false when the plugin cannot list
// or the listing failed.
func (h *Host) inventory(ctx context.Context, p project, selection sdk.Selection, runnerArgs []string) (rerun.Inventory, bool) {
	inv := rerun.Inventory{Tests: map[string][]string{}, OnRequest: map[string][]string{}, Complete: true}
	if !p.id.List {
		return inv, false
	}
	ctx, cancel := context.WithTimeout(ctx, listDeadline)
	defer cancel()
	req := sdk.ListRequest{Workspace: p.ws, Selection: selection, RunnerArgs: runnerArgs}
	plan, err := p.plugin.ListCmd(ctx, req)
	if err != nil || len(plan.Commands) == 0 {
		return inv, false
	}
	for _, cmd := range plan.Commands {
		if h.list(ctx, p, req, cmd, &inv) != nil {
			return inv, false
		}
	}
	return inv, true
}

func (h *Host) list(ctx context.Context, p project, req sdk.ListRequest, cmd sdk.Command, inv *rerun.Inventory) error {
	prepared, cleanup, err := h.prepare(p, cmd, time.Now().Add(listDeadline))
	if err != nil {
		return err
	}
	defer cleanup()
	stream, err := p.plugin.ParseList(ctx, req, cmd, (*inventorySink)(inv))
	if err != nil {
		return err
	}
	prepared.Sink = sinkTo(stream)
	result, err := runner.Run(ctx, prepared)
	if err != nil {
		stream.Cancel()
		return err
	}
	return stream.Close(result.Exit)
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
	}
	if tests == nil {
		tests = []string{}
	}
	s.Tests[suite.Suite] = tests
}

func (s *inventorySink) Error(string) { s.Complete = false }
