//go:build unix

package runner

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

var errBroken = errors.New("broken")

func TestSinkErrorEndsTheCallsNotTheCommand(t *testing.T) {
	t.Parallel()
	calls := 0
	var record strings.Builder
	cfg := roleConfig("flood 10")
	cfg.RecordStdout = &record
	cfg.Sink = func(context.Context, sdk.Stream, []byte) error {
		calls++
		return errBroken
	}
	res := mustRun(t, cfg, defaultLimits())
	if calls != 1 || !errors.Is(res.SinkErr, errBroken) {
		t.Errorf("%d calls, %v", calls, res.SinkErr)
	}
	if res.Exit != (sdk.Exit{}) || int64(record.Len()) != res.Stdout.total || record.Len() < 9_000_000 {
		t.Errorf("exit %+v, %d bytes, %d recorded", res.Exit, res.Stdout.total, record.Len())
	}
}

type brokenWriter struct{ calls int }

func (w *brokenWriter) Write([]byte) (int, error) {
	w.calls++
	return 0, errBroken
}

func TestRecordErrorEndsTheRecordOnly(t *testing.T) {
	t.Parallel()
	g, record := newGathered(), &brokenWriter{}
	cfg := roleConfig("flood 1")
	cfg.RecordStdout, cfg.Sink = record, g.sink
	res := mustRun(t, cfg, defaultLimits())
	if record.calls != 1 || !errors.Is(res.RecordErr, errBroken) || res.SinkErr != nil {
		t.Errorf("%d calls, record error %v, sink error %v", record.calls, res.RecordErr, res.SinkErr)
	}
	if int64(g.streams[sdk.Stdout].Len()) != res.Stdout.total {
		t.Error("the sink has missed something")
	}
}

func TestBlockedSinkDoesNotOutliveTheDeadline(t *testing.T) {
	t.Parallel()
	cfg := roleConfig("chatter")
	cfg.Grace = 100 * time.Millisecond
	cfg.Sink = func(ctx context.Context, _ sdk.Stream, _ []byte) error {
		<-ctx.Done()
		return ctx.Err()
	}
	res := patiently("never ends", 1, func(long time.Duration) Result {
		cfg.Deadline = long
		return mustRun(t, cfg, quickLimits())
	})
	if !res.Exit.TimedOut || !errors.Is(res.SinkErr, context.Canceled) {
		t.Errorf("exit %+v, sink error %v", res.Exit, res.SinkErr)
	}
}

func TestBlockedSinkHoldsUpTheCommand(t *testing.T) {
	t.Parallel()
	const limit = 4 * pipeSize
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg := roleConfig("chatter")
	cfg.Sink = func(ctx context.Context, _ sdk.Stream, _ []byte) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}
	res, err := run(ctx, cfg, quickLimits())
	if err != nil {
		t.Fatal(err)
	}
	if !res.Exit.Cancelled || res.Stdout.total > limit {
		t.Errorf("exit %+v; %d bytes were taken from a command whose sink was blocked", res.Exit, res.Stdout.total)
	}
}

func TestSlowSinkGetsAllOfACommandThatHasEnded(t *testing.T) {
	t.Parallel()
	// The command ends long before its output was taken: no leftover holds it, however
	// long the sink takes.
	g := newGathered()
	lim := quickLimits()
	lim.silence, lim.linger = 20*time.Millisecond, time.Millisecond
	cfg := roleConfig("flood 1")
	cfg.Sink = func(ctx context.Context, stream sdk.Stream, data []byte) error {
		time.Sleep(30 * time.Millisecond)
		return g.sink(ctx, stream, data)
	}
	res := mustRun(t, cfg, lim)
	if res.HeldOpen || res.SinkErr != nil || g.streams[sdk.Stdout].Len() < 900_000 {
		t.Errorf("held open %v, sink error %v, %d bytes", res.HeldOpen, res.SinkErr, g.streams[sdk.Stdout].Len())
	}
}
