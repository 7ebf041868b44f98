package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// The longest that git may take: a repository can block it forever, as with an ignore
// file that is a pipe. Reading half a million names takes a few seconds, writing or
// scanning a working tree some minutes.
const (
	AnswerTime = 30 * time.Second
	streamTime = 30 * time.Minute
)

// maxOutput bounds one answer: the names of a few million files.
const maxOutput = 1 << 30

// maxLine bounds an answer that is a name or a path.
const maxLine = 64 << 10

// Run returns what git wrote. The error is an [*Error], or that of ctx.
func (g Git) Run(ctx context.Context, args ...string) ([]byte, error) {
	return g.Feed(ctx, nil, args...)
}

// Feed is Run with an input.
func (g Git) Feed(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	return g.ask(ctx, in, maxOutput, args)
}

// Line returns an answer of one line, such as a name or a path, without its newline.
func (g Git) Line(ctx context.Context, args ...string) (string, error) {
	out, err := g.ask(ctx, nil, maxLine, args)
	return strings.TrimSuffix(string(out), "\n"), err
}

func (g Git) ask(ctx context.Context, in io.Reader, most int, args []string) ([]byte, error) {
	out := &bounded{most: most}
	if err := g.run(ctx, AnswerTime, in, out, args); err != nil {
		return nil, err
	}
	if out.over {
		return nil, g.Failed(ctx, args, "", errors.New("its answer is too long"))
	}
	return out.kept.Bytes(), nil
}

// Stream has git write to out. It may take longer than an answer.
func (g Git) Stream(ctx context.Context, out io.Writer, args ...string) error {
	return g.run(ctx, streamTime, nil, out, args)
}

// Within bounds how long git may take.
func Within(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, most, fmt.Errorf("it takes longer than %v", most))
}

func (g Git) run(ctx context.Context, most time.Duration, in io.Reader, out io.Writer, args []string) error {
	within, cancel := Within(ctx, most)
	defer cancel()
	var words Words
	cmd := g.Command(within, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &words
	if err := cmd.Run(); err != nil {
		return g.Failed(within, args, words.String(), err)
	}
	return nil
}

// Each calls yield with every NUL-terminated record of an answer until it returns
// false. It skips records longer than any path.
func (g Git) Each(ctx context.Context, yield func(record string) bool, args ...string) error {
	within, stop := context.WithCancel(ctx)
	defer stop()
	records := &records{yield: yield, stop: stop}
	err := g.Stream(within, records, args...)
	if records.over && ctx.Err() == nil {
		return nil
	}
	return err
}

// records splits a stream at its NUL bytes.
type records struct {
	yield func(string) bool
	stop  func()
	rest  []byte
	over  bool
}

func (r *records) Write(p []byte) (int, error) {
	for at := p; !r.over; {
		record, after, whole := bytes.Cut(at, []byte{0})
		if len(r.rest) <= maxLine {
			r.rest = append(r.rest, record...)
		}
		if !whole {
			break
		}
		if len(r.rest) <= maxLine && !r.yield(string(r.rest)) {
			r.over = true
			r.stop()
		}
		r.rest, at = r.rest[:0], after
	}
	return len(p), nil
}

// bounded keeps the beginning of what is written to it. The buffer is not embedded: its
// ReadFrom would bypass the bound.
type bounded struct {
	kept bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.kept.Len()
	b.over = b.over || len(p) > room
	b.kept.Write(p[:min(len(p), room)])
	return len(p), nil
}
