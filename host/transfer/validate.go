package transfer

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/sdk"
)

// consistency compares the parts of a run that each say what failed: its object, its
// results and failures, and its rows of the history. A run that contradicts itself would
// be a failure in one command and a pass in another.
type consistency struct {
	// failed are the tests that failed according to the results, named those that did not
	// finish or have a failure, and points those that ended badly in the history.
	failed, named, points map[sdk.TestID]bool
	// blamed are those of failed that did not fail only because of subtests.
	blamed map[sdk.TestID]bool
	// own counts the results of these.
	own int
	// cut means that there were too many to compare one by one.
	cut bool
}

// maxCompared bounds how many tests an archive can make us keep in memory.
const maxCompared = 100_000

func (c *consistency) add(to *map[sdk.TestID]bool, suite, test string) {
	if len(*to) >= maxCompared {
		c.cut = true
		return
	}
	if *to == nil {
		*to = map[sdk.TestID]bool{}
	}
	(*to)[sdk.TestID{Suite: suite, Test: test}] = true
}

func (c *consistency) addResult(r api.Result) {
	if r.Status == sdk.Failed && !r.Derived {
		c.own++
		c.add(&c.blamed, r.Suite, r.Test)
	}
	switch {
	case r.Status == sdk.Unfinished:
		c.add(&c.named, r.Suite, r.Test) // not bad in the history if the user interrupted it
	case r.Status != sdk.Failed:
	case r.Fixture:
		c.add(&c.failed, r.Suite, "") // as the history has it
	default:
		c.add(&c.failed, r.Suite, r.Test)
	}
}

// isFlaky reports whether, according to the run, everything that failed passed when it was
// retried.
func (c *consistency) isFlaky(run api.Run) bool {
	for _, tests := range []map[sdk.TestID]bool{c.blamed, c.named} {
		for t := range tests {
			if run.PassedOnTry(t.Suite, t.Test) == 0 {
				return false
			}
		}
	}
	return run.Counts.Flaky > 0 && !c.cut
}

func (c *consistency) addFailure(f api.Failure) { c.add(&c.named, f.Suite, f.Test) }

func (c *consistency) addPoint(r history.Result) { c.add(&c.points, r.Suite, r.Test) }

// check compares the parts of a run that reached its end: those of an interrupted one may
// stop at different points.
func (c *consistency) check(run api.Run) error {
	if run.Verdict != api.Passed && run.Verdict != api.Failed {
		return nil
	}
	if (run.Counts.Failed > 0) != (c.own > 0) {
		return fmt.Errorf("run %s counts %d failed tests, but has failed results of %d", run.RunID, run.Counts.Failed, c.own)
	}
	if c.cut {
		return nil
	}
	for test := range c.failed {
		if !c.points[test] {
			return fmt.Errorf("run %s has a failed result of %q, but none in its part of the history", run.RunID, ledger.Excerpt(test.Suite+" "+test.Test))
		}
	}
	for test := range c.points {
		if !c.failed[test] && !c.named[test] && test.Test != "" {
			return fmt.Errorf("run %s has %q as failed in its part of the history, but no failed result of it", run.RunID, ledger.Excerpt(test.Suite+" "+test.Test))
		}
	}
	return nil
}

// readHeader reads the header and prepares for what it announces.
func (in *importer) readHeader(entries *tar.Reader) error {
	head, err := entries.Next()
	if err != nil {
		return fmt.Errorf("it is not an archive of runs (%w)", explainCut(err))
	}
	if head.Typeflag != tar.TypeReg || head.Name != archiveHeaderName || head.Size > maxArchiveHeader {
		return fmt.Errorf("it is not an archive of runs: it does not begin with %s", archiveHeaderName)
	}
	raw, err := io.ReadAll(entries)
	if err != nil {
		return fmt.Errorf("its header cannot be read: %w", explainCut(err))
	}
	if err := json.Unmarshal(raw, &in.header); err != nil {
		return fmt.Errorf("its header cannot be read: %w", err)
	}
	h := &in.header
	if newer, ok := strings.CutPrefix(h.Schema, "proctor.export/"); ok && h.Schema != api.ExportSchema {
		return fmt.Errorf("it is an archive of another format (%q) by proctor %s, and this proctor reads %s: use a newer proctor", ledger.Excerpt(newer), ledger.Excerpt(h.Proctor), api.ExportSchema)
	}
	if h.Schema != api.ExportSchema {
		return fmt.Errorf("it is not an archive of runs: its schema is %q", ledger.Excerpt(h.Schema))
	}
	if len(h.Runs) == 0 || len(h.Runs) > maxArchiveRuns || len(h.States) > len(h.Runs) || len(h.Files) > maxArchiveFiles {
		return fmt.Errorf("it announces %d runs, %d states and %d files, which no archive has", len(h.Runs), len(h.States), len(h.Files))
	}
	if err := in.checkAnnounced(); err != nil {
		return err
	}
	return in.makeRoom()
}

// checkAnnounced validates what the header announces.
func (in *importer) checkAnnounced() error {
	in.byID, in.stateOf, in.states = map[string]*importedRun{}, map[string]archivedState{}, map[string]fingerprint.State{}
	for _, r := range in.header.Runs {
		if !artifacts.IsRunID(r.RunID) || len(r.RunID) != artifacts.RunIDLength || in.byID[r.RunID] != nil || r.Results < 0 {
			return fmt.Errorf("it announces the run %q, which is invalid or listed twice", ledger.Excerpt(r.RunID))
		}
		a := &importedRun{object: api.Run{RunID: r.RunID}, whole: r.Whole, count: r.Results, seen: map[string]bool{}}
		in.byID[r.RunID], in.runs = a, append(in.runs, a)
	}
	for _, s := range in.header.States {
		if _, twice := in.stateOf[s.ID]; twice || !ledger.IsStateID(s.ID) || max(len(s.Kind), len(s.Commit), len(s.Branch)) > ledger.MaxForeignWord {
			return fmt.Errorf("it announces the source state %q, which is invalid or listed twice", ledger.Excerpt(s.ID))
		}
		in.stateOf[s.ID] = s
	}
	var total, states int64
	names := map[string]bool{}
	for _, f := range in.header.Files {
		part, ok := parseEntryName(f.Name)
		_, hasState := in.stateOf[part.state]
		if !ok || names[f.Name] || part.run != "" && in.byID[part.run] == nil || part.state != "" && !hasState {
			return fmt.Errorf("it announces the file %q, which belongs to none of its runs or is listed twice", ledger.Excerpt(f.Name))
		}
		if f.Size < 0 || f.Size > part.most() {
			return fmt.Errorf("it announces %d bytes for %s; at most %d are allowed", f.Size, f.Name, part.most())
		}
		names[f.Name] = true
		total += f.Size
		if part.state != "" {
			states += f.Size
		}
	}
	if total > in.most || states > maxArchiveStates {
		return fmt.Errorf("it announces %d bytes, %d of them source states; at most %d and %d are allowed", total, states, in.most, int64(maxArchiveStates))
	}
	return nil
}

// makeRoom makes a place on the stage for each run.
func (in *importer) makeRoom() error {
	for id, a := range in.byID {
		if err := in.stage.Add(id); err != nil {
			return err
		}
		spool, err := in.stage.Spool()
		if err != nil {
			return err
		}
		a.spool, in.spools = spool, append(in.spools, spool)
	}
	return nil
}

// importedRun is a run read from an archive.
type importedRun struct {
	object api.Run
	whole  bool
	// count is how many results the header announces.
	count int
	// seen are its files read so far, spool has its results.
	seen  map[string]bool
	spool *os.File
	// bad counts what failed, according to each part.
	bad contradiction
	// accord compares its parts.
	accord consistency
}

// check validates a run, once all of its files were read.
func (a *importedRun) check() error {
	for _, name := range []string{artifacts.ObjectName, artifacts.ResultsName, artifacts.FailuresName, archiveHistory} {
		if !a.seen[name] {
			return fmt.Errorf("run %s has no %s", a.object.RunID, name)
		}
	}
	if what := a.bad.String(); a.object.Verdict == api.Passed && a.object.Quarantined == 0 && what != "" && !a.accord.isFlaky(a.object) {
		return fmt.Errorf("run %s says that it passed, but has %s", a.object.RunID, what)
	}
	return a.accord.check(a.object)
}

// contradiction counts what contradicts a pass: failures, and tests that ended badly,
// according to each part of a run.
type contradiction struct{ failures, announced, results, counted, points int }

// String names the largest count; it is empty if there is none. The parts are not added
// up, as they report the same.
func (c contradiction) String() string {
	if n := max(c.failures, c.announced); n > 0 {
		return api.Plural(n, "failure")
	}
	if n := max(c.results, c.counted, c.points); n > 0 {
		return api.Plural(n, "test") + " that failed, did not finish or did not build"
	}
	return ""
}

// adopt validates a foreign run's object, and turns it into one of this record.
func (a *importedRun) adopt(run api.Run, origin string, now time.Time) error {
	id := a.object.RunID
	if run.RunID != id {
		return fmt.Errorf("the object of run %s has the id %q", id, ledger.Excerpt(run.RunID))
	}
	if err := ledger.CheckForeign(run, now); err != nil {
		return err
	}
	if len(run.Failures) > api.MaxFailures {
		return fmt.Errorf("run %s lists more than %d failures", id, api.MaxFailures)
	}
	c := run.Counts
	a.bad.announced, a.bad.counted = max(run.FailuresTotal, len(run.Failures)), c.Failed+c.Unfinished+c.BuildFailed
	if !strings.HasPrefix(run.SessionID, history.ImportedSession) {
		run.SessionID = history.ImportedSession + run.SessionID
	}
	run.Origin, run.Results, run.Running, run.Stale = origin, nil, "", nil
	run.StartedAt = run.StartedAt.UTC()
	a.object = run
	return nil
}

func (a *importedRun) addResult(r api.Result) error {
	if err := ledger.CheckForeignResult(r); err != nil {
		return err
	}
	if r.Status == sdk.Failed || r.Status == sdk.Unfinished {
		a.bad.results++
	}
	a.accord.addResult(r)
	return nil
}

func (a *importedRun) addFailure(f api.Failure) error {
	if err := ledger.CheckForeignFailure(f); err != nil {
		return err
	}
	a.bad.failures++
	a.accord.addFailure(f)
	return nil
}

// spoolResults keeps a run's part of the history until all of it is known to be valid.
func (a *importedRun) spoolResults(r io.Reader) error {
	n := 0
	err := copyLines(a.spool, r, func(line archivedResult) error {
		n++
		result, err := line.result()
		if result.Outcome.Bad() {
			a.bad.points++
			a.accord.addPoint(result)
		}
		return err
	})
	if err == nil && n != a.count {
		err = fmt.Errorf("it has %d results, but the header announces %d", n, a.count)
	}
	return err
}

// eachResult yields the results that were spooled.
func (a *importedRun) eachResult(ctx context.Context, yield func(history.Result)) error {
	if _, err := a.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return copyLines(io.Discard, ctxio.FileReader{Ctx: ctx, R: a.spool}, func(line archivedResult) error {
		result, err := line.result()
		if err == nil {
			yield(result)
		}
		return err
	})
}

// copyLines copies a list of one JSON object a line, and writes only what it understands.
// An error of check gets the number of the line.
func copyLines[T any](w io.Writer, r io.Reader, check func(T) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxArchiveLine)
	out := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var item T
		err := json.Unmarshal(lines.Bytes(), &item)
		if err == nil {
			err = check(item)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}
