package work

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/fleet/internal/store"
)

// What a remote or a test says reaches the terminal of a worker as text.
func TestTheLogHasNoEscapesOfOthers(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := &machine{Config: Config{Log: &out}}
	m.log("run %s part %d: %v", "r", 1, errors.New("\x1b[2Jremote: no\nrun r part 1: passed"))
	if text := out.String(); strings.Contains(text, "\x1b") || strings.Count(text, "\n") != 1 {
		t.Errorf("%q", text)
	}
}

func TestAMachineOnWhichBatchesFailLeavesThemToOthers(t *testing.T) {
	t.Parallel()
	for failed, want := range map[int]time.Duration{
		1: 0, 2: firstPause, 3: 2 * firstPause, 4: 4 * firstPause, 20: longestPause, 1 << 30: longestPause,
	} {
		if got := pauseAfter(failed); got != want {
			t.Errorf("after %d: %v, want %v", failed, got, want)
		}
	}
}

// slots hands out a slot whenever it is asked.
type slots struct{ worker.SlotSupplier }

func (slots) ReserveSlot(context.Context, worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	return &worker.SlotPermit{}, nil
}

func (slots) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit {
	return &worker.SlotPermit{}
}

func TestAPausingMachineAsksForNothingAndStopsAtOnce(t *testing.T) {
	t.Parallel()
	p := &pause{failed: 20}
	p.extend(time.Now().Add(time.Hour))
	s := pausing{SlotSupplier: slots{}, pause: p}
	if s.TryReserveSlot(nil) != nil {
		t.Error("it takes a batch")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if permit, err := s.ReserveSlot(ctx, nil); permit != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped, it answers %v, %v", permit, err)
	}
	p.end()
	if permit, err := s.ReserveSlot(t.Context(), nil); permit == nil || err != nil || s.TryReserveSlot(nil) == nil {
		t.Errorf("after the pause, it answers %v, %v", permit, err)
	}
}

// What one machine cannot run may be the machine's fault.
func TestAToolErrorIsAResultOnlyIfAnotherMachineHasItOrThereIsNone(t *testing.T) {
	t.Parallel()
	all := func(ids ...string) func(context.Context) ([]string, error) {
		return func(context.Context) ([]string, error) { return ids, nil }
	}
	silent := func(context.Context) ([]string, error) { return nil, errors.New("no answer") }
	for name, c := range map[string]struct {
		attempt  int
		tried    []string
		machines func(context.Context) ([]string, error)
		result   bool
	}{
		"too soon":                      {attempt: 2, tried: []string{"b"}, machines: all("a", "b")},
		"only here":                     {attempt: 3, machines: all("a", "b")},
		"only here, again and again":    {attempt: 19, tried: []string{"a"}, machines: all("a", "b")},
		"there, too":                    {attempt: 3, tried: []string{"a", "b"}, machines: all("a", "b", "c"), result: true},
		"nobody else":                   {attempt: 3, machines: all("a"), result: true},
		"nobody else is seen":           {attempt: 3, machines: all(), result: true},
		"nobody knows":                  {attempt: 3, machines: silent},
		"there, too, but nobody knows":  {attempt: 3, tried: []string{"b"}, machines: silent, result: true},
		"only here, at the last chance": {attempt: mostAttempts, machines: all("a", "b"), result: true},
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
			m := &machine{Config: Config{Identity: "a", Store: s}, machines: c.machines}
			if err := m.confirmToolError(t.Context(), "job", 3, c.attempt); (err == nil) != c.result {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAMachineThatIsAloneDoesNotPause(t *testing.T) {
	t.Parallel()
	m := &machine{Config: Config{Identity: "a"}}
	for _, alive := range [][]string{{"a"}, {"a", "b"}} {
		m.machines = func(context.Context) ([]string, error) { return alive, nil }
		for range 5 {
			m.rest(t.Context())
		}
		if pauses := m.pause.failed > 0; pauses != (len(alive) > 1) {
			t.Errorf("of %q, it pauses: %v", alive, pauses)
		}
	}
}
