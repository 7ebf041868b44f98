package precheck

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// Check is the command before the tests that says what cannot be built. It decides nothing:
// it tells whoever waits for the run, and is compared with what the tests' own command says.
type Check struct {
	// foretold are the suites that it says were not built, and why; those of which the
	// tests' command says so, too, are taken out.
	foretold map[string]string
	// failed says why it told nothing; empty if it did its work.
	failed string
}

// New returns a check that has said nothing. It must listen to the run.
func New() *Check { return &Check{foretold: map[string]string{}} }

// Execute executes the command before the tests, and tells the listeners what it says.
func (c *Check) Execute(ctx context.Context, h *ledger.Keeper, p project.Project, cmd sdk.Command, deadline time.Time, listeners api.Listeners) {
	found := suiteSink{func(s sdk.SuiteResult) {
		if s.Outcome == sdk.SuiteBuildFailed {
			c.foretold[s.Suite] = s.Reason
			listeners.Listen(&api.BuildForetold{SuiteResult: s})
		}
	}}
	result, err := run(ctx, h, p, cmd, deadline, found)
	exit := result.Exit
	switch isClean := exit.Code == 0 && exit.Signal == "" && !exit.TimedOut && !exit.Cancelled; {
	case err != nil:
		c.failed = prose.Line(err.Error())
	case !isClean && len(c.foretold) == 0:
		c.failed = prose.Line(lastLine(result.Stderr.String()))
	}
}

func run(ctx context.Context, h *ledger.Keeper, p project.Project, cmd sdk.Command, deadline time.Time, sink client.EventSink) (runner.Result, error) {
	ready, err := h.Prepare(p, cmd, deadline)
	if err != nil {
		return runner.Result{}, err
	}
	defer ready.Cleanup()
	stream, err := p.Plugin.Parse(context.WithoutCancel(ctx), sdk.RunInfo{Workspace: p.Ws, Command: cmd}, client.ParseOptions{}, sink)
	if err != nil {
		return runner.Result{}, err
	}
	ready.Sink = project.SinkTo(stream)
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		stream.Cancel()
		return result, err
	}
	return result, stream.Close(result.Exit)
}

// suiteSink takes suites, and nothing else.
type suiteSink struct{ found func(sdk.SuiteResult) }

func (s suiteSink) Suite(r sdk.SuiteResult) { s.found(r) }
func (suiteSink) Test(sdk.TestResult)       {}
func (suiteSink) Failure(sdk.Failure)       {}
func (suiteSink) Unread(sdk.Unread)         {}
func (suiteSink) Note(string)               {}
func (suiteSink) RunError(string)           {}
func (suiteSink) Condition(string, string)  {}
func (suiteSink) Output([]byte)             {}
func (suiteSink) Progress(sdk.Progress)     {}

// Listen takes out what the tests' command says, too.
func (c *Check) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.SuiteEnded:
		if e.Outcome == sdk.SuiteBuildFailed {
			delete(c.foretold, e.Suite)
		}
	case *api.FailureFound:
		if e.Kind == sdk.KindBuild || e.Kind == sdk.KindVet {
			delete(c.foretold, e.Suite)
		}
	}
}

// Note says what the check said and the tests' own command did not; empty if they agree.
func (c *Check) Note() string {
	const before = "the check before the tests "
	switch {
	case c == nil:
		return ""
	case c.failed != "":
		return before + "told nothing: " + c.failed
	case len(c.foretold) == 0:
		return ""
	}
	var said []string
	for suite, reason := range c.foretold {
		said = append(said, strings.TrimSuffix(suite+": "+reason, ": "))
	}
	slices.Sort(said)
	return fmt.Sprintf("%ssaid of %s what the run itself did not: %s", before, api.Plural(len(said), "suite"), prose.Listed(said, len(said), maxForetold, prose.Line))
}

// maxForetold is how many such suites a note names.
const maxForetold = 5

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
