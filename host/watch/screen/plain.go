package screen

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/watch"
)

// plain shows a watch where there is no terminal: the failures of each round, and a line
// with its result.
type plain struct {
	out   io.Writer
	color bool
	mu    sync.Mutex
	names api.SuiteNames
}

// Begin says what begins.
func (p *plain) Begin(r watch.Round) {
	p.line("%s … %s", time.Now().Format(time.TimeOnly), occasion(r))
}

// End prints a round.
func (p *plain) End(r watch.Result) {
	line, still := verdict(r, p.names)
	if still != "" {
		still = "✗ " + still + "\n"
	}
	p.line("%s%s%s %s %s", failuresOf(r, p.names, render.Style{Color: p.color}), still, time.Now().Format(time.TimeOnly), mark(isGreen(r), r), line)
}

// Listen says what a round is waiting for, and learns the names of suites.
func (p *plain) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.RunStarted:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.names.LearnPrefixes(e.SuitePrefixes)
	case *api.TestEnded:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.names.Learn(e.Result.Suite, e.Result.File)
	case *api.Waiting:
		p.line("waiting for %s (process %d), which this workspace is busy with", prose.Line(e.Holder.String()), e.Holder.PID)
	}
}

// Queue does nothing: without a terminal there are no keys.
func (p *plain) Queue(watch.What) {}

// Stopping does nothing: the next round is announced anyway.
func (p *plain) Stopping() {}

// Note prints something to know.
func (p *plain) Note(text string) { p.line("note: %s", prose.Line(text)) }

func (p *plain) line(format string, words ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, format+"\n", words...)
}
