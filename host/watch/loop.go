package watch

import (
	"context"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
)

const (
	// quiet is how long nothing must change before we look: editors and git write in
	// bursts. latest bounds how long a burst can delay that.
	quiet  = 200 * time.Millisecond
	latest = 2 * time.Second
	// settle is the pause in a burst after which we look early and prepare the round, so
	// that waiting for quiet costs nothing: an editor writes a file in a few
	// milliseconds. It exceeds the granularity of file times. maxEarly bounds how often
	// that is done in one burst.
	settle   = 30 * time.Millisecond
	maxEarly = 3
	// A look without a hint, now and then, checks whether events are reliable. The
	// interval is also at least unpromptedCost times the duration of a look.
	unprompted     = 10 * time.Second
	unpromptedCost = 100
	// polled and pollCost are the same where there are no events.
	polled   = time.Second
	pollCost = 10
	// maxUnheard is how many changes without an event show that there are no events.
	maxUnheard = 2
)

// loop is the state of a watch. Only one goroutine uses it.
type loop struct {
	*Watch
	ctx context.Context

	running *running
	ended   chan Result
	// next is what runs after the round in progress, or after a pause.
	next *Round

	// quiet, latest, settled, pause and poll are timers; nil while stopped. latest runs
	// during a burst. noticed is when the burst's first hint came, and during reports
	// whether a round was in progress then.
	quiet, latest, settled, pause, poll <-chan time.Time
	noticed                             time.Time
	during, hinted                      bool
	// early counts the looks during the burst, held is their combined result, and ahead
	// the preparation for it. fresh reports whether no hint came since the last look
	// began.
	early int
	held  looked
	ahead *preparation
	fresh bool
	// fruitful reports whether the last burst changed sources, so that the next one
	// probably does.
	fruitful bool

	looking   bool
	lookAgain bool
	looked    chan looked
	state     string
	sources   *fingerprint.Snapshot
	lookCost  time.Duration
	unheard   int
	trouble   string
	deaf      bool

	restarts restarts
	panics   chan any
}

// running is a round in progress.
type running struct {
	Round
	began  time.Time
	cancel context.CancelFunc
	// stale reports whether an edit stopped it, stopped whether the user did.
	stale, stopped bool
	// counted reports whether it has been counted among the restarts.
	counted bool
}

type looked struct {
	Look
	err            error
	took           time.Duration
	noticed        time.Time
	during, hinted bool
}

// preparation is the preparation of a round before it is certain to begin.
type preparation struct {
	began  time.Time
	state  string
	cancel context.CancelFunc
	done   chan struct{}
	known  *ledger.Known // once done
}

// Run watches until the user or ctx ends it. interrupted reports whether it was
// interrupted rather than quit.
func (w *Watch) Run(ctx context.Context) (interrupted bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &loop{
		Watch: w, ctx: ctx, ended: make(chan Result, 1), looked: make(chan looked, 1), panics: make(chan any, 2),
		next: &Round{First: true, Noticed: time.Now()}, hinted: true, fruitful: true,
	}
	l.look()
	for {
		select {
		case <-l.Hints:
			l.hear()
		case <-l.settled:
			l.lookEarly()
		case <-l.quiet:
			l.endBurst()
		case <-l.latest:
			l.endBurst()
		case <-l.poll:
			if l.poll = nil; l.latest == nil {
				l.look()
			}
		case <-l.pause:
			l.pause = nil
			l.begin()
		case seen := <-l.looked:
			l.see(seen)
		case result := <-l.ended:
			l.end(result)
		case c := <-l.Commands:
			if c.Action == Quit || c.Action == Interrupt {
				l.leave()
				return c.Action == Interrupt
			}
			l.obey(c)
		case p := <-l.panics:
			panic(p)
		case <-ctx.Done():
			l.leave()
			return true
		}
	}
}

// leave stops the round in progress, waits for its end, and tells of it, unless the user
// asks to leave again.
func (l *loop) leave() {
	if l.running == nil {
		return
	}
	l.running.cancel()
	l.running.stopped = true
	l.Viewer.Stopping()
	for {
		select {
		case result := <-l.ended:
			l.Viewer.End(l.running.complete(result))
			return
		case c := <-l.Commands:
			if c.Action == Quit || c.Action == Interrupt {
				l.Viewer.End(l.running.complete(Result{}))
				return
			}
		case p := <-l.panics:
			panic(p)
		}
	}
}

// hear handles a hint.
func (l *loop) hear() {
	if l.latest == nil {
		l.noticed, l.during, l.latest, l.early = time.Now(), l.running != nil, time.After(latest), 0
	}
	l.quiet, l.hinted, l.fresh = time.After(quiet), true, false
	l.dropAhead()
	if l.early < maxEarly {
		l.settled = time.After(settle)
	}
}

// lookEarly looks in a pause of a burst.
func (l *loop) lookEarly() {
	if l.settled = nil; !l.looking {
		l.early++
		l.look()
		if l.fruitful {
			l.prepare()
		}
	}
}

// endBurst acts on the last look, if no hint came since it began.
func (l *loop) endBurst() {
	l.quiet, l.latest, l.settled = nil, nil, nil
	switch {
	case l.looking:
		l.lookAgain = !l.fresh
	case l.fresh:
		l.act()
	default:
		l.look()
	}
}

// look looks at the sources in the background.
func (l *loop) look() {
	l.poll = nil
	if l.looking {
		l.lookAgain = true
		return
	}
	if l.noticed.IsZero() {
		l.noticed, l.during = time.Now(), l.running != nil
	}
	seen := looked{noticed: l.noticed, during: l.during, hinted: l.hinted}
	l.looking, l.hinted, l.fresh = true, false, true
	began := time.Now()
	l.spawn(func() {
		seen.Look, seen.err = l.Sources.Look(l.ctx)
		seen.took = time.Since(began)
		l.looked <- seen
	})
}

// spawn runs f in a goroutine. Its panic is raised again in Run, so that the caller can
// clean up.
func (l *loop) spawn(f func()) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				l.panics <- p
			}
		}()
		f()
	}()
}

// see handles the result of a look.
func (l *loop) see(seen looked) {
	l.looking = false
	l.lookCost = seen.took
	switch {
	case seen.err != nil:
		if l.fresh = false; l.ctx.Err() == nil && l.trouble != seen.err.Error() {
			l.trouble = seen.err.Error()
			l.Viewer.Note("the state of the sources cannot be determined: " + l.trouble)
		}
	default:
		l.trouble, l.state, l.sources = "", seen.State, seen.Look.Sources
		if seen.Deaf != "" {
			l.becomeDeaf(seen.Deaf)
		}
		l.held.add(seen)
	}
	switch {
	case l.next != nil && l.next.First: // the first look only shows the initial state
		if l.held = (looked{}); l.latest == nil {
			l.noticed = time.Time{}
		}
		l.begin()
		l.schedule()
	case l.lookAgain:
		l.lookAgain = false
		l.look()
	case l.latest == nil:
		l.act()
	case l.fresh:
		l.confirmAhead()
	}
}

// add merges the result of a later look.
func (s *looked) add(later looked) {
	if len(s.Files) == 0 {
		*s = later
		return
	}
	s.Files, s.Added, s.hinted = unite(s.Files, later.Files), s.Added && later.Added, s.hinted || later.hinted
}

// act acts on the combined result of the looks since the last call.
func (l *loop) act() {
	seen := l.held
	l.held, l.noticed = looked{}, time.Time{}
	if seen.hinted {
		l.fruitful = len(seen.Files) > 0
	}
	if len(seen.Files) > 0 {
		l.doubtEvents(seen)
		l.change(seen)
	}
	l.schedule()
}

// prepare begins to prepare the next round before the end of the burst is certain.
func (l *loop) prepare() {
	l.dropAhead()
	if l.restarts.count >= maxRestarts {
		return // it will have to wait
	}
	ctx, cancel := context.WithCancel(l.ctx)
	ahead := &preparation{began: time.Now(), cancel: cancel, done: make(chan struct{})}
	l.ahead = ahead
	l.spawn(func() {
		defer close(ahead.done)
		ahead.known = l.Runner.Prepare(ctx)
	})
}

// confirmAhead keeps the preparation if it is certainly for the sources that the last
// look saw, and begins it again otherwise.
func (l *loop) confirmAhead() {
	switch {
	case len(l.held.Files) == 0:
		l.dropAhead()
		return
	case l.ahead == nil, l.sources != nil && l.sources.TouchedSince(l.ahead.began.Add(-settle)):
		l.prepare()
	}
	if l.ahead != nil {
		l.ahead.state = l.state
	}
}

// dropAhead cancels the preparation.
func (l *loop) dropAhead() {
	if l.ahead != nil {
		l.ahead.cancel()
		l.ahead = nil
	}
}

// await returns the prepared knowledge; nil if the round is cancelled.
func (p *preparation) await(ctx context.Context) *ledger.Known {
	defer p.cancel()
	select {
	case <-p.done:
		return p.known
	case <-ctx.Done():
		return nil
	}
}

// schedule sets the time of the next look without a hint.
func (l *loop) schedule() {
	if l.deaf {
		l.poll = time.After(max(polled, pollCost*l.lookCost))
		return
	}
	l.poll = time.After(max(unprompted, unpromptedCost*l.lookCost))
}

// doubtEvents counts changes without an event.
func (l *loop) doubtEvents(seen looked) {
	if seen.hinted || l.hinted {
		l.unheard = 0
		return
	}
	if l.unheard++; l.unheard == maxUnheard {
		l.becomeDeaf("this file system does not report changes")
	}
}

// becomeDeaf switches to polling.
func (l *loop) becomeDeaf(why string) {
	if !l.deaf {
		l.deaf = true
		l.Viewer.Note(why + ": looking at the sources every second instead")
	}
}

// begin begins the next round.
func (l *loop) begin() {
	r := *l.next
	r.Narrow, r.State = l.Narrow, l.state
	l.next, l.pause = nil, nil
	if l.ahead != nil && (l.ahead.state != l.state || r.asked()) {
		l.dropAhead()
	}
	ahead, sources := l.ahead, l.sources
	l.ahead = nil
	ctx, cancel := context.WithCancel(l.ctx)
	l.running = &running{Round: r, began: time.Now(), cancel: cancel}
	l.Viewer.Begin(r)
	l.spawn(func() {
		switch {
		case ahead != nil:
			r.Known = ahead.await(ctx)
		case !r.asked():
			r.Known = l.Runner.Prepare(ctx)
		}
		if r.Known != nil {
			r.Known.Sources = sources
		}
		l.ended <- l.Runner.Run(ctx, r, l.Viewer)
	})
}

// end handles the end of a round.
func (l *loop) end(result Result) {
	was := l.running
	was.cancel()
	l.running = nil
	if !was.stale {
		l.Viewer.End(was.complete(result))
	}
	switch {
	case l.next == nil:
	case was.counted && !was.stale && !l.next.asked():
		l.backOff()
	default:
		l.begin()
	}
	// The run may show a change that was not noticed.
	if !was.stale && l.latest == nil && slices.ContainsFunc(result.Runs, func(run api.Run) bool { return run.MixedState }) {
		l.noticed, l.during = time.Now(), true
		l.look()
	}
}

// complete adds to the result of a round what the watch knows of it.
func (r *running) complete(result Result) Result {
	result.Round, result.Stopped, result.Took = r.Round, r.stopped, time.Since(r.Noticed)
	if r.Noticed.IsZero() {
		result.Took = time.Since(r.began)
	}
	return result
}

// obey executes a command.
func (l *loop) obey(c Command) {
	r := Round{What: c.What, Noticed: time.Now()}
	switch c.Action {
	case Stop:
		if l.running != nil && !l.running.stale {
			l.running.stopped, l.next = true, nil
			l.running.cancel()
			l.Viewer.Stopping()
		}
		return
	case SetNarrow:
		l.Narrow = c.Narrow
		r.What = Changed
		if !l.Narrow.IsZero() {
			r.What = Everything
		}
	case Run:
		l.Narrow = Narrow{} // a round of a part runs that part, whatever else is asked for
	}
	if l.next == nil || l.next.asked() {
		l.next = &r
	} else {
		l.next.What = restartOf(r.What) // the edit that waits runs with it
	}
	if l.running == nil {
		l.begin()
		return
	}
	l.Viewer.Queue(r.What)
}
