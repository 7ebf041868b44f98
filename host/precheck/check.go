package precheck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// Check is the command before the tests that says what cannot be built. It decides nothing:
// it tells whoever waits for the run, and is compared with what the tests' own command says.
type Check struct {
	// foretold are the suites that it says were not built, and why, of which the tests'
	// command has said nothing yet; denied are those that it then ran.
	foretold, denied map[string]string
	// failed says why it told nothing; empty if it did its work.
	failed string
}

// New returns a check that has said nothing. It must listen to the run.
func New() *Check { return &Check{foretold: map[string]string{}, denied: map[string]string{}} }

const (
	// limit is how long the tests wait for a check at most, and share that part of the time
	// that they have: what it compiled until then is in the cache.
	limit = 10 * time.Second
	share = 10
)

// Execute executes the command before the tests, and tells the listeners what it says. One
// that takes too long, or ends like one that found nothing, says nothing. A plugin that crashes
// over it keeps its one restart for what the tests print.
func (c *Check) Execute(ctx context.Context, h *project.Host, p project.Project, cmd sdk.Command, deadline time.Time, listeners api.Listeners) {
	until := limit
	if !deadline.IsZero() {
		until = min(until, time.Until(deadline)/share)
	}
	defer p.Plugin.Forgive(ctx)
	var found []sdk.SuiteResult
	var late *time.Timer // ends the reading: a plugin may take minutes over the end of output
	result, err := h.ReadOutput(ctx, p, cmd, project.Limits{Deadline: time.Now().Add(until)}, func() (*plugin.ParseStream, error) {
		sink := suiteSink{func(s sdk.SuiteResult) { found = append(found, s) }}
		stream, err := p.Plugin.Parse(context.WithoutCancel(ctx), sdk.RunInfo{Workspace: p.Ws, Command: cmd}, client.ParseOptions{}, sink)
		if err == nil {
			late = time.AfterFunc(until, stream.Cancel)
		}
		return stream, err
	})
	switch exit := result.Exit; {
	case late != nil && !late.Stop():
		return
	case err != nil:
		c.failed = prose.Line(err.Error())
		return
	case exit.Code == 0 && exit.Signal == "", exit.TimedOut, exit.Cancelled:
		return
	}
	for _, s := range found {
		if s.Outcome == sdk.SuiteBuildFailed {
			c.foretold[s.Suite] = s.Reason
			listeners.Listen(&api.BuildForetold{SuiteResult: s})
		}
	}
	if len(c.foretold) == 0 {
		c.failed = prose.Line(strings.TrimSpace(lastLine(result.Stderr.String())))
	}
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

// Listen compares what the tests' command says.
func (c *Check) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.SuiteEnded:
		if reason, told := c.foretold[e.Suite]; told && e.Outcome != sdk.SuiteBuildFailed {
			c.denied[e.Suite] = reason
		}
		delete(c.foretold, e.Suite)
	case *api.FailureFound:
		if e.Kind == sdk.KindBuild || e.Kind == sdk.KindVet {
			delete(c.foretold, e.Suite)
		}
	}
}

// Notes say what the check said and the tests' own command did not; none if they agree. Of
// a run that was cut, that is no contradiction where it did not get to a suite.
func (c *Check) Notes(isCut, isUnbuilt bool) []string {
	const before = "the check before the tests "
	if c == nil {
		return nil
	}
	if c.failed != "" && !isUnbuilt {
		return []string{before + "told nothing: " + c.failed}
	}
	var notes []string
	tell := func(suites map[string]string, what string) {
		if len(suites) == 0 {
			return
		}
		var said []string
		for suite, reason := range suites {
			said = append(said, strings.TrimSuffix(suite+": "+reason, ": "))
		}
		slices.Sort(said)
		notes = append(notes, fmt.Sprintf("%ssaid of %s %s: %s", before, api.Plural(len(said), "suite"), what, prose.Listed(said, len(said), maxForetold, prose.Line)))
	}
	denied := maps.Clone(c.denied)
	if isCut {
		tell(c.foretold, "that the run did not get to what does not build")
	} else {
		maps.Copy(denied, c.foretold)
	}
	tell(denied, "what the run itself did not")
	return notes
}

// maxForetold is how many such suites a note names.
const maxForetold = 5

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
