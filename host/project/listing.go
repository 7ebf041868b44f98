package project

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/sdk"
)

// ListDeadline bounds a listing beside or after a run. A listing that takes
// longer is not worth holding up an answer.
const ListDeadline = 30 * time.Second

// Listing is a plan to list tests.
type Listing struct {
	host    *Host
	project Project
	req     sdk.ListRequest
	Plan    sdk.Plan
	// failed reports whether a command exited with another code than 0.
	failed bool
}

// ErrNoListing means that a plugin cannot list what was requested.
var ErrNoListing = errors.New("the plugin cannot list tests")

// PlanListing composes the commands that list tests.
func (h *Host) PlanListing(ctx context.Context, p Project, req sdk.ListRequest) (*Listing, error) {
	if !p.ID.List {
		return nil, ErrNoListing
	}
	l := &Listing{host: h, project: p, req: req}
	l.req.Workspace = p.Ws
	var err error
	if l.Plan, err = p.Plugin.ListCmd(ctx, l.req); err == nil && len(l.Plan.Commands) == 0 {
		err = ErrNoListing
	}
	return l, err
}

// IsExclusive reports whether the listing must not run beside other commands.
func (l *Listing) IsExclusive() bool {
	return slices.ContainsFunc(l.Plan.Commands, func(c sdk.Command) bool { return c.Exclusive })
}

// ReadInventory lists the existing tests within a time limit. ok is false if the plugin
// cannot list or the listing failed.
func ReadInventory(ctx context.Context, h *Host, p Project, req sdk.ListRequest, limit time.Duration) (outstanding.Inventory, bool) {
	l, err := h.PlanListing(ctx, p, req)
	if err != nil {
		return outstanding.Inventory{}, false
	}
	return l.Read(ctx, limit)
}

// Read executes the listing's commands and collects the tests.
func (l *Listing) Read(ctx context.Context, limit time.Duration) (outstanding.Inventory, bool) {
	inv := outstanding.Inventory{Tests: map[string][]string{}, OnRequest: map[string][]string{}, Declared: map[sdk.TestID]outstanding.Declaration{}, Complete: true}
	err := l.Execute(ctx, limit, (*inventorySink)(&inv))
	// What a failed listing lacks may exist, whether or not the plugin says so.
	inv.Complete = inv.Complete && !l.failed
	return inv, err == nil
}

// Execute executes the listing's commands within a time limit; 0 means none.
func (l *Listing) Execute(ctx context.Context, limit time.Duration, sink sdk.ListSink) error {
	if limit != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for _, cmd := range l.Plan.Commands {
		if err := l.command(ctx, cmd, sink); err != nil {
			return err
		}
	}
	return nil
}

func (l *Listing) command(ctx context.Context, cmd sdk.Command, sink sdk.ListSink) error {
	open := func() (*plugin.ParseStream, error) { return l.project.Plugin.ParseList(ctx, l.req, cmd, sink) }
	if cmd.Known {
		stream, err := open()
		if err != nil {
			return err
		}
		return stream.Close(sdk.Exit{})
	}
	deadline, _ := ctx.Deadline()
	result, err := l.host.ReadOutput(ctx, l.project, cmd, Limits{Deadline: deadline}, open)
	if exit := result.Exit; err == nil && (exit.Signal != "" || exit.TimedOut || exit.Cancelled) {
		// The plugin may not notice: truncated output can look complete.
		sink.Error(cmd.Argv[0] + " was stopped before it had listed everything")
	}
	l.failed = l.failed || result.Exit.Code != 0
	return err
}

// inventorySink fills an inventory.
type inventorySink outstanding.Inventory

func (s *inventorySink) Suite(suite sdk.ListedSuite) {
	tests, listed := s.Tests[suite.Suite]
	if suite.Incomplete != "" {
		s.Complete = false
		if len(suite.Tests) == 0 && !listed {
			return
		}
	}
	for _, t := range suite.Tests {
		if t.OnRequest {
			s.OnRequest[suite.Suite] = append(s.OnRequest[suite.Suite], t.Name)
			continue
		}
		tests = append(tests, t.Name)
		s.Declared[sdk.TestID{Suite: suite.Suite, Test: t.Name}] = outstanding.Declaration{File: t.Location.File, Line: t.Location.Line, Body: t.Body}
	}
	if tests == nil {
		tests = []string{}
	}
	s.Tests[suite.Suite] = tests
}

func (s *inventorySink) Part(sdk.ListedPart) {}

func (s *inventorySink) Error(string) { s.Complete = false }

// ListDependencies lists what the suites of a project are built from. The errors in the
// graph say what is missing.
func ListDependencies(ctx context.Context, h *Host, p Project, selection sdk.Selection, args []string, limit time.Duration) (*coverage.Graph, error) {
	l, err := h.PlanListing(ctx, p, sdk.ListRequest{Selection: selection, RunnerArgs: args, Selected: true, Dependencies: true})
	if err != nil {
		return nil, err
	}
	g := coverage.NewGraph()
	return g, l.Execute(ctx, limit, g)
}

// ReadOutlines asks the plugin for the declarations in source files. There are none if
// the plugin does not support outlines.
func ReadOutlines(ctx context.Context, p Project, files []string) (map[string][]sdk.SourceUnit, error) {
	found := outlineSink{}
	if !p.ID.Outline || len(files) == 0 {
		return found, nil
	}
	err := p.Plugin.Outline(ctx, sdk.OutlineRequest{Workspace: p.Ws, Files: files}, found)
	return found, err
}

// outlineSink collects outlines by file.
type outlineSink map[string][]sdk.SourceUnit

// File adds an outline. A file without declarations gets an empty one, not none.
func (s outlineSink) File(f sdk.OutlinedFile) {
	if f.Units == nil {
		f.Units = []sdk.SourceUnit{}
	}
	s[f.File] = f.Units
}
