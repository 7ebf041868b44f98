package project

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/workspace"
)

const (
	// loginDeadline bounds a login shell. Some profiles take seconds.
	loginDeadline = 2 * time.Second
	// loginGrace is the time between the two signals that end a login shell.
	loginGrace = 100 * time.Millisecond
	// shellsFile lists the programs that may be a user's shell; see shells(5).
	shellsFile = "/etc/shells"
	// envProgram prints the environment: every shell has its own syntax for that.
	envProgram = "/usr/bin/env"
)

// login finds out the PATH of the user's login shell. A process started from a desktop
// does not have it.
type login struct {
	mu    sync.Mutex
	asked bool
	dirs  []string
}

// loginShell is a shell that may be asked.
type loginShell struct {
	// path is the shell, and home is the account's home directory.
	path, home string
	env        []string
}

// findTool finds a program of a plugin. If it is not in PATH, which then is evidently a
// short one, findTool asks the login shell.
func (h *Host) findTool(ctx context.Context, name string, toolDirs []string) (string, error) {
	path, err := workspace.FindTool(name, h.Cfg.Env, h.toolDirs(toolDirs)...)
	if !h.Cfg.LoginShell || err == nil && workspace.OnPath(h.Cfg.Env, path) || !h.login.ask(ctx, h.Cfg.Env) {
		return path, err
	}
	return workspace.FindTool(name, h.Cfg.Env, h.toolDirs(toolDirs)...)
}

// toolDirs returns the directories, besides those in PATH, in which to look for a
// plugin's programs. Those of the user's shell profile come first.
func (h *Host) toolDirs(plugins []string) []string {
	h.login.mu.Lock()
	defer h.login.mu.Unlock()
	return slices.Concat(h.login.dirs, plugins)
}

// ask asks the shell, once, and reports whether its PATH is known.
func (l *login) ask(ctx context.Context, env []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked || ctx.Err() != nil {
		return len(l.dirs) > 0
	}
	l.asked = true
	account, err := user.Current()
	if err != nil {
		return false
	}
	list, err := os.ReadFile(shellsFile)
	if err != nil {
		return false
	}
	if shell, ok := shellOf(env, account.HomeDir, string(list)); ok {
		l.dirs = shell.dirs(context.WithoutCancel(ctx))
	}
	return len(l.dirs) > 0
}

// shellOf returns the login shell of an environment if it is known to be the user's
// own: the settings of a client may come with a workspace, and so may name a shell or a
// profile that nobody has vetted.
func shellOf(env []string, home, list string) (loginShell, bool) {
	s := loginShell{path: workspace.Getenv(env, "SHELL"), home: filepath.Clean(workspace.Getenv(env, "HOME"))}
	if runtime.GOOS == "windows" || !filepath.IsAbs(s.path) || !filepath.IsAbs(home) || s.home != filepath.Clean(home) {
		return s, false
	}
	listed := slices.ContainsFunc(strings.Split(list, "\n"), func(line string) bool { return strings.TrimSpace(line) == s.path })
	// Pass on nothing else: a variable can name a file that the shell executes.
	for _, name := range []string{"HOME", "SHELL", "USER", "LOGNAME", "LANG", "PATH"} {
		if value := workspace.Getenv(env, name); value != "" {
			s.env = append(s.env, name+"="+value)
		}
	}
	s.env = append(s.env, "TERM=dumb", "PWD="+s.home)
	return s, listed
}

// dirs returns the directories in the shell's PATH.
func (s loginShell) dirs(ctx context.Context) []string {
	result, err := runner.Run(ctx, runner.Config{
		Argv: []string{s.path, "-lc", envProgram}, Dir: s.home, Env: s.env, Deadline: loginDeadline, Grace: loginGrace,
	})
	if err != nil {
		return nil
	}
	var dirs []string
	// A profile may print something of its own first.
	for line := range strings.Lines(result.Stdout.String()) {
		if path, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "PATH="); ok {
			dirs = filepath.SplitList(path)
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}
