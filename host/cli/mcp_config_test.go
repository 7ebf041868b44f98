package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/mcpconfig"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// configured runs "proctor mcp ARGS" in this process.
func configured(t *testing.T, home, project string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), environment{
		Args: append([]string{"mcp", "-C", project}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Environ: []string{"HOME=" + home, "USERPROFILE=" + home, "APPDATA=" + home, "PATH="},
	})
	return code, out.String(), errs.String()
}

func TestAnEntryIsPrintedOrPutIntoTheFile(t *testing.T) {
	t.Parallel()
	for _, client := range mcpconfig.Names() {
		home, project := t.TempDir(), t.TempDir()
		code, printed, hints := configured(t, home, project, "config", client)
		if code != 0 || !strings.Contains(printed, "proctor") || !strings.Contains(hints, "--write puts it there") {
			t.Errorf("%s: exit %d, %s, %s", client, code, printed, hints)
		}
		for _, dir := range []string{home, project} {
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s: printing wrote %v", client, left)
			}
		}
		code, written, hints := configured(t, home, project, "config", client, "--write")
		change, path, _ := strings.Cut(strings.TrimSpace(written), " ")
		if code != 0 || change != "created" || !strings.Contains(hints, "to see that it works") {
			t.Fatalf("%s: exit %d, %s, %s", client, code, written, hints)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != printed {
			t.Errorf("%s: what was written is not what was printed: %v\n%s", client, err, data)
		}
		if code, again, hints := configured(t, home, project, "config", client, "--write", "-q"); code != 0 || again != "unchanged "+path+"\n" || hints != "" {
			t.Errorf("%s, again: exit %d, %s, %s", client, code, again, hints)
		}
	}
}

func TestAProgramOfThisMachineInASharedFileIsMentioned(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	if _, _, hints := configured(t, home, project, "config", "cursor"); !strings.Contains(hints, "--command proctor") {
		t.Error(hints)
	}
	_, printed, hints := configured(t, home, project, "config", "cursor", "--command", "proctor")
	if strings.Contains(hints, "this machine") || !strings.Contains(printed, `"command": "proctor"`) {
		t.Error(printed, hints)
	}
}

func TestWhatCannotBeConfiguredIsAUsageError(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	broken := filepath.Join(project, ".mcp.json")
	testfiles.Write(t, broken, "{\n,")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"config"}, "give one client: claude, codex"},
		{[]string{"config", "vim"}, `the client "vim" is unknown`},
		{[]string{"config", "claude", "--scope", "local"}, "give project or user"},
		{[]string{"config", "claude", "--scope", "user", "--write"}, "claude mcp add --scope user proctor -- "},
		{[]string{"config", "claude", "--write"}, broken + ":2: "},
		{[]string{"skill", "--scope", "local"}, "give project or user"},
		{[]string{"skill", "more"}, `takes no arguments, such as "more"`},
	} {
		if code, _, stderr := configured(t, home, project, tc.args...); code != exitUsage || !strings.Contains(stderr, tc.want) {
			t.Errorf("%v: exit %d, %s", tc.args, code, stderr)
		}
	}
	if code, _, stderr := configured(t, home, broken, "config", "claude"); code != exitUsage || !strings.Contains(stderr, "is not a directory") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if runtime.GOOS != "windows" {
		if code, _, stderr := configured(t, "", project, "config", "claude"); code != exitUsage || !strings.Contains(stderr, "set HOME") {
			t.Errorf("exit %d, %s", code, stderr)
		}
	}
}

func TestTheSkillIsPrintedOrWritten(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	if code, printed, _ := configured(t, home, project, "skill"); code != 0 || printed != mcpconfig.Skill() {
		t.Errorf("exit %d, %s", code, printed)
	}
	for scope, dir := range map[string]string{"project": project, "user": home} {
		code, written, stderr := configured(t, home, project, "skill", "--write", "--scope", scope)
		if path := filepath.Join(dir, ".claude", "skills", "proctor", "SKILL.md"); code != 0 || written != "created "+path+"\n" {
			t.Errorf("exit %d, %s%s", code, written, stderr)
		}
	}
}

// TestTheSkillNamesOnlyWhatExists holds that every command, flag and exit code in
// the skill is one of proctor's.
func TestTheSkillNamesOnlyWhatExists(t *testing.T) {
	t.Parallel()
	root := (&app{}).command()
	commands := 0
	for _, span := range regexp.MustCompile("`proctor [^`]+`").FindAllString(mcpconfig.Skill(), -1) {
		words := strings.Fields(strings.Trim(span, "`"))[1:]
		if i := strings.Index(strings.Join(words, " "), " |"); i >= 0 {
			words = strings.Fields(strings.Join(words, " ")[:i])
		}
		cmd, rest, err := root.Find(words)
		if err != nil || cmd == root {
			t.Errorf("%s: there is no such command: %v", span, err)
			continue
		}
		commands++
		for _, w := range rest {
			if name, ok := strings.CutPrefix(w, "--"); ok && name != "help" && cmd.Flags().Lookup(name) == nil {
				t.Errorf("%s: %s has no flag %s", span, cmd.CommandPath(), w)
			}
		}
	}
	if commands < 12 {
		t.Errorf("%d commands were looked at", commands)
	}
	_, objects, _ := strings.Cut(mcpconfig.Skill(), "`--json` prints one object on a line for ")
	objects, _, _ = strings.Cut(objects, ":")
	for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(objects, -1) {
		if cmd, _, err := root.Find(name[1:]); err != nil || cmd.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json: %v", name[1], err)
		}
	}
	for command, flags := range map[string][]string{"run": {"f", "timeout", "list"}, "rerun": {"list"}, "history": {"flaky", "recurring"}, "triage": {"base"}} {
		cmd, _, err := root.Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range flags {
			found := cmd.Flags().Lookup(f)
			if len(f) == 1 {
				found = cmd.Flags().ShorthandLookup(f)
			}
			if found == nil {
				t.Errorf("%s has no flag %s", command, f)
			}
		}
	}
	for _, code := range exitOrder {
		if !strings.Contains(mcpconfig.Skill(), "\n| "+strconv.Itoa(code)+" | ") {
			t.Errorf("exit code %d is not explained", code)
		}
	}
}
