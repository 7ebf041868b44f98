//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/sdk"
)

// roleConfig runs the test binary in a role.
func roleConfig(role string) Config {
	return Config{Argv: []string{os.Args[0]}, Env: []string{roleEnv + "=" + role, quickExit}}
}

// mustRun runs, and fails the test on an error or if it takes forever.
func mustRun(t *testing.T, cfg Config, lim limits) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := run(ctx, cfg, lim)
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatal("it took for ever")
	}
	return res
}

// gathered is a sink that keeps everything, by stream. It has no lock: the race
// detector would notice calls from several goroutines.
type gathered struct {
	streams map[sdk.Stream]*bytes.Buffer
	largest int
}

func newGathered() *gathered {
	return &gathered{streams: map[sdk.Stream]*bytes.Buffer{sdk.Stdout: {}, sdk.Stderr: {}}}
}

func (g *gathered) sink(_ context.Context, stream sdk.Stream, data []byte) error {
	g.streams[stream].Write(data)
	g.largest = max(g.largest, len(data))
	return nil
}

func TestExitIsThatOfTheCommand(t *testing.T) {
	for role, want := range map[string]sdk.Exit{
		"exit 0":                               {},
		"exit 1":                               {Code: 1},
		"exit 124":                             {Code: 124},
		fmt.Sprintf("die %d", syscall.SIGKILL): {Code: -1, Signal: "SIGKILL"},
		fmt.Sprintf("die %d", syscall.SIGTERM): {Code: -1, Signal: "SIGTERM"},
	} {
		t.Run(role, func(t *testing.T) {
			before := time.Now()
			res := mustRun(t, roleConfig(role), defaultLimits())
			if diff := cmp.Diff(want, res.Exit); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
			if res.HeldOpen || res.SinkErr != nil || res.RecordErr != nil || res.Unguarded != nil {
				t.Errorf("result %+v", res)
			}
			if res.Started.Before(before) || res.Duration <= 0 || res.Duration > time.Since(before) {
				t.Errorf("started %v, took %v", res.Started, res.Duration)
			}
		})
	}
}

func TestEveryBytePassesEachWay(t *testing.T) {
	const lines = 5000
	var out, err bytes.Buffer
	for i := range lines {
		fmt.Fprintln(&out, "out", i)
		fmt.Fprintln(&err, "err", i)
	}
	g := newGathered()
	var recordOut, recordErr bytes.Buffer
	cfg := roleConfig(fmt.Sprint("both ", lines))
	cfg.Sink, cfg.RecordStdout, cfg.RecordStderr = g.sink, &recordOut, &recordErr
	res := mustRun(t, cfg, defaultLimits())
	for name, got := range map[string]string{
		"sink":    g.streams[sdk.Stdout].String(),
		"record":  recordOut.String(),
		"capture": res.Stdout.String(),
	} {
		if got != out.String() {
			t.Errorf("stdout of the %s: %d bytes, want %d", name, len(got), out.Len())
		}
	}
	for name, got := range map[string]string{
		"sink":    g.streams[sdk.Stderr].String(),
		"record":  recordErr.String(),
		"capture": res.Stderr.String(),
	} {
		if got != err.String() {
			t.Errorf("stderr of the %s: %d bytes, want %d", name, len(got), err.Len())
		}
	}
}

func TestOutputWithoutNewlineOrWithoutAnything(t *testing.T) {
	for _, text := range []string{"no newline", ""} {
		if got := mustRun(t, roleConfig("text "+text), defaultLimits()).Stdout.String(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

func TestStdinIsEmpty(t *testing.T) {
	if got := mustRun(t, roleConfig("stdin"), defaultLimits()).Stdout.String(); got != `"" <nil>` {
		t.Errorf("stdin: %s", got)
	}
}

func TestNoStreamWaitsForTheOther(t *testing.T) {
	heard := t.TempDir()
	words := 0
	cfg := roleConfig("turns " + heard)
	cfg.Sink = func(_ context.Context, _ sdk.Stream, data []byte) error {
		words++
		return os.WriteFile(filepath.Join(heard, string(data)), nil, 0o600)
	}
	if res := mustRun(t, cfg, defaultLimits()); words != 2*turns || res.SinkErr != nil {
		t.Errorf("%d words, %v", words, res.SinkErr)
	}
}

func TestFloodTakesNoMemory(t *testing.T) {
	for _, role := range []string{"flood 100", "lines 20"} {
		t.Run(role, func(t *testing.T) {
			var bytesSeen int64
			largest := 0
			cfg := roleConfig(role)
			cfg.Sink = func(_ context.Context, _ sdk.Stream, data []byte) error {
				bytesSeen += int64(len(data))
				largest = max(largest, len(data))
				return nil
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res := mustRun(t, cfg, defaultLimits())
			runtime.ReadMemStats(&after)
			if bytesSeen < 19_000_000 || res.Stdout.total != bytesSeen {
				t.Errorf("%d bytes at the sink, %d in all", bytesSeen, res.Stdout.total)
			}
			if largest != chunkSize {
				t.Errorf("the largest chunk has %d bytes, want %d", largest, chunkSize)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
				t.Errorf("allocated %d bytes", got)
			}
			if !res.Stdout.isTruncated() || len(res.Stdout.String()) > captureLimit+len(truncationLine)+2 {
				t.Errorf("kept %d bytes", len(res.Stdout.String()))
			}
		})
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for name, argv := range map[string][]string{missing: {missing, "arg"}, "empty": nil, "relative": {"sh"}} {
		_, err := Run(t.Context(), Config{Argv: argv})
		if _, ok := errors.AsType[*procgroup.StartError](err); !ok || (len(argv) > 0 && !strings.Contains(err.Error(), argv[0])) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Run(t.Context(), Config{Argv: []string{missing}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(cancelled, roleConfig("exit 0")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkRunFlood(b *testing.B) {
	for _, role := range []string{"flood 100", "lines 100"} {
		b.Run(role, func(b *testing.B) {
			cfg := roleConfig(role)
			chunks := 0
			cfg.Sink = func(_ context.Context, _ sdk.Stream, data []byte) error {
				chunks++
				return nil
			}
			b.SetBytes(100_000_000)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(b.Context(), cfg); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(chunks)/float64(b.N), "chunks/op")
		})
	}
}
