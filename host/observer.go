package host

import (
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// Observer is told what happens while it happens; a front renders it. Every
// field is optional. The calls come from one goroutine at a time and must not
// block for long: the run waits for them.
type Observer struct {
	// Waiting: another run of the workspace goes on, and this one has not begun.
	// It is called again when it is another one's turn.
	Waiting func(session.Holder)
	// Started: the run exists and its commands are known.
	Started func(record.Run)
	// Indexing: it is known which suites an index measures. Those that it does not have
	// their state already.
	Indexing func(record.Index)
	// Progress is a snapshot, every ProgressInterval.
	Progress         func(sdk.Progress)
	ProgressInterval time.Duration
	// Result: a test ended.
	Result func(record.Result)
	// Failure: something failed.
	Failure func(record.Failure)
	// Finished: the run is over and on record.
	Finished func(record.Run)
}

func (o Observer) started(r record.Run) {
	if o.Started != nil {
		o.Started(r)
	}
}

func (o Observer) finished(r record.Run) {
	if o.Finished != nil {
		o.Finished(r)
	}
}
