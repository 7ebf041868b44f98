package mcp

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/covering"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/render"
)

type testsCoveringArgs struct {
	api.CoveringRequest
	placing
}

func (a *testsCoveringArgs) Params() []api.Param {
	return append(a.CoveringRequest.Params(), a.runPlace())
}

func testsCovering() tool {
	return tool{
		name: "tests_covering", hints: stops,
		description: "Which tests execute a file, lines of it or your changes; granularity: how precisely that is known.",
		action:      take(handleTestsCovering),
	}
}

func handleTestsCovering(ctx context.Context, c *call, args testsCoveringArgs) (answer, error) {
	if args.File == "" && args.Lines != "" {
		return answer{}, &arguments.Error{Reason: "tests_covering: lines need a file. Give file, or leave out lines."}
	}
	where, err := c.whereRun(ctx, args.Workspace, "")
	if err != nil {
		return answer{}, err
	}
	args.Where = where
	if args.Measure <= 0 {
		return tellCovering(ctx, c, args.CoveringRequest)
	}
	t := task{id: ledger.NewRunID(), tool: c.tool, where: where, args: args.CoveringRequest, timeout: args.Measure}
	return c.startJob(ctx, t, func(ctx context.Context, l api.Listener) (outcome, error) {
		line, err := measure(ctx, c.session.keeper, args.CoveringRequest, l)
		if err != nil {
			return outcome{}, err
		}
		a, err := tellCovering(ctx, c, args.CoveringRequest)
		if err != nil {
			return outcome{}, err
		}
		a.addLine(line)
		return outcome{said: &a}, nil
	}, nil, "")
}

// tellCovering answers from what was measured.
func tellCovering(ctx context.Context, c *call, req api.CoveringRequest) (answer, error) {
	if req.File == "" {
		diff, err := covering.CoveringDiff(ctx, c.session.keeper, req)
		if err != nil {
			return answer{}, err
		}
		return c.nameWorkspace(ctx, req.Where, coveringDiffAnswer(diff))
	}
	covering, err := covering.Covering(ctx, c.session.keeper, req)
	if err != nil {
		return answer{}, err
	}
	return c.nameWorkspace(ctx, req.Where, coveringAnswer(covering))
}

// measure measures what a request is about, first the tests beside its file, and says in
// a line what it measured.
func measure(ctx context.Context, k *ledger.Keeper, req api.CoveringRequest, l api.Listener) (string, error) {
	began := time.Now()
	index := api.IndexRequest{Where: req.Where, Language: req.Language, Budget: req.Measure}
	if req.File != "" && !filepath.IsAbs(req.File) {
		beside := index
		beside.Packages = []string{"./" + path.Dir(filepath.ToSlash(req.File))}
		// A language without packages, or a directory without tests, is no reason to fail.
		ix, err := covering.Index(ctx, k, beside, l)
		if index.Budget -= time.Since(began); index.Budget <= 0 {
			return tellMeasured(ctx, ix, err, "; more time measures more")
		}
	}
	ix, err := covering.Index(ctx, k, index, l)
	return tellMeasured(ctx, ix, err, "")
}

// tellMeasured says in a line what was measured.
func tellMeasured(ctx context.Context, ix api.Index, err error, more string) (string, error) {
	switch {
	case err == nil:
		return render.IndexLine(ix) + more, nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return "the time ran out before more was measured; more time measures more", nil
	}
	return "", err
}

// coveringObject says which tests execute something: an [api.Covering] or, for changes,
// an [api.CoveringDiff], without what the caller knows. Tests and their total are
// absent if nothing is known: an empty list would say that there are none.
type coveringObject struct {
	Message     string             `json:"message"`
	More        string             `json:"more,omitempty"`
	File        string             `json:"file,omitempty"`
	Lines       string             `json:"lines,omitempty"`
	Base        string             `json:"base,omitempty"`
	Granularity api.Granularity    `json:"granularity"`
	Stale       bool               `json:"stale"`
	AgeS        *float64           `json:"age_s,omitempty"`
	Total       *int               `json:"total,omitempty"`
	Tests       []api.CoveringTest `json:"tests,omitempty"`
	Uncovered   []string           `json:"uncovered,omitempty"`
	NoCode      []string           `json:"no_code,omitempty"`
	Unmapped    []string           `json:"unmapped,omitempty"`
	Files       []coveringObject   `json:"files,omitempty"`
	FilesTotal  int                `json:"files_total,omitempty"`
	State       []api.StateUse     `json:"state,omitempty"`
	Untold      []api.Untold       `json:"untold,omitempty"`
	Warnings    []api.Note         `json:"warnings,omitempty"`
}

// coveringAdvice says what to do if it is unknown which tests execute something.
const coveringAdvice = "This does not mean that no test covers it. run_tests with packages, match_path or filter runs the tests near it; run_tests without them runs every test, including those that cover it."

// coveringRest advises how to see the tests that an answer omits.
const coveringRest = "a larger limit shows them, up to 500, or a smaller range of lines"

func coveringAnswer(whole api.Covering) answer {
	return fitAnswer(maxAnswerBytes, 0, len(whole.Tests), func(n int) answer {
		c := limits.Filling(n, whole)
		text := render.Covering(c, render.Style{More: coveringRest, Advice: limits.Advice})
		return sentenceFirst(c.Message, appendAdvice(text, c.Granularity, c.Advice), coveringObjectOf(c))
	})
}

// coveringMore says how to learn more, on one line.
func coveringMore(g api.Granularity, a api.Advice) string {
	more := limits.Advice(a)
	switch {
	case g != api.GranularityUnknown:
		return more
	case more == "":
		return coveringAdvice
	}
	return more + ". " + coveringAdvice
}

// appendAdvice completes the advice with which a text ends.
func appendAdvice(text string, g api.Granularity, a api.Advice) string {
	text = strings.TrimSuffix(strings.TrimRight(text, "\n"), limits.Advice(a))
	return strings.TrimRight(text, "\n") + "\n" + coveringMore(g, a)
}

func coveringObjectOf(c api.Covering) coveringObject {
	o := coveringObject{
		Message: c.Message, More: coveringMore(c.Granularity, c.Advice), File: c.File, Lines: c.Lines, Granularity: c.Granularity, Stale: c.Stale,
		Tests: c.Tests, Uncovered: c.Uncovered, NoCode: c.NoCode, Unmapped: c.Unmapped, State: c.State, Untold: c.Untold, Warnings: c.Warnings,
	}
	if c.MeasuredAt != nil {
		o.AgeS = &c.AgeS
	}
	o.Total = coveringTotal(c.Granularity, c.Total)
	return o
}

// coveringTotal counts the tests of an answer; nil if unknown.
func coveringTotal(g api.Granularity, total int) *int {
	if g == api.GranularityUnknown && total == 0 {
		return nil
	}
	return &total
}

func coveringDiffAnswer(whole api.CoveringDiff) answer {
	return fitAnswer(maxAnswerBytes, 0, max(len(whole.Files), len(whole.Tests)), func(n int) answer {
		d := limits.Filling(n, whole)
		o := coveringObject{
			Message: d.Message, More: coveringMore(d.Granularity, d.Advice), Base: d.Base, Granularity: d.Granularity, Stale: d.Stale,
			Total: coveringTotal(d.Granularity, d.Total), Tests: d.Tests, FilesTotal: d.FilesTotal, Warnings: d.Warnings,
		}
		for _, c := range d.Files {
			file := coveringObjectOf(c)
			file.More = ""
			o.Files = append(o.Files, file)
		}
		text := render.CoveringDiff(d, render.Style{More: "name a file, or a larger limit, to see them", Advice: limits.Advice})
		return sentenceFirst(d.Message, appendAdvice(text, d.Granularity, d.Advice), o)
	})
}

// sentenceFirst returns an answer whose text begins with a sentence in a block of its
// own.
func sentenceFirst(sentence, text string, object any) answer {
	a := answer{text: []string{sentence}, object: object}
	if rest := strings.TrimSpace(strings.TrimPrefix(text, sentence)); rest != "" {
		a.text = append(a.text, rest)
	}
	return a
}
