package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

type runFailingTestsArgs struct {
	api.RerunRequest
	answering
	placing
}

func (a *runFailingTestsArgs) Params() []api.Param {
	return append(a.RerunRequest.Params(), likeRunTests(a.waitParam()), likeRunTests(a.outputParam()), a.runPlace())
}

func runFailingTests() tool {
	return tool{
		name: "run_failing_tests", hints: runs, long: true, always: true,
		description: "Rerun exactly what is outstanding: failed or not finished, and not passed since. " +
			"A pass here is not a full pass: finish with run_tests.",
		action: take(handleRunFailingTests),
	}
}

func handleRunFailingTests(ctx context.Context, c *call, args runFailingTestsArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, args.Of)
	if err != nil {
		return answer{}, err
	}
	c.session.hearOf(args.Workspace)
	if run, ok := c.session.jobs.lastUpload(namedDir(args.Workspace, where)); ok && args.Of == "" {
		return newSentenceAnswer(fmt.Sprintf("the last run_tests call ran the sources that came with it (run %s: %s, %d failures), which cannot be rerun: call run_tests with sources again",
			run.RunID, run.Verdict, run.FailuresTotal), ""), nil
	}
	// The last run determines the language; without one there is nothing to rerun in
	// this session, whatever others left.
	last, _, err := query.Failures(ctx, c.session.keeper, api.LastRun{Where: where, Ref: args.Of, Language: strings.Join(args.Languages, "")}, 1)
	if err != nil {
		return answer{}, err
	}
	language, others := last.Language, []string(nil)
	if args.Of == "" {
		if language, others, err = chooseLanguage(ctx, c, where, language, len(args.Languages) > 0); err != nil {
			return answer{}, err
		}
	}
	args.Where, args.Languages, args.RunID = where, []string{language}, ledger.NewRunID()
	args.Timeout = api.ClampTimeout(args.Timeout)
	same := args.RerunRequest
	same.Where, same.RunID, same.Timeout = api.Where{}, "", 0
	t := task{id: args.RunID, tool: c.tool, where: where, args: same, timeout: args.Timeout, tests: true}
	a, err := c.startJob(ctx, t, c.session.rerunWork(args.RerunRequest, args.Of == "" && isUnparsed(last)), args.Wait, args.Output)
	if err == nil {
		for _, other := range others {
			a.addLine(other)
		}
		if _, sentence := a.object.(notice); sentence {
			for _, line := range []string{c.session.jobs.refusalIn(namedDir(args.Workspace, where)), otherPlace(c.session.nameElsewhere(where.Dir))} {
				if line != "" {
					a.addLine(line)
				}
			}
		}
	}
	return a, err
}

// namedDir returns the directory of the workspace that a call names; empty if it names
// none, so that any is meant.
func namedDir(workspace string, where api.Where) string {
	if workspace == "" {
		return ""
	}
	return where.Dir
}

// chooseLanguage returns the language to rerun: that of the last run, if anything of it
// is outstanding or the call names it, or else another one of the session. others
// mentions the remaining ones that have something, whichever session left it: what is said
// of one language must not read as if it were said of the workspace.
func chooseLanguage(ctx context.Context, c *call, where api.Where, last string, named bool) (language string, others []string, err error) {
	each, err := ledger.SplitByLanguage(ctx, c.session.keeper, api.LastRun{Where: where})
	if err != nil || last == "" {
		return last, nil, err
	}
	led, err := ledger.OpenSetsAt(ctx, c.session.keeper, where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return last, nil, nil
	}
	if err != nil {
		return last, nil, err
	}
	beside, err := ledger.OutstandingBeside(ctx, led, "")
	if err != nil {
		return last, nil, err
	}
	has := func(language string) bool {
		return slices.ContainsFunc(beside, func(b ledger.Beside) bool { return b.Language == language })
	}
	ran := func(language string) bool {
		return slices.ContainsFunc(each, func(l api.LastRun) bool { return l.Language == language })
	}
	language = last
	for _, l := range each {
		if !named && !has(language) && has(l.Language) {
			language = l.Language
		}
	}
	for _, b := range beside {
		if b.Language == language || b.Language == "" {
			continue
		}
		tool := "run_failing_tests"
		if !ran(b.Language) {
			tool = "run_tests" // a session reruns only what it has run
		}
		others = append(others, fmt.Sprintf("outstanding in %s, too: %s; %s{\"language\":%q} runs them", b.Language, b.Counts, tool, b.Language))
	}
	return language, others, nil
}

// nothingRerun says why there was nothing to rerun, by language.
func nothingRerun(got api.RerunAnswer) []string {
	if got.NoRunYet {
		return []string{noRunYet}
	}
	var lines []string
	for _, p := range got.Passed {
		lines = append(lines, nothingToRerun(p.Language))
		if line := api.StaleSentence(p.Stale); line != "" {
			lines = append(lines, line)
		}
	}
	lines = append(lines, textsOf(limits.Of(got.Notes))...)
	for _, language := range got.NotRun {
		lines = append(lines, noRunYet+" ("+prose.Line(language)+")")
	}
	return lines
}

// rerunWork is the work of a rerun. Of an unparsed last run nothing is known that could be rerun.
func (s *session) rerunWork(req api.RerunRequest, unparsed bool) work {
	return func(ctx context.Context, l api.Listener) (outcome, error) {
		got, err := engine.Rerun(ctx, s.keeper, req, l)
		switch {
		case len(got.Runs) > 0:
			return outcome{run: got.Worst()}, nil
		case err != nil:
			return outcome{}, err
		}
		sentence, more, _ := strings.Cut(strings.Join(nothingRerun(got), "\n"), "\n")
		if unparsed && !got.Green && !got.NoRunYet && len(req.Languages) > 0 {
			sentence, more = rerunUnsupported(req.Languages[0]), joinLines(sentence, more)
		}
		a := newSentenceAnswer(sentence, more)
		return outcome{said: &a}, nil
	}
}
