package head

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// BeginsSession reports whether a request can only be the first of a session.
func BeginsSession(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == ""
}

// Read returns the protocol version of a request and, if it begins a session, its
// method; both are empty if unknown. The version is in a header and, without sessions,
// also in the message: the SDK refuses one that is only there, and can say what is
// missing.
func Read(r *http.Request) (version, method string, err error) {
	version = r.Header.Get("Mcp-Protocol-Version")
	if !BeginsSession(r) {
		return version, "", nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string `json:"method"`
		Params struct {
			Meta struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &message) != nil {
		return version, "", nil // for the SDK to refuse
	}
	return cmp.Or(version, message.Params.Meta.Version), message.Method, nil
}

// RefuseBody answers an unreadable request.
func RefuseBody(w http.ResponseWriter, err error) {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
		return
	}
	http.Error(w, "the request could not be read", http.StatusBadRequest)
}
