package document

import (
	"bytes"
	"encoding/json"
)

// Write writes a value as a document, in one form only: indented by two spaces, keys
// of maps sorted, <, > and & as they are, and a final newline. The value is of types
// that can be written.
func Write(value any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return nil
	}
	return b.Bytes()
}
