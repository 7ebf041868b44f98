package conform

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// shellSigns mean something to a shell, and nothing without one.
const shellSigns = " \t\n;|&$`'\"<>*?()"

const (
	// maxArg is the longest argument or variable that Linux accepts.
	maxArg = 128<<10 - 1
	// maxArgs is the longest command line that a host accepts, since macOS has room for
	// 1 MiB including the environment.
	maxArgs = 768 << 10
	// maxInput bounds one input file.
	maxInput = 2 << 20
	// maxCommands is how many commands of a plan a host accepts.
	maxCommands = 10_000
)

func checkCommands(ctx context.Context, s *subject, p *probe) {
	if !s.hasWorkspace(p) {
		return
	}
	for _, why := range s.unprobed {
		p.note(why)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	plan, err := s.detector.TestCmd(ctx, sdk.TestRequest{Workspace: s.Workspace})
	if err != nil {
		s.reportRefused(ctx, p, "TestCmd for everything in the workspace", err)
		return
	}
	if len(plan.Commands) == 0 {
		p.fail("TestCmd composes no command for everything in the workspace", "compose the command that runs all tests")
	}
	checkPlan(p, plan)
	checkUnasked(p, "TestCmd without cover", plan)
	s.programs = programsOf(plan)
	for _, output := range plan.Outputs {
		if !isLocalPath(output) {
			p.fail(fmt.Sprintf("the output %.200q leaves the workspace", output), "name outputs relative to the workspace root")
		}
	}
	checkNarrowRuns(ctx, s, p, plan)
}

// checkNarrowRuns requests a narrow run in every way that the plugin declares. It must
// be composed as safely as the whole run, and differ from it.
func checkNarrowRuns(ctx context.Context, s *subject, p *probe, whole sdk.Plan) {
	for _, n := range chooseNarrowings(s) {
		plan, err := s.detector.TestCmd(ctx, sdk.TestRequest{Workspace: s.Workspace, Selection: n.selection})
		var refusal *sdk.Error
		switch {
		case err == nil:
			checkPlan(p, plan)
			if same := reflect.DeepEqual(plan.Commands, whole.Commands); same && countRuns(whole) >= n.most {
				p.fail("TestCmd for "+n.what+" composes the same commands as for everything", "narrow the run, refuse with INVALID_SELECTION, or do not declare the selector")
			}
		case errors.As(err, &refusal) && refusal.Reason == sdk.InvalidSelection:
			// That is fine: the workspace need not contain what the kit made up.
			p.note(fmt.Sprintf("TestCmd rejects %s (%s): %s", n.what, refusal.Reason, refusal.Message))
		default:
			s.reportRefused(ctx, p, "TestCmd for "+n.what, err)
			return
		}
	}
}

// programsOf returns what the commands of a plan start.
func programsOf(plan sdk.Plan) []string {
	var names []string
	for _, c := range plan.Commands {
		if len(c.Argv) > 0 {
			names = append(names, c.Argv[0])
		}
	}
	return names
}

// countRuns counts the commands of a plan that run tests.
func countRuns(plan sdk.Plan) int {
	n := 0
	for _, c := range plan.Commands {
		if !c.Prepares {
			n++
		}
	}
	return n
}

// narrowing is a selection to request. A whole plan with at least most commands that
// run tests runs more than the selection.
type narrowing struct {
	what      string
	selection sdk.Selection
	most      int
}

// chooseNarrowings uses every way of narrowing that the plugin declares. A made-up
// pattern never selects everything; a suite of a case may, if one command runs
// everything.
func chooseNarrowings(s *subject) []narrowing {
	var list []narrowing
	for _, selector := range s.identity.Selectors {
		switch selector {
		case sdk.SelectSuites:
			list = append(list, narrowing{`the suite "a"`, sdk.Selection{Suites: []string{"a"}}, 1})
			if suite := s.knownSuite(); suite != "" {
				list = append(list, narrowing{fmt.Sprintf("the suite %.100q", suite), sdk.Selection{Suites: []string{suite}}, 2})
			}
		case sdk.SelectPathPattern:
			list = append(list, narrowing{`the path pattern "a*"`, sdk.Selection{PathPattern: "a*"}, 1})
		case sdk.SelectSuitePattern:
			list = append(list, narrowing{`the suite pattern "a.*"`, sdk.Selection{SuitePattern: "a.*"}, 1})
		case sdk.SelectTestPattern:
			list = append(list, narrowing{`the test pattern "a.*"`, sdk.Selection{TestPattern: "a.*"}, 1})
		}
	}
	return list
}

// knownSuite returns a suite named in a case.
func (s *subject) knownSuite() string {
	for _, c := range s.Cases {
		if c.Want == nil {
			continue
		}
		for _, suite := range c.Want.Suites {
			return suite.Suite
		}
		for _, test := range c.Want.Tests {
			return test.Suite
		}
	}
	return ""
}

// reportRefused reports a composing call that failed. A plugin may reject it, and then
// nothing was observed.
func (s *subject) reportRefused(ctx context.Context, p *probe, what string, err error) {
	if refusal, ok := errors.AsType[*sdk.Error](err); ok {
		p.skip(fmt.Sprintf("the plugin rejects %s (%s): %s", what, refusal.Reason, refusal.Message))
		return
	}
	s.reportBroken(ctx, p, what, err)
}

// checkPlan checks commands against what a host accepts.
func checkPlan(p *probe, plan sdk.Plan) {
	if len(plan.Commands) > maxCommands {
		p.fail(fmt.Sprintf("the plan has %d commands, and a host accepts %d", len(plan.Commands), maxCommands), "run several suites with one command")
	}
	for i, c := range plan.Commands {
		checkCommand(p, fmt.Sprintf("commands[%d]", i), c)
	}
}

// checkListing checks the commands of ListCmd, which may be known.
func checkListing(p *probe, plan sdk.Plan) {
	plan.Commands = slices.Clone(plan.Commands)
	for i := range plan.Commands {
		plan.Commands[i].Known = false
	}
	checkPlan(p, plan)
}

// checkCommand reports whether a command is acceptable.
func checkCommand(p *probe, where string, c sdk.Command) bool {
	ok := true
	fail := func(advice, seen string, args ...any) {
		ok = false
		p.fail(where+": "+fmt.Sprintf(seen, args...), advice)
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		fail("put the program into argv[0]", "it names no program")
		return false
	}
	if strings.ContainsAny(c.Argv[0], shellSigns) && !filepath.IsAbs(c.Argv[0]) {
		fail("put only the program into argv[0] and each argument into a word of its own: there is no shell", "the program is %.200q", c.Argv[0])
	}
	if c.Known {
		fail("set known only in answers to ListCmd: a host rejects it elsewhere", "it is known, so it is not executed")
	}
	if c.Covers && c.Prepares {
		fail("let the commands that run tests leave coverage", "it prepares, so it runs no test, but leaves coverage")
	}
	total := 0
	for n, arg := range c.Argv {
		total += len(arg) + 1
		if len(arg) > maxArg || strings.ContainsRune(arg, 0) {
			fail("put long lists into an input file", "argv[%d] is too long for an operating system or contains a NUL", n)
		}
	}
	if total > maxArgs {
		fail("put long lists into an input file", "argv has %d bytes, and a host accepts %d", total, maxArgs)
	}
	for _, name := range c.UnsetEnv {
		if plain := strings.TrimPrefix(strings.TrimSuffix(name, "*"), "!"); !variablePattern.MatchString(plain) || strings.HasPrefix(name, "!") && strings.HasSuffix(name, "*") {
			fail("name a variable, the beginning of one and *, or ! and a name", "unset_env has %.100q", name)
		}
	}
	if !isLocalPath(c.Dir) {
		fail("give a directory below the workspace root, relative to it", "dir %.200q leaves the workspace", c.Dir)
	}
	for name, value := range c.Env {
		switch {
		case !variablePattern.MatchString(name) || len(value) > maxArg || strings.ContainsRune(value, 0):
			fail("use letters, digits and _", "the environment variable %.100q is not a valid name, or its value is too long", name)
		case strings.HasPrefix(name, "PROCTOR_"):
			fail("give it another name: those that begin with PROCTOR_ are the host's", "it sets %s", name)
		case sdk.IsReservedSetting(name, value):
			fail("leave it to the user's environment: it decides which code is loaded", "it sets %s", name)
		}
	}
	var seen []string
	for _, input := range c.Inputs {
		if !isPlainName(input.Name) || slices.Contains(seen, strings.ToLower(input.Name)) || len(input.Data) > maxInput {
			fail("give each input a plain file name of its own, without directories, and at most 2 MiB", "the input %.100q (%d bytes)", input.Name, len(input.Data))
		}
		seen = append(seen, strings.ToLower(input.Name))
	}
	return ok
}

func isLocalPath(path string) bool {
	return path == "" || filepath.IsLocal(filepath.FromSlash(path)) && !strings.ContainsRune(path, 0)
}

// checkReruns requests reruns of each recording's failed tests, plain and widened.
func checkReruns(ctx context.Context, s *subject, p *probe) {
	if !s.hasWorkspace(p) || !s.hasRecordings(p) {
		return
	}
	asked, composed, named, refusal := 0, 0, 0, ""
	for _, r := range s.Recordings {
		events, ok := s.playWhole(ctx, p, r)
		if !ok {
			return
		}
		targets := events.Failed()
		if len(targets) == 0 {
			continue
		}
		asked++
		for _, widen := range []bool{false, true} {
			plan, why, ok := composeRerun(ctx, s, p, r.Name, sdk.RerunRequest{Workspace: s.Workspace, Targets: targets, Widen: widen})
			if !ok {
				return
			}
			composed += len(plan.Commands)
			for _, c := range plan.Commands {
				named += len(c.Targets)
			}
			if why != "" {
				refusal = why
			}
		}
	}
	checkRerunOfTheRun(ctx, s, p)
	switch {
	case asked == 0:
		p.skip("no recorded output has a failed test: record a red run")
	case composed == 0 && refusal != "":
		p.skip("the plugin rejects every rerun: " + refusal)
	case composed == 0:
		// Composing no command means "cannot", which a plugin may say.
		p.skip("RerunCmd composes no command for any test that was reported as failed: record a red run of the workspace's own tests, or fix RerunCmd")
	case named == 0:
		p.fail("no command of RerunCmd names a target", "list in targets which requested tests a command runs: a target in no command cannot be rerun")
	}
}

// checkRerunOfTheRun requests the run itself, which is outstanding after a red run that
// did not say what it left undone. A host can compose that on its own.
func checkRerunOfTheRun(ctx context.Context, s *subject, p *probe) {
	plan, _, ok := composeRerun(ctx, s, p, "a run that left nothing but itself", sdk.RerunRequest{Workspace: s.Workspace, Targets: []sdk.TestID{{}}})
	if ok && len(plan.Commands) == 0 {
		p.note("RerunCmd composes no command for a target without a suite, which stands for the whole run")
	}
}

// composeRerun makes one request, and returns the plan, or why there is none.
func composeRerun(ctx context.Context, s *subject, p *probe, name string, req sdk.RerunRequest) (sdk.Plan, string, bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	plan, err := s.detector.RerunCmd(ctx, req)
	var refusal *sdk.Error
	switch {
	case errors.As(err, &refusal):
		return sdk.Plan{}, refusal.Message, true
	case err != nil:
		s.reportBroken(ctx, p, fmt.Sprintf("RerunCmd of what failed in %q", name), err)
		return sdk.Plan{}, "", false
	}
	checkPlan(p, plan)
	checkUnasked(p, "RerunCmd", plan)
	for _, name := range programsOf(plan) {
		if len(s.programs) > 0 && !slices.Contains(s.programs, name) {
			p.note(fmt.Sprintf("RerunCmd starts %.100q, but TestCmd starts %q: does it run tests?", name, s.programs))
		}
	}
	for _, c := range plan.Commands {
		for _, id := range c.Targets {
			if !req.Widen && !slices.Contains(req.Targets, id) && !slices.Contains(req.Targets, sdk.TestID{}) {
				p.fail(fmt.Sprintf("%q runs %v, which was not requested", c.Argv, id), "without widen, run the targets and nothing else")
			}
		}
	}
	return plan, "", true
}
