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
	"github.com/proctorhq/proctor/host/fingerprint"
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
	// Run is the object of the run as it begins: its kind, selection, arguments and first
	// warnings.
	Run api.Run
	// Commands are executed one after the other. Output or merged takes their place.
	Commands []sdk.Command
	// check is executed before them, and decides nothing; it may be nil.
	check  *sdk.Command
	output *recordedOutput
	merged *Merged
	// Err is a tool error that keeps everything from being executed.
	Err error

	// request is what the plugin was asked for. trusts reports whether a cached result of
	// a suite may count; nil means that the runner must not use its cache.
	request sdk.TestRequest
	trusts  func(suite string) bool
	// Selection is the request in the plugin's terms. Chosen are the tests that a rerun,
	// changes or a shard chose; nil means all that the selection selects.
	Selection sdk.Selection
	Chosen    *outstanding.Selection
	// before is what was outstanding.
	before outstanding.Set
	// way is how the tests run; nil if unknown. next are the ways of the rerun's later
	// runs.
	way  *outstanding.Way
	next []*outstanding.Way
	// absent are outstanding tests that no longer exist; uncomposed are those for which
	// the plugin has no command.
	absent     outstanding.Absences
	uncomposed map[sdk.TestID]bool
	// total counts the existing tests; 0 if unknown.
	total int
	// neutral are runner arguments that do not affect what a result proves. defaults is
	// how many of the others, the first ones, come from a configuration file; narrowed
	// means that some of these leave tests out.
	neutral  []string
	defaults int
	narrowed bool
	// precise asks for the lines that failed, covers for coverage.
	precise, covers bool
	// retries says how often failed tests run again.
	retries config.Retries

	// quarantine are the tests whose known failure does not decide; nil for kinds of runs
	// to which quarantine does not apply.
	quarantine []quarantine.Entry

	// Store receives the artifacts, Ledger has the history; either may be nil. Retention
	// bounds what is kept there.
	Store     *artifacts.Store
	Ledger    *ledger.Ledger
	Retention config.History
	// isLast means that nothing is asked of the plugins after this run.
	isLast bool
	// Seen is the state of the sources if it is known beforehand.
	Seen *ledger.Seen
	// sources are those of now, if a shard was chosen for them.
	sources *fingerprint.Snapshot
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
	run.Warnings = append(run.Warnings, DescribeProject(p)...)
	return &Plan{Project: p, Run: run}
}

// DescribeProject returns the notes that belong to any run of a project.
func DescribeProject(p project.Project) []api.Note {
	var notes []api.Note
	for _, u := range p.Untested {
		n := api.Note{Code: api.NoteNotTested, Text: "not tested: " + u.Path + ": " + u.Reason}
		if isProject(filepath.Join(p.Root.Path, u.Path), slices.Concat(p.ID.Markers, p.MarkersBelow)) {
			n.Advice = api.Advice{Operation: api.AdviseRunThere, Of: u.Path}
		}
		notes = append(notes, n)
	}
	if p.Override != "" {
		notes = append(notes, api.Note{Code: api.NotePluginChoice, Text: fmt.Sprintf("plugin %s is the one that you chose: %s", p.ID.Name, p.Override)})
	}
	if p.Instead != "" {
		notes = append(notes, api.Note{Code: api.NotePluginChoice, Text: fmt.Sprintf("plugin %s %s is the one that %s names, instead of %s", p.ID.Name, p.ID.Version, p.Lock, p.Instead)})
	}
	return notes
}

// isProject reports whether a directory has one of the files that mark a project.
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

// runnerArgs returns the runner's arguments, such as build tags, that decide what exists.
func (p *Plan) runnerArgs() []string { return p.Run.Selection.RunnerArgs }

// settings returns the runner's arguments and what its configuration leaves out; see
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
		case !isDefault: // otherwise Selection.Configured names it
			narrow = append(narrow, f.Words...)
		}
	}
	return prose.ShellLine(narrow), prose.ShellLine(append(other, rest...))
}

// argsKey returns a key that is equal for runs of the same tests, as far as runner
// arguments, settings and the plugin's environment decide that.
func (p *Plan) argsKey() string {
	if p.merged != nil {
		return p.merged.argsKey
	}
	return p.Project.ArgsKey(p.settings())
}

// sparesOutstanding reports whether the run leaves the outstanding set alone and is not
// the last one of any session.
func (p *Plan) sparesOutstanding() bool {
	return ledger.SparesOutstanding(p.Run.Kind) || p.merged != nil && !p.merged.Here
}

// isOfNow reports whether the run is of the present sources of the workspace.
func (p *Plan) isOfNow() bool {
	return p.merged == nil && (!p.sparesOutstanding() || p.Run.Kind == api.KindRetry)
}

// isForRecord reports whether recording is the only purpose of the run.
func (p *Plan) isForRecord() bool {
	return p.Run.Kind == api.KindIngest || p.merged != nil && !p.merged.Here
}

// isOfEverything reports whether everything that the selection selects is to run.
func (p *Plan) isOfEverything() bool { return p.Chosen == nil || p.Chosen.Everything }

// isOfTargets reports whether the run names its tests and must account for each.
func (p *Plan) isOfTargets() bool {
	return p.Run.Kind == api.KindRerun || p.Run.Kind == api.KindTriage || p.Run.Kind == api.KindRetry
}

// keepsCoverage reports whether the run's measurements are stored: one of only some tests,
// or with arguments that may select, does not show what the others execute.
func (p *Plan) keepsCoverage() bool {
	return !p.Run.Selection.Narrows() && len(p.settings()) == 0
}

// newFold returns the fold that follows what the run proves about what is outstanding; nil
// if it is unknown what should run.
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

// suitesAskedWhole drops the suites that only some tests were chosen of: their other tests
// are not meant to start.
func (p *Plan) suitesAskedWhole(suites []string) []string {
	if p.isOfEverything() {
		return suites
	}
	var whole []string
	for _, s := range suites {
		for _, t := range p.Chosen.Targets {
			if t.Suite == s && t.Test == "" {
				whole = append(whole, s)
			}
		}
	}
	return whole
}

// leavesRequested reports whether something that a rerun requested is still outstanding:
// that names what is wrong.
func (p *Plan) leavesRequested(after outstanding.Set) bool {
	left := map[sdk.TestID]bool{}
	for _, e := range after.Entries {
		left[e.TestID] = true
	}
	return slices.ContainsFunc(p.Chosen.Requested, func(t outstanding.Target) bool { return left[t.TestID] })
}

// withoutNext drops the entries that a later run of the same rerun covers.
func (p *Plan) withoutNext(left []outstanding.Entry) []outstanding.Entry {
	return slices.DeleteFunc(left, func(e outstanding.Entry) bool {
		return slices.ContainsFunc(p.next, func(w *outstanding.Way) bool { return w.Proves(e.Way) })
	})
}

// surroundings returns the environment of the run in detail: what affects results, and the
// digests of all other variables visible to its tests.
func (p *Plan) surroundings() api.Surroundings {
	s := api.Surroundings{Decides: p.Project.DecidingSettings(p.settings()), Variables: map[string]string{}, Args: p.argsKey(), Way: (*api.Way)(p.way)}
	for name, value := range s.Decides {
		if project.IsHash(value) {
			s.Decides[name] = value[:len("#")+project.SecretDigits]
		}
	}
	for _, entry := range p.Project.Environ {
		name, value, ok := strings.Cut(entry, "=")
		if _, decides := s.Decides[name]; ok && !decides && !project.IsTransient(name) && len(s.Variables) < project.MaxVariables {
			s.Variables[name] = project.Digest(value)[:project.SecretDigits]
		}
	}
	return s
}
