package engine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
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

	// What is executed. Commands are executed one after the other; output or merged takes
	// their place.
	Commands []sdk.Command
	output   *recordedOutput
	merged   *Merged
	// check is executed before them, and decides nothing; it may be nil.
	check *sdk.Command
	// Err is a tool error that keeps everything from being executed.
	Err error
	// request is what the plugin was asked for. trusts reports whether a cached result of
	// a suite may count; nil means that the runner must not use its cache.
	request sdk.TestRequest
	trusts  func(suite string) bool
	// precise asks for the lines that failed, covers for coverage.
	precise, covers bool
	// retries says how often failed tests run again.
	retries config.Retries
	// isLast means that nothing is asked of the plugins after this run.
	isLast bool

	// What the run is of. Selection is the request in the plugin's terms. Chosen are the tests
	// that a rerun, changes or a shard chose; nil means all that the selection selects.
	Selection sdk.Selection
	Chosen    *outstanding.Selection
	// part says which part of a rerun of several this is, and of how much of what is outstanding.
	part string
	// absent are outstanding tests that no longer exist; uncomposed are those for which
	// the plugin has no command.
	absent     outstanding.Absences
	uncomposed map[sdk.TestID]bool
	// total counts the existing tests; 0 if unknown.
	total int

	// What its results can prove. before is what was outstanding.
	before outstanding.Set
	// way is how the tests run; nil if unknown. next are the ways of the rerun's later
	// runs.
	way  *outstanding.Way
	next []*outstanding.Way
	// again is how the tests that are red in it are to run again, if not in the same way.
	again *outstanding.Again
	// neutral are runner arguments that do not affect what a result proves. defaults is
	// how many of the others, the first ones, come from a configuration file; narrowed
	// means that some of these leave tests out.
	neutral  []string
	defaults int
	narrowed bool
	// quarantine are the tests whose known failure does not decide; nil for kinds of runs
	// to which quarantine does not apply.
	quarantine []quarantine.Entry

	// Where it is recorded. Store receives the artifacts, Ledger has the history; either may
	// be nil. Retention bounds what is kept there.
	Store     *artifacts.Store
	Ledger    *ledger.Ledger
	Retention config.History
	// Seen is the state of the sources if it is known beforehand.
	Seen *ledger.Seen
	// sources are those of now, if a shard was chosen for them.
	sources *fingerprint.Snapshot
}

// NewPlan begins the plan of a run of this kind.
func NewPlan(k *ledger.Keeper, p project.Project, kind api.Kind, id string, timeout time.Duration) *Plan {
	run := api.Run{
		Schema: api.Schema, RunID: id, SessionID: k.SessionIn(p.Root.Path), Kind: kind,
		State: api.StateRunning, Language: p.ID.Language,
		Plugin:    api.Plugin{Name: p.ID.Name, Version: p.ID.Version, Override: p.Override, Lock: p.Lock},
		Workspace: p.Root.Path, StartedAt: k.Cfg.Now().UTC(), TimeoutS: timeout.Seconds(),
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
