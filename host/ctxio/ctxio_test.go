package ctxio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestASilentReaderIsAbandonedWhenNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent, end := io.Pipe()
	defer end.Close()
	r := &Reader{Ctx: ctx, R: silent}
	go cancel()
	if n, err := r.Read(make([]byte, 8)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes, %v", n, err)
	}
	// The abandoned read continues and must not be taken for the next one.
	if n, err := r.Read(make([]byte, 8)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("again: %d bytes, %v", n, err)
	}
}

func TestASilentWriterIsAbandonedWhenNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end, silent := io.Pipe()
	defer end.Close()
	w := &Writer{Ctx: ctx, W: silent}
	go cancel()
	for range 2 {
		if n, err := w.Write([]byte("answer")); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
}

func TestAFileIsReadUntilTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := FileReader{ctx, strings.NewReader("text")}
	p := make([]byte, 2)
	if n, err := r.Read(p); n != 2 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	cancel()
	if n, err := r.Read(p); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %d bytes, %v", n, err)
	}
}

func TestAReaderThatAnswersIsReadWhole(t *testing.T) {
	text := strings.Repeat("one line\n", 1000)
	for name, r := range map[string]io.Reader{
		"at once":         strings.NewReader(text),
		"byte by byte":    iotest.OneByteReader(strings.NewReader(text)),
		"data with EOF":   iotest.DataErrReader(strings.NewReader(text)),
		"half at a time":  iotest.HalfReader(strings.NewReader(text)),
		"nothing at once": io.MultiReader(strings.NewReader(""), strings.NewReader(text)),
	} {
		got, err := io.ReadAll(&Reader{Ctx: t.Context(), R: r})
		if err != nil || string(got) != text {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(text), err)
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(&Reader{Ctx: t.Context(), R: iotest.ErrReader(broken)}); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
}

// stuckWriter says that it is written to, and takes nothing until it is released.
type stuckWriter struct {
	entered  chan struct{}
	released chan struct{}
	strings.Builder
}

func (s *stuckWriter) Write(p []byte) (int, error) {
	select {
	case s.entered <- struct{}{}:
	case <-s.released:
	}
	<-s.released
	return s.Builder.Write(p)
}

func TestNobodyWaitsForAReaderOfTheLog(t *testing.T) {
	t.Parallel()
	stuck := &stuckWriter{entered: make(chan struct{}), released: make(chan struct{})}
	q := &QueuedWriter{W: stuck}
	line := strings.Repeat("x", 1<<10) + "\n"
	const lines = 4 * maxQueued >> 10
	for i := range lines {
		if n, err := io.WriteString(q, line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
		if i == 0 {
			<-stuck.entered // what follows is behind it, in one piece
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	q.Flush(gone) // nor does its end
	close(stuck.released)
	q.Flush(t.Context())
	kept, missing, _ := strings.Cut(stuck.String(), "[")
	if missing != fmt.Sprintf("%d messages are missing here: nobody was reading]\n", lines-len(kept)/len(line)) || strings.Trim(kept, line) != "" {
		t.Errorf("%d bytes are kept, then %.200q", len(kept), missing)
	}
	for range 3 {
		io.WriteString(q, "again\n")
	}
	q.Flush(t.Context())
	q.Flush(t.Context())
	if !strings.HasSuffix(stuck.String(), "]\nagain\nagain\nagain\n") {
		t.Errorf("%.200q", stuck.String()[len(kept):])
	}
}

func TestALongMessageIsNotDroppedWhileSomebodyReads(t *testing.T) {
	t.Parallel()
	var read strings.Builder
	q := &QueuedWriter{W: &read}
	long := strings.Repeat("x", maxQueued) + "\n"
	io.WriteString(q, long)
	q.Flush(t.Context())
	if read.String() != long {
		t.Errorf("%d of %d bytes arrived", read.Len(), len(long))
	}
}
