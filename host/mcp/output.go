package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

type getTestOutputArgs struct {
	api.OutputRequest
	placing
}

func (a *getTestOutputArgs) Params() []api.Param {
	// The run determines the language.
	params := slices.DeleteFunc(a.OutputRequest.Params(), func(p api.Param) bool { return p.Tool == "language" })
	return append(params, a.runPlace())
}

func getTestOutput() tool {
	return tool{
		name: "get_test_output", hints: reads,
		description: "Output of a test, package or run, in pages.",
		action:      take(handleGetTestOutput),
	}
}

// outputObject is a page of a run's or test's output.
type outputObject struct {
	RunID    string      `json:"run_id"`
	Language string      `json:"language"`
	Test     *sdk.TestID `json:"test,omitempty"`
	Stream   string      `json:"stream"`
	// Offset and TotalBytes refer to the output as printed; Text has no control
	// characters, and so may be shorter or longer than the page.
	Offset     int64  `json:"offset"`
	NextOffset int64  `json:"next_offset,omitempty"`
	TotalBytes int64  `json:"total_bytes"`
	Text       string `json:"text"`
	Message    string `json:"message"`
}

func handleGetTestOutput(ctx context.Context, c *call, args getTestOutputArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, args.Ref)
	if err != nil {
		return answer{}, err
	}
	args.Where = where
	req, most := args.LastRun, api.Clamp(args.MaxBytes, api.DefaultPageBytes, api.MaxPageBytes)
	stream := cmp.Or(args.Stream, api.BothStreams)
	if args.Test == "" {
		page, printed, err := readStreamPage(ctx, c, req, stream, args.Offset, most)
		if run, ok := findUnrecorded(c, args.Ref, "", where, recordedPage(page, err)); ok && (err == nil || notOnRecord(err)) {
			return heldOutput(run), nil
		}
		if err != nil {
			return answer{}, err
		}
		return c.nameWorkspace(ctx, where, streamAnswer(page, stream, printed))
	}
	if stream != api.BothStreams {
		return answer{}, &arguments.Error{Reason: "get_test_output: the output of one test is not separated by stream. Leave out stream, or test."}
	}
	test, err := c.testNamed(ctx, req, args.Test)
	if err != nil {
		return answer{}, err
	}
	out, err := query.Output(ctx, c.session.keeper, req, test)
	if run, ok := findUnrecorded(c, args.Ref, "", where, recordedPage(api.StreamPage{Run: out.Run}, err)); ok && (err == nil || notOnRecord(err)) {
		return heldOutput(run), nil
	}
	if err != nil {
		return answer{}, nameOtherRun(err)
	}
	return c.nameWorkspace(ctx, where, testOutputAnswer(out, args.Offset, most))
}

// recordedPage returns a run found on record, if there is one.
func recordedPage(page api.StreamPage, err error) []failuresPage {
	if err != nil {
		return nil
	}
	return []failuresPage{{FailuresPage: api.FailuresPage{Run: page.Run}}}
}

// heldOutput answers for a run that is not on record: the output of an older one must
// not replace it.
func heldOutput(run api.Run) answer {
	return newSentenceAnswer("run "+run.RunID+" is not on record, so its output cannot be paged",
		fmt.Sprintf("get_run{\"run_id\":%q,\"output\":\"raw\"} has what the server still knows of it", run.RunID))
}

// failureID matches the id of a failure.
var failureID = lazyregexp.New("^[0-9a-f]{12}$")

// lookedThrough is how many of the newest runs are searched for a test or a failure that
// the requested run lacks.
const lookedThrough = 20

// testNamed returns the name of a test given by name or by the id of one of its
// failures, which is the only way to name some.
func (c *call) testNamed(ctx context.Context, req api.LastRun, name string) (string, error) {
	if !failureID.MatchString(name) {
		return name, nil
	}
	test, ok, err := query.FindFailedTest(ctx, c.session.keeper, req, name)
	if err != nil && !notOnRecord(err) {
		return name, err
	}
	if !ok && req.Ref == "" {
		// A rerun has only some of the failures that an agent has seen.
		test, ok = findFailedBefore(ctx, c, req.Where, name)
	}
	if !ok {
		return name, ctx.Err()
	}
	return prose.QualifiedName(test.Suite, test.Test), nil
}

// findFailedBefore finds a test by the id of one of its failures in the newest runs.
func findFailedBefore(ctx context.Context, c *call, where api.Where, id string) (test sdk.TestID, ok bool) {
	list, err := query.Runs(ctx, c.session.keeper, api.RunsRequest{Where: where, Limit: lookedThrough})
	if err != nil {
		return test, false
	}
	for _, run := range list.Runs {
		if test, ok, err = query.FindFailedTest(ctx, c.session.keeper, api.LastRun{Where: where, Ref: run.RunID}, id); ok && err == nil {
			return test, true
		}
	}
	return test, false
}

// nameOtherRun has the error that the last run lacks a test, as a rerun lacks most, say which
// one has it.
func nameOtherRun(err error) error {
	if none, ok := errors.AsType[*api.NoTestError](err); ok && none.Other != "" {
		return &otherRunError{none}
	}
	return err
}

// otherRunError says which run has a test that the last one lacks.
type otherRunError struct {
	*api.NoTestError
}

func (e *otherRunError) Error() string {
	test := limits.Cut(e.Test, limits.NameBytes, prose.Line)
	return fmt.Sprintf("run %s has no test %q; run %s has it: get_test_output{\"test\":%q,\"run_id\":%q}", e.RunID, test, e.Other, test, e.Other)
}
func (e *otherRunError) Unwrap() error { return e.NoTestError }

// readStreamPage returns a part of a run's output: both streams as its tests printed
// them, if that can be separated, else as the runner did.
func readStreamPage(ctx context.Context, c *call, req api.LastRun, stream api.Stream, offset int64, most int) (page api.StreamPage, printed bool, err error) {
	if stream == api.BothStreams {
		if page, printed, err = query.PrintedPage(ctx, c.session.keeper, req, offset, most); printed || err != nil {
			return page, printed, err
		}
	}
	page, err = query.StreamPage(ctx, c.session.keeper, req, stream, offset, most)
	return page, false, err
}

// streamAnswer returns a page of a run's output; printed reports whether its tests
// printed it.
func streamAnswer(page api.StreamPage, stream api.Stream, printed bool) answer {
	page = limits.Of(page)
	o := outputObject{
		RunID: page.Run.RunID, Language: page.Run.Language, Stream: string(stream),
		Offset: page.Offset, NextOffset: page.Next(), TotalBytes: page.Total,
	}
	what := map[api.Stream]string{api.Stdout: "standard output", api.Stderr: "standard error", api.BothStreams: "runner's own output"}[stream]
	if printed {
		what = "output"
	}
	what += " of run " + page.Run.RunID + " (" + prose.Line(page.Run.Language) + ")"
	if page.Unrecorded {
		o.Message = "no output of run " + page.Run.RunID + " is on record"
		return answer{text: []string{o.Message}, object: o}
	}
	a := o.answer(what, page.Text)
	if stream == api.BothStreams && page.StderrAt < page.Total {
		a.addNote(fmt.Sprintf("standard error begins at offset %d", page.StderrAt))
	}
	if printed {
		a.addNote("stream stdout has it as the runner wrote it")
	}
	if page.Run.State == api.StateRunning {
		a.addNote("the run is still running: there will be more")
	}
	return a
}

// testOutputAnswer returns a page of a test's output.
func testOutputAnswer(out api.TestOutput, offset int64, most int) answer {
	out = limits.Of(out)
	test := out.Test
	o := outputObject{RunID: out.Run.RunID, Language: out.Run.Language, Test: &test, Stream: string(api.BothStreams), TotalBytes: int64(len(out.Text))}
	var part string
	if o.Offset, part = query.CutPage(out.Text, offset, most); o.Offset+int64(len(part)) < o.TotalBytes {
		o.NextOffset = o.Offset + int64(len(part))
	}
	a := o.answer("output of "+prose.QualifiedName(test.Suite, test.Test)+" in run "+out.Run.RunID, part)
	if out.Truncated {
		a.addNote("the test printed more than is shown here: the output of the whole run has it")
	}
	return a
}

// answer puts our line before the page, and another one into its block: what tests
// print must not begin a block, where proctor speaks.
func (o outputObject) answer(what, part string) answer {
	if o.TotalBytes == 0 {
		o.Message = what + " is empty"
		return answer{text: []string{o.Message}, object: o}
	}
	end := o.Offset + int64(len(part))
	o.Message = fmt.Sprintf("%s: bytes %d-%d of %d", what, o.Offset, end, o.TotalBytes)
	if o.NextOffset > 0 {
		o.Message += fmt.Sprintf("; next_offset %d", o.NextOffset)
	}
	o.Text = prose.Plain(part)
	a := answer{text: []string{o.Message}, object: o}
	if o.Text != "" {
		a.text = append(a.text, fmt.Sprintf("--- %s, bytes %d-%d of %d, written by the tests ---\n%s\n--- end of page ---", what, o.Offset, end, o.TotalBytes, strings.TrimSuffix(o.Text, "\n")))
	}
	return a
}

// addNote adds to our line of a page.
func (a *answer) addNote(text string) {
	o := a.object.(outputObject)
	o.Message += "; " + text
	a.text[0], a.object = o.Message, o
}
