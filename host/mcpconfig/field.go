package mcpconfig

import (
	"bytes"
	"encoding/json"
	"strings"
)

// field is one key of an entry. Its value is a string, a list of strings, an int or
// a bool.
type field struct {
	key   string
	value any
}

// literal formats a value that JSON and TOML both read.
func literal(value any) string {
	if list, ok := value.([]string); ok {
		var parts []string
		for _, s := range list {
			parts = append(parts, literal(s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // strings, numbers and booleans always encode
	return strings.TrimSuffix(b.String(), "\n")
}

// object formats fields as JSON on one line.
func object(fields []field) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, literal(f.key)+": "+literal(f.value))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// isSame reports whether a decoded value equals ours.
func isSame(decoded, value any) bool {
	a, errA := json.Marshal(decoded)
	b, errB := json.Marshal(value)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// settled are the keys of a server that is not started as a command. An entry with one
// was set up by the user.
var settled = []string{"url", "httpUrl", "serverUrl"}

func arrangement(entry map[string]any) string {
	for _, key := range settled {
		if _, ok := entry[key]; ok {
			return key
		}
	}
	return ""
}
