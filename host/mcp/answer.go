package mcp

import (
	"bytes"
	"encoding/json"
	"sort"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/prose"
)

// answer is a tool's answer. Its text and its object are each complete: some clients show
// a model only one of them.
type answer struct {
	// text are blocks. A sentence that a reader may search for verbatim is a block of its
	// own.
	text []string
	// object is marshalled as a JSON object. If the text is a sentence, that is its
	// "message".
	object any
	// links lead to more.
	links []*mcp.ResourceLink
	// failed means that the call could not do what was requested. A failing test is no
	// such failure.
	failed bool
}

// notice is the object of an answer that is a sentence.
type notice struct {
	Message string `json:"message"`
	// More is additional information.
	More string `json:"more,omitempty"`
	// Code and Retry belong to errors: the kind, and whether the same call may succeed
	// later.
	Code  string `json:"code,omitempty"`
	Retry *bool  `json:"retry,omitempty"`
}

// newSentenceAnswer returns an answer of a sentence and additional information.
func newSentenceAnswer(message, more string) answer {
	a := answer{text: []string{message}, object: notice{Message: message, More: more}}
	if more != "" {
		a.text = append(a.text, more)
	}
	return a
}

// result converts an answer for the protocol.
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

// maxAnswerBytes bounds the text of an answer, and its object: more than a model wants
// to read at once.
const maxAnswerBytes = 64 << 10

// fitAnswer returns the answer with the most entries, between least and most, that is
// within the bound in both forms. build makes the answer with n entries, and says what
// it omits.
func fitAnswer(bound, least, most int, build func(n int) answer) answer {
	a := build(most)
	if a.fitsIn(bound) {
		return a
	}
	over := sort.Search(most-least, func(i int) bool { return !build(least + i).fitsIn(bound) })
	return build(least + max(over-1, 0))
}

// fitsIn reports whether neither form of an answer exceeds the bound.
func (a answer) fitsIn(bound int) bool {
	text := 0
	for _, block := range a.text {
		text += len(block)
	}
	object, err := prose.JSON(a.object)
	return text <= bound && (err != nil || len(object) <= bound)
}
