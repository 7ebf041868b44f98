//go:build unix

package project

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// loginHome creates a home directory with a profile.
func loginHome(t *testing.T, profile string) string {
	t.Helper()
	home := t.TempDir()
	testfiles.Write(t, filepath.Join(home, ".profile"), profile)
	return home
}

func shellEnv(home string, settings ...string) []string {
	return append([]string{"HOME=" + home, "SHELL=/bin/sh", "PATH=/usr/bin:/bin"}, settings...)
}

func TestTheLoginShellReportsWhatTheProfileAddsToPath(t *testing.T) {
	t.Parallel()
	home := loginHome(t, "echo welcome; echo PATH=/wrong; export PATH=\"$HOME/tools:relative:$PATH\"; echo problem >&2\n")
	shell, ok := shellOf(shellEnv(home), home, "# comment\n/bin/sh\n")
	if !ok {
		t.Fatal("the shell may not be asked")
	}
	if dirs := shell.dirs(t.Context()); !slices.Equal(dirs[:min(len(dirs), 1)], []string{filepath.Join(home, "tools")}) || slices.Contains(dirs, "relative") || slices.Contains(dirs, "/wrong") {
		t.Errorf("dirs = %q", dirs)
	}
}

func TestOnlyTheUsersOwnShellAndProfileAreAsked(t *testing.T) {
	t.Parallel()
	home := "/home/me"
	for name, env := range map[string][]string{
		"no shell":               {"HOME=" + home},
		"a relative shell":       {"HOME=" + home, "SHELL=sh"},
		"a shell of a workspace": {"HOME=" + home, "SHELL=/work/sh"},
		"another home":           {"HOME=/work", "SHELL=/bin/sh"},
		"no home":                {"SHELL=/bin/sh"},
	} {
		if _, ok := shellOf(env, home, "/bin/sh\nsh\n"); ok {
			t.Errorf("%s is asked", name)
		}
	}
	shell, ok := shellOf(shellEnv(home, "ENV=/work/x", "BASH_ENV=/work/x", "ZDOTDIR=/work"), home+"/", "/bin/sh")
	if !ok {
		t.Error("the user's own shell is not asked")
	}
	for _, setting := range shell.env {
		if strings.Contains(setting, "/work") {
			t.Errorf("the shell is given %s", setting)
		}
	}
}

func TestAProfileThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	home := loginHome(t, "trap '' TERM QUIT INT\nwhile :; do sleep 1; done\n")
	shell, _ := shellOf(shellEnv(home), home, "/bin/sh")
	if dirs := shell.dirs(t.Context()); len(dirs) > 0 {
		t.Errorf("dirs = %q", dirs)
	}
}

// In the environment of these tests there is no login shell of the account to ask, so
// the test supplies what one would answer.
func TestThePathOfTheLoginShellComesBeforeUsualDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{"usual/tool", "chosen/tool", "chosen/other"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	usual, chosen := filepath.Join(dir, "usual"), filepath.Join(dir, "chosen")
	h := New(Config{Env: []string{"PATH=/usr/bin:/bin"}, LoginShell: true})
	if path, err := h.findTool(t.Context(), "tool", []string{usual}); err != nil || path != filepath.Join(usual, "tool") {
		t.Errorf("without a shell the tool is %s, %v", path, err)
	}
	h.login.asked, h.login.dirs = true, []string{chosen}
	path, err := h.findTool(t.Context(), "tool", []string{usual})
	if err != nil || path != filepath.Join(chosen, "tool") {
		t.Errorf("the tool is %s, %v", path, err)
	}
	env := workspace.ExtendPath(h.Cfg.Env, []string{path}, h.toolDirs([]string{usual})...)
	if got := workspace.Getenv(env, "PATH"); !strings.HasPrefix(got, "/usr/bin:/bin:"+chosen+":"+usual+":") {
		t.Errorf("PATH is %s", got)
	}
}

// Programs that a command starts by name are found like the command itself, and the
// recorded environment of the run stays the same.
func TestACommandHasTheDirectoriesOfItsToolsInPath(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "tool"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	h := New(Config{Env: []string{"PATH=/usr/bin:/bin"}})
	p := Project{ID: client.Identity{Description: sdk.Description{ToolDirs: []string{bin}}}}
	for name, want := range map[string]string{"tool": "/usr/bin:/bin:" + bin, "sh": "/usr/bin:/bin"} {
		p.Ws = sdk.Workspace{Root: t.TempDir()}
		ready, err := h.Prepare(p, sdk.Command{Argv: []string{name}}, time.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		ready.Cleanup()
		if path := workspace.Getenv(ready.Env, "PATH"); path != want && !strings.HasPrefix(path, want+":") || name == "sh" && path != want {
			t.Errorf("%s has the PATH %s, want %s", name, path, want)
		}
	}
	if got := workspace.Getenv(h.Cfg.Env, "PATH"); got != "/usr/bin:/bin" {
		t.Errorf("the surroundings have changed: PATH is %s", got)
	}
}

func TestTheLoginShellIsNotAskedWhereNothingIsMissing(t *testing.T) {
	t.Parallel()
	account, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]Config{
		"on PATH":   {Env: shellEnv(account.HomeDir), LoginShell: true},
		"not asked": {Env: shellEnv(account.HomeDir, "PATH=/nowhere")},
	} {
		h := New(cfg)
		if _, err := h.findTool(t.Context(), "sh", []string{"/bin"}); err != nil || h.login.asked {
			t.Errorf("%s: %v, asked: %v", name, err, h.login.asked)
		}
	}
}
