package engine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/sdk"
)

// Plan says what a run executes, and why. It is complete before the run is recorded,
// and immutable from then on.
type Plan struct {
	Project project.Project
	// Run is the object of the run as it begins: its kind, what was requested and with
	// which arguments, and what to know beforehand.
	Run api.Run
	// Commands are executed one after the other. Output recorded elsewhere replaces
	// them.
	Commands []sdk.Command
	output   *recordedOutput
	// merged are the shards that take the place of commands.
	merged *Merged
	// Err keeps anything from being executed: it is a tool error.
	Err error

	// request is what the plugin was asked for. trusts reports whether what the runner
	// has in its cache of a suite will do; nil means that it must not use the cache.
	request sdk.TestRequest
	trusts  func(suite string) bool
	// Selection is the request in the plugin's terms. Chosen is what a rerun, or
	// changes, chose; nil means all that the selection selects.
	Selection sdk.Selection
	Chosen    *outstanding.Selection
	// before is what is outstanding.
	before outstanding.Set
	// way is the way in which the tests run; nil if unknown. next are the ways in which
	// the rerun continues after this run.
	way  *outstanding.Way
	next []*outstanding.Way
	// absent are outstanding tests that no longer exist. The plugin has no command for
	// the uncomposed ones.
	absent     outstanding.Absences
	uncomposed map[sdk.TestID]bool
	// total counts the existing tests; 0 if unknown.
	total int
	// neutral are runner arguments that change nothing that a result proves. defaults is
	// how many of the others, the first ones, come from a file, and narrowed reports
	// whether some of those leave tests out.
	neutral  []string
	defaults int
	narrowed bool
	// precise asks for the lines that failed, covers for what the tests execute.
	precise, covers bool
	// retries says how often failed tests run again.
	retries retries

	// quarantine are the tests whose known failure does not decide; nil if that is of no
	// concern to this kind of run.
	quarantine []quarantine.Entry

	// Store receives the artifacts, and Ledger has the history; nil means nowhere.
	// Retention bounds what is kept there.
	Store     *artifacts.Store
	Ledger    *ledger.Ledger
	Retention config.History
	// Seen is the state of the sources, if known beforehand.
	Seen *ledger.Seen
}

// NewPlan begins the plan of a run of this kind.
func NewPlan(h *ledger.Keeper, p project.Project, kind api.Kind, id string, timeout time.Duration) *Plan {
	run := api.Run{
		Schema: api.Schema, RunID: id, SessionID: h.SessionIn(p.Root.Path), Kind: kind,
		State: api.StateRunning, Language: p.ID.Language,
		Plugin:    api.Plugin{Name: p.ID.Name, Version: p.ID.Version, Override: p.Override, Lock: p.Lock},
		Workspace: p.Root.Path, StartedAt: h.Cfg.Now().UTC(), TimeoutS: timeout.Seconds(),
		Commands: []api.Command{}, Failures: []api.Failure{},
		Unfinished: []sdk.TestID{}, NeverStarted: []sdk.TestID{},
	}
	run.Warnings = append(run.Warnings, AboutProject(p)...)
	return &Plan{Project: p, Run: run}
}

// AboutProject returns what to know about a project in any case.
func AboutProject(p project.Project) []api.Note {
	var notes []api.Note
	for _, u := range p.Untested {
		n := api.Note{Code: api.NoteNotTested, Text: "not tested: " + u.Path + ": " + u.Reason}
		if isProject(filepath.Join(p.Root.Path, u.Path), p.ID.Markers) {
			n.Advice = api.Advice{Operation: api.AdviseRunThere, Of: u.Path}
		}
		notes = append(notes, n)
	}
	if p.Override != "" {
		notes = append(notes, api.Note{Code: api.NotePluginChoice, Text: fmt.Sprintf("plugin %s is the one that you named: %s", p.ID.Name, p.Override)})
	}
	if p.Instead != "" {
		notes = append(notes, api.Note{Code: api.NotePluginChoice, Text: fmt.Sprintf("plugin %s %s is the one that %s names, instead of %s", p.ID.Name, p.ID.Version, p.Lock, p.Instead)})
	}
	return notes
}

// isProject reports whether a directory has a file that makes a project.
func isProject(dir string, markers []string) bool {
	return slices.ContainsFunc(markers, func(name string) bool {
		st, err := os.Stat(filepath.Join(dir, name))
		return err == nil && st.Mode().IsRegular()
	})
}

// SetCommands has the plan execute what a plugin composed.
func (p *Plan) SetCommands(composed sdk.Plan) {
	p.Commands = composed.Commands
	p.Run.Commands = CommandsOf(composed)
	p.Run.Note(api.NotePlugin, composed.Warnings...)
}

// CommandsOf returns the commands of a plugin's plan in the form of a run's object.
func CommandsOf(composed sdk.Plan) []api.Command {
	commands := []api.Command{}
	for _, c := range composed.Commands {
		commands = append(commands, api.Command{Argv: c.Argv, Dir: cmp.Or(c.Dir, ".")})
	}
	return commands
}

// runnerArgs change what exists, like build tags.
func (p *Plan) runnerArgs() []string { return p.Run.Selection.RunnerArgs }

// settings are the runner's arguments, and what its configuration leaves out; see
// [sdk.Plan].
func (p *Plan) settings() []string {
	return slices.Concat(p.Run.Selection.RunnerArgs, p.Run.Selection.Configured)
}

// describeArgs formats the runner arguments that are known to leave tests out, and the
// others.
func (p *Plan) describeArgs() (narrowing, others string) {
	flags, rest := project.SplitArgs(p.Project.ID.RunnerFlags, p.runnerArgs())
	var narrow, other []string
	taken := 0
	for _, f := range flags {
		isDefault := taken < p.defaults
		taken += len(f.Words)
		switch {
		case f.Effect != sdk.FlagNarrows:
			other = append(other, f.Words...)
		case !isDefault: // else Selection.Configured names it
			narrow = append(narrow, f.Words...)
		}
	}
	return prose.ShellLine(narrow), prose.ShellLine(append(other, rest...))
}

// argsKey is equal for runs of the same tests, as far as runner arguments, settings and
// the plugin's environment decide that.
func (p *Plan) argsKey() string {
	if p.merged != nil {
		return p.merged.argsKey
	}
	return p.Project.ArgsKey(p.settings())
}

// leavesNothing reports whether the run says nothing about what is outstanding, and is
// not anybody's last one.
func (p *Plan) leavesNothing() bool {
	return ledger.LeavesNothing(p.Run.Kind) || p.merged != nil && !p.merged.Here
}

// isOfNow reports whether the run is of the sources as they are now, here.
func (p *Plan) isOfNow() bool {
	return p.merged == nil && (!p.leavesNothing() || p.Run.Kind == api.KindRetry)
}

// isForRecord reports whether the run is only meant to be recorded.
func (p *Plan) isForRecord() bool {
	return p.Run.Kind == api.KindIngest || p.merged != nil && !p.merged.Here
}

// isOfEverything reports whether all that the selection selects should run, and not
// only some outstanding tests.
func (p *Plan) isOfEverything() bool { return p.Chosen == nil || p.Chosen.Everything }

// isOfTargets reports whether it runs tests by name, and must account for each of them.
func (p *Plan) isOfTargets() bool {
	return p.Run.Kind == api.KindRerun || p.Run.Kind == api.KindTriage || p.Run.Kind == api.KindRetry
}

// keepsCoverage reports whether a run's measurements are stored: a run of only some
// tests, or with arguments that may select, does not show what the others execute.
func (p *Plan) keepsCoverage() bool {
	return !p.Run.Selection.Narrows() && len(p.settings()) == 0
}

// newFold follows what the run proves about what is outstanding; nil if nobody knows
// what should run.
func (p *Plan) newFold() *outstanding.Fold {
	if p.output != nil {
		return nil
	}
	s := p.Run.Selection
	scope := outstanding.Scope{
		SomeTests: s.Filter != "" || s.MatchPath != "" || s.MatchContract != "",
		// The enclosing tests run whole in a triage and a retry.
		Widened: p.Run.Kind == api.KindTriage || p.Run.Kind == api.KindRetry, InsideTests: p.Run.Kind == api.KindRerun,
		Args: p.argsKey(), Way: p.way,
	}
	if p.Chosen != nil {
		scope.Tests = p.Chosen.Requested
	}
	for _, c := range p.Commands {
		scope.InsideTests = scope.InsideTests || c.SelectsInsideTests
	}
	return outstanding.NewFold(p.Run.RunID, p.before, scope)
}

// suitesAskedWhole drops the suites of which a rerun requests only some tests: the
// others are not meant to start.
func (p *Plan) suitesAskedWhole(suites []string) []string {
	if p.isOfEverything() {
		return suites
	}
	var whole []string
	for _, s := range suites {
		for _, t := range p.Chosen.Targets {
			if t.Suite == s && t.TestID.Test == "" {
				whole = append(whole, s)
			}
		}
	}
	return whole
}

// leaves reports whether something that a rerun requested is still outstanding: that
// names what is wrong well enough.
func (p *Plan) leaves(after outstanding.Set) bool {
	left := map[sdk.TestID]bool{}
	for _, e := range after.Entries {
		left[e.TestID] = true
	}
	return slices.ContainsFunc(p.Chosen.Requested, func(t outstanding.Target) bool { return left[t.TestID] })
}

// withoutNext drops what the rerun gets to after this run.
func (p *Plan) withoutNext(left []outstanding.Entry) []outstanding.Entry {
	return slices.DeleteFunc(left, func(e outstanding.Entry) bool {
		return slices.ContainsFunc(p.next, func(w *outstanding.Way) bool { return w.Proves(e.Way) })
	})
}

// surroundings returns the environment of the run in detail: what affects results, and
// all other variables visible to its tests.
func (p *Plan) surroundings() api.Surroundings {
	s := api.Surroundings{Decides: p.Project.Decides(p.settings()), Variables: map[string]string{}, Args: p.argsKey(), Way: (*api.Way)(p.way)}
	for name, value := range s.Decides {
		if project.IsHash(value) {
			s.Decides[name] = value[:len("#")+project.SecretDigits]
		}
	}
	for _, entry := range p.Project.Environ {
		name, value, ok := strings.Cut(entry, "=")
		if _, decides := s.Decides[name]; ok && !decides && !project.IsPassing(name) && len(s.Variables) < project.MaxVariables {
			s.Variables[name] = project.Digest(value)[:project.SecretDigits]
		}
	}
	return s
}
