package triage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// Triage runs the failing tests of the session's last run, or what is outstanding, on a
// clean checkout of a base, and says of each whether it fails there, too. It returns an
// answer for each language. The last run and the outstanding set do not change.
func Triage(ctx context.Context, k *ledger.Keeper, req api.TriageRequest, listeners ...api.Listener) ([]api.Triage, error) {
	projects, err := k.Projects(ctx, req.Where, req.Languages)
	if err != nil {
		return nil, err
	}
	if req.Base == "" {
		req.Base = api.DefaultBase
	}
	triages, err := investigateAll(ctx, k, projects, req)
	if err != nil {
		return nil, err
	}
	var answers []api.Triage
	for _, t := range triages {
		if len(t.suspects.tests) > 0 {
			if err := t.decide(ctx, listeners); err != nil {
				return answers, err
			}
		}
		answers = append(answers, t.answer)
	}
	return answers, nil
}

// triage is the triage of one language.
type triage struct {
	keeper  *ledger.Keeper
	project project.Project
	ledger  *ledger.Ledger
	req     api.TriageRequest
	timeout time.Duration

	suspects suspects
	// saw has the way and the variables of the run in which they failed.
	saw outstanding.Entry
	// here are the tests that exist now; empty if unknown.
	here outstanding.Inventory
	git  checkout.Config
	base fingerprint.State
	// environment identifies what an answer depends on besides the base.
	environment string
	// standings are the standings of the suspects.
	standings map[sdk.TestID]api.Standing
	answer    api.Triage
}

// investigateAll finds what to triage in each language. Named tests must be in one of
// them.
func investigateAll(ctx context.Context, k *ledger.Keeper, projects []project.Project, req api.TriageRequest) ([]*triage, error) {
	var found []*triage
	var maskInputNames error
	named := false
	for _, p := range projects {
		t, err := investigate(ctx, k, p, req)
		if err != nil {
			return nil, err
		}
		narrowed, err := t.suspects.selectNamed(req.Tests, p.SuitePrefixes)
		switch {
		case err != nil && len(projects) > 1 && len(req.Tests) > 0:
			maskInputNames = err
			continue // it may be a test of another language
		case err != nil:
			return nil, err
		}
		named = named || len(narrowed.tests) > 0
		t.suspects = narrowed
		found = append(found, t)
	}
	if !named && maskInputNames != nil {
		return nil, maskInputNames
	}
	return found, nil
}

func investigate(ctx context.Context, k *ledger.Keeper, p project.Project, req api.TriageRequest) (*triage, error) {
	t := &triage{keeper: k, project: p, req: req, timeout: req.Timeout, answer: api.Triage{
		Schema: api.TriageSchema, Language: p.ID.Language, Base: api.TriageBase{Revision: req.Base}, Tests: []api.Triaged{},
	}}
	store, ok := artifacts.OpenExisting(k.Records(p.Root.Path))
	if !ok {
		t.suspects.message = (&api.NoRunError{}).Error()
		t.answer.Message, t.answer.NoRunYet = t.suspects.message, true
		return t, nil
	}
	var err error
	if t.ledger, err = ledger.OpenToRead(ctx, k, store); err != nil {
		return nil, err
	}
	if t.suspects, err = findSuspects(ctx, t.ledger, p.ID.Language); err != nil {
		return nil, err
	}
	t.answer.Of, t.answer.Message, t.answer.NoRunYet, t.answer.Clean = t.suspects.of, t.suspects.message, t.suspects.noRun, t.suspects.clean
	t.answer.Warnings = append(t.answer.Warnings, api.Notes(api.NotePartly, t.suspects.left...)...)
	return t, nil
}

// restoreEnvironment gives the deciding variables the values that they had when the suspects
// failed: with others they may pass on the base whatever has changed since. It returns those
// that differ now.
func (t *triage) restoreEnvironment(ctx context.Context) (changed []string) {
	if saw, known := artifacts.ReadSurroundings(t.ledger.Artifacts, t.suspects.run.RunID); known {
		t.saw.Args, t.saw.Way = saw.Args, (*outstanding.Way)(saw.Way)
	}
	t.project, changed = project.RestoreEnvironment(ctx, t.keeper.Host, t.project, t.saw)
	return changed
}

// decide answers for every suspect: from the record if possible, else by running it on
// the base.
func (t *triage) decide(ctx context.Context, listeners api.Listeners) error {
	if err := t.findBase(ctx); err != nil {
		return err
	}
	changed := t.restoreEnvironment(ctx)
	t.project = t.keeper.RunProbes(ctx, t.project)
	t.environment = t.project.Setting(slices.Concat(t.runnerArgs(), t.suspects.run.Selection.Configured))
	if err := t.dropGone(ctx); err != nil {
		return err
	}
	if err := t.stand(ctx); err != nil {
		return err
	}
	if t.isOfBase() {
		for _, s := range t.suspects.tests {
			o := observation{Behavior: doesFail, Why: "the run was of these very sources, so it fails there", Signature: s.trace.Signature, Kind: s.trace.Kind, RunID: t.suspects.of}
			t.tell(s, o, false)
		}
		t.answer.Warnings = append(t.answer.Warnings, api.Note{
			Code: api.NoteCompared, Text: fmt.Sprintf("run %s was of %s itself", t.suspects.of, t.req.Base), Advice: api.Advice{Operation: api.AdviseBase},
		})
		return nil
	}
	if len(changed) > 0 {
		t.warn(api.NoteCompared, "run with "+strings.Join(changed, " ")+", as when these tests failed")
	}
	seen := make([]observation, len(t.suspects.tests))
	cached := make([]bool, len(seen))
	var ask []suspect
	for i, s := range t.suspects.tests {
		if seen[i], cached[i] = t.recall(ctx, s); !cached[i] {
			ask = append(ask, s)
		}
	}
	if len(ask) > 0 {
		g, err := t.look(ctx, ask, listeners)
		if err != nil {
			return err
		}
		for i, s := range t.suspects.tests {
			if !cached[i] {
				seen[i] = g.of(s)
				t.keep(ctx, s, seen[i])
			}
		}
	}
	for i, s := range t.suspects.tests {
		t.tell(s, seen[i], cached[i])
	}
	if slices.Contains(cached, true) {
		t.answer.Warnings = append(t.answer.Warnings, api.Note{
			Code: api.NoteRecord, Text: "some findings are reused from an earlier triage: files that git ignores may have changed since", Advice: api.Advice{Operation: api.AdviseNoCache},
		})
	}
	return nil
}

// stand looks up the suspects' standings.
func (t *triage) stand(ctx context.Context) (err error) {
	if t.ledger.History == nil {
		return nil
	}
	tests := make([]sdk.TestID, 0, len(t.suspects.tests))
	for _, s := range t.suspects.tests {
		tests = append(tests, s.TestID)
	}
	t.standings, err = standing.Standings(ctx, t.ledger, t.project.ID.Language, tests, t.ledger.Artifacts.SessionID(), 0)
	return err
}

// tell adds a finding to the answer.
func (t *triage) tell(s suspect, o observation, cached bool) {
	found := o.triaged(s)
	if standing, ok := t.standings[s.TestID]; ok {
		found.Standing = &standing
		o.doubt(&found)
	}
	if cached {
		found.Cached, found.AgeS = true, max(t.keeper.Cfg.Now().Sub(o.At), 0).Seconds()
	}
	switch found.Finding {
	case api.Introduced:
		t.answer.Introduced++
	case api.PreExisting:
		t.answer.PreExisting++
	default:
		t.answer.Unknown++
	}
	t.answer.Tests = append(t.answer.Tests, found)
}

// findBase resolves the base and its state.
func (t *triage) findBase(ctx context.Context) error {
	source := t.keeper.SourceConfig(t.project.Root.Path)
	if source.Git == "" {
		return &api.UsageError{Reason: "git was not found", Fix: "a triage needs it to check out the base: install it or add its directory to PATH"}
	}
	t.git = checkout.Config{Git: source.Git, Env: t.keeper.Cfg.Env, Dir: t.project.Root.Path}
	commit, err := checkout.Resolve(ctx, t.git, t.req.Base)
	var revision *checkout.RevisionError
	var none *checkout.RepositoryError
	switch {
	case errors.As(err, &revision):
		return &api.UsageError{Reason: err.Error()}
	case errors.As(err, &none):
		return &api.UsageError{Reason: err.Error(), Fix: "a triage needs git to check out the base"}
	case err != nil:
		return err
	}
	t.git.Commit, t.answer.Base.Commit = commit, commit
	if t.base, err = fingerprint.OfCommit(ctx, source, commit); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.warn(api.NoteSources, fmt.Sprintf("the source state of %s is unknown, so nothing is kept for the next triage: %v", t.req.Base, err))
		t.base = fingerprint.State{Commit: commit}
	}
	t.answer.Base.Fingerprint = t.base.ID
	return nil
}

// isOfBase reports whether the run in which the suspects failed was of the base itself.
func (t *triage) isOfBase() bool {
	run := t.suspects.run
	return t.suspects.of != "" && !run.MixedState && run.Source != nil && t.base.ID != "" && run.Source.Fingerprint == t.base.ID
}

// runnerArgs returns the runner arguments with which the suspects ran.
func (t *triage) runnerArgs() []string { return t.suspects.run.Selection.RunnerArgs }

func (t *triage) warn(code api.NoteCode, text string) {
	t.answer.Warnings = append(t.answer.Warnings, api.Note{Code: code, Text: text})
}

// key returns the key under which what a suspect does on the base is stored.
func (t *triage) key(s suspect) string {
	sum := sha256.New()
	for _, part := range []string{
		t.base.ID, t.environment, t.project.ID.Language, s.Suite, s.Test, s.root,
		fmt.Sprint(s.isBuilt(), s.fixture), t.suspects.run.Seed,
	} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return ledger.TriageKeys + "1/" + hex.EncodeToString(sum.Sum(nil)[:16])
}

// mayReuse reports whether an observation may be stored and reused: not if the test is on
// record as flaky.
func (t *triage) mayReuse(s suspect) bool {
	return t.base.ID != "" && t.ledger.History != nil && t.standings[s.TestID].Flaky == nil
}

// recall returns what an earlier triage observed.
func (t *triage) recall(ctx context.Context, s suspect) (observation, bool) {
	var o observation
	if t.req.NoCache || !t.mayReuse(s) {
		return o, false
	}
	raw, ok, err := t.ledger.History.Get(ctx, t.key(s))
	if err != nil || !ok || json.Unmarshal(raw, &o) != nil {
		return observation{}, false
	}
	age := t.keeper.Cfg.Now().Sub(o.At)
	return o, o.isDefinite() && age >= 0 && age <= ledger.MaxAnswerAge
}

// keep stores an observation for later triages, if possible.
func (t *triage) keep(ctx context.Context, s suspect, o observation) {
	if !o.isDefinite() || !t.mayReuse(s) {
		return
	}
	raw, err := json.Marshal(o)
	if err == nil {
		err = t.ledger.History.Put(context.WithoutCancel(ctx), t.key(s), raw)
	}
	if err != nil {
		t.keeper.Cfg.Logger.Warn("an observation could not be stored", "error", err)
	}
}
