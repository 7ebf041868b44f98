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

// mainTest is the one test of a target with a main function of its own, of which
// cargo knows no more than its exit status.
const mainTest = "main"

// base begins every command. cargo's messages about the build then come as JSON
// on standard output, and end with one that says so before the first test binary
// is started.
func base(args arguments.Arguments) []string {
	return append([]string{"cargo", "test", "--message-format=json", "--no-fail-fast"}, args.Cargo...)
}

// command adds what all commands have.
func command(argv []string, targets ...sdk.TestID) sdk.Command {
	return sdk.Command{
		Argv: argv, Targets: targets,
		Env: map[string]string{"CARGO_TERM_COLOR": "never", "CARGO_TERM_QUIET": "false", "CARGO_TERM_PROGRESS_WHEN": "never"},
		// cargo has a lock of its own, and would wait for it without saying so to anybody.
		Exclusive: true,
	}
}

// unreadable is the plan for a project of which `cargo metadata` cannot tell what
// it is: a command that fails alike, so that cargo's reason is a failure of the run.
func unreadable(ws sdk.Workspace) (sdk.Plan, error) {
	c := command([]string{"cargo", "test", "--message-format=json", "--no-run"})
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
			Message: "cargo test selects tests by a part of their name and not by patterns: pass it on as `-- NAME`",
		}
	}
	pattern, err := regexp.Compile(sel.SuitePattern)
	if err != nil {
		return project.Selected{}, &sdk.Error{Reason: sdk.InvalidSelection, Message: fmt.Sprintf("pattern of suites: %v", err)}
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

// isNamed reports whether a list of suites has t, by its name, its package's name
// or a pattern of either.
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
	plan := sdk.Plan{Outputs: outputs(p)}
	for _, t := range selected.Lacking {
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("%s is left out, as by cargo test: it requires the features %s",
			t.Suite(), strings.Join(t.Required, ", ")))
	}
	if len(selected.Beside) > 0 && len(args.Packages)+len(args.Exclude) == 0 {
		plan.NarrowedBy = []string{"default members of the workspace; --workspace takes all"}
	}
	if len(selected.Targets) == 0 {
		return plan
	}
	plan.Commands = append(plan.Commands, buildAll(args, selected.Packages))
	for _, t := range selected.Targets {
		argv := append(append(base(args), t.Flags()...), tail(args.Filters, args.Libtest)...)
		plan.Commands = append(plan.Commands, command(argv, sdk.TestID{Suite: t.Suite()}))
	}
	return plan
}

// buildAll builds what cargo test would, examples included. As with cargo test,
// nothing runs when something does not compile.
func buildAll(args arguments.Arguments, packages []string) sdk.Command {
	argv := append(base(args), "--no-run")
	for _, p := range packages {
		argv = append(argv, "-p", p)
	}
	doc := false
	for _, t := range args.Targets {
		if t.Flag == "--doc" { // has nothing to build without running it
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
	c := command(argv)
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
		argv := append(base(args), t.Flags()...)
		argv = append(argv, tail(exactly(t, names[suite]), args.Libtest)...)
		plan.Commands = append(plan.Commands, command(argv, names[suite]...))
	}
	plan.Outputs = outputs(p)
	return plan
}

// exactly are the arguments with which a target runs exactly some of its tests;
// none where only the whole target can be run. Doc tests are such: there are
// spaces in their names, at which rustdoc splits every argument.
func exactly(t project.Target, ids []sdk.TestID) []string {
	if t.Kind == project.KindDoc {
		return nil
	}
	// The second "--" is for names that begin like a flag, which a harness that is
	// not Rust's own may have.
	filters := []string{"--exact", "--"}
	for _, id := range ids {
		if id.Test == "" || (!t.Harness && id.Test == mainTest) {
			return nil // the whole target
		}
		filters = append(filters, id.Test)
	}
	return filters
}

// tail is what goes to the test binary.
func tail(filters, libtest []string) []string {
	if len(filters)+len(libtest) == 0 {
		return nil
	}
	return append(append([]string{"--"}, libtest...), filters...)
}

// outputs are what cargo writes. A lock file that nobody keeps in version control
// is one of them.
func outputs(p *project.Project) []string {
	var list []string
	for _, path := range []string{p.Path(p.Outputs), p.Path("Cargo.lock")} {
		if filepath.IsLocal(path) {
			list = append(list, path)
		}
	}
	return list
}
