package mcp

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one tool: what a client is told of it, and what it does.
type tool struct {
	name        string
	description string
	params      []param
	hints       hints
	// always asks clients that load tools on demand to load this one at once.
	always bool
	handle func(ctx context.Context, c *call) (answer, error)
}

// hints is what clients decide by whether they ask the user, and whether calls
// may run side by side.
type hints int

const (
	// reads: it changes nothing.
	reads hints = iota
	// runs: it executes tests, and destroys nothing.
	runs
	// stops: as runs, and doing it twice is doing it once.
	stops
)

// param is a parameter of a tool.
type param struct {
	name string
	// kind is a type of JSON Schema: string, number, boolean, array (of strings)
	// or object (of strings).
	kind        string
	description string
	standard    any // the default, where one is worth telling
	enum        []string
	required    bool
}

// annotations are the protocol's words for hints. A client takes what is not said
// for the worst.
func (h hints) annotations() *mcp.ToolAnnotations {
	no := false
	a := &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}
	a.ReadOnlyHint = h == reads
	a.IdempotentHint = h != runs
	return a
}

// definition is what clients are told of the tool.
func (t tool) definition() *mcp.Tool {
	d := &mcp.Tool{Name: t.name, Description: t.description, Annotations: t.hints.annotations(), InputSchema: t.schema()}
	if t.always {
		d.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	return d
}

// schema is the JSON Schema of the parameters. It only uses what every client's
// dialect takes: one type for each, no bounds (numbers are clamped, never refused),
// no references.
func (t tool) schema() json.RawMessage {
	type property struct {
		Type        string            `json:"type"`
		Description string            `json:"description,omitempty"`
		Default     any               `json:"default,omitempty"`
		Enum        []string          `json:"enum,omitempty"`
		Items       map[string]string `json:"items,omitempty"`
		Values      map[string]string `json:"additionalProperties,omitempty"`
	}
	schema := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
		Additional bool                `json:"additionalProperties"`
	}{Type: "object", Properties: map[string]property{}}
	for _, p := range t.params {
		one := property{Type: p.kind, Description: p.description, Default: p.standard, Enum: p.enum}
		switch p.kind {
		case "array":
			one.Items = map[string]string{"type": "string"}
		case "object":
			one.Values = map[string]string{"type": "string"}
		}
		schema.Properties[p.name] = one
		if p.required {
			schema.Required = append(schema.Required, p.name)
		}
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(err) // it is made of strings
	}
	return raw
}

// take makes a handler of a function that has its arguments in a struct, whose
// JSON fields are the parameters.
func take[T any](handle func(ctx context.Context, c *call, args T) (answer, error)) func(context.Context, *call) (answer, error) {
	return func(ctx context.Context, c *call) (answer, error) {
		var args T
		if err := json.Unmarshal(c.args, &args); err != nil {
			return answer{}, err // arguments have been checked: this is a mistake of ours
		}
		return handle(ctx, c, args)
	}
}
