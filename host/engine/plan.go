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
	"github.com/proctorhq/proctor/sdk"
)

// Plan says what a run executes, and why. It is whole before the run is on record, and
// nothing changes it from then on.
type Plan struct {
	Project project.Project
	// Run is the object of the run as it begins: of which kind it is, what was asked for
	// and with which arguments, and what to know of it beforehand.
	Run api.Run
	// Commands are executed one after the other. Where output was recorded elsewhere, it
	// is read in their place.
	Commands []sdk.Command
	output   *recordedOutput
	// Err keeps anything from being executed: it is a tool error.
	Err error

	// Selection is what was asked for, in the words of the plugin. Chosen is what a rerun,
	// or what changed, chose; nil is all that the selection selects.
	Selection sdk.Selection
	Chosen    *outstanding.Selection
	// before is what is outstanding.
	before outstanding.Set
	// way is in which way the tests run; nil is not known. next is in which ways the
	// rerun goes on after this run.
	way  *outstanding.Way
	next []*outstanding.Way
	// absent are outstanding tests that do not exist any more. For those that are
	// uncomposed the plugin has no command.
	absent     outstanding.Absences
	uncomposed map[api.Test]bool
	// total counts the tests there are; 0 is not known.
	total int
	// precise asks for the lines that failed, covers for what the tests execute.
	precise, covers bool

	// Store is where the artefacts go, and Ledger has the history; nil is nowhere.
	// Retention bounds what is kept there.
	Store     *artifacts.Store
	Ledger    *ledger.Ledger
	Retention config.History
	// Seen is the state of the sources that the run sees, where it is known beforehand.
	Seen *ledger.Seen
}

// NewPlan begins the plan of a run of a kind.
func NewPlan(h *ledger.Keeper, p project.Project, kind api.Kind, id string, timeout time.Duration) *Plan {
	run := api.Run{
		Schema: api.Schema, RunID: id, SessionID: h.SessionIn(p.Root.Path), Kind: kind,
		State: api.StateRunning, Language: p.ID.Language,
		Plugin:    api.Plugin{Name: p.ID.Name, Version: p.ID.Version, Override: p.Override, Lock: p.Lock},
		Workspace: p.Root.Path, StartedAt: h.Cfg.Now().UTC(), TimeoutS: timeout.Seconds(),
		Commands: []api.Command{}, Failures: []api.Failure{},
		Unfinished: []api.Test{}, NeverStarted: []api.Test{},
	}
	run.Warnings = append(run.Warnings, AboutProject(p)...)
	return &Plan{Project: p, Run: run}
}

// AboutProject is what to know of a project whatever is done with it.
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

// CommandsOf are the commands of a plugin's plan as the object of a run has them.
func CommandsOf(composed sdk.Plan) []api.Command {
	commands := []api.Command{}
	for _, c := range composed.Commands {
		commands = append(commands, api.Command{Argv: c.Argv, Dir: cmp.Or(c.Dir, ".")})
	}
	return commands
}

// runnerArgs change what exists, as build tags do.
func (p *Plan) runnerArgs() []string { return p.Run.Selection.RunnerArgs }

// settings are the runner's arguments, and what its configuration leaves out; see
// [sdk.Plan].
func (p *Plan) settings() []string {
	return slices.Concat(p.Run.Selection.RunnerArgs, p.Run.Selection.Configured)
}

// argsKey is equal for runs of the same tests, as far as runner arguments, settings and
// the environment that the plugin looks at decide about that.
func (p *Plan) argsKey() string { return p.Project.ArgsKey(p.settings()) }

// leavesNothing reports whether the run says nothing about what is outstanding, and is
// nobody's last one.
func (p *Plan) leavesNothing() bool { return ledger.LeavesNothing(p.Run.Kind) }

// isForRecord reports whether being on record is all that the run is for.
func (p *Plan) isForRecord() bool { return p.Run.Kind == api.KindIngest }

// isOfEverything reports whether all that the selection selects is meant to run, and
// not only some outstanding tests.
func (p *Plan) isOfEverything() bool { return p.Chosen == nil || p.Chosen.Everything }

// isOfTargets reports whether it is of tests by name, of which each is answered for.
func (p *Plan) isOfTargets() bool {
	return p.Run.Kind == api.KindRerun || p.Run.Kind == api.KindTriage
}

// keepsCoverage reports whether what a run measures is kept: of some tests only, or with
// arguments that may select, it is not known what the others execute.
func (p *Plan) keepsCoverage() bool {
	return !p.Run.Selection.Narrows() && len(p.settings()) == 0
}

// newFold follows what the run proves of what is outstanding; nil where nobody knows
// what was to run.
func (p *Plan) newFold() *outstanding.Fold {
	if p.output != nil {
		return nil
	}
	s := p.Run.Selection
	scope := outstanding.Scope{
		SomeTests: s.Filter != "" || s.MatchPath != "" || s.MatchContract != "",
		// The enclosing tests run whole in a triage.
		Widened: p.Run.Kind == api.KindTriage, InsideTests: p.Run.Kind == api.KindRerun,
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

// suitesAskedWhole leaves out the suites of which a rerun asks only for some tests:
// the others are not meant to start.
func (p *Plan) suitesAskedWhole(suites []string) []string {
	if p.isOfEverything() {
		return suites
	}
	var whole []string
	for _, s := range suites {
		for _, t := range p.Chosen.Targets {
			if t.Suite == s && t.Test.Test == "" {
				whole = append(whole, s)
			}
		}
	}
	return whole
}

// leaves reports whether something that a rerun asks for is still outstanding: that
// names what is wrong well enough.
func (p *Plan) leaves(after outstanding.Set) bool {
	left := map[api.Test]bool{}
	for _, e := range after.Entries {
		left[e.Test] = true
	}
	return slices.ContainsFunc(p.Chosen.Requested, func(t outstanding.Target) bool { return left[t.Test] })
}

// withoutNext leaves out what the rerun comes to after this run.
func (p *Plan) withoutNext(left []outstanding.Entry) []outstanding.Entry {
	return slices.DeleteFunc(left, func(e outstanding.Entry) bool {
		return slices.ContainsFunc(p.next, func(w *outstanding.Way) bool { return w.Proves(e.Way) })
	})
}

// surroundings is the environment of the run in detail: what decides, and all other
// variables that its tests can see.
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
