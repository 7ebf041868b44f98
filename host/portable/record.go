package portable

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/transfer"
	"github.com/proctorhq/proctor/host/workspace"
)

// Record is a temporary record of runs that were made elsewhere. It answers the same
// questions as the record of the workspace, whose sources the runs are compared with, and
// which it neither reads nor changes.
type Record struct {
	*ledger.Keeper
	// Where is the place to use in requests about it.
	Where api.Where
	// Runs are the objects of its runs, oldest first.
	Runs []api.Run
	// Name is where they came from, for the reader.
	Name string

	dir string
}

// maxShown is how many problems an error names.
const maxShown = 5

// OpenRecord reads a file, or the files of a directory. A problem with any of them is an
// error, since what is missing could be what failed. name tells the reader where the runs
// came from; empty means the name of the file.
func OpenRecord(ctx context.Context, k *ledger.Keeper, where api.Where, path, name string) (*Record, error) {
	if name == "" {
		name = filepath.Base(path)
	}
	r := &Record{Name: ledger.Excerpt(prose.Line(name))}
	files, err := ReadFiles(ctx, []string{path}, k.Cfg.Now())
	if err == nil {
		err = files.check(path)
	}
	if err != nil {
		return nil, err
	}
	if r.Where.Dir, err = findRoot(where); err != nil {
		return nil, err
	}
	r.Where.Exact = true
	if r.dir, err = os.MkdirTemp("", "proctor-from-*"); err != nil {
		return nil, err
	}
	cfg := k.Cfg
	cfg.RecordDir, cfg.StateHome, cfg.Session = filepath.Join(r.dir, "record"), "", "from"
	r.Keeper = ledger.New(cfg)
	if err := r.fill(ctx, files, path); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// Close removes the record.
func (r *Record) Close(ctx context.Context) error {
	r.Keeper.Close(context.WithoutCancel(ctx))
	return os.RemoveAll(r.dir)
}

// check returns an error if there was a problem with a file, or there is no run.
func (in *Files) check(path string) error {
	switch problems := in.AllProblems(); {
	case len(problems) > 0:
		return &api.UsageError{Reason: prose.Listed(problems, len(problems), maxShown, prose.Line), Fix: NameReports}
	case len(in.Reports)+len(in.Archives) == 0:
		return &api.UsageError{Reason: path + " has no report of a run", Fix: NameReports}
	}
	return nil
}

// findRoot returns the root of the user's workspace, or the directory itself if it is in
// none: a report can be read anywhere.
func findRoot(where api.Where) (string, error) {
	root, err := workspace.FindRoot(where.Dir, where.Exact, nil)
	if _, ok := errors.AsType[*api.NoProjectError](err); ok {
		return filepath.Abs(where.Dir)
	}
	return root.Path, err
}

// fill puts the runs on record.
func (r *Record) fill(ctx context.Context, files *Files, path string) error {
	store, err := r.Store(r.Where.Dir)
	if err != nil {
		return err
	}
	led, err := ledger.OpenHistory(ctx, r.Keeper, store)
	if err == nil {
		err = ledger.SetOutputs(ctx, led, "", Within(r.Where.Dir, path))
	}
	if err != nil {
		return err
	}
	for _, file := range files.Archives {
		if _, err := transfer.ImportAtMost(ctx, r.Keeper, api.ImportRequest{Where: r.Where, File: file}, maxTotalBytes); err != nil {
			return err
		}
	}
	if err := r.addReports(ctx, led, files.Reports); err != nil {
		return err
	}
	ids, err := artifacts.ListRunIDs(store)
	if err != nil {
		return err
	}
	for _, id := range ids {
		run, err := store.Object(id)
		if err != nil {
			return err
		}
		run.Origin = r.Name
		r.Runs = append(r.Runs, run)
	}
	slices.SortStableFunc(r.Runs, func(a, b api.Run) int { return a.StartedAt.Compare(b.StartedAt) })
	return ctx.Err()
}

// addReports puts the runs of reports on record.
func (r *Record) addReports(ctx context.Context, led *ledger.Ledger, reports []Report) error {
	stage, err := artifacts.NewStage(ctx, led.Artifacts)
	if err != nil {
		return err
	}
	added := map[string]Report{}
	for _, report := range reports {
		id := report.RunID
		other, again := added[id]
		switch {
		case again:
			err = errors.Join(err, checkSame(other, report))
		case led.Artifacts.Has(id):
			other.File = "an archive"
			if other.Run, err = led.Artifacts.Object(id); err == nil {
				err = checkSame(other, report)
			}
		default:
			added[id] = report
			err = errors.Join(err, addReport(ctx, led, stage, report.Run, r.Name))
			r.addState(ctx, led, report.Run)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, stage.Close())
}

// checkSame refuses two objects of one run that say different things of it: nobody could
// tell which of them hides a failure. What is known of a run's place in the history may
// differ, and an object from an archive has no results.
func checkSame(a, b Report) error {
	same := a.Verdict == b.Verdict && a.ExitCode == b.ExitCode && a.Counts == b.Counts && a.FailuresTotal == b.FailuresTotal && a.StartedAt.Equal(b.StartedAt) &&
		(a.Results == nil || b.Results == nil || reflect.DeepEqual(a.Results, b.Results))
	if same {
		return nil
	}
	return &api.UsageError{
		Reason: fmt.Sprintf("%s and %s are both of run %s, and do not say the same of it: one of them was changed", a.File, b.File, a.RunID),
		Fix:    "name the one that is right",
	}
}

// addState puts the state of a run's sources on record, if the repository here has the
// commit. Otherwise it is unknown what has changed since.
func (r *Record) addState(ctx context.Context, led *ledger.Ledger, run api.Run) {
	if run.Source == nil || run.Source.Commit == "" || run.Source.Dirty != 0 {
		return
	}
	state, err := fingerprint.OfCommit(ctx, r.SourceConfig(r.Where.Dir), run.Source.Commit)
	if err == nil && state.ID == run.Source.Fingerprint {
		err = led.History.SaveState(ctx, state)
	}
	if err != nil {
		r.Cfg.Logger.Debug("the sources of a run elsewhere are not known", "run", run.RunID, "error", err)
	}
}

func addReport(ctx context.Context, led *ledger.Ledger, stage *artifacts.Stage, run api.Run, origin string) error {
	results, failures := run.Results, run.Failures
	// What another ledger said about it refers to other runs.
	run.Results, run.Running, run.Stale = nil, "", nil
	run.SessionID, run.Origin, run.StartedAt = history.ImportedSession+run.SessionID, origin, run.StartedAt.UTC()
	run.Failures = slices.Clone(failures[:min(len(failures), api.MaxFailures)])
	err := stage.Add(run.RunID)
	if err == nil {
		err = errors.Join(stage.Object(run), writeList(stage, run.RunID, artifacts.ResultsName, results), writeList(stage, run.RunID, artifacts.FailuresName, failures))
	}
	if err == nil {
		err = stage.Publish(run.RunID)
	}
	if err != nil {
		return err
	}
	begun := run
	begun.State, begun.Verdict, begun.DurationS = api.StateRunning, "", 0
	w, err := ledger.NewWriter(ctx, led, begun)
	if err != nil {
		return err
	}
	for _, result := range results {
		w.Listen(&api.TestEnded{Result: result})
	}
	for _, f := range failures {
		w.Listen(&api.FailureFound{Failure: f})
	}
	// Whether a run was of everything, only its own machine knows.
	return w.Finish(ctx, run, false, nil)
}

// writeList writes a list into a run's record.
func writeList[T any](stage *artifacts.Stage, id, name string, items []T) (err error) {
	f, err := stage.Create(id, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, item := range items {
		line, err := prose.JSON(item)
		if err == nil {
			_, err = f.Write(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Requests returns a request for each run that a request refers to: the one that it
// names, or else the latest ones.
func (r *Record) Requests(req api.LastRun) ([]api.LastRun, error) {
	req.Where = r.Where
	if req.Ref != "" {
		return []api.LastRun{req}, nil
	}
	var requests []api.LastRun
	for _, run := range r.latest(req.Language) {
		requests = append(requests, api.LastRun{Where: r.Where, Ref: run.RunID})
	}
	if len(requests) == 0 {
		return nil, r.noRunOf(req.Language)
	}
	return requests, nil
}

// noRunOf returns the error that no run is of these languages.
func (r *Record) noRunOf(languages ...string) error {
	return &api.UsageError{Reason: r.Name + " has no run of " + strings.Join(languages, ", "), Fix: "the languages that it has: " + strings.Join(r.languages(), ", ")}
}

func (r *Record) languages() []string {
	var found []string
	for _, run := range r.Runs {
		found = append(found, run.Language)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// latest returns the last run of each language, or all shards of it. It skips retries and
// triages, which are about other runs.
func (r *Record) latest(language string) []api.Run {
	shards, last := map[string][]api.Run{}, map[string]api.Run{}
	var order []string
	for _, run := range r.Runs {
		switch {
		case language != "" && run.Language != language, run.Kind == api.KindRetry, run.Kind == api.KindTriage:
			continue
		case run.Shard != nil:
			shards[run.Language+" "+run.Shard.Plan] = append(shards[run.Language+" "+run.Shard.Plan], run)
		}
		if _, known := last[run.Language]; !known {
			order = append(order, run.Language)
		}
		last[run.Language] = run
	}
	var found []api.Run
	for _, l := range order {
		if s := last[l].Shard; s != nil {
			found = append(found, shards[l+" "+s.Plan]...)
			continue
		}
		found = append(found, last[l])
	}
	return found
}

// OpenArchives reads the runs of the archives, with results and failures, and adds them to
// the reports. An archive that cannot be used is a problem.
func (in *Files) OpenArchives(ctx context.Context, k *ledger.Keeper, where api.Where) error {
	for _, file := range in.Archives {
		reports, err := readArchive(ctx, k, where, file, in.Now)
		var broken *api.ArchiveError
		switch {
		case errors.As(err, &broken):
			in.problem(file, "cannot be used: %v", broken.Err)
		case err != nil:
			return err
		}
		in.Reports = append(in.Reports, reports...)
	}
	in.Archives = nil
	return nil
}

func readArchive(ctx context.Context, k *ledger.Keeper, where api.Where, file string, now time.Time) (reports []Report, err error) {
	r, err := OpenRecord(ctx, k, where, file, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close(ctx)) }()
	store, err := r.Store(r.Where.Dir)
	if err != nil {
		return nil, err
	}
	for _, run := range r.Runs {
		if run.Kind == api.KindRetry || run.Kind == api.KindTriage {
			continue // about another run
		}
		run.SessionID, run.Origin = strings.TrimPrefix(run.SessionID, history.ImportedSession), ""
		run.Results, run.Failures = []api.Result{}, []api.Failure{}
		of := artifacts.RecordOf(store, run.RunID)
		err := errors.Join(of.Results(func(r api.Result) bool { run.Results = append(run.Results, r); return true }),
			of.Failures(func(f api.Failure) bool { run.Failures = append(run.Failures, f); return true }))
		if err != nil {
			return nil, err
		}
		if err := checkRun(run, now); err != nil {
			return nil, &api.ArchiveError{File: file, Err: fmt.Errorf("run %s: %w", run.RunID, err)}
		}
		raw, err := prose.JSON(run)
		if err != nil {
			return nil, err
		}
		reports = append(reports, Report{File: prose.Line(filepath.ToSlash(file)), Sum: sha256.Sum256(raw), Run: run})
	}
	return reports, nil
}
