package plugin

import (
	"context"
	"reflect"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// Plugin is a running detector plugin. Its process is restarted once after it crashed
// or hung; after a second fault every call returns that fault. It is safe for
// concurrent use.
type Plugin struct {
	config   Config
	identity client.Identity

	// life ends with Close.
	life context.Context
	end  context.CancelFunc

	// lock guards what follows; it is a channel so that waiting for a start can be
	// abandoned.
	lock    chan struct{}
	current *instance
	// broken is why there is no instance and will not be one.
	broken error
}

// Start starts a plugin and asks it to describe itself. The error is one of this
// package, or that of ctx.
func Start(ctx context.Context, config Config) (*Plugin, error) {
	config = config.withDefaults()
	i, err := launch(ctx, config, false)
	if err != nil {
		return nil, err
	}
	p := &Plugin{config: config, identity: i.identity, lock: make(chan struct{}, 1), current: i}
	p.life, p.end = context.WithCancel(context.Background())
	return p, nil
}

// Identity returns the plugin's description of itself.
func (p *Plugin) Identity() client.Identity { return p.identity }

// Detect asks whether a directory holds a project in the plugin's language.
func (p *Plugin) Detect(ctx context.Context, ws sdk.Workspace) (sdk.Detection, error) {
	detection, err := ask(ctx, p, "Detect", func(ctx context.Context, d *client.Detector) (sdk.Detection, error) {
		return d.Detect(ctx, ws)
	}, func(d sdk.Detection) *violation { return checkMarkers(d, ws.Root, p.identity.Markers) })
	return boundDetection(detection), err
}

// TestCmd asks for the commands of a run.
func (p *Plugin) TestCmd(ctx context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	plan, err := ask(ctx, p, "TestCmd", func(ctx context.Context, d *client.Detector) (sdk.Plan, error) {
		return d.TestCmd(ctx, req)
	}, planCheck(allowed{covers: req.Cover}))
	return boundPlan(plan), err
}

// RerunCmd asks for the commands that run exactly these tests.
func (p *Plugin) RerunCmd(ctx context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	plan, err := ask(ctx, p, "RerunCmd", func(ctx context.Context, d *client.Detector) (sdk.Plan, error) {
		return d.RerunCmd(ctx, req)
	}, planCheck(allowed{}))
	return boundPlan(plan), err
}

// ListCmd asks for the commands that list tests. If the plugin cannot, the error is an
// [*UnsupportedError].
func (p *Plugin) ListCmd(ctx context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	if !p.identity.List {
		return sdk.Plan{}, p.unsupported("ListCmd")
	}
	plan, err := ask(ctx, p, "ListCmd", func(ctx context.Context, d *client.Detector) (sdk.Plan, error) {
		return d.ListCmd(ctx, req)
	}, planCheck(allowed{known: true}))
	return boundPlan(plan), err
}

// Scaffold asks what a source set needs around it. If the plugin takes none, the error
// is an [*UnsupportedError].
func (p *Plugin) Scaffold(ctx context.Context, req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
	if !p.identity.Scaffold {
		return sdk.Scaffold{}, p.unsupported("Scaffold")
	}
	s, err := ask(ctx, p, "Scaffold", func(ctx context.Context, d *client.Detector) (sdk.Scaffold, error) {
		return d.Scaffold(ctx, req)
	}, checkScaffold)
	return boundScaffold(s), err
}

// Close ends the plugin's process and removes what it left. It is bounded by
// Config.CloseGrace and, at worst, some seconds; the end of ctx ends the grace. It may
// be called more than once.
func (p *Plugin) Close(ctx context.Context) error {
	p.end()
	p.lock <- struct{}{}
	defer p.unlock()
	p.current.close()
	return p.current.stop(ctx, p.config.CloseGrace)
}

// Stopped reports whether no call can succeed any more, because of Close or too many
// faults. Callers that still need the plugin close this one and start another.
func (p *Plugin) Stopped() bool {
	p.lock <- struct{}{}
	defer p.unlock()
	return p.life.Err() != nil || p.broken != nil || p.current.last && !p.current.alive()
}

// running returns a working instance, starting one if allowed.
func (p *Plugin) running(ctx context.Context) (*instance, error) {
	select {
	case p.lock <- struct{}{}:
		defer p.unlock()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	i := p.current
	switch {
	case p.life.Err() != nil:
		return nil, &ClosedError{Plugin: i.who()}
	case p.broken != nil:
		return nil, p.broken
	case i.alive():
		return i, nil
	case i.last:
		p.broken = i.endReason()
		return nil, p.broken
	}
	return p.restart(ctx, i, true)
}

// Forgive replaces an instance that has ended, and does not count its fault: it was over
// something that nobody needs. If that fails, the next call is as if it had not been tried.
func (p *Plugin) Forgive(ctx context.Context) {
	select {
	case p.lock <- struct{}{}:
		defer p.unlock()
	case <-ctx.Done():
		return
	}
	if dead := p.current; p.life.Err() == nil && p.broken == nil && !dead.alive() {
		if _, err := p.restart(ctx, dead, dead.last); err != nil {
			p.broken = nil
		}
	}
}

// restart replaces an instance that has ended. After the last one there is no other.
func (p *Plugin) restart(ctx context.Context, dead *instance, last bool) (*instance, error) {
	p.config.logger().Warn("restarting the plugin", "plugin", dead.who().String(), "because", dead.endReason().Error())
	if err := dead.stop(ctx, 0); err != nil {
		return nil, err
	}
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	next, err := launch(starting, p.config, last)
	if err == nil && !reflect.DeepEqual(next.identity, p.identity) {
		err = next.violated("Describe", violates("", "it was restarted, and describes itself differently than before"))
		_ = next.stop(ctx, 0)
		next = nil
	}
	switch {
	case err == nil:
		p.current = next
	case p.life.Err() != nil:
		err = &ClosedError{Plugin: dead.who()}
	case ctx.Err() == nil:
		p.broken = err
	}
	return next, err
}

func (p *Plugin) unlock() { <-p.lock }

func (p *Plugin) unsupported(call string) error {
	return &UnsupportedError{
		Plugin: Identity{Name: p.identity.Name, Version: p.identity.Version, Path: p.config.Candidate.Path},
		Call:   call,
	}
}
