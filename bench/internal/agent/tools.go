package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Form is the part of an answer that a client gives to its model. Most give only one.
type Form int

const (
	Object Form = iota // structuredContent alone
	Text               // the text blocks and links alone
)

// Tools does the job with only the tools of `proctor mcp`, over a pipe.
func (j Job) Tools(ctx context.Context, proctor string, form Form) (r Report, err error) {
	began := time.Now()
	cmd := exec.CommandContext(ctx, proctor, "mcp", "--workspace", j.Dir)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return Report{}, fmt.Errorf("%s mcp: %w", proctor, err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	t := &tools{reader: reader{kept: j.Kept}, session: session, form: form}
	if r.Told, err = t.readPreamble(ctx); err != nil {
		return Report{}, err
	}
	err = j.work(ctx, t)
	r.Read, r.Wall = t.cost, time.Since(began)
	return r, err
}

type tools struct {
	reader
	session *mcp.ClientSession
	form    Form
	last    []failure
}

// readPreamble returns the cost of what a client gives its model first.
func (t *tools) readPreamble(ctx context.Context) (Cost, error) {
	list, err := t.session.ListTools(ctx, nil)
	if err != nil {
		return Cost{}, err
	}
	definitions, err := plainJSON(list.Tools)
	if err != nil {
		return Cost{}, err
	}
	before := reader{kept: t.kept}
	err = errors.Join(
		before.read("instructions", t.session.InitializeResult().Instructions),
		before.read("tools/list", definitions),
	)
	return before.cost, err
}

func (t *tools) everything(ctx context.Context) (result, error) {
	return t.run(ctx, "run_tests")
}

func (t *tools) failing(ctx context.Context) (result, error) {
	return t.run(ctx, "run_failing_tests")
}

func (t *tools) run(ctx context.Context, tool string) (result, error) {
	a, err := t.call(ctx, tool, nil)
	if err != nil {
		return result{}, err
	}
	return result{passed: a.passed, complaints: t.remember(a)}, nil
}

// more reads the whole list of failures, and the output of the first three.
func (t *tools) more(ctx context.Context) (result, error) {
	a, err := t.call(ctx, "last_test_failures", nil)
	if err != nil {
		return result{}, err
	}
	r := result{complaints: t.remember(a)}
	for _, f := range t.last[:min(len(t.last), 3)] {
		out, err := t.call(ctx, "get_test_output", map[string]any{"test": f.name})
		if err != nil {
			return result{}, err
		}
		r.complaints = append(r.complaints, f.text+"\n"+out.text)
	}
	return r, nil
}

// remember records the failures in an answer.
func (t *tools) remember(a reply) (complaints []string) {
	t.last = a.failures
	for _, f := range a.failures {
		complaints = append(complaints, f.text)
	}
	return complaints
}

// call calls a tool. An answer that is an error ends the job: no test caused it.
func (t *tools) call(ctx context.Context, tool string, args map[string]any) (reply, error) {
	res, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return reply{}, fmt.Errorf("%s: %w", tool, err)
	}
	text, err := modelText(res, t.form)
	if err != nil {
		return reply{}, err
	}
	if err := t.read(tool, text); err != nil {
		return reply{}, err
	}
	if res.IsError {
		return reply{}, fmt.Errorf("%s: %s", tool, text)
	}
	if t.form == Object {
		return parseObject(text)
	}
	return parseText(text), nil
}

// modelText returns the part of an answer that a model gets to see.
func modelText(res *mcp.CallToolResult, form Form) (string, error) {
	if form == Object {
		return plainJSON(res.StructuredContent)
	}
	var blocks []string
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			blocks = append(blocks, text.Text)
			continue
		}
		block, err := plainJSON(c)
		if err != nil {
			return "", err
		}
		blocks = append(blocks, block)
	}
	return strings.Join(blocks, "\n"), nil
}

// plainJSON returns a value as JSON, without the escapes that only HTML needs.
func plainJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
