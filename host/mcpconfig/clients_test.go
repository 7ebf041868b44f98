package mcpconfig

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// machine is a separate home directory and project.
func machine(t *testing.T) Where {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := Where{Project: filepath.Join(root, "project"), Home: filepath.Join(root, "home"), Getenv: func(string) string { return "" }}
	for _, dir := range []string{w.Project, w.Home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func plan(t *testing.T, w Where, name string, s Scope) Entry {
	t.Helper()
	e, err := Plan(Config{Client: name, Scope: s, Program: "/opt/bin/proctor", ByName: true, Where: w})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// decode reads a file with the decoder of its format.
func decode(t *testing.T, e Entry) map[string]any {
	t.Helper()
	d := decodeJSON
	if e.client.format == tomlFormat {
		d = decodeTOML
	}
	doc, err := d([]byte(read(t, e.Path)))
	if err != nil {
		t.Fatalf("%v in\n%s", err, read(t, e.Path))
	}
	return doc
}

// others is a client's file with other servers, and comments, in its format. The
// markers say where our entry would be: after the last server.
func others(e Entry) string {
	if e.client.format == tomlFormat {
		return `# my settings
model = "x" # kept

[mcp_servers.other]
command = "other" # this one stays
args = []

[mcp_servers.other.env]
A = "1"

[tui]
theme = 'dark'
`
	}
	return `// my settings
{
    "theme": "dark", /* kept */
    "` + e.client.container[0] + `": {
        // this one stays
        "other": {"type": "x", "command": "other", "args": [ ]}, // and this
    },
    "last": 1.50
}
`
}

// each calls f for every client and scope that has a file.
func each(t *testing.T, f func(t *testing.T, w Where, e Entry)) {
	n := 0
	for _, c := range clients {
		for _, p := range c.places {
			if p.path == nil {
				continue
			}
			n++
			t.Run(c.name+"/"+string(p.scope), func(t *testing.T) {
				w := machine(t)
				f(t, w, plan(t, w, c.name, p.scope))
			})
		}
	}
	if n != 12 {
		t.Errorf("%d clients and scopes with a file; say here if that is right", n)
	}
}

// holds checks that a file has the entry.
func holds(t *testing.T, e Entry) {
	t.Helper()
	path := append(append([]string{}, e.client.container...), serverName)
	entry, _ := lookUp(decode(t, e), path)
	m, _ := entry.(map[string]any)
	for _, f := range e.client.fields(e.Command) {
		if !isSame(m[f.key], f.value) {
			t.Errorf("%s is %v, want %v, in\n%s", f.key, m[f.key], f.value, read(t, e.Path))
		}
	}
}

func TestAMissingFileIsTheSnippet(t *testing.T) {
	each(t, func(t *testing.T, w Where, e Entry) {
		if change, err := e.Write(); change != Created || err != nil {
			t.Fatal(change, err)
		}
		if got := read(t, e.Path); got != e.Snippet() {
			t.Errorf("the file is not the snippet:\n%s", cmp.Diff(e.Snippet(), got))
		}
		holds(t, e)
		before, _ := os.Stat(e.Path)
		if change, err := e.Write(); change != Unchanged || err != nil {
			t.Errorf("the second time: %s, %v", change, err)
		}
		if after, _ := os.Stat(e.Path); !os.SameFile(before, after) {
			t.Error("a file that says it all was written again")
		}
	})
}

func TestOtherServersAndCommentsStay(t *testing.T) {
	each(t, func(t *testing.T, w Where, e Entry) {
		put(t, e.Path, others(e))
		if change, err := e.Write(); change != Added || err != nil {
			t.Fatal(change, err)
		}
		holds(t, e)
		got := read(t, e.Path)
		rest := others(e)
		for line := range strings.Lines(others(e)) {
			before, after, ok := strings.Cut(got, line)
			if !ok {
				t.Fatalf("the line %q is gone from\n%s", line, got)
			}
			got, rest = before+after, strings.Replace(rest, line, "", 1)
		}
		for _, key := range []string{"theme", "other", "last", "model", "stays"} {
			if strings.Contains(got, key) {
				t.Errorf("%q appears twice", key)
			}
		}
		once := read(t, e.Path)
		if change, err := e.Write(); change != Unchanged || err != nil || read(t, e.Path) != once {
			t.Errorf("the second time: %s, %v", change, err)
		}
		if st, _ := os.Stat(e.Path); st.Mode().Perm() != 0o640 && os.PathSeparator == '/' {
			t.Errorf("the mode became %v", st.Mode())
		}
	})
}

func TestAnOldEntryIsBroughtUpToDateAndItsOtherKeysStay(t *testing.T) {
	each(t, func(t *testing.T, w Where, e Entry) {
		list := e.client.name == "opencode"
		command := `"/old/proctor"`
		if list {
			command = `["/old/proctor", "mcp"]`
		}
		old := "{\n\t\"" + e.client.container[0] + "\": {\"proctor\": {\"env\": {\"A\": \"1\"}, // mine\n\t\t\"command\": " + command + " /* old */}},\n}"
		want := `"env": {"A": "1"}, // mine`
		if e.client.format == tomlFormat {
			old = "[mcp_servers.proctor]\n# mine\ncommand = \"/old/proctor\"  # old\nenv = { A = \"1\" }\n\n[other]\nx = 1"
			want = "env = { A = \"1\" }\nargs"
		}
		put(t, e.Path, old)
		if change, err := e.Write(); change != Updated || err != nil {
			t.Fatal(change, err)
		}
		holds(t, e)
		got := read(t, e.Path)
		if strings.Contains(got, "/old/") || !strings.Contains(got, want) || !strings.Contains(got, "mine") {
			t.Errorf("it became\n%s", got)
		}
		if change, err := e.Write(); change != Unchanged || err != nil {
			t.Errorf("the second time: %s, %v", change, err)
		}
	})
}

func TestAFileThatIsNotUnderstoodIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, w Where, e Entry) {
		container := e.client.container[0]
		texts := map[string]struct {
			text string
			line int
		}{
			"not closed":     {"{\n  \"a\": 1,\n  \"b\": \n", 4},
			"no object":      {"\n[1]", 2},
			"two values":     {"{}\n{}", 2},
			"not UTF-8":      {"{\n\"a\": \"\xff\"}", 2},
			"no container":   {"{\n\"" + container + "\": []}", 2},
			"no entry":       {"{\"" + container + "\": {\"proctor\": 1}}", 0},
			"twice":          {"{\"" + container + "\": {},\n\"" + container + "\": {}}", 2},
			"own":            {"{\"" + container + "\": {\"proctor\": {\"url\": \"http://x\"}}}", 0},
			"only a comment": {"// x\n", 2},
		}
		if e.client.format == tomlFormat {
			texts = map[string]struct {
				text string
				line int
			}{
				"not closed":      {"a = 1\n[b\n", 2},
				"twice":           {"[a]\n[a]\n", 2},
				"no table":        {"mcp_servers = 1\n", 1},
				"inline":          {"x = 1\nmcp_servers = { other = { command = \"x\" } }\n", 2},
				"inline entry":    {"[mcp_servers]\nproctor = { command = \"x\" }\n", 2},
				"dotted":          {"mcp_servers.proctor.command = \"x\"\n", 1},
				"table below":     {"[mcp_servers.proctor.env]\nA = \"1\"\n", 1},
				"array of tables": {"[[mcp_servers.proctor]]\ncommand = \"x\"\n", 0},
				"own":             {"[mcp_servers.proctor]\nurl = \"http://x\"\n", 0},
			}
		}
		for name, tc := range texts {
			put(t, e.Path, tc.text)
			_, err := e.Write()
			if fe, ok := errors.AsType[*FileError](err); !ok || fe.Path != e.Path || fe.Line != tc.line {
				t.Errorf("%s: %v, want line %d", name, err, tc.line)
			}
			if got := read(t, e.Path); got != tc.text {
				t.Errorf("%s: it became %q", name, got)
			}
			left, _ := os.ReadDir(filepath.Dir(e.Path))
			for _, f := range left {
				if strings.HasPrefix(f.Name(), ".proctor-") {
					t.Errorf("%s: %s is left", name, f.Name())
				}
			}
		}
	})
}
