package work

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
)

// What remotes and tests print cannot control the terminal of a worker.
func TestNoEscapeSequenceReachesTheLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := &machine{Config: Config{Log: &out}}
	m.log("run %s part %d: %v", "r", 1, errors.New("\x1b[2Jremote: no\nrun r part 1: passed"))
	if text := out.String(); strings.Contains(text, "\x1b") || strings.Count(text, "\n") != 1 {
		t.Errorf("%q", text)
	}
}

func TestAWorkerWhoseBatchesFailLeavesThemToOthers(t *testing.T) {
	t.Parallel()
	for failed, want := range map[int]time.Duration{
		1: 0, 2: firstPause, 3: 2 * firstPause, 4: 4 * firstPause, 20: longestPause, 1 << 30: longestPause,
	} {
		if got := pauseAfter(failed); got != want {
			t.Errorf("after %d: %v, want %v", failed, got, want)
		}
	}
}

// watched signals when a slot is requested and when the request has returned.
type watched struct {
	worker.SlotSupplier
	asked, given chan struct{}
}

func (w watched) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	w.asked <- struct{}{}
	defer func() { w.given <- struct{}{} }()
	return w.SlotSupplier.ReserveSlot(ctx, info)
}

// Temporal requests the slot for the next batch while a batch runs, before that one fails.
func TestAPausingWorkerAsksForNothingAndStopsAtOnce(t *testing.T) {
	t.Parallel()
	fixed, err := worker.NewFixedSizeSlotSupplier(1)
	if err != nil {
		t.Fatal(err)
	}
	inner := watched{SlotSupplier: fixed, asked: make(chan struct{}, 9), given: make(chan struct{}, 9)}
	p := &pause{failed: 20}
	s := pausing{SlotSupplier: inner, pause: p}
	if s.TryReserveSlot(nil) == nil {
		t.Fatal("no slot for the first batch")
	}
	type answer struct {
		permit *worker.SlotPermit
		err    error
	}
	next := make(chan answer)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		permit, err := s.ReserveSlot(ctx, nil)
		next <- answer{permit, err}
	}()
	<-inner.asked
	p.extend(time.Now().Add(time.Hour))
	s.ReleaseSlot(nil)
	<-inner.given
	stop()
	if a := <-next; a.permit != nil || !errors.Is(a.err, context.Canceled) {
		t.Errorf("stopped during the pause: got %v, %v, want no slot", a.permit, a.err)
	}
	if s.TryReserveSlot(nil) != nil {
		t.Error("a slot was given during the pause")
	}
	p.end()
	if s.TryReserveSlot(nil) == nil {
		t.Fatal("the stopped request kept the slot")
	}
	s.ReleaseSlot(nil)
	if permit, err := s.ReserveSlot(t.Context(), nil); permit == nil || err != nil {
		t.Errorf("after the pause: got %v, %v, want a slot", permit, err)
	}
}

// What one worker cannot run may be its own fault.
func TestAToolErrorIsAResultOnlyIfAnotherWorkerHasItOrThereIsNone(t *testing.T) {
	t.Parallel()
	all := func(ids ...string) func(context.Context) ([]string, error) {
		return func(context.Context) ([]string, error) { return ids, nil }
	}
	silent := func(context.Context) ([]string, error) { return nil, errors.New("no answer") }
	for name, c := range map[string]struct {
		attempt int
		tried   []string
		workers func(context.Context) ([]string, error)
		result  bool
	}{
		"too soon":                      {attempt: 2, tried: []string{"b"}, workers: all("a", "b")},
		"only here":                     {attempt: 3, workers: all("a", "b")},
		"only here, again and again":    {attempt: 19, tried: []string{"a"}, workers: all("a", "b")},
		"elsewhere, too":                {attempt: 3, tried: []string{"a", "b"}, workers: all("a", "b", "c"), result: true},
		"nobody else":                   {attempt: 3, workers: all("a"), result: true},
		"nobody else is seen":           {attempt: 3, workers: all(), result: true},
		"no answer":                     {attempt: 3, workers: silent},
		"elsewhere, too, but no answer": {attempt: 3, tried: []string{"b"}, workers: silent, result: true},
		"only here, last attempt":       {attempt: mostAttempts, workers: all("a", "b"), result: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), t.TempDir(), func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range c.tried {
				if _, err := job.NoteUnable(t.Context(), s, "job", 3, id); err != nil {
					t.Fatal(err)
				}
			}
			asked := 0
			m := &machine{Config: Config{Identity: "a", Store: s}}
			m.workers = func(ctx context.Context) ([]string, error) { asked++; return c.workers(ctx) }
			err = m.assess(t.Context(), "job", 3, c.attempt, api.Run{Verdict: api.ToolError}, nil)
			if (err == nil) != c.result || asked > 1 {
				t.Errorf("got %v; the workers were listed %d times", err, asked)
			}
		})
	}
}

func TestAWorkerThatIsAloneDoesNotPause(t *testing.T) {
	t.Parallel()
	m := &machine{Config: Config{Identity: "a"}}
	for _, alive := range [][]string{{"a"}, {"a", "b"}} {
		m.workers = func(context.Context) ([]string, error) { return alive, nil }
		for range 5 {
			m.rest(m.isAlone(t.Context()))
		}
		if pauses := m.pause.failed > 0; pauses != (len(alive) > 1) {
			t.Errorf("with %q alive: pauses is %t", alive, pauses)
		}
	}
}

// Another version of proctor may run or read the same tests differently.
func TestAWorkerOfAnotherVersionTakesNoPart(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), t.TempDir(), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if err := (job.Job{ID: "job", Version: "v1.3.0"}).Save(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for version, takes := range map[string]bool{"v1.3.0": true, "v1.2.0": false, "(devel)": false} {
		m := &machine{Config: Config{Store: s, Host: project.Config{Version: version}}}
		_, err := m.load(t.Context(), "job")
		if takes != (err == nil) || err != nil && !strings.Contains(err.Error(), version+", and not v1.3.0") {
			t.Errorf("proctor %s: got %v", version, err)
		}
	}
}

// A database that restarts takes longer than a second. Only the engine's word ends a batch.
func TestABatchRunsOnWhileTheServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for _, end := range []error{temporal.NewCanceledError(), serviceerror.NewNotFound("timed out")} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answers := []error{nil, serviceerror.NewUnavailable("no database"), context.DeadlineExceeded, serviceerror.NewInternal("x"), serviceerror.NewNamespaceNotFound("default"), nil, end}
			beats := 0
			stopped := sendHeartbeats(ctx, func(ctx context.Context) error {
				err := answers[beats]
				if beats++; errors.Is(err, context.DeadlineExceeded) {
					<-ctx.Done()
				}
				return err
			}, cancel)
			<-stopped
			if beats != len(answers) {
				t.Errorf("ended after %d answers, the last of them %v; want %v", beats, answers[beats-1], end)
			}
		})
	}
}
