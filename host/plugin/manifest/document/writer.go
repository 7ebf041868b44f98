package document

import (
	"bytes"
	"encoding/json"
)

// Write formats a value canonically: indented by two spaces, map keys sorted, <, > and
// & unescaped, and a final newline. Its types must be encodable.
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
