package toollist

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// List is a list of tools that omits what the protocol says of a tool anyway.
type List struct {
	*mcp.ListToolsResult
	// Tasks are the names of the tools that can be called as tasks.
	Tasks []string
}

// listed is a tool of a List.
type listed struct {
	*mcp.Tool
	Annotations annotations `json:"annotations"`
	Execution   *execution  `json:"execution,omitempty"`
}

// execution is what the SDK does not know of a tool.
type execution struct {
	TaskSupport string `json:"taskSupport"`
}

// annotations are those of the SDK, which also sends false where that is the default.
type annotations struct {
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
	ReadOnly    bool  `json:"readOnlyHint,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (l List) MarshalJSON() ([]byte, error) {
	tools := make([]listed, len(l.Tools))
	for i, t := range l.Tools {
		a := t.Annotations
		tools[i] = listed{Tool: t, Annotations: annotations{a.DestructiveHint, a.IdempotentHint, a.OpenWorldHint, a.ReadOnlyHint}}
		if slices.Contains(l.Tasks, t.Name) {
			tools[i].Execution = &execution{"optional"}
		}
	}
	return json.Marshal(struct {
		*mcp.ListToolsResult
		Tools []listed `json:"tools"`
	}{l.ListToolsResult, tools})
}

// Annotations returns the hints for a tool that only reads, or that destroys nothing and is
// idempotent or not. A client assumes the worst of what is missing.
func Annotations(reads, idempotent bool) *mcp.ToolAnnotations {
	no := false
	if reads { // then the two other hints mean nothing
		return &mcp.ToolAnnotations{OpenWorldHint: &no, ReadOnlyHint: true}
	}
	return &mcp.ToolAnnotations{OpenWorldHint: &no, DestructiveHint: &no, IdempotentHint: idempotent}
}
