package merge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/shard"
)

// The bounds of what is read. A million results take 150 MB, and a CI job uploads a few
// files.
const (
	maxFileBytes  = 1 << 30
	maxTotalBytes = 4 << 30
	maxFiles      = 2000
	maxEntries    = 20_000
	maxDepth      = 4
)

// input is what was read of the files of shards.
type input struct {
	// reports are the runs by language, in the order in which they were read; sums
	// identify them.
	reports map[string][]shard.Report
	sums    map[string][][sha256.Size]byte
	// problems say what could not be read or believed, ignored names other files.
	problems []string
	ignored  []string

	files, entries int
	bytes          int64
	seen           []fs.FileInfo
	now            time.Time
}

func (in *input) problem(path, format string, args ...any) {
	in.problems = append(in.problems, prose.Line(filepath.ToSlash(path))+" "+fmt.Sprintf(format, args...))
}

// readAll reads files, and those of directories.
func readAll(ctx context.Context, paths []string, now time.Time) (*input, error) {
	in := &input{reports: map[string][]shard.Report{}, sums: map[string][][sha256.Size]byte{}, now: now}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, unreadable(path, err)
		}
		if err := in.take(ctx, path, info, 0, true); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// unreadable is the error about a path that the user named.
func unreadable(path string, err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file.Err
	}
	return &api.UsageError{Reason: path + ": " + err.Error(), Fix: "name the files that --report json=FILE wrote in each shard, or the directory that they are in"}
}

// take reads a file, or what is in a directory. named reports whether the user named it.
// Its errors are those of this machine, not of the files.
func (in *input) take(ctx context.Context, path string, info fs.FileInfo, depth int, named bool) error {
	if in.entries++; in.entries > maxEntries {
		return &api.UsageError{Reason: fmt.Sprintf("%s: there are more than %d files", path, maxEntries), Fix: "name a directory that has only the reports of the shards"}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case info.IsDir() && depth > maxDepth:
		in.problem(path, "lies too deep: at most %d directories are entered", maxDepth)
		return nil
	case info.IsDir():
		entries, err := os.ReadDir(path)
		if err != nil {
			return unreadable(path, err)
		}
		for _, entry := range entries {
			inner := filepath.Join(path, entry.Name())
			info, err := os.Lstat(inner)
			if err != nil {
				return unreadable(inner, err)
			}
			if err := in.take(ctx, inner, info, depth+1, false); err != nil {
				return err
			}
		}
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		in.problem(path, "is a symbolic link, and none is followed")
		return nil
	case !info.Mode().IsRegular():
		in.problem(path, "is no regular file")
		return nil
	case !named && !slices.Contains([]string{".json", ".jsonl", ".ndjson"}, filepath.Ext(path)):
		in.ignored = append(in.ignored, path)
		return nil
	case slices.ContainsFunc(in.seen, func(other fs.FileInfo) bool { return os.SameFile(other, info) }):
		return nil // named twice, as itself and in its directory
	}
	in.seen = append(in.seen, info)
	if in.files++; in.files > maxFiles {
		return &api.UsageError{Reason: fmt.Sprintf("%s: there are more than %d reports", path, maxFiles), Fix: "name those of one run"}
	}
	if in.bytes += info.Size(); info.Size() > maxFileBytes || in.bytes > maxTotalBytes {
		in.problem(path, "is too large: it has %d bytes, and at most %d a file and %d in all are read", info.Size(), int64(maxFileBytes), int64(maxTotalBytes))
		return nil
	}
	raw, err := readFile(ctx, path, info)
	if err != nil {
		return unreadable(path, err)
	}
	in.readReports(path, raw)
	return ctx.Err()
}

// readFile reads a file, if it still is the one that was looked at.
func readFile(ctx context.Context, path string, info fs.FileInfo) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(now, info) {
		return nil, errors.Join(err, errors.New("it was replaced meanwhile"))
	}
	return io.ReadAll(io.LimitReader(ctxio.FileReader{Ctx: ctx, R: f}, maxFileBytes))
}

// readReports reads the runs of a file: one on each line.
func (in *input) readReports(path string, raw []byte) {
	read := 0
	for n := 1; len(raw) > 0; n++ {
		line, rest, ended := bytes.Cut(raw, []byte("\n"))
		raw = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		read++
		run, other, err := readRun(line, in.now)
		switch {
		case other != "":
			in.ignored = append(in.ignored, path)
		case err != nil && !ended:
			in.problem(path, "cannot be used, and may be cut off: line %d: %v", n, err)
		case err != nil:
			in.problem(path, "cannot be used: line %d: %v", n, err)
		default:
			in.reports[run.Language] = append(in.reports[run.Language], shard.Report{File: prose.Line(filepath.ToSlash(path)), Run: run})
			in.sums[run.Language] = append(in.sums[run.Language], sha256.Sum256(line))
		}
		if err != nil {
			return // what follows is as broken
		}
	}
	if read == 0 {
		in.problem(path, "is empty")
	}
}

// otherSchemas are those of files that may lie beside reports.
var otherSchemas = []string{api.TimingsSchema, "proctor.notice/v1"}

// readRun reads and checks a Run object. other is the schema of what is something else of
// proctor's.
func readRun(line []byte, now time.Time) (run api.Run, other string, err error) {
	if err := checkJSON(line); err != nil {
		return run, "", err
	}
	var kind struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return run, "", fmt.Errorf("it is not a Run object: %w", err)
	}
	if slices.Contains(otherSchemas, kind.Schema) {
		return run, kind.Schema, nil
	}
	if err := json.Unmarshal(line, &run); err != nil {
		return run, "", fmt.Errorf("it is not a Run object: %w", err)
	}
	return run, "", checkRun(run, now)
}
