package artifact

import (
	"bytes"
	"encoding/json"
)

// findField finds a member of an object without decoding what precedes it, or reading what
// follows. A path of keys leads into nested objects. The object need not be well-formed
// after the member.
//
// Artifacts are mostly long hexadecimal texts; encoding/json would examine each of
// their bytes three times.
func findField(data []byte, path ...string) ([]byte, bool) {
	for i, key := range path {
		value, ok := findMember(data, key)
		if !ok {
			return nil, false
		}
		if i == len(path)-1 {
			return value, true
		}
		data = value
	}
	return nil, false
}

func findMember(data []byte, key string) ([]byte, bool) {
	i := jsonSpace(data, 0)
	if i >= len(data) || data[i] != '{' {
		return nil, false
	}
	i++
	for {
		i = jsonSpace(data, i)
		if i >= len(data) || data[i] != '"' {
			return nil, false
		}
		keyEnd := jsonStringEnd(data, i)
		if keyEnd < 0 {
			return nil, false
		}
		name := data[i+1 : keyEnd-1]
		i = jsonSpace(data, keyEnd)
		if i >= len(data) || data[i] != ':' {
			return nil, false
		}
		i = jsonSpace(data, i+1)
		stop := jsonValueEnd(data, i)
		if stop < 0 {
			return nil, false
		}
		if string(name) == key {
			return data[i:stop], true
		}
		i = jsonSpace(data, stop)
		if i >= len(data) || data[i] != ',' {
			return nil, false
		}
		i++
	}
}

func jsonSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// jsonStringEnd returns the offset after the string that begins at i, -1 if it does not
// end.
func jsonStringEnd(data []byte, i int) int {
	i++
	for {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		// The quote is escaped if an odd number of backslashes precedes it.
		back := 0
		for back < n && data[i+n-1-back] == '\\' {
			back++
		}
		i += n + 1
		if back%2 == 0 {
			return i
		}
	}
}

// jsonValueEnd returns the offset after the value that begins at i, -1 if it does not
// end.
func jsonValueEnd(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			if i = jsonStringEnd(data, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return -1
}

// textOf returns a string member, or "".
func textOf(data []byte, path ...string) string {
	value, ok := findField(data, path...)
	if !ok || len(value) < 2 || value[0] != '"' {
		return ""
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}
