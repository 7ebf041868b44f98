package git

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// killDelay is how long the pipes of a git that was killed may stay open.
const killDelay = time.Second

// safe are the settings that keep a repository from having a program run, and from
// being completed over any transport.
var safe = [...]string{
	"--no-pager",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never",
}

// Git is git in a directory.
type Git struct {
	path string
	env  []string
	dir  string
}

// New makes a git from the absolute path of its program and a user's environment.
// No variable of git comes in: a hook that calls us has GIT_DIR and GIT_INDEX_FILE
// set, others name programs, or files to write to.
func New(path string, environ []string) Git {
	env := without(environ, func(name string) bool {
		return strings.HasPrefix(name, "GIT_") || name == "LC_ALL" || name == "LANGUAGE" || name == "PWD"
	})
	return Git{path: path, env: append(env,
		"GIT_OPTIONAL_LOCKS=0", // write nothing on the side
		"GIT_NO_LAZY_FETCH=1",  // fetch no objects that a partial clone lacks,
		// over no protocol, where git (before 2.45) does not know the above. It counts
		// for more than what a repository sets as protocol.NAME.allow.
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_TERMINAL_PROMPT=0", // ask nobody
		"GIT_FLUSH=1",           // answer each question at once
		"LC_ALL=C",
	)}
}

// In is the same git in another directory, an absolute path.
func (g Git) In(dir string) Git {
	g.dir = dir
	return g
}

// Dir is where it is run.
func (g Git) Dir() string { return g.dir }

// Alone is a git that knows no configuration of the user or the machine: filters
// are defined there. Its home is a directory that has none.
func (g Git) Alone(home string) Git {
	env := without(g.env, func(name string) bool { return name == "HOME" || name == "XDG_CONFIG_HOME" || name == "USERPROFILE" })
	g.env = append(env, "HOME="+home, "XDG_CONFIG_HOME="+home, "USERPROFILE="+home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1")
	return g
}

// Command makes a command that ends with ctx, for a caller who talks with it.
func (g Git) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.path, append(safe[:len(safe):len(safe)], args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, append(slices.Clip(g.env), "PWD="+g.dir), killDelay
	return cmd
}

// without is an environment without the variables that leave selects by their
// names in capitals.
func without(environ []string, leave func(name string) bool) []string {
	kept := make([]string, 0, len(environ)+8)
	for _, setting := range environ {
		if name, _, _ := strings.Cut(setting, "="); !leave(strings.ToUpper(name)) {
			kept = append(kept, setting)
		}
	}
	return kept
}
