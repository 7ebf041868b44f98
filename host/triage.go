package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

// DefaultBase is what failing tests are compared with where nothing else is
// asked for.
const DefaultBase = "HEAD"

// TriageRequest asks whose the failures are.
type TriageRequest struct {
	Where     Where
	Languages []string
	// Tests narrows to some of the failing tests; all when empty.
	Tests []string
	// Base is the revision to compare with, or "merge-base:REV"; empty is
	// DefaultBase.
	Base string
	// NoCache does without the answers of earlier triages.
	NoCache bool
	// Timeout is clamped; 0 is the default.
	Timeout time.Duration
}

// Triage runs the failing tests of the session's last run, or what is
// outstanding, on a clean checkout of another state of the sources, and tells of
// each whether it fails there too: an answer for each language. Neither the last
// run nor what is outstanding is touched.
func (h *Host) Triage(ctx context.Context, req TriageRequest, obs Observer) ([]record.Triage, error) {
	projects, err := h.projects(ctx, req.Where, req.Languages)
	if err != nil {
		return nil, err
	}
	if req.Base == "" {
		req.Base = DefaultBase
	}
	triages, err := h.triages(ctx, projects, req)
	if err != nil {
		return nil, err
	}
	var answers []record.Triage
	for _, t := range triages {
		if len(t.suspects.tests) > 0 {
			if err := t.decide(ctx, obs); err != nil {
				return answers, err
			}
		}
		answers = append(answers, t.answer)
	}
	return answers, nil
}

// triage is the work on one language.
type triage struct {
	host    *Host
	project project
	memory  *memory
	req     TriageRequest
	timeout time.Duration

	suspects suspects
	// here are the tests that there are now; empty is not known.
	here rerun.Inventory
	git  checkout.Config
	base fingerprint.State
	// environment names what an answer depends on beside the base.
	environment string
	// standings tell how the suspects stand by what is on record.
	standings map[record.Test]record.Standing
	answer    record.Triage
}

// triages finds what there is to look at, in each language. Tests that are named
// have to be in one of them.
func (h *Host) triages(ctx context.Context, projects []project, req TriageRequest) ([]*triage, error) {
	var found []*triage
	var unnamed error
	named := false
	for _, p := range projects {
		t, err := h.triage(ctx, p, req)
		if err != nil {
			return nil, err
		}
		narrowed, err := t.suspects.named(req.Tests)
		switch {
		case err != nil && len(projects) > 1 && len(req.Tests) > 0:
			unnamed = err
			continue // perhaps it is a test of another language
		case err != nil:
			return nil, err
		}
		named = named || len(narrowed.tests) > 0
		t.suspects = narrowed
		found = append(found, t)
	}
	if !named && unnamed != nil {
		return nil, unnamed
	}
	return found, nil
}

func (h *Host) triage(ctx context.Context, p project, req TriageRequest) (*triage, error) {
	t := &triage{host: h, project: p, req: req, timeout: ClampTimeout(req.Timeout), answer: record.Triage{
		Schema: record.TriageSchema, Language: p.id.Language, Base: record.TriageBase{Revision: req.Base}, Tests: []record.Triaged{},
	}}
	store, ok := session.Existing(h.records(p.root.Path))
	if !ok {
		t.suspects.message = (&NoRunError{}).Error()
		t.answer.Message = t.suspects.message
		return t, nil
	}
	var err error
	if t.memory, err = h.reading(ctx, store); err != nil {
		return nil, err
	}
	if t.suspects, err = t.memory.suspectsOf(ctx, p.id.Language); err != nil {
		return nil, err
	}
	t.answer.Of, t.answer.Message, t.answer.Clean = t.suspects.of, t.suspects.message, t.suspects.clean
	t.answer.Warnings = append(t.answer.Warnings, t.suspects.left...)
	return t, nil
}

// decide answers for every suspect: from the record where that suffices, else by
// running it on the base.
func (t *triage) decide(ctx context.Context, obs Observer) error {
	if err := t.findBase(ctx); err != nil {
		return err
	}
	t.project = t.host.probed(ctx, t.project)
	t.environment = (&finisher{host: t.host, project: t.project, runnerArgs: t.runnerArgs(), narrowedBy: t.suspects.run.Selection.Configured}).environment()
	if err := t.dropGone(ctx); err != nil {
		return err
	}
	if err := t.stand(ctx); err != nil {
		return err
	}
	if t.isOfBase() {
		for _, s := range t.suspects.tests {
			o := observation{Behaviour: doesFail, Why: "the run was of these very sources: it fails there", Signature: s.trace.Signature, Kind: s.trace.Kind, RunID: t.suspects.of}
			t.tell(s, o, false)
		}
		t.warn(fmt.Sprintf("run %s was of %s itself: `--base HEAD~1` or `--base merge-base:BRANCH` asks what a commit has brought", t.suspects.of, t.req.Base))
		return nil
	}
	seen := make([]observation, len(t.suspects.tests))
	cached := make([]bool, len(seen))
	var ask []suspect
	for i, s := range t.suspects.tests {
		if seen[i], cached[i] = t.recalled(ctx, s); !cached[i] {
			ask = append(ask, s)
		}
	}
	if len(ask) > 0 {
		g, err := t.look(ctx, ask, obs)
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
		t.warn("what was seen earlier is not seen again: files that git ignores may have changed since; --no-cache runs everything")
	}
	return nil
}

// stand looks up how the suspects stand.
func (t *triage) stand(ctx context.Context) (err error) {
	if t.memory.history == nil {
		return nil
	}
	tests := make([]record.Test, 0, len(t.suspects.tests))
	for _, s := range t.suspects.tests {
		tests = append(tests, s.Test)
	}
	t.standings, err = t.memory.standings(ctx, t.project.id.Language, tests, t.memory.store.SessionID(), 0)
	return err
}

// tell adds a finding to the answer.
func (t *triage) tell(s suspect, o observation, cached bool) {
	found := o.triaged(s)
	if standing, ok := t.standings[s.Test]; ok {
		found.Standing = &standing
		o.doubt(&found)
	}
	if cached {
		found.Cached, found.AgeS = true, max(t.host.cfg.Now().Sub(o.At), 0).Seconds()
	}
	switch found.Finding {
	case record.Introduced:
		t.answer.Introduced++
	case record.PreExisting:
		t.answer.PreExisting++
	default:
		t.answer.Unknown++
	}
	t.answer.Tests = append(t.answer.Tests, found)
}

// findBase finds the commit that is meant, and its state.
func (t *triage) findBase(ctx context.Context) error {
	source := t.host.sourceConfig(t.project.root.Path)
	if source.Git == "" {
		return &UsageError{Reason: "git was not found", Fix: "a triage needs it for another state of the sources: install it or add its directory to PATH"}
	}
	t.git = checkout.Config{Git: source.Git, Env: t.host.cfg.Env, Dir: t.project.root.Path}
	commit, err := checkout.Resolve(ctx, t.git, t.req.Base)
	var revision *checkout.RevisionError
	var none *checkout.RepositoryError
	switch {
	case errors.As(err, &revision):
		return &UsageError{Reason: err.Error()}
	case errors.As(err, &none):
		return &UsageError{Reason: err.Error(), Fix: "a triage takes the other state of the sources from git"}
	case err != nil:
		return err
	}
	t.git.Commit, t.answer.Base.Commit = commit, commit
	if t.base, err = fingerprint.OfCommit(ctx, source, commit); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.warn(fmt.Sprintf("the state of %s is not known, so nothing is kept for the next triage: %v", t.req.Base, err))
		t.base = fingerprint.State{Commit: commit}
	}
	t.answer.Base.Fingerprint = t.base.ID
	return nil
}

// isOfBase tells whether the run that the suspects failed in was of the base: then
// its own results are the answer.
func (t *triage) isOfBase() bool {
	run := t.suspects.run
	return t.suspects.of != "" && !run.MixedState && run.Source != nil && t.base.ID != "" && run.Source.Fingerprint == t.base.ID
}

// runnerArgs are those with which the suspects were run.
func (t *triage) runnerArgs() []string { return t.suspects.run.Selection.RunnerArgs }

func (t *triage) warn(text string) { t.answer.Warnings = append(t.answer.Warnings, text) }
