package mcpconfig

import (
	"bytes"
	"reflect"
)

// lookUp follows a path of keys. ok is false if any of it is missing.
func lookUp(doc map[string]any, path []string) (any, bool) {
	for i, key := range path {
		v, ok := doc[key]
		if !ok || i == len(path)-1 {
			return v, ok
		}
		if doc, ok = v.(map[string]any); !ok {
			return nil, false
		}
	}
	return nil, false
}

// verify parses an edited text: it must have the entry, and otherwise be equal to the
// text before, so that a mistake in the editing code cannot damage anybody's settings.
func verify(decode func([]byte) (map[string]any, error), before map[string]any, after []byte, path []string, fields []field) error {
	doc, err := decode(after)
	if err != nil {
		return refuse(0, "the entry does not fit into its layout; add it by hand")
	}
	end, _ := lookUp(doc, path)
	entry, ok := end.(map[string]any)
	for _, f := range fields {
		ok = ok && isSame(entry[f.key], f.value)
	}
	if !ok || !reflect.DeepEqual(removeFields(before, path, fields), removeFields(doc, path, fields)) {
		return refuse(0, "the entry cannot be added without touching something else; add it by hand")
	}
	return nil
}

// removeFields returns a document without our keys, and without tables on the path to them
// that are then empty.
func removeFields(doc map[string]any, path []string, fields []field) map[string]any {
	out := map[string]any{}
	for k, v := range doc {
		out[k] = v
	}
	if len(path) == 0 {
		for _, f := range fields {
			delete(out, f.key)
		}
		return out
	}
	if inner, ok := out[path[0]].(map[string]any); ok {
		if rest := removeFields(inner, path[1:], fields); len(rest) > 0 {
			out[path[0]] = rest
		} else {
			delete(out, path[0])
		}
	}
	return out
}

// byteOrderMark is what some editors put before UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// isBlank reports whether a file has nothing worth keeping.
func isBlank(data []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))) == 0
}
