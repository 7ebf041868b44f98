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
	"strings"

	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// attempt is what one attempt at a batch left.
type attempt struct {
	name string
	// whole means that there is a report; reds are the objects with what failed.
	whole bool
	reds  []string
}

// WriteReports writes the reports of a job's parts into a directory, as `proctor merge`
// reads them: of each part the attempt that counts, and before it the others that saw
// something fail. It returns the languages of which there is no report at all.
//
// An attempt that died left no report. One is made of what it had stored: as it saw
// something fail, it has failed, and the rest of it is unknown.
func (j Job) WriteReports(ctx context.Context, s store.Store, dir string) (absent []string, err error) {
	attempts, err := j.attempts(ctx, s)
	if err != nil {
		return nil, err
	}
	written := map[string]bool{}
	for n, b := range j.Batches() {
		accepted, err := Accepted(ctx, s, j.ID, n)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		runs, err := j.evidence(ctx, s, n, b, attempts[n], accepted)
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

// attempts lists what the attempts left, by batch, in the order in which they began.
func (j Job) attempts(ctx context.Context, s store.Store) (map[int][]attempt, error) {
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
			last.whole = true
		} else if strings.HasPrefix(object, "red-") {
			last.reds = append(last.reds, name)
		}
		all[batch] = of
	}
	return all, nil
}

// evidence returns the runs of a batch, the one that counts last. If none was accepted, as
// in a run that was cancelled, the last one is what there is.
func (j Job) evidence(ctx context.Context, s store.Store, n int, b Batch, all []attempt, accepted string) ([]api.Run, error) {
	var runs []api.Run
	var last *api.Run
	for _, a := range all {
		if a.name != accepted && len(a.reds) == 0 && (accepted != "" || !a.whole) {
			continue // it adds nothing
		}
		run, err := j.read(ctx, s, n, b, a)
		switch {
		case err != nil:
			return nil, err
		case a.name == accepted:
			last = &run
		default:
			runs = append(runs, run)
		}
	}
	if last != nil {
		for _, run := range runs {
			excuse(run.Failures, last.Failures)
		}
		runs = append(runs, *last)
	}
	return runs, nil
}

// excuse marks the failures of an attempt that died as in quarantine where the attempt that
// counts has the same: whether a failure is a known one is decided at the end of a run.
func excuse(died, counts []api.Failure) {
	type known struct {
		sdk.TestID
		signature string
	}
	excused := map[known]string{}
	for _, f := range counts {
		if f.Quarantine != "" {
			excused[known{f.TestID, quarantine.SignatureOf(f)}] = f.Quarantine
		}
	}
	for i, f := range died {
		if f.Quarantine == "" {
			died[i].Quarantine = excused[known{f.TestID, quarantine.SignatureOf(f)}]
		}
	}
}

// read reads the report of an attempt, or makes one of what failed.
func (j Job) read(ctx context.Context, s store.Store, n int, b Batch, a attempt) (run api.Run, err error) {
	if !a.whole {
		return j.recover(ctx, s, b, a)
	}
	name := attemptPrefix(j.ID, n, a.name) + reportName
	raw, err := s.Get(ctx, name)
	if err == nil {
		err = json.Unmarshal(raw, &run)
	}
	if err == nil && run.Shard == nil {
		err = errors.New("it is not of a part")
	}
	if err != nil {
		return run, fmt.Errorf("%s of the store: %w", name, err)
	}
	return run, nil
}

// recover makes a report of what an attempt had stored when it died.
func (j Job) recover(ctx context.Context, s store.Store, b Batch, a attempt) (api.Run, error) {
	var run api.Run
	t := tally.NewTally()
	for i, name := range a.reds {
		raw, err := s.Get(ctx, name)
		var red Red
		if err == nil {
			err = json.Unmarshal(raw, &red)
		}
		if err != nil {
			return run, fmt.Errorf("%s of the store: %w", name, err)
		}
		if i == 0 {
			run = red.Run
		}
		run.Results, run.Failures = append(run.Results, red.Results...), append(run.Failures, red.Failures...)
	}
	for _, r := range run.Results {
		t.Listen(&api.TestEnded{Result: r})
	}
	if run.Shard == nil {
		return run, fmt.Errorf("attempt %s of part %d in the store is not of a part", a.name, b.Index)
	}
	run.State, run.Verdict = api.StateFinished, api.Failed
	run.Reason = "the machine was lost after something had failed"
	run.ExitCode = -1
	run.Counts, run.FailuresTotal = t.Counted(), len(run.Failures)
	run.Source = &api.Source{Fingerprint: j.Of(b).Fingerprint, Commit: j.Sources.Commit, Dirty: -1}
	for i := range run.Failures {
		run.Failures[i].ID = cmp.Or(run.Failures[i].ID, ledger.NewRunID())
	}
	return run, nil
}

// Reds returns what failed in an attempt from one object on.
func Reds(ctx context.Context, s store.Store, id string, seen Seen, from int) ([]api.Failure, error) {
	var failures []api.Failure
	for n := from; n < seen.Reds; n++ {
		raw, err := s.Get(ctx, attemptPrefix(id, seen.Batch, seen.Attempt)+redName(n))
		if err != nil {
			return failures, err
		}
		var red Red
		if err := json.Unmarshal(raw, &red); err != nil {
			return failures, err
		}
		failures = append(failures, red.Failures...)
	}
	return failures, nil
}

// Result returns the results of a batch that ended, for the reader.
func (j Job) Result(ctx context.Context, s store.Store, n int) (api.Run, error) {
	accepted, err := Accepted(ctx, s, j.ID, n)
	if err != nil {
		return api.Run{}, err
	}
	return j.read(ctx, s, n, j.Batches()[n], attempt{name: accepted, whole: true})
}
