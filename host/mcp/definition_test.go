package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/golden"
)

// Limits, in bytes, of what every client gives to its model at the start: all that
// tools/list sends, also with the parameters of Foundry. Clients truncate a single
// text at two kilobytes.
const (
	maxDefinitions = 2000 * charsPerToken
	maxText        = 2 << 10
)

// plain are the parameters whose names say what they are, or that mean what they mean in
// run_tests.
var plain = []string{"workspace", "limit", "max_bytes", "file", "flaky", "classification", "wait", "output", "timeout", "precise", "offset", "cursor"}

// defined is a definition as a client decodes it.
type defined struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	} `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Idempotent  *bool `json:"idempotentHint"`
		Destructive *bool `json:"destructiveHint"`
		OpenWorld   *bool `json:"openWorldHint"`
	} `json:"annotations"`
}

// definitions returns the tools of a workspace as they come over the wire.
func definitions(t *testing.T) (raw json.RawMessage, tools []defined) {
	t.Helper()
	list := listTools(t, newSite(t, files{}))
	if err := json.Unmarshal(list, &tools); err != nil {
		t.Fatal(err)
	}
	return list, tools
}

// listTools returns what tools/list sends in a workspace, without the few bytes around it.
func listTools(t *testing.T, s *site) json.RawMessage {
	t.Helper()
	m := s.dial(t).request(t, "tools/list", `{}`)
	var list struct {
		Tools json.RawMessage `json:"tools"`
		Next  string          `json:"nextCursor"`
	}
	if err := json.Unmarshal(m.Result, &list); err != nil || list.Next != "" {
		t.Fatalf("%v, or the list goes on: %s", err, m.Result)
	}
	return list.Tools
}

func TestTheDefinitionsAreAsReviewed(t *testing.T) {
	t.Parallel()
	raw, _ := definitions(t)
	var got bytes.Buffer
	if err := json.Indent(&got, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	golden.Compare(t, "testdata/tools.json", got.String())
}

func TestTheDefinitionsKeepWithinTheirBudget(t *testing.T) {
	t.Parallel()
	raw, tools := definitions(t)
	foundry := listTools(t, newSite(t, files{"foundry.toml": ""}))
	t.Logf("the definitions have %d bytes, with Foundry %d", len(raw), len(foundry))
	if len(foundry) > maxDefinitions || len(foundry) <= len(raw) {
		t.Errorf("the definitions have %d bytes, with Foundry %d, more than %d", len(raw), len(foundry), maxDefinitions)
	}
	for _, d := range tools {
		if len(d.Description) > maxText || d.Description == "" {
			t.Errorf("the description of %s has %d bytes", d.Name, len(d.Description))
		}
	}
	if len(instructions) > maxText {
		t.Errorf("the instructions have %d bytes, more than %d", len(instructions), maxText)
	}
}

func TestTheOrderOfTheToolsIsAlwaysTheSame(t *testing.T) {
	t.Parallel()
	first, _ := definitions(t)
	for range 5 {
		if again, _ := definitions(t); !bytes.Equal(first, again) {
			t.Fatalf("the definitions changed\n%s\n%s", first, again)
		}
	}
}

func TestTheDefinitionsSpeakEveryDialect(t *testing.T) {
	t.Parallel()
	raw, tools := definitions(t)
	// One type each, and no references.
	var all any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	var walk func(where string, value any)
	walk = func(where string, value any) {
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				walk(where, one)
			}
		case map[string]any:
			for key, one := range v {
				switch key {
				case "$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "format", "pattern", "$schema":
					t.Errorf("%s has %s", where, key)
				case "type":
					if _, ok := one.(string); !ok {
						t.Errorf("%s has the type %v", where, one)
					}
				}
				walk(where+"."+key, one)
			}
		}
	}
	walk("tools", all)
	for _, d := range tools {
		a := d.Annotations
		// Clients ask the user before a call that may be destructive, or reach other machines.
		if a.OpenWorld == nil || *a.OpenWorld || a.ReadOnly == nil && (a.Destructive == nil || *a.Destructive) {
			t.Errorf("the annotations of %s are not complete, or frighten: %+v", d.Name, a)
		}
		s := d.InputSchema
		if s.Type != "object" || s.Properties == nil {
			t.Errorf("%s has no schema of an object: %+v", d.Name, s)
		}
		for _, name := range s.Required {
			if s.Properties[name] == nil {
				t.Errorf("%s requires %s, which it does not name", d.Name, name)
			}
		}
		for name, p := range s.Properties {
			// A name that says it, or that run_tests explains, needs no description.
			if !strings.Contains(string(p), `"description":"`) && !slices.Contains(plain, name) && d.Name != "list_tests" {
				t.Errorf("%s says nothing of %s", d.Name, name)
			}
		}
		if d.OutputSchema != nil {
			t.Errorf("%s has an output schema", d.Name)
		}
	}
}

// A client may run read-only tools in parallel, and without asking its user.
func TestOnlyWhatRunsTestsSaysSo(t *testing.T) {
	t.Parallel()
	_, tools := definitions(t)
	for _, d := range tools {
		runs := slices.Contains([]string{"run_tests", "run_failing_tests", "cancel_run", "triage_failures", "tests_covering"}, d.Name)
		if a := d.Annotations.ReadOnly; (a != nil && *a) == runs {
			t.Errorf("%s: readOnlyHint is %v", d.Name, !runs)
		}
	}
}
