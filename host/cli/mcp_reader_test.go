package cli

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A client that sends many small messages and closes its end, while nobody takes
// what it sent, has closed its end all the same.
func TestTheEndOfTheInputIsFoundBeforeWhatStandsBeforeItIsAskedFor(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	ended := make(chan struct{})
	in := newEndingReader(t.Context(), r, func() { close(ended) })
	for range 1000 {
		io.WriteString(w, "a message\n")
	}
	w.Close()
	<-ended
	all, err := io.ReadAll(in)
	if want := strings.Repeat("a message\n", 1000); err != nil || string(all) != want {
		t.Errorf("%d bytes of %d, %v", len(all), len(want), err)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in := newEndingReader(ctx, r, func() {})
	read := make(chan error)
	go func() {
		_, err := in.Read(make([]byte, 10))
		read <- err
	}()
	cancel()
	if err := <-read; err != io.EOF {
		t.Errorf("%v", err)
	}
}
