package portable

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// maxTargets is how many tests, each with its subtests, run if no limit is requested. It
// is high, since a second rerun would begin with the same ones.
const maxTargets = 1000

// maxTargetBytes bounds the sum of their names: Linux allows arguments of up to 128 KiB,
// and a runner may get all names, quoted, in one.
const maxTargetBytes = 64 << 10

// Rerun runs what was red in the runs of a file or directory; name is as in [OpenRecord].
// As in any rerun, what passes leaves the outstanding set, and what fails joins it.
func Rerun(ctx context.Context, k *ledger.Keeper, req api.RerunRequest, name string, listeners ...api.Listener) (api.RerunAnswer, error) {
	answer := api.RerunAnswer{}
	r, err := OpenRecord(ctx, k, req.Where, req.From, name)
	if err != nil {
		return answer, err
	}
	all, err := r.findRed(req.From, req.Languages)
	if err = errors.Join(err, r.Close(ctx)); err != nil {
		return answer, err
	}
	projects, err := k.Projects(ctx, req.Where, slices.Sorted(maps.Keys(all)))
	if err != nil {
		return answer, err
	}
	for _, p := range projects {
		there := all[p.ID.Language]
		switch {
		case ctx.Err() != nil:
			return answer, ctx.Err()
		case there.set.Len() == 0:
			answer.Notes = append(answer.Notes, api.Notes(api.NoteRerun, fmt.Sprintf("nothing was red in %s (%s): nothing was run", there.from(), p.ID.Language))...)
			continue
		}
		runs, err := there.rerun(ctx, k, p, req, listeners)
		answer.Runs = append(answer.Runs, runs...)
		if err != nil {
			return answer, err
		}
	}
	answer.Green = len(answer.Runs) > 0 // that nothing is red elsewhere is not a pass here
	return answer, nil
}

// red is what was red in the runs of one language.
type red struct {
	name, path string
	runs       []api.Run
	set        outstanding.Set
}

// findRed returns what was red in the runs, by language: in any of them, and not passed in
// a later one.
func (r *Record) findRed(path string, languages []string) (map[string]*red, error) {
	store, err := r.Store(r.Where.Dir)
	if err != nil {
		return nil, err
	}
	by := map[string]*red{}
	for _, run := range r.Runs {
		if run.Kind == api.KindRetry || run.Kind == api.KindTriage || len(languages) > 0 && !slices.Contains(languages, run.Language) {
			continue
		}
		there := by[run.Language]
		if there == nil {
			there = &red{name: r.Name, path: path}
			by[run.Language] = there
		}
		there.runs = append(there.runs, run)
		there.set, err = outstanding.AfterReport(there.set, run, artifacts.RecordOf(store, run.RunID), strings.Join(run.Selection.RunnerArgs, "\x00"))
		if err != nil {
			return nil, err
		}
	}
	if len(by) == 0 {
		return nil, r.noRunOf(languages...)
	}
	return by, nil
}

// from identifies the runs.
func (r *red) from() api.From {
	from := api.From{Name: r.name, Runs: []api.RunRef{}, Red: r.set.Len()}
	for _, run := range r.runs {
		ref := api.RunRef{RunID: run.RunID, Kind: run.Kind, Verdict: run.Verdict, Reason: ledger.Excerpt(run.Reason), StartedAt: run.StartedAt, Environment: run.Environment}
		if run.Shard != nil {
			ref.Shard = run.Shard.String()
		}
		if run.Source != nil {
			ref.Commit, ref.Fingerprint = run.Source.Commit, run.Source.Fingerprint
		}
		from.Runs = append(from.Runs, ref)
	}
	return from
}

// rerun runs what was red: a run for each set of arguments that the tests ran with.
func (r *red) rerun(ctx context.Context, k *ledger.Keeper, p project.Project, req api.RerunRequest, listeners api.Listeners) ([]api.Run, error) {
	parts, err := r.divide(p, req.RunnerArgs)
	if err != nil {
		return nil, err
	}
	run, err := engine.BeginRerun(ctx, k, p, req, listeners)
	if err != nil {
		return nil, err
	}
	defer run.End()
	if err := run.Prepare(ctx); err != nil {
		return nil, err
	}
	run.Req.Doubts = slices.Concat(run.Req.Doubts, r.noteShards(), r.noteUnnamed())
	return run.Conduct(ctx, len(parts), func(i int, _ []api.Run) (*engine.Plan, error) {
		plan, err := r.plan(ctx, run, parts[i])
		if err == nil && len(parts) > 1 {
			plan.Run.Note(api.NoteRerun, fmt.Sprintf("part %d of %d of this rerun: what was red with %s", i+1, len(parts), parts[i].describe()))
		}
		return plan, err
	})
}

// part is what was red with the same arguments and seed.
type part struct {
	set  outstanding.Set
	args []string
	// given reports whether args are not those of the runs, but the user's.
	given bool
	seed  string
	// misplaced reports whether a run with them found a quarantine of a test that does not exist.
	misplaced bool
}

func (p part) describe() string {
	if len(p.args) == 0 {
		return "no arguments"
	}
	return prose.ShellLine(p.args)
}

// seedPattern matches the seeds that a file can name: numbers.
var seedPattern = lazyregexp.New(`^(0x)?[0-9a-fA-F]{1,64}$`)

// divide divides what was red by the arguments and seeds of the runs in which it was last
// red. given are the user's arguments, which replace all others unless they are nil.
func (r *red) divide(p project.Project, given []string) ([]part, error) {
	of := map[string]api.Run{}
	for _, run := range r.runs {
		of[run.RunID] = run
	}
	var parts []part
	at := map[string]int{}
	for _, entry := range r.set.Entries {
		run := of[entry.LastRunID]
		next := part{args: given, given: given != nil}
		if given == nil {
			next.args = run.Selection.RunnerArgs
			if err := checkArgs(p, next.args); err != nil {
				return nil, &api.UsageError{
					Reason: fmt.Sprintf("the tests of run %s of %s ran with %s, and %v", run.RunID, r.name, ledger.Excerpt(prose.ShellLine(next.args)), err),
					Advice: api.Advice{Operation: api.AdviseArguments},
				}
			}
		}
		if p.ID.Seed && seedPattern.MatchString(run.Seed) {
			next.seed = run.Seed
		}
		key := strings.Join(append(slices.Clone(next.args), next.seed), "\x00")
		i, known := at[key]
		if !known {
			i = len(parts)
			at[key], parts = i, append(parts, next)
		}
		parts[i].set.Entries = append(parts[i].set.Entries, entry)
		parts[i].misplaced = parts[i].misplaced || run.CaveatText(api.CaveatMisplaced) != ""
	}
	return parts, nil
}

// checkArgs refuses arguments that a file must not pass to the runner, because they may
// execute something or read or write a file. Only the user may give them.
func checkArgs(p project.Project, words []string) error {
	if word, _ := project.FindHarmful(p.ID.RunnerFlags, words); word != "" {
		return fmt.Errorf("%s may have something executed, read or written, which a file cannot ask for", ledger.Excerpt(prose.ShellLine([]string{word})))
	}
	return nil
}

// plan plans the rerun of a part.
func (r *red) plan(ctx context.Context, run *engine.Rerunning, part part) (*engine.Plan, error) {
	limit := maxTargets
	if run.Req.Limit > 0 {
		limit = api.ClampRerunLimit(run.Req.Limit)
	}
	// List everything: a name from a file must not become an argument of a command before
	// the test is known to exist.
	inv, listed := project.ReadInventory(ctx, run.Keeper.Host, run.Project, sdk.ListRequest{RunnerArgs: part.args, Selected: true}, run.Req.Timeout)
	known, unknown := splitKnown(part.set, inv, listed)
	size := 0
	for i, e := range known.Entries {
		if size += len(e.Test) + 1; size > maxTargetBytes {
			limit = min(limit, max(i, 1))
			break
		}
	}
	chosen := outstanding.Select(known, inv, limit, "")
	left := known.Len() - len(chosen.Requested) - len(chosen.Gone)
	chosen.Gone = append(chosen.Gone, unknown...)
	targets := engine.Targets{Selection: chosen, Args: part.args, Seed: part.seed, Misplaced: part.misplaced && !part.given}
	plan, err := run.PlanTargets(ctx, targets)
	if err != nil {
		return nil, err
	}
	from := r.from()
	from.Red, from.Unanswered, from.SameSources = part.set.Len(), left, r.isBeside(ctx, run.Ledger, from)
	if part.misplaced && part.given {
		from.Unanswered++ // with other arguments, not all may run
	}
	plan.Run.From = &from
	if left > 0 {
		plan.Run.Note(api.NoteRerun, fmt.Sprintf("beyond the limit of %s, and not run: %d", api.Plural(limit, "test"), left))
	}
	return plan, nil
}

// isBeside reports whether the sources here are those of the runs, apart from the files
// that the runs were read from, which often lie among the sources.
func (r *red) isBeside(ctx context.Context, local *ledger.Ledger, from api.From) bool {
	cfg := local.SourceConfig(ctx)
	reports := Within(cfg.Root, r.path)
	if len(reports) == 0 {
		return false
	}
	cfg.Outputs = append(cfg.Outputs, reports...)
	now, err := fingerprint.Take(ctx, cfg)
	return err == nil && from.IsOfState(now.State.ID)
}

// splitKnown splits what was red into what exists here according to a listing, and what
// does not. Without a listing, it only leaves out names that no runner should be given.
func splitKnown(set outstanding.Set, inv outstanding.Inventory, listed bool) (known outstanding.Set, unknown []api.Requested) {
	leave := func(e outstanding.Entry, why string) {
		unknown = append(unknown, api.Requested{TestID: e.TestID, Outcome: api.OutcomeDidNotRun, Why: why})
	}
	for _, e := range set.Entries {
		_, here := inv.Tests[e.Suite]
		_, onRequest := inv.OnRequest[e.Suite]
		switch {
		case e.TestID == (sdk.TestID{}) || here || onRequest:
			known.Entries = append(known.Entries, e)
		case listed && inv.Complete:
			leave(e, "there is no such suite here")
		case listed:
			leave(e, "its suite is not among those that could be listed here")
		case !isPlainName(e.Suite) || !isPlainName(e.Test) && e.Test != "":
			leave(e, "its name could be taken for something else, and the tests here cannot be listed")
		default:
			known.Entries = append(known.Entries, e)
		}
	}
	return known, unknown
}

// isPlainName reports whether a name is safe in a command: it is no option, does not lead
// out of the workspace, and is one line of plain text.
func isPlainName(name string) bool {
	return name != "" && !strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "/") && !strings.Contains(name, "..") &&
		!strings.Contains(name, `\`) && prose.Line(name) == name
}

// noteShards names the missing shards of a plan, whose failures are unknown.
func (r *red) noteShards() []api.Note {
	have, of := map[string]map[int]bool{}, map[string]int{}
	for _, run := range r.runs {
		if s := run.Shard; s != nil {
			if have[s.Plan] == nil {
				have[s.Plan] = map[int]bool{}
			}
			have[s.Plan][s.Index], of[s.Plan] = true, min(s.Of, api.MaxShards)
		}
	}
	var notes []api.Note
	for _, plan := range slices.Sorted(maps.Keys(have)) {
		var missing []string
		for i := 1; i <= of[plan]; i++ {
			if !have[plan][i] {
				missing = append(missing, fmt.Sprintf("%d/%d", i, of[plan]))
			}
		}
		if len(missing) > 0 {
			notes = append(notes, api.Notes(api.NoteRerun, "what failed in the shards that "+r.name+" lacks is unknown: "+prose.Listed(missing, len(missing), maxShown, prose.Line))...)
		}
	}
	return notes
}

// noteUnnamed says how many entries were outstanding after a single run that it does not
// name.
func (r *red) noteUnnamed() []api.Note {
	if len(r.runs) != 1 || r.runs[0].Kind == api.KindMerge {
		return nil
	}
	n := r.runs[0].OutstandingUnquarantined() - r.set.Len()
	if n <= 0 {
		return nil
	}
	return api.Notes(api.NoteRerun, fmt.Sprintf("after run %s more was outstanding there, from earlier runs, which it does not name: %d", r.runs[0].RunID, n))
}
