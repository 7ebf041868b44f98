package mcpconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestATableIsAddedOrChangedInPlace(t *testing.T) {
	table := "[s.proctor]\ncommand = \"p\"\nargs = [\"mcp\"]\n"
	for _, tc := range []struct{ name, in, want string }{
		{"at the end", "a = 1\n", "a = 1\n\n" + table},
		{"behind a line that has no end", "a = 1", "a = 1\n\n" + table},
		{"behind a comment alone", "# mine\n", "# mine\n\n" + table},
		{"beside dotted keys", "s.x.command = \"x\"\n", "s.x.command = \"x\"\n\n" + table},
		{"beside a quoted name", "[\"s\".\"pro\"]\na = 1\n", "[\"s\".\"pro\"]\na = 1\n\n" + table},
		{"Windows lines", "a = 1\r\n", "a = 1\r\n\r\n[s.proctor]\r\ncommand = \"p\"\r\nargs = [\"mcp\"]\r\n"},
		{"in an empty table", "[s.proctor] # ours\n\n[t]\n", "[s.proctor] # ours\ncommand = \"p\"\nargs = [\"mcp\"]\n\n[t]\n"},
		{"in a quoted table", "[ s . \"proctor\" ]\nargs = [\n  \"mcp\", # yes\n]\ncommand = 'q' # old\n", "[ s . \"proctor\" ]\nargs = [\n  \"mcp\", # yes\n]\ncommand = \"p\" # old\n"},
		{"before a table below", "[s.proctor]\ncommand = \"p\"\n[s.proctor.env]\nA = \"1\"", "[s.proctor]\ncommand = \"p\"\nargs = [\"mcp\"]\n[s.proctor.env]\nA = \"1\""},
		{"behind a table below", "[s.proctor.env]\nA = \"1\"\n[s.proctor]\ncommand = \"p\"", "[s.proctor.env]\nA = \"1\"\n[s.proctor]\ncommand = \"p\"\nargs = [\"mcp\"]"},
		{"where a text looks like a table", "a = \"\"\"\n[s.proctor]\n\"\"\"\n", "a = \"\"\"\n[s.proctor]\n\"\"\"\n\n" + table},
		{"with a key of several parts", "[s.proctor]\nenv.args = \"x\"\r\n", "[s.proctor]\nenv.args = \"x\"\r\ncommand = \"p\"\r\nargs = [\"mcp\"]\r\n"},
	} {
		path := []string{"s", "proctor"}
		before, err := decodeTOML([]byte(tc.in))
		if err != nil {
			t.Fatal(tc.name, err)
		}
		got, err := setTOML([]byte(tc.in), path, someFields)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if diff := cmp.Diff(tc.want, string(got)); diff != "" {
			t.Errorf("%s:\n%s", tc.name, diff)
		}
		if err := verify(decodeTOML, before, got, path, someFields); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestAnEditThatTouchesSomethingElseIsRefused(t *testing.T) {
	before := map[string]any{"a": int64(1)}
	for _, after := range []string{
		"a = 2\n[s.proctor]\ncommand = \"p\"\nargs = [\"mcp\"]", // another value
		"[s.proctor]\ncommand = \"p\"\nargs = [\"mcp\"]",        // one lost
		"a = 1\n[s.proctor]\ncommand = \"p\"",                   // ours incomplete
		"a = 1\n[s.proctor]\ncommand = \"p\"\nargs = [\"mcp\"]\nb = 1",
		"a = 1\n[s.proctor",
	} {
		if verify(decodeTOML, before, []byte(after), []string{"s", "proctor"}, someFields) == nil {
			t.Errorf("taken: %q", after)
		}
	}
	if err := verify(decodeTOML, before, []byte("a = 1\n[s.proctor]\ncommand = \"p\"\nargs = [\"mcp\"]"), []string{"s", "proctor"}, someFields); err != nil {
		t.Error(err)
	}
}
