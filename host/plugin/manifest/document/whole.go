package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// whole checks the document as a whole.
func (r *Reader) whole(max int) error {
	switch {
	case len(r.data) > max:
		return &Error{Line: 1, Reason: fmt.Sprintf("has more than %d bytes", max)}
	case len(bytes.TrimSpace(r.data)) == 0:
		return &Error{Line: 1, Reason: "is empty"}
	case bytes.HasPrefix(r.data, []byte("\ufeff")):
		return &Error{Line: 1, Reason: "begins with a byte order mark, which JSON does not have: remove it"}
	case !utf8.Valid(r.data):
		return &Error{Line: lineAt(r.data, invalidAt(r.data)), Reason: "is not UTF-8"}
	}
	err := json.Unmarshal(r.data, new(json.RawMessage))
	if err == nil {
		return nil
	}
	at := len(r.data)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = int(syntax.Offset)
	}
	return &Error{Line: lineAt(r.data, at), Reason: "is not JSON: " + err.Error()}
}

func invalidAt(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return len(data)
}
