package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/mcp/head"
)

// References to what has arguments.
const (
	runTemplate    = "proctor://runs/{run_id}"
	outputTemplate = "proctor://runs/{run_id}/tests/{test}/output"
)

func ofResource(uri string) *mcp.CompleteReference {
	return &mcp.CompleteReference{Type: "ref/resource", URI: uri}
}

func ofPrompt(name string) *mcp.CompleteReference {
	return &mcp.CompleteReference{Type: "ref/prompt", Name: name}
}

// complete completes an argument; already is the run named before it, if any.
func (c *client) complete(t testing.TB, ref *mcp.CompleteReference, argument, typed, already string) mcp.CompletionResultDetails {
	t.Helper()
	params := &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: argument, Value: typed}}
	if already != "" {
		params.Context = &mcp.CompleteContext{Arguments: map[string]string{"run_id": already}}
	}
	got, err := c.session.Complete(t.Context(), params)
	if err != nil {
		t.Fatalf("%+v %s=%q: %v", ref, argument, typed, err)
	}
	if got.Completion.Values == nil || len(got.Completion.Values) > 100 || got.Completion.Total < len(got.Completion.Values) {
		t.Fatalf("%+v %s=%q: %+v", ref, argument, typed, got.Completion)
	}
	return got.Completion
}

// offers checks what is offered, in order.
func (c *client) offers(t testing.TB, ref *mcp.CompleteReference, argument, typed, already string, want ...string) {
	t.Helper()
	if got := c.complete(t, ref, argument, typed, already); !slices.Equal(got.Values, want) || got.Total != len(want) || got.HasMore {
		t.Errorf("%+v %s=%q: %q of %d, want %q", *ref, argument, typed, got.Values, got.Total, want)
	}
}

func TestNamesOnRecordAreOfferedWhileAClientTypes(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"m/a.tests": shellTests("TestOne", "true", "TestBoth", "true"), "m/b.tests": shellTests("TestTwo", "true", "TestBoth", "true")})
	early := s.connect(t)
	for _, version := range []string{"2025-11-25", head.Stateless} {
		c := s.connectAs(t, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if c.session.InitializeResult().Capabilities.Completions == nil {
			t.Errorf("%s: completions are not announced", version)
		}
		c.offers(t, ofResource(runTemplate), "run_id", "", "")
	}
	c := s.connect(t)
	first := c.call(t, "run_tests", with{"packages": []string{"./m/a"}}).str("run_id")
	second := c.call(t, "run_tests", nil).str("run_id")
	c.offers(t, ofResource(runTemplate), "run_id", "", "", "latest", second, first)
	c.offers(t, ofResource(runTemplate+"/junit.xml"), "run_id", strings.ToUpper(first), "", first)
	early.offers(t, ofResource(runTemplate+"/log"), "run_id", "", "", second, first) // no run is the latest of its session

	const a, b = "m/a", "m/b"
	c.offers(t, ofResource(outputTemplate), "test", "", first, "TestBoth", "TestOne") // in that run each name is one test's
	c.offers(t, ofResource(outputTemplate), "test", "", "latest", a+"/TestBoth", "TestOne", b+"/TestBoth", "TestTwo")
	early.offers(t, ofResource(outputTemplate), "test", "", "latest")
	c.offers(t, ofResource(outputTemplate), "test", "", "nosuchrun")
	c.offers(t, ofPrompt("investigate_flaky"), "test", "testt", "", "TestTwo")
	c.offers(t, ofPrompt("investigate_flaky"), "test", "both", "", a+"/TestBoth", b+"/TestBoth")
	c.offers(t, ofPrompt("investigate_flaky"), "test", b, "", b+"/TestBoth", b+"/TestTwo")
	c.offers(t, ofPrompt("fix_failing_tests"), "scope", "m/", "", a, b, a+"/TestBoth", a+"/TestOne", b+"/TestBoth", b+"/TestTwo")
	c.offers(t, ofPrompt("fix_failing_tests"), "scope", "/b", "", b, b+"/TestBoth", b+"/TestTwo")
	c.offers(t, ofPrompt("fix_failing_tests"), "scope", "nothing", "")
	// What is offered is what a resource takes.
	for _, name := range c.complete(t, ofResource(outputTemplate), "test", "", second).Values {
		c.read(t, "proctor://runs/"+second+"/tests/"+strings.ReplaceAll(name, "/", "%2F")+"/output")
	}
	if runs := s.latest(t).RunID; runs != second {
		t.Errorf("a completion has started run %s", runs)
	}
}

func TestCompletionsAreBoundedAndPlain(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 120 {
		many = append(many, fmt.Sprintf("TestA/n%03d", i), "true")
	}
	s := newSite(t, files{"go.mod": "module example.com/m\n"}, withoutGo(), withPlugin(t, fakeHostile))
	c := s.connect(t)
	c.call(t, "run_tests", nil)
	for _, ref := range []*mcp.CompleteReference{ofPrompt("investigate_flaky"), ofPrompt("fix_failing_tests")} {
		argument := map[bool]string{true: "test", false: "scope"}[ref.Name == "investigate_flaky"]
		got := c.complete(t, ref, argument, "", "")
		if len(got.Values) == 0 {
			t.Errorf("%s: nothing is offered", ref.Name)
		}
		for _, name := range got.Values {
			if len(name) > 1<<10 || strings.ContainsAny(name, "\x1b\n\r\u202e") {
				t.Errorf("%s offers %d bytes: %q", ref.Name, len(name), name)
			}
		}
	}
	s = newShellSite(t, files{"a.tests": shellTests(many...)})
	c = s.connect(t)
	c.call(t, "run_tests", nil)
	if got := c.complete(t, ofPrompt("investigate_flaky"), "test", "TestA/", ""); len(got.Values) != 100 || got.Total != 120 || !got.HasMore || got.Values[99] != "TestA/n099" {
		t.Errorf("%d of %d, more: %v: %q", len(got.Values), got.Total, got.HasMore, got.Values)
	}
}

func TestEveryArgumentCanBeCompletedAndNoOther(t *testing.T) {
	t.Parallel()
	c := newSite(t, nil).connect(t)
	prompts, err := c.session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prompts.Prompts {
		for _, a := range p.Arguments {
			c.complete(t, ofPrompt(p.Name), a.Name, "", "")
		}
	}
	templates, err := c.session.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range templates.ResourceTemplates {
		for _, part := range strings.Split(r.URITemplate, "{")[1:] {
			name, _, _ := strings.Cut(part, "}")
			c.complete(t, ofResource(r.URITemplate), name, "", "")
		}
	}
	for _, p := range []*mcp.CompleteParams{
		{Ref: ofPrompt("no_such\x1b[2J" + strings.Repeat("x", 10_000)), Argument: mcp.CompleteParamsArgument{Name: "test"}},
		{Ref: ofPrompt("investigate_flaky"), Argument: mcp.CompleteParamsArgument{Name: "scope"}},
		{Ref: ofResource("proctor://runs/latest"), Argument: mcp.CompleteParamsArgument{Name: "run_id"}},
		{Ref: ofResource(runTemplate), Argument: mcp.CompleteParamsArgument{Name: "test"}},
	} {
		_, err := c.session.Complete(t.Context(), p)
		if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != jsonrpc.CodeInvalidParams || len(wire.Message) > 1000 || strings.Contains(wire.Message, "\x1b") {
			t.Errorf("%+v %+v: %v", p.Ref, p.Argument, err)
		}
	}
}
