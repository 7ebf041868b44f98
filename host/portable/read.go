package portable

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
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/transfer"
)

// MaxFiles bounds the reports that are read: those of the largest run of a fleet, with as
// many of earlier attempts.
const MaxFiles = 16_000

// The bounds of what is read. A million results take 150 MB.
const (
	maxFileBytes  = 1 << 30
	maxTotalBytes = 4 << 30
	maxEntries    = 20_000
	maxDepth      = 4
)

// Report is a run that was read: the whole object, with all results and failures.
type Report struct {
	// File names where it came from, for the reader.
	File string
	// Sum identifies it.
	Sum [sha256.Size]byte
	api.Run
}

// Files is the content of some files.
type Files struct {
	// Reports are the runs, in the order in which they were read.
	Reports []Report
	// Archives are files that begin like archives of runs. They have not been read.
	Archives []string
	// Problems say what could not be read or is not plausible, Ignored names other files.
	Problems, Ignored []string
	// NoRuns are the attempts of shards that had no run, which another may replace. They are
	// problems otherwise.
	NoRuns []Report
	// Now is the time here.
	Now time.Time

	files, entries int
	bytes          int64
	seen           []fs.FileInfo
}

func (in *Files) problem(path, format string, args ...any) {
	in.Problems = append(in.Problems, prose.Line(filepath.ToSlash(path))+" "+fmt.Sprintf(format, args...))
}

// NameReports is the advice if no run is named, or none could be read.
const NameReports = "name the files that --report json=FILE wrote, archives of exported runs, or the directory that they are in"

// ReadFiles reads files, and those in directories. now is the time here. An error is
// about a path that the user named, or about this machine.
func ReadFiles(ctx context.Context, paths []string, now time.Time) (*Files, error) {
	in := &Files{Now: now}
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

// Within returns those of the paths that lie below a root, relative to it: the files that runs
// are read from often lie among the sources, and are none of them.
func Within(root string, paths ...string) (within []string) {
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) && rel != "." {
				within = append(within, filepath.ToSlash(rel))
			}
		}
	}
	return within
}

// unreadable returns the error about a path that the user named.
func unreadable(path string, err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		err = file.Err
	}
	return &api.UsageError{Reason: path + ": " + err.Error(), Fix: NameReports}
}

// take reads a file, or the files in a directory. named reports whether the user named
// it. Errors are about this machine, not about the content of files.
func (in *Files) take(ctx context.Context, path string, info fs.FileInfo, depth int, named bool) error {
	if in.entries++; in.entries > maxEntries {
		return &api.UsageError{Reason: fmt.Sprintf("%s: there are more than %d files", path, maxEntries), Fix: "name a directory that has only the reports of the shards"}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case info.IsDir() && depth > maxDepth:
		in.problem(path, "is nested too deep: the limit is %d directories", maxDepth)
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
		in.problem(path, "is a symbolic link, which is not followed")
		return nil
	case !info.Mode().IsRegular():
		in.problem(path, "is not a regular file")
		return nil
	case !named && !slices.ContainsFunc(endings(), func(end string) bool { return strings.HasSuffix(path, end) }):
		if !isOtherForm(path) {
			in.Ignored = append(in.Ignored, path)
		}
		return nil
	case slices.ContainsFunc(in.seen, func(other fs.FileInfo) bool { return os.SameFile(other, info) }):
		return nil // named twice, as itself and in its directory
	}
	in.seen = append(in.seen, info)
	if in.files++; in.files > MaxFiles {
		return &api.UsageError{Reason: fmt.Sprintf("%s: there are more than %d reports", path, MaxFiles), Fix: "name those of one run"}
	}
	if in.bytes += info.Size(); info.Size() > maxFileBytes || in.bytes > maxTotalBytes {
		in.problem(path, "is too large: it has %d bytes; the limits are %d a file and %d in all", info.Size(), int64(maxFileBytes), int64(maxTotalBytes))
		return nil
	}
	raw, isArchive, err := readFile(ctx, path, info)
	switch {
	case err != nil:
		return unreadable(path, err)
	case isArchive:
		in.Archives = append(in.Archives, path)
	case !named && (strings.HasPrefix(string(raw[:min(len(raw), len(gzipMagic))]), gzipMagic) || isOther(raw)):
		in.Ignored = append(in.Ignored, path)
	default:
		in.AddReports(path, raw)
	}
	return ctx.Err()
}

// endings are the suffixes of the files that are read in a directory: reports and
// archives.
func endings() []string { return []string{".json", ".jsonl", ".ndjson", ".tar.gz", ".tgz"} }

// The beginnings of files that are not reports: gzip (RFC 1952), and zip, which some CI
// services pack a job's uploads into.
const (
	gzipMagic = "\x1f\x8b"
	zipMagic  = "PK\x03\x04"
)

// readFile reads a file if it is still the one that was listed. It does not read archives.
func readFile(ctx context.Context, path string, info fs.FileInfo) (raw []byte, isArchive bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(now, info) {
		return nil, false, errors.Join(err, errors.New("it was replaced meanwhile"))
	}
	in := ctxio.FileReader{Ctx: ctx, R: f}
	if transfer.IsArchive(in) {
		return nil, true, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, false, err
	}
	// ReadAll would take up to twice the memory of a large file.
	all := bytes.NewBuffer(make([]byte, 0, min(info.Size(), headBytes)+bytes.MinRead))
	if _, err := all.ReadFrom(io.LimitReader(in, headBytes)); err != nil || !mayBeReport(all.Bytes()) {
		return all.Bytes(), false, err
	}
	all.Grow(int(max(0, info.Size()-headBytes)) + bytes.MinRead)
	_, err = all.ReadFrom(io.LimitReader(in, maxFileBytes-headBytes))
	return all.Bytes(), false, err
}

// headBytes is how much of a file is read to see whether it is a report at all.
const headBytes = 64 << 10

func mayBeReport(head []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) }

// isOther reports whether a file is JSON of another format, such as a report for another
// program. The beginning of a report is no such file, wherever it was cut off.
func isOther(raw []byte) bool {
	begin := json.NewDecoder(bytes.NewReader(raw))
	_, err := begin.Token()
	first, end := begin.Token()
	_, isName := first.(string)
	return errors.Join(err, end) == nil && isName && !bytes.Contains(raw, []byte(`"schema"`))
}

// isOtherForm reports whether a file stands beside a report of its name: it is the same run for
// other programs, such as the JUnit report that the action keeps.
func isOtherForm(path string) bool {
	name := strings.TrimSuffix(path, filepath.Ext(path))
	return slices.ContainsFunc(endings(), func(end string) bool {
		info, err := os.Lstat(name + end)
		return err == nil && info.Mode().IsRegular()
	})
}

// AddReports reads the runs of a report, one on each line. path is its name.
func (in *Files) AddReports(path string, raw []byte) {
	head := string(raw[:min(len(raw), len(zipMagic))])
	switch {
	case strings.HasPrefix(head, gzipMagic):
		in.problem(path, "cannot be used: it is gzipped, and not an archive of exported runs")
		return
	case head == zipMagic:
		in.problem(path, "cannot be used: it is a zip archive: unpack it, and name what is in it")
		return
	}
	read := 0
	for n := 1; len(raw) > 0; n++ {
		line, rest, ended := bytes.Cut(raw, []byte("\n"))
		raw = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		read++
		run, other, err := readRun(line, in.Now)
		report := Report{File: prose.Line(filepath.ToSlash(path)), Sum: sha256.Sum256(line), Run: run}
		switch {
		case other != "":
			in.Ignored = append(in.Ignored, path)
		case errors.Is(err, errNoRun) && run.Shard != nil:
			s := *run.Shard // nothing else of it was checked
			report.Run = api.Run{Verdict: api.ToolError, Reason: err.Error(), Shard: &api.Shard{Index: s.Index, Of: s.Of, Attempt: s.Attempt}}
			in.NoRuns = append(in.NoRuns, report)
		case err != nil && !ended:
			in.problem(path, "cannot be used, and may be cut off: line %d: %v", n, err)
		case err != nil:
			in.problem(path, "cannot be used: line %d: %v", n, err)
		default:
			in.Reports = append(in.Reports, report)
		}
		if err != nil {
			return // the rest is probably broken, too
		}
	}
	if read == 0 {
		in.problem(path, "is empty")
	}
}

// AllProblems are the problems, with what had no run.
func (in *Files) AllProblems() []string {
	all := slices.Clone(in.Problems)
	for _, r := range in.NoRuns {
		all = append(all, r.File+" cannot be used: "+r.Reason)
	}
	return all
}

// otherSchemas are the schemas of other files that may lie beside reports.
var otherSchemas = []string{api.TimingsSchema, "proctor.notice/v1"}

// readRun reads and checks a Run object. other is the schema if it is another object of
// proctor.
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
