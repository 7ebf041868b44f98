package plugin

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// ParseStream carries the output of one command to the plugin, and what the plugin
// finds to the sink. Send and Close are called from one goroutine. A stream ends with
// Close or Cancel.
type ParseStream struct {
	instance *instance
	call     string
	// ctx is the caller's.
	ctx    context.Context
	watch  *watch
	budget *budget
	stream *client.ParseStream

	mu        sync.Mutex
	cancelled bool
	// bytes is how much output was sent; see gcPercent.
	bytes          int64
	lowered, ended bool
	// broken is how the plugin's report broke the protocol. It counts even if the
	// stream ended before the plugin did.
	broken error
}

// Parse opens a stream for the output of one command. The sink is called from one
// goroutine; its Progress method must be quick. A crash ends the stream, without a
// retry: what the plugin had read is lost.
func (p *Plugin) Parse(ctx context.Context, run sdk.RunInfo, opts client.ParseOptions, sink client.EventSink) (*ParseStream, error) {
	return p.open(ctx, "ParseTestFailures", func(d *client.Detector, s *ParseStream) (*client.ParseStream, error) {
		return d.Parse(ctx, run, opts, eventGuard{
			sink: sink, gate: gate{s.watch, s.budget}, prepares: run.Command.Prepares, violated: s.violated,
		})
	})
}

// ParseList opens a stream for the output of one command of ListCmd. If the plugin
// cannot, the error is an [*UnsupportedError].
func (p *Plugin) ParseList(ctx context.Context, req sdk.ListRequest, cmd sdk.Command, sink sdk.ListSink) (*ParseStream, error) {
	if !p.identity.List {
		return nil, p.unsupported("ParseList")
	}
	return p.open(ctx, "ParseList", func(d *client.Detector, s *ParseStream) (*client.ParseStream, error) {
		if cmd.Known {
			s.budget.earn(knownOutput) // or a large project has too many suites
		}
		return d.ParseList(ctx, req, cmd, listGuard{sink, gate{s.watch, s.budget}})
	})
}

func (p *Plugin) open(ctx context.Context, call string, open func(*client.Detector, *ParseStream) (*client.ParseStream, error)) (*ParseStream, error) {
	i, err := p.running(ctx)
	if err != nil {
		return nil, err
	}
	s := &ParseStream{instance: i, call: call, ctx: ctx}
	idle := p.config.ParseIdleTimeout
	s.watch = newWatch(idle, func(waiting string) { _ = i.killHung(call, waiting, idle) })
	s.budget = &budget{exceeded: func(what string) { s.violated(violates("", "%s", what)) }}
	s.watch.expect("it did not take the start of the output")
	defer s.watch.rest()
	if s.stream, err = open(i.detector, s); err != nil {
		s.watch.end()
		return nil, i.explain(ctx, call, err)
	}
	return s, nil
}

// Send passes output on. It blocks while the plugin is busy, and does not retain data.
func (s *ParseStream) Send(stream sdk.Stream, data []byte) error {
	s.watch.expect("it did not take output")
	defer s.watch.rest()
	s.budget.earn(int64(len(data)))
	s.countSent(int64(len(data)))
	return s.explain(s.stream.Send(stream, data))
}

// SendFile lets the plugin read a part of a file itself, of at most [sdk.SendFile] bytes. It
// requires Identity.Files.
func (s *ParseStream) SendFile(stream sdk.Stream, path string, offset, size int64) error {
	s.watch.expect("it did not read output from a file")
	defer s.watch.rest()
	s.budget.earn(size)
	s.countSent(size)
	return s.explain(s.stream.SendFile(stream, path, offset, size))
}

// Close tells the plugin how the command ended and waits until its whole report was
// delivered. The report is complete only if Close returns nil.
func (s *ParseStream) Close(exit sdk.Exit) error {
	limit := s.instance.config.ParseEndTimeout
	end := time.AfterFunc(limit, func() {
		_ = s.instance.killHung(s.call, "it still reported after the output had ended", limit)
	})
	defer end.Stop()
	s.watch.expect("no progress after the output had ended")
	defer s.watch.end()
	defer s.release()
	return s.explain(s.stream.Close(exit))
}

// Cancel gives up. It returns after the last delivery, and may be called from any
// goroutine and more than once.
func (s *ParseStream) Cancel() {
	s.mu.Lock()
	s.cancelled = true
	s.mu.Unlock()
	s.watch.end()
	s.stream.Cancel()
	s.release()
}

// violated ends the plugin because of what it reported.
func (s *ParseStream) violated(v *violation) {
	err := s.instance.condemn(s.instance.violated(s.call, v))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = cmp.Or(s.broken, err)
}

func (s *ParseStream) explain(err error) error {
	s.mu.Lock()
	cancelled, broken := s.cancelled, s.broken
	s.mu.Unlock()
	switch {
	case err != nil && cancelled:
		return context.Canceled
	case broken != nil:
		return broken
	}
	return s.instance.explain(s.ctx, s.call, err)
}
