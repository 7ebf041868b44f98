package mcpconfig

import (
	"bytes"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var someFields = []field{{"command", "p"}, {"args", []string{"mcp"}}}

func TestAnAddedEntryHasTheStyleOfItsFile(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"an empty object", `{}`, "{\n  \"s\": {\n    \"proctor\": {\n      \"command\": \"p\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		{"on one line", `{"a": 1}`, `{"a": 1, "s": {"proctor": {"command": "p", "args": ["mcp"]}}}`},
		{"on one line, with servers", `{"s":{"x":{}}}` + "\n", `{"s":{"x":{}, "proctor": {"command": "p", "args": ["mcp"]}}}` + "\n"},
		{"on one line, no servers", `{"s":{}}`, `{"s":{"proctor": {"command": "p", "args": ["mcp"]}}}`},
		{"tabs", "{\n\t\"s\": {\n\t\t\"x\": {}\n\t}\n}\n", "{\n\t\"s\": {\n\t\t\"x\": {},\n\t\t\"proctor\": {\n\t\t\t\"command\": \"p\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n"},
		{"an empty table of servers", "{\n    \"s\": { }\n}\n", "{\n    \"s\": {\n        \"proctor\": {\n            \"command\": \"p\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n"},
		{"a comment behind the last", "{\n  \"a\": 1 // one\n  // two\n}", "{\n  \"a\": 1, // one\n  // two\n  \"s\": {\n    \"proctor\": {\n      \"command\": \"p\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		{"a trailing comma", "{\n  \"a\": 1, // one\n}", "{\n  \"a\": 1, // one\n  \"s\": {\n    \"proctor\": {\n      \"command\": \"p\",\n      \"args\": [\"mcp\"]\n    }\n  },\n}"},
		{"a comment alone", "{\n  // none yet\n}", "{\n  // none yet\n  \"s\": {\n    \"proctor\": {\n      \"command\": \"p\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		{"Windows lines and a mark", "\xef\xbb\xbf{\r\n  \"a\": 1\r\n}\r\n", "\xef\xbb\xbf{\r\n  \"a\": 1,\r\n  \"s\": {\r\n    \"proctor\": {\r\n      \"command\": \"p\",\r\n      \"args\": [\"mcp\"]\r\n    }\r\n  }\r\n}\r\n"},
		{"an entry on one line among many", "{\n  \"s\": {\"proctor\": {\"command\": \"old\"}}\n}", "{\n  \"s\": {\"proctor\": {\"command\": \"p\", \"args\": [\"mcp\"]}}\n}"},
		{"an empty entry", "{\n  \"s\": {\n    \"proctor\": {}\n  }\n}", "{\n  \"s\": {\n    \"proctor\": {\n      \"command\": \"p\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		{"an escaped name", `{"\u0073": {"proctor": {"command": "p", "args": []}}}`, `{"\u0073": {"proctor": {"command": "p", "args": ["mcp"]}}}`},
		{"a comment in the value", `{"s": {"proctor": {"args": ["mcp", /* mine */], "command": "q" /* old */}}}`, `{"s": {"proctor": {"args": ["mcp", /* mine */], "command": "p" /* old */}}}`},
	} {
		got, err := setJSON([]byte(tc.in), []string{"s", "proctor"}, someFields)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		} else if diff := cmp.Diff(tc.want, string(got)); diff != "" {
			t.Errorf("%s:\n%s", tc.name, diff)
		}
	}
}

// FuzzSetJSON checks that adding an entry to a file loses no byte but blanks in an
// empty object, and changes nothing else it says.
func FuzzSetJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,}`, "// x\n{\n\t\"s\": {/* y */},\n} // z", `{"s":{"b":{},/**/}}`, "{\r\n\"s\" : { \r\n } }", `{"":""}`, "{\"s\":{//\n}}"} {
		f.Add([]byte(seed))
	}
	path := []string{"s", "proctor"}
	f.Fuzz(func(t *testing.T, in []byte) {
		before, err := decodeJSON(in)
		if err != nil {
			return
		}
		if _, ok := lookUp(before, path); ok {
			return
		}
		out, err := setJSON(in, path, someFields)
		if err != nil {
			return
		}
		if err := verify(decodeJSON, before, out, path, someFields); err != nil {
			t.Fatalf("%v: %q became %q", err, in, out)
		}
		rest := out
		for _, b := range in {
			if unicode.IsSpace(rune(b)) {
				continue
			}
			i := bytes.IndexByte(rest, b)
			if i < 0 {
				t.Fatalf("%q lost %q: %q", in, b, out)
			}
			rest = rest[i+1:]
		}
	})
}
