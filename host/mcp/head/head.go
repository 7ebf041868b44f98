package head

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BeginsSession reports whether a request can only be the first of a session.
func BeginsSession(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == ""
}

// Stateless is the first version of the protocol without sessions.
const Stateless = "2026-07-28"

// IsStateless reports whether a request is of a version without sessions: it says so itself,
// whatever the session began with.
func IsStateless(meta mcp.Meta) bool {
	version, _ := meta[mcp.MetaKeyProtocolVersion].(string)
	return version >= Stateless
}

// Head is what is read of a request; its parts are empty if unknown.
type Head struct {
	// Version of the protocol. It is in a header and, without sessions, also in the message:
	// the SDK refuses one that is only there, and can say what is missing.
	Version string
	// Method is known of a request that begins a session, or needs none.
	Method string
	id     json.RawMessage
	// task is the task that the request is about.
	task string
}

// Read returns the head of a request.
func Read(r *http.Request) (h Head, err error) {
	h.Version = r.Header.Get("Mcp-Protocol-Version")
	if r.Method != http.MethodPost || !BeginsSession(r) && h.Version < Stateless {
		return h, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Head{}, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Task string `json:"taskId"`
			Meta struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &message) != nil {
		return h, nil // for the SDK to refuse
	}
	h.Version, h.Method, h.id, h.task = cmp.Or(h.Version, message.Params.Meta.Version), message.Method, message.ID, message.Params.Task
	return h, nil
}

// RefuseName refuses a request about a task whose Mcp-Name, by which others route it, is not
// that of the task, and reports whether it did. The SDK compares the names that it knows.
func (h Head) RefuseName(w http.ResponseWriter, r *http.Request) bool {
	switch h.Method {
	case "tasks/get", "tasks/update", "tasks/cancel":
	default: // no such method has a name
		return false
	}
	if h.task == "" || r.Header.Get("Mcp-Name") == h.task {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the header Mcp-Name must be the taskId of the message"}}`, cmp.Or(string(h.id), "null"), headerMismatch)
	return true
}

// headerMismatch is the protocol's code for a header that is not what the message says.
const headerMismatch = -32020

// RefuseBody answers an unreadable request.
func RefuseBody(w http.ResponseWriter, err error) {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
		return
	}
	http.Error(w, "the request could not be read", http.StatusBadRequest)
}
