package completion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxValues is the protocol's limit of an answer.
	maxValues = 100
	// maxValueBytes bounds a name. A longer one is left out: cut, it would name nothing.
	maxValueBytes = 1 << 10
	// patience bounds how long somebody who types waits. The 50,000 names of a large
	// project take half a second of CPU, and tests may be running beside it.
	patience = 5 * time.Second
	// latest stands for the session's last run in the address of a resource.
	latest = "latest"
)

// kind is what an argument names.
type kind int

const (
	run kind = iota + 1
	test
	// scope is a package or a test.
	scope
)

// known returns the arguments by what they belong to: the addresses of resources, and the
// names of prompts.
func known() map[string]map[string]kind {
	ofRun := map[string]kind{"run_id": run}
	const runs = "proctor://runs/{run_id}"
	return map[string]map[string]kind{
		runs: ofRun, runs + "/log": ofRun, runs + "/report.html": ofRun, runs + "/junit.xml": ofRun,
		runs + "/tests/{test}/output": {"run_id": run, "test": test},
		"fix_failing_tests":           {"scope": scope},
		"investigate_flaky":           {"test": test},
		"triage_regressions":          {},
	}
}

// Question is what a client wants to know.
type Question struct {
	kind  kind
	typed string
	// Run is the run that the client has named already, whose tests it wants to know; ""
	// is none, or the session's last.
	Run string
	// ofLatest means that it named the session's last.
	ofLatest bool
	// Latest is the id of the session's last run; "" is none. It stands for "latest".
	Latest string
}

// Parse reads a request. An unknown prompt, address or argument is an error of the
// protocol.
func Parse(p *mcp.CompleteParams) (Question, error) {
	of := p.Ref.Name + p.Ref.URI // one of them is empty
	arguments, ok := known()[of]
	if !ok {
		return Question{}, invalid("there is no prompt or resource template %q", of)
	}
	kind, ok := arguments[p.Argument.Name]
	if !ok {
		return Question{}, invalid("%q has no argument %q", of, p.Argument.Name)
	}
	q := Question{kind: kind, typed: p.Argument.Value}
	if p.Context != nil && kind == test {
		q.Run = p.Context.Arguments["run_id"]
	}
	if q.Run == latest {
		q.Run, q.ofLatest = "", true
	}
	return q, nil
}

// invalid returns the protocol's error for a wrong request, with the client's words made
// plain.
func invalid(format string, words ...any) error {
	const most = 200
	for i, word := range words {
		words[i] = prose.Cut(fmt.Sprint(word), most, sdk.TruncationMark)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: prose.Line(fmt.Sprintf(format, words...))}
}

// Answer offers names that are on record in a workspace. Without a record it offers none.
func (q Question) Answer(ctx context.Context, k *ledger.Keeper, where api.Where) (*mcp.CompleteResult, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var (
		list    names
		none    *api.NoRunError
		unknown *history.NoRunError
	)
	led, err := ledger.OpenAt(ctx, k, where)
	if err == nil {
		list, err = q.list(ctx, led)
	}
	switch {
	case errors.As(err, &none), errors.As(err, &unknown):
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: prose.Line("the record could not be read: " + err.Error())}
	}
	return list.result(), nil
}

// None is the answer where there is no record to ask.
func None() *mcp.CompleteResult { return names{}.result() }

func (q Question) list(ctx context.Context, led *ledger.Ledger) (names, error) {
	list := names{typed: strings.ToLower(q.typed)}
	if q.kind == run {
		all, err := led.AllRuns(ctx)
		if q.Latest != "" {
			list.add(latest)
		}
		for _, r := range all {
			list.add(r.ID)
		}
		return list, err
	}
	tests, err := q.tests(ctx, led)
	if q.kind == scope {
		for _, t := range tests {
			list.add(t.Suite)
		}
	}
	list.addTests(tests)
	return list, err
}

// tests returns the tests of the run that is named, or of all.
func (q Question) tests(ctx context.Context, led *ledger.Ledger) (tests []sdk.TestID, err error) {
	if q.Run != "" || q.ofLatest {
		r, err := led.History.Run(ctx, cmp.Or(q.Run, q.Latest))
		if err != nil {
			return nil, err
		}
		err = led.History.Results(ctx, r.ID, func(r history.Result) bool {
			tests = append(tests, r.TestID)
			return true
		})
		return tests, err
	}
	all, err := led.History.Tests(ctx, history.TestFilter{})
	for _, t := range all {
		tests = append(tests, t.TestKey.TestID)
	}
	return tests, err
}
