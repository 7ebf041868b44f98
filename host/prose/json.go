package prose

import (
	"bytes"
	"encoding/json"
)

// JSON encodes a value on one line, with its line end. What [Deceives] is
// escaped: the line can be shown on a terminal as it is, and says the same.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return append(escaped(line), '\n'), nil
}
