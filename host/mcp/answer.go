package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/prose"
)

// answer is what a tool says. The text and the object are each complete: some
// clients show a model only the one, some only the other.
type answer struct {
	// text are blocks. A sentence that a reader may look for word for word is a
	// block of its own, with nothing else in it.
	text []string
	// object is marshalled as a JSON object. It has a field "message" with the
	// sentence, where the text is one.
	object any
	// links lead to more.
	links []*mcp.ResourceLink
	// failed: the call could not do what it was asked for. A test that fails is no
	// such thing.
	failed bool
}

// notice is the object of an answer that is a sentence.
type notice struct {
	Message string `json:"message"`
	// More is what else there is to know.
	More string `json:"more,omitempty"`
	// Code and Retry are of errors: what kind it is, and whether the same call may
	// succeed later.
	Code  string `json:"code,omitempty"`
	Retry *bool  `json:"retry,omitempty"`
}

// said is an answer that is a sentence, and what else there is to know.
func said(message, more string) answer {
	a := answer{text: []string{message}, object: notice{Message: message, More: more}}
	if more != "" {
		a.text = append(a.text, more)
	}
	return a
}

// result turns an answer into the protocol's form.
func (a answer) result() (*mcp.CallToolResult, error) {
	r := &mcp.CallToolResult{IsError: a.failed, Content: []mcp.Content{}}
	for _, text := range a.text {
		r.Content = append(r.Content, &mcp.TextContent{Text: prose.Plain(text)})
	}
	for _, l := range a.links {
		r.Content = append(r.Content, l)
	}
	if a.object != nil {
		raw, err := prose.JSON(a.object)
		if err != nil {
			return nil, err
		}
		r.StructuredContent = json.RawMessage(bytes.TrimSuffix(raw, []byte("\n")))
	}
	return r, nil
}
