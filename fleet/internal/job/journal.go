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
	"github.com/proctorhq/proctor/sdk"
)

// Red is what an attempt saw fail.
type Red struct {
	// Run is the run as it began, without which the rest means nothing.
	Run      api.Run       `json:"run"`
	Results  []api.Result  `json:"results"`
	Failures []api.Failure `json:"failures"`
}

func (r Red) isEmpty() bool { return len(r.Results)+len(r.Failures) == 0 }

// Seen is what a machine says of a batch in progress. What failed is in it only when it is
// stored.
type Seen struct {
	Batch   int
	Attempt string
	Machine string
	// Reds counts the objects with what failed.
	Reds     int
	Progress sdk.Progress
}

// Journal stores what fails in an attempt while it runs.
type Journal struct {
	ctx    context.Context // of the attempt
	store  store.Store
	prefix string
	wake   chan struct{}
	ended  chan struct{}
	report report.Collector

	mu  sync.Mutex
	run api.Run
	// unstored is being stored, or could not be, and is stored under the same name before
	// what is pending.
	unstored, pending Red
	seen              Seen
	latest            sdk.Progress // not yet to be told
	stored            int
}

// NewJournal returns the journal of an attempt. Its Close must be called.
func NewJournal(ctx context.Context, s store.Store, id string, batch int, attempt, machine string) *Journal {
	j := &Journal{
		ctx: ctx, store: s, prefix: attemptPrefix(id, batch, attempt), wake: make(chan struct{}, 1), ended: make(chan struct{}),
		seen: Seen{Batch: batch, Attempt: attempt, Machine: machine},
	}
	go j.write(context.WithoutCancel(ctx))
	return j
}

// Listen hears an event of the run.
func (j *Journal) Listen(e api.Event) {
	j.report.Listen(e)
	j.mu.Lock()
	defer j.mu.Unlock()
	// What fails once the attempt is told to end may fail because of that.
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
	case *api.Progressed:
		j.latest = e.Progress
		if j.pending.isEmpty() && j.unstored.isEmpty() {
			j.seen.Progress = e.Progress
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

// write stores what fails. What cannot be stored is tried again with what fails next.
func (j *Journal) write(ctx context.Context) {
	defer close(j.ended)
	for range j.wake {
		_ = j.storeReds(ctx)
	}
}

// storeReds stores what is pending, all that has come together while the last was stored.
func (j *Journal) storeReds(ctx context.Context) error {
	for {
		j.mu.Lock()
		if j.unstored.isEmpty() {
			j.unstored, j.pending = j.pending, Red{}
			j.unstored.Run = j.run
		}
		red, n := j.unstored, j.stored
		j.mu.Unlock()
		if red.isEmpty() {
			return nil
		}
		if err := j.put(ctx, redName(n), red); err != nil {
			return err
		}
		j.mu.Lock()
		j.unstored = Red{}
		j.stored++
		j.seen.Reds, j.seen.Progress = j.stored, j.latest
		j.mu.Unlock()
	}
}

func redName(n int) string { return fmt.Sprintf("red-%06d.json", n) }

// putLimit bounds how long storing an object may take.
const putLimit = 2 * time.Minute

func (j *Journal) put(ctx context.Context, name string, v any) error {
	ctx, cancel := context.WithTimeout(ctx, putLimit)
	defer cancel()
	raw, err := prose.JSON(v)
	if err == nil {
		_, err = j.store.Put(ctx, j.prefix+name, raw)
	}
	return err
}

// Seen returns what may be told.
func (j *Journal) Seen() Seen {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seen
}

// Close stores what is not stored yet. What could not be stored before is tried once more:
// another attempt that passes must not hide it.
func (j *Journal) Close() error {
	close(j.wake)
	<-j.ended
	return j.storeReds(context.WithoutCancel(j.ctx))
}

// reportName is the name of an attempt's whole report.
const reportName = "report.json"

// SaveReport stores the report of the run, which has ended.
func (j *Journal) SaveReport(ctx context.Context) error {
	var text bytes.Buffer
	format, ok := report.Find("json")
	if !ok {
		return errors.New("there is no report in JSON")
	}
	if err := format.Write(&text, j.report.Document(), report.Options{}); err != nil {
		return err
	}
	_, err := j.store.Put(ctx, j.prefix+reportName, text.Bytes())
	return err
}
