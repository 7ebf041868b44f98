package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// attempt is what one attempt at a batch left.
type attempt struct {
	name string
	// hasReport means that it left a report; failures names its failure objects.
	hasReport bool
	failures  []string
}

// WriteReports writes the reports of a job's parts into a directory, as `proctor merge`
// reads them: for each part, the attempt that counts, preceded by the others that saw
// something fail. It returns the languages without any report.
//
// An attempt that died left no report, so one is made from what it had stored: it saw
// something fail, so it has failed, and the rest of it is unknown.
func (j Job) WriteReports(ctx context.Context, s store.Store, dir string) (absent []string, err error) {
	attempts, err := j.listAttempts(ctx, s)
	if err != nil {
		return nil, err
	}
	written := map[string]bool{}
	for n, b := range j.Batches() {
		accepted, err := Accepted(ctx, s, j.ID, n)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		runs, err := j.readEvidence(ctx, s, n, b, attempts[n], accepted)
		if err != nil {
			return nil, err
		}
		for i, run := range runs {
			run.Shard.Attempt = i + 1
			line, err := prose.JSON(run)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-part-%d-attempt-%d.json", run.Language, b.Index, i+1)), line, 0o600)
			}
			if err != nil {
				return nil, err
			}
			written[run.Language] = true
		}
	}
	for _, d := range j.Divisions {
		if !written[d.Language] {
			absent = append(absent, d.Language)
		}
	}
	return absent, nil
}

// listAttempts returns what the attempts left, by batch, in the order they began.
func (j Job) listAttempts(ctx context.Context, s store.Store) (map[int][]attempt, error) {
	names, err := s.List(ctx, attemptsPrefix(j.ID))
	if err != nil {
		return nil, err
	}
	all := map[int][]attempt{}
	for _, name := range names {
		batch, id, object, ok := parseAttempt(j.ID, name)
		if !ok {
			continue
		}
		of := all[batch]
		if len(of) == 0 || of[len(of)-1].name != id {
			of = append(of, attempt{name: id})
		}
		last := &of[len(of)-1]
		if object == reportName {
			last.hasReport = true
		} else if strings.HasPrefix(object, failurePrefix) {
			last.failures = append(last.failures, name)
		}
		all[batch] = of
	}
	return all, nil
}

// readEvidence returns the runs of a batch, with the one that counts last. If none was
// accepted, as in a cancelled run, they are whatever attempts left.
func (j Job) readEvidence(ctx context.Context, s store.Store, n int, b Batch, all []attempt, accepted string) ([]api.Run, error) {
	var runs []api.Run
	var last *api.Run
	lost := false // the machine of the latest
	for _, a := range all {
		if a.name != accepted && len(a.failures) == 0 && !a.hasReport {
			continue // it adds nothing
		}
		run, err := j.readReport(ctx, s, n, b, a)
		isRed := (run.Verdict == api.Failed || run.Verdict == api.BuildFailed) && !run.Cancelled
		switch {
		case err != nil:
			return nil, err
		case a.name != accepted && accepted != "" && len(a.failures) == 0 && !isRed:
			// It adds nothing. A suite may fail without any failure to store. Of an attempt that
			// was told to end only the journal counts, which has what failed before that.
		case a.name == accepted:
			last = &run
		default:
			runs, lost = append(runs, run), !a.hasReport
		}
	}
	if last != nil {
		runs = append(runs, *last)
	} else if lost {
		// The last one must show all of its part, and what passed in this one is unknown.
		planned := runs[len(runs)-1].Shard.Planned
		for i := range planned {
			planned[i].Ended = ""
		}
	}
	return runs, nil
}

// readReport reads an attempt's report, or rebuilds one from its failures.
func (j Job) readReport(ctx context.Context, s store.Store, n int, b Batch, a attempt) (run api.Run, err error) {
	if !a.hasReport {
		return j.rebuildReport(ctx, s, b, a)
	}
	name := attemptPrefix(j.ID, n, a.name) + reportName
	raw, err := get(ctx, s, name)
	if err == nil {
		err = json.Unmarshal(raw, &run)
	}
	if err == nil && run.Shard == nil {
		err = errors.New("it is not the report of a part")
	}
	if err != nil {
		return run, fmt.Errorf("%s of the store: %w", name, err)
	}
	return run, nil
}

// rebuildReport makes a report from what an attempt had stored when it died.
func (j Job) rebuildReport(ctx context.Context, s store.Store, b Batch, a attempt) (api.Run, error) {
	var run api.Run
	ends := map[string]api.SuiteEnd{}
	t := tally.NewTally()
	for i, name := range a.failures {
		raw, err := get(ctx, s, name)
		var object FailureObject
		if err == nil {
			err = json.Unmarshal(raw, &object)
		}
		if err != nil {
			return run, fmt.Errorf("%s of the store: %w", name, err)
		}
		if i == 0 {
			run = object.Run
		}
		run.Results, run.Failures = append(run.Results, object.Results...), append(run.Failures, object.Failures...)
		for _, p := range object.Suites {
			ends[p.Suite] = p.Ended
		}
	}
	// As a run here would have it: a known failure does not decide, whatever comes after.
	known := quarantine.NewJudge(j.DivisionOf(b).Quarantine, run.StartedAt)
	for _, r := range run.Results {
		t.Listen(&api.TestEnded{Result: r})
		known.Listen(&api.TestEnded{Result: r})
	}
	for i := range run.Failures {
		if run.Failures[i].Kind == sdk.KindSignal {
			delete(ends, run.Failures[i].Suite) // perhaps the machine's end
		}
		run.Failures[i].ID = cmp.Or(run.Failures[i].ID, ledger.NewRunID())
		known.Listen(&api.FailureFound{Failure: run.Failures[i]})
	}
	excused := known.Find().Excused
	for i, f := range run.Failures {
		if e, ok := excused[f.TestID]; ok {
			run.Failures[i].Quarantine = e.Reason
		}
	}
	if run.Shard == nil {
		return run, fmt.Errorf("attempt %s of part %d in the store belongs to no part", a.name, b.Index)
	}
	about := *run.Shard
	about.Planned = slices.Clone(about.Planned)
	for i, p := range about.Planned {
		about.Planned[i].Ended = ends[p.Suite]
	}
	run.Shard = &about
	run.State, run.Verdict = api.StateFinished, api.Failed
	if provesNothing(run) {
		run.Verdict = api.Incomplete
	}
	// The number tells this report from that of the same attempt when more has come in.
	run.Reason = "the machine was lost after " + api.Plural(len(a.failures), "report") + " of failures"
	run.ExitCode = -1
	run.Counts, run.FailuresTotal = t.Counted(), len(run.Failures)
	run.Source = &api.Source{Fingerprint: j.DivisionOf(b).Fingerprint, Commit: j.Sources.Commit, Dirty: -1}
	run.Quarantined = len(excused)
	return run, nil
}

// provesNothing reports whether all that failed is known, or was ended by a signal.
func provesNothing(run api.Run) bool {
	if len(shard.Unexplained(run)) > 0 {
		return false
	}
	known := map[sdk.TestID]bool{}
	for _, f := range run.Failures {
		if f.Quarantine == "" && f.Kind != sdk.KindSignal {
			return false
		}
		known[f.TestID] = true
	}
	return len(known) > 0 && !slices.ContainsFunc(run.Results, func(r api.Result) bool { return !r.Derived && !known[r.TestID] })
}

// LoadFailures returns what failed in an attempt, from one failure object on.
func LoadFailures(ctx context.Context, s store.Store, id string, beat Heartbeat, from int) ([]api.Failure, error) {
	var failures []api.Failure
	for n := from; n < beat.FailureObjects; n++ {
		raw, err := get(ctx, s, attemptPrefix(id, beat.Batch, beat.Attempt)+failureObjectName(n))
		if err != nil {
			return failures, err
		}
		var object FailureObject
		if err := json.Unmarshal(raw, &object); err != nil {
			return failures, err
		}
		failures = append(failures, object.Failures...)
	}
	return failures, nil
}

// Result returns the run of a batch that ended.
func (j Job) Result(ctx context.Context, s store.Store, n int) (api.Run, error) {
	accepted, err := Accepted(ctx, s, j.ID, n)
	if err != nil {
		return api.Run{}, err
	}
	return j.readReport(ctx, s, n, j.Batches()[n], attempt{name: accepted, hasReport: true})
}
