package cargotest

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/proctor-plugin-cargo/internal/arguments"
	"example.com/proctor-plugin-cargo/internal/project"
	"github.com/proctorhq/proctor/sdk"
)

// mainTest is the one test of a target with a main function of its own: cargo knows only
// its exit status.
const mainTest = "main"

// baseArguments returns the beginning of every command. It makes cargo print its messages
// about the build as JSON on standard output; the last one comes before the first test
// binary starts.
func baseArguments(args arguments.Arguments) []string {
	return append([]string{"cargo", "test", "--message-format=json", "--no-fail-fast"}, args.Cargo...)
}

// newCommand returns a command with the settings that all commands share.
func newCommand(argv []string, targets ...sdk.TestID) sdk.Command {
	return sdk.Command{
		Argv: argv, Targets: targets,
		Env: map[string]string{"CARGO_TERM_COLOR": "never", "CARGO_TERM_QUIET": "false", "CARGO_TERM_PROGRESS_WHEN": "never"},
		// cargo has a lock of its own, and would silently wait for it.
		Exclusive: true,
	}
}

// planUnreadable returns the plan for a project that `cargo metadata` cannot read: a
// command that fails in the same way, so that cargo's reason becomes a failure of the run.
func planUnreadable(ws sdk.Workspace) (sdk.Plan, error) {
	c := newCommand([]string{"cargo", "test", "--message-format=json", "--no-run"})
	c.Prepares = true
	return sdk.Plan{Commands: []sdk.Command{c}}, nil
}

func selectTargets(p *project.Project, args arguments.Arguments, sel sdk.Selection) (project.Selected, error) {
	selected, err := p.Select(args)
	if err != nil {
		return project.Selected{}, refuseSelection(err)
	}
	if sel.TestPattern != "" || sel.PathPattern != "" {
		return project.Selected{}, &sdk.Error{
			Reason:  sdk.InvalidSelection,
			Message: "cargo test selects tests by a part of their name, not by patterns: pass the part as `-- NAME`",
		}
	}
	pattern, err := regexp.Compile(sel.SuitePattern)
	if err != nil {
		return project.Selected{}, &sdk.Error{Reason: sdk.InvalidSelection, Message: fmt.Sprintf("the suite pattern is not a regular expression: %v", err)}
	}
	targets := selected.Targets
	selected.Targets = nil
	for _, t := range targets {
		if pattern.MatchString(t.Suite()) && isNamed(t, sel.Suites) {
			selected.Targets = append(selected.Targets, t)
		}
	}
	return selected, nil
}

// isNamed reports whether a list of suites includes t, by its name, its package's name or a
// pattern for either. An empty list includes everything.
func isNamed(t project.Target, suites []string) bool {
	for _, s := range suites {
		for _, name := range []string{t.Suite(), t.Package} {
			if ok, err := path.Match(s, name); s == name || (ok && err == nil) {
				return true
			}
		}
	}
	return len(suites) == 0
}

func planRun(p *project.Project, args arguments.Arguments, selected project.Selected) sdk.Plan {
	plan := sdk.Plan{Outputs: listOutputs(p)}
	for _, t := range selected.MissingFeatures {
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("%s is left out, as cargo test does: it requires the features %s",
			t.Suite(), strings.Join(t.Required, ", ")))
	}
	if len(selected.NotSelected) > 0 && len(args.Packages)+len(args.Exclude) == 0 {
		plan.NarrowedBy = []string{"the workspace's default members (--workspace runs all)"}
	}
	if len(selected.Targets) == 0 {
		return plan
	}
	plan.Commands = append(plan.Commands, buildAll(args, selected.Packages))
	for _, t := range selected.Targets {
		argv := append(append(baseArguments(args), t.Flags()...), binaryArguments(args.Filters, args.Libtest)...)
		plan.Commands = append(plan.Commands, newCommand(argv, sdk.TestID{Suite: t.Suite()}))
	}
	return plan
}

// buildAll returns the command that builds what cargo test would, including examples. As
// with cargo test, nothing runs if something does not compile.
func buildAll(args arguments.Arguments, packages []string) sdk.Command {
	argv := append(baseArguments(args), "--no-run")
	for _, p := range packages {
		argv = append(argv, "-p", p)
	}
	doc := false
	for _, t := range args.Targets {
		if t.Flag == "--doc" { // doc tests are built only when they run
			doc = true
			continue
		}
		if argv = append(argv, t.Flag); t.Name != "" {
			argv = append(argv, t.Name)
		}
	}
	if doc && len(args.Targets) == 1 {
		argv = append(argv, "--lib")
	}
	c := newCommand(argv)
	c.Prepares = true
	return c
}

func planRerun(p *project.Project, args arguments.Arguments, targets []sdk.TestID) sdk.Plan {
	var plan sdk.Plan
	var order []string
	names := map[string][]sdk.TestID{}
	for _, id := range targets {
		if _, ok := p.Target(id.Suite); !ok {
			continue
		}
		if names[id.Suite] == nil {
			order = append(order, id.Suite)
		}
		names[id.Suite] = append(names[id.Suite], id)
	}
	for _, suite := range order {
		t, _ := p.Target(suite)
		argv := append(baseArguments(args), t.Flags()...)
		argv = append(argv, binaryArguments(exactFilters(t, names[suite]), args.Libtest)...)
		plan.Commands = append(plan.Commands, newCommand(argv, names[suite]...))
	}
	plan.Outputs = listOutputs(p)
	return plan
}

// exactFilters returns the arguments with which a target runs exactly some of its tests,
// or nil if only the whole target can be run. That is so for doc tests: their names have
// spaces, at which rustdoc splits every argument.
func exactFilters(t project.Target, ids []sdk.TestID) []string {
	if t.Kind == project.KindDoc {
		return nil
	}
	// The second "--" is for names that begin like a flag, which a custom harness may
	// have.
	filters := []string{"--exact", "--"}
	for _, id := range ids {
		if id.Test == "" || (!t.Harness && id.Test == mainTest) {
			return nil // the whole target
		}
		filters = append(filters, id.Test)
	}
	return filters
}

// binaryArguments returns "--" and the arguments of the test binary, or nil without any.
func binaryArguments(filters, libtest []string) []string {
	if len(filters)+len(libtest) == 0 {
		return nil
	}
	return append(append([]string{"--"}, libtest...), filters...)
}

// listOutputs returns what cargo writes, including the lock file, which may not be in
// version control.
func listOutputs(p *project.Project) []string {
	var list []string
	for _, path := range []string{p.Path(p.Outputs), p.Path("Cargo.lock")} {
		if filepath.IsLocal(path) {
			list = append(list, path)
		}
	}
	return list
}
