package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/sdk"
)

// FailureObject holds some of what an attempt saw fail.
type FailureObject struct {
	// Run is the run as it began, which the rest belongs to.
	Run      api.Run       `json:"run"`
	Results  []api.Result  `json:"results"`
	Failures []api.Failure `json:"failures"`
	// Suites are those that ended red. One may do so without a failure, or long before it is
	// told, as when it does not build.
	Suites []api.PlannedSuite `json:"suites,omitempty"`
}

func (o FailureObject) isEmpty() bool { return len(o.Results)+len(o.Failures)+len(o.Suites) == 0 }

// Heartbeat is what a machine says of a batch in progress. It mentions a failure only once
// that is stored.
type Heartbeat struct {
	Batch   int
	Attempt string
	Machine string
	// FailureObjects counts the stored ones.
	FailureObjects int
	Progress       sdk.Progress
}

// Journal stores the failures of an attempt as they occur.
type Journal struct {
	ctx    context.Context // of the attempt
	store  store.Store
	prefix string
	wake   chan struct{}
	ended  chan struct{}
	report report.Collector

	mu  sync.Mutex
	run api.Run
	// unstored is being stored or could not be; it goes first, under the same name, then
	// pending.
	unstored, pending FailureObject
	beat              Heartbeat
	latest            sdk.Progress // reported once all failures before it are stored
	stored            int
}

// NewJournal returns the journal of an attempt. Its Close must be called.
func NewJournal(ctx context.Context, s store.Store, id string, batch int, attempt, machine string) *Journal {
	j := &Journal{
		ctx: ctx, store: s, prefix: attemptPrefix(id, batch, attempt), wake: make(chan struct{}, 1), ended: make(chan struct{}),
		beat: Heartbeat{Batch: batch, Attempt: attempt, Machine: machine},
	}
	go j.write(context.WithoutCancel(ctx))
	return j
}

// Listen takes an event of the run.
func (j *Journal) Listen(e api.Event) {
	j.report.Listen(e)
	j.mu.Lock()
	defer j.mu.Unlock()
	// What fails after the attempt was told to end may fail because of that.
	ending := j.ctx.Err() != nil
	switch e := e.(type) {
	case *api.RunStarted:
		j.run = e.Run
	case *api.TestEnded:
		if e.Status == sdk.Failed && !ending {
			j.pending.Results = append(j.pending.Results, e.Result)
		}
	case *api.FailureFound:
		if !ending {
			j.pending.Failures = append(j.pending.Failures, e.Failure)
		}
	case *api.SuiteEnded:
		if end := shard.EndOf(e.Outcome); shard.IsRedEnd(end) && !ending {
			j.pending.Suites = append(j.pending.Suites, api.PlannedSuite{Suite: e.Suite, Ended: end})
		}
	case *api.Progressed:
		j.latest = e.Progress
		if j.pending.isEmpty() && j.unstored.isEmpty() {
			j.beat.Progress = e.Progress
		}
		return
	default:
		return
	}
	if !j.pending.isEmpty() {
		select {
		case j.wake <- struct{}{}:
		default:
		}
	}
}

// write stores failures as they come. What could not be stored is retried with the next.
func (j *Journal) write(ctx context.Context) {
	defer close(j.ended)
	for range j.wake {
		_ = j.storeFailures(ctx)
	}
}

// storeFailures stores what is pending; what comes in meanwhile goes into the next object.
func (j *Journal) storeFailures(ctx context.Context) error {
	for {
		j.mu.Lock()
		if j.unstored.isEmpty() {
			j.unstored, j.pending = j.pending, FailureObject{}
			j.unstored.Run = j.run
		}
		object, n := j.unstored, j.stored
		j.mu.Unlock()
		if object.isEmpty() {
			return nil
		}
		if err := j.put(ctx, failureObjectName(n), object); err != nil {
			return err
		}
		j.mu.Lock()
		j.unstored = FailureObject{}
		j.stored++
		j.beat.FailureObjects, j.beat.Progress = j.stored, j.latest
		j.mu.Unlock()
	}
}

// failurePrefix begins the names of failure objects.
const failurePrefix = "red-"

func failureObjectName(n int) string { return fmt.Sprintf(failurePrefix+"%06d.json", n) }

// putLimit bounds how long storing an object may take.
const putLimit = 2 * time.Minute

func (j *Journal) put(ctx context.Context, name string, v any) error {
	ctx, cancel := context.WithTimeout(ctx, putLimit)
	defer cancel()
	raw, err := prose.JSON(v)
	if err == nil {
		err = put(ctx, j.store, j.prefix+name, raw)
	}
	return err
}

// Heartbeat returns what the engine may be told.
func (j *Journal) Heartbeat() Heartbeat {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.beat
}

// Close stores what is not stored yet, including what could not be before: another attempt
// that passes must not hide it.
func (j *Journal) Close() error {
	close(j.wake)
	<-j.ended
	return j.storeFailures(context.WithoutCancel(j.ctx))
}

// reportName is the name of an attempt's report.
const reportName = "report.json"

// SaveReport stores the report of the run after its end.
func (j *Journal) SaveReport(ctx context.Context) error {
	var text bytes.Buffer
	format, ok := report.Find("json")
	if !ok {
		return errors.New("there is no JSON report format")
	}
	if err := format.Write(&text, j.report.Document(), report.Options{}); err != nil {
		return err
	}
	return put(ctx, j.store, j.prefix+reportName, text.Bytes())
}
