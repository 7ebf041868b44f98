package mcpconfig

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestAnEntryNamesTheProgramAsItsClientWillFindIt(t *testing.T) {
	w := machine(t)
	for _, tc := range []struct {
		client, command string
		byName          bool
		want            string
		machine         bool
	}{
		{"claude", "", true, "proctor", false},
		{"claude", "", false, "/opt/bin/proctor", true},
		{"cursor", "", true, "/opt/bin/proctor", true}, // started from a desktop
		{"zed", "", true, "/opt/bin/proctor", false},   // its file belongs to this machine, too
		{"vscode", "proctor", false, "proctor", false}, // as the user said
	} {
		e, err := Plan(Config{Client: tc.client, Program: "/opt/bin/proctor", ByName: tc.byName, Command: tc.command, Where: w})
		if err != nil || e.Command != tc.want || e.Machine != tc.machine {
			t.Errorf("%+v: %q, %t, %v", tc, e.Command, e.Machine, err)
		}
		if !strings.Contains(e.Snippet(), literal(tc.want)) {
			t.Errorf("%s: %s", tc.client, e.Snippet())
		}
	}
}

func TestAnUnknownClientOrScopeNamesTheKnownOnes(t *testing.T) {
	if _, err := Plan(Config{Client: "emacs"}); err == nil || !strings.Contains(err.Error(), "claude, codex, gemini, cursor, vscode, opencode, zed") {
		t.Error(err)
	}
	if _, err := Plan(Config{Client: "claude", Scope: "local", Where: machine(t)}); err == nil || err.Error() != "claude, scope local: there is none; give project or user" {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"claude": "claude mcp add --scope user proctor -- proctor mcp",
		"vscode": `code --add-mcp '{"name": "proctor", "type": "stdio", "command": "/it'\''s/proctor", "args": ["mcp", "--workspace", "${workspaceFolder}"]}'`,
	} {
		e, err := Plan(Config{Client: name, Scope: User, Program: "/it's/proctor", ByName: true, Where: machine(t)})
		if err != nil || e.Path != "" {
			t.Fatal(e.Path, err)
		}
		if _, err := e.Write(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheFilesAreWhereTheClientsLook(t *testing.T) {
	w := machine(t)
	home, project := w.Home, w.Project
	env := map[string]string{}
	w.Getenv = func(key string) string { return env[key] }
	check := func(name string, s Scope, want ...string) {
		t.Helper()
		if e := plan(t, w, name, s); e.Path != filepath.Join(want...) {
			t.Errorf("%s, %s: %s", name, s, e.Path)
		}
	}
	check("claude", "", project, ".mcp.json")
	check("codex", "", home, ".codex", "config.toml")
	check("codex", Project, project, ".codex", "config.toml")
	check("gemini", "", project, ".gemini", "settings.json")
	check("gemini", User, home, ".gemini", "settings.json")
	check("cursor", "", project, ".cursor", "mcp.json")
	check("vscode", "", project, ".vscode", "mcp.json")
	check("opencode", "", project, "opencode.json")
	check("opencode", User, home, ".config", "opencode", "opencode.json")
	check("zed", Project, project, ".zed", "settings.json")
	put(t, filepath.Join(project, "opencode.jsonc"), "{}")
	check("opencode", "", project, "opencode.jsonc")
	put(t, filepath.Join(project, "opencode.json"), "{}")
	check("opencode", "", project, "opencode.json")
	env["CODEX_HOME"], env["XDG_CONFIG_HOME"] = filepath.Join(home, "c"), filepath.Join(home, "x")
	check("codex", User, home, "c", "config.toml")
	check("opencode", User, home, "x", "opencode", "opencode.json")
	if runtime.GOOS == "linux" {
		check("zed", "", home, "x", "zed", "settings.json")
	}
	env["XDG_CONFIG_HOME"] = "relative" // its specification says to ignore this
	check("opencode", User, home, ".config", "opencode", "opencode.json")
}

func TestTheLayoutOfOpenCode2IsRefused(t *testing.T) {
	w := machine(t)
	e := plan(t, w, "opencode", Project)
	put(t, e.Path, `{"mcp": {"servers": {}}}`)
	if _, err := e.Write(); err == nil || !strings.Contains(err.Error(), "mcp.servers") {
		t.Error(err)
	}
	put(t, e.Path, `{"mcp": {"servers": {"type": "local", "command": ["x"]}}}`) // a server of that name
	if _, err := e.Write(); err != nil {
		t.Error(err)
	}
}

func TestAFileThatChangesMeanwhileIsNotOverwritten(t *testing.T) {
	w := machine(t)
	e := plan(t, w, "claude", Project)
	put(t, e.Path, "{}")
	f, err := openFile(e.Path, e.base, false)
	if err != nil {
		t.Fatal(err)
	}
	put(t, e.Path, `{"theirs": 1}`)
	if err := f.replace([]byte("ours")); err == nil || read(t, e.Path) != `{"theirs": 1}` {
		t.Error(err, read(t, e.Path))
	}
}

func TestPathDecidesWhetherTheNameIsEnough(t *testing.T) {
	dir := t.TempDir()
	bin := func(name string) (string, string) {
		path := filepath.Join(dir, name, programFile)
		put(t, path, name)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return path, filepath.Dir(path)
	}
	ours, oursDir := bin("ours")
	_, otherDir := bin("other")
	empty := filepath.Join(dir, "empty")
	join := func(dirs ...string) string { return strings.Join(dirs, string(os.PathListSeparator)) }
	for _, tc := range []struct {
		path   string
		byName bool
	}{
		{join(empty, oursDir, otherDir), true},
		{join(otherDir, oursDir), false},
		{empty, false},
		{join(".", ""), false},
		{"", false},
	} {
		if found, byName := Program(ours, tc.path); found != ours || byName != tc.byName {
			t.Errorf("PATH=%s: %s, %t", tc.path, found, byName)
		}
	}
	if found, byName := Program(filepath.Join(empty, "gone"), oursDir); found != filepath.Join(empty, "gone") || byName {
		t.Error(found, byName)
	}
}

func TestNamesAreInTheOrderOfTheHelp(t *testing.T) {
	if want := []string{"claude", "codex", "gemini", "cursor", "vscode", "opencode", "zed"}; !slices.Equal(Names(), want) {
		t.Error(Names())
	}
}

func TestASkillOfSomebodyElseIsKept(t *testing.T) {
	w := machine(t)
	path := SkillPath(w, Project)
	write := func(force bool, want Change) {
		t.Helper()
		got, err := WriteSkill(w, Project, force)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	write(false, Created)
	write(false, Unchanged)
	put(t, path, "mine")
	write(false, "")
	if read(t, path) != "mine" {
		t.Error("it was overwritten")
	}
	write(true, Updated)
	if read(t, path) != Skill() {
		t.Error("it is not the skill")
	}
	if got := SkillPath(w, User); got != filepath.Join(w.Home, ".claude", "skills", "proctor", "SKILL.md") {
		t.Error(got)
	}
}
