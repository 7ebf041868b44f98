package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/sdk"
)

// maxPiped bounds output that comes through a pipe and is copied to a temporary file, in
// bytes.
const maxPiped = 4 << 30

// recordedOutput is parsed instead of the output of commands.
type recordedOutput struct {
	// paths are those of standard output and standard error; empty means none.
	paths [2]string
	exit  sdk.Exit
}

// outputFiles are files of recorded output that can be read more than once.
type outputFiles struct {
	// paths are those of standard output and standard error; empty means none.
	paths [2]string
	sums  [2][sha256.Size]byte
	// written is the modification time of the first.
	written time.Time

	temporary []string
}

// openOutputFiles hashes the files of recorded output. It copies anything but a regular
// file, such as standard input.
func openOutputFiles(ctx context.Context, stdout, stderr string) (*outputFiles, error) {
	a := &outputFiles{}
	for i, path := range []string{stdout, stderr} {
		if path == "" {
			continue
		}
		if err := a.take(ctx, i, path); err != nil {
			a.close()
			return nil, err
		}
	}
	return a, nil
}

func (a *outputFiles) take(ctx context.Context, i int, path string) error {
	from, written := io.Reader(&ctxio.Reader{Ctx: ctx, R: os.Stdin}), time.Now()
	piped := path == "-"
	if !piped {
		f, err := openFile(ctx, path)
		if err != nil {
			return asUsage(err)
		}
		defer f.Close()
		info, err := f.Stat()
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return &api.UsageError{Reason: path + " is a directory", Fix: "name the file with the runner's output"}
		}
		if piped = !info.Mode().IsRegular(); piped {
			from = &ctxio.Reader{Ctx: ctx, R: f}
		} else {
			from, written = ctxio.FileReader{Ctx: ctx, R: f}, info.ModTime()
		}
	}
	if i == 0 {
		a.written = written
	}
	a.paths[i] = path
	into := io.Discard
	if piped {
		copied, err := os.CreateTemp("", "proctor-ingest-*")
		if err != nil {
			return fmt.Errorf("creating a temporary file for the output: %w", err)
		}
		defer copied.Close()
		a.temporary = append(a.temporary, copied.Name())
		a.paths[i], into = copied.Name(), copied
		from = io.LimitReader(from, maxPiped+1)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, into), from)
	switch {
	case err != nil:
		return asUsage(err)
	case piped && n > maxPiped:
		return &api.UsageError{Reason: fmt.Sprintf("%s has more than %d GiB", path, maxPiped>>30), Fix: "write it to a file and name that"}
	}
	sum.Sum(a.sums[i][:0])
	return nil
}

// openFile opens a file. A named pipe without a writer blocks: openFile then returns when
// ctx ends, and abandons the attempt.
func openFile(ctx context.Context, path string) (*os.File, error) {
	type answer struct {
		f   *os.File
		err error
	}
	answers := make(chan answer)
	go func() {
		f, err := os.Open(path)
		select {
		case answers <- answer{f, err}:
		case <-ctx.Done():
			if err == nil {
				f.Close()
			}
		}
	}()
	select {
	case got := <-answers:
		return got.f, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *outputFiles) close() {
	for _, path := range a.temporary {
		os.Remove(path)
	}
}

// asUsage turns an error about a file that the user named into a usage error.
func asUsage(err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return unreadableError(file)
	}
	return err
}

// unreadableError is the error about a file of recorded output that cannot be read.
func unreadableError(err *fs.PathError) error {
	return &api.UsageError{Reason: err.Path + ": " + err.Err.Error(), Fix: "name a file with the runner's output, or - for standard input"}
}

// ReadRawOutput returns the runner's own output of a run, each stream capped, from its
// record.
func ReadRawOutput(ctx context.Context, k *ledger.Keeper, run api.Run) (api.RawOutput, error) {
	raw := api.RawOutput{
		TimedOut: run.TimedOut, ExitCode: run.ExitCode, NoExit: api.NoExit(run),
		Limit:      api.PassedDeadline(run),
		Unrecorded: len(run.Commands) > 0 || run.Merged != nil,
	}
	store, ok := artifacts.OpenExisting(k.Records(run.Workspace))
	if !ok {
		return raw, nil
	}
	var streams [2]runner.Capture
	for n := range run.Commands {
		paths, ok := artifacts.StreamPaths(store, run.RunID, n)
		if !ok {
			continue // the command never ran, or could not be recorded
		}
		raw.Unrecorded = false
		for i, path := range paths {
			if err := capture(ctx, &streams[i], path); err != nil {
				return raw, err
			}
		}
	}
	raw.Stdout, raw.Stderr = streams[0].String(), streams[1].String()
	return raw, nil
}

func capture(ctx context.Context, c *runner.Capture, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the recorded output: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(c, f)
	if err != nil {
		return fmt.Errorf("reading the recorded output: %w", err)
	}
	return ctx.Err()
}
