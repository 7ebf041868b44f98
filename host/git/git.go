package git

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// killDelay is how long the pipes of a killed git may stay open.
const killDelay = time.Second

// safe are the settings that keep a repository from starting programs, and from being
// completed over any transport.
var safe = [...]string{
	"--no-pager",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never",
}

// Git runs git in a directory.
type Git struct {
	path string
	env  []string
	dir  string
}

// New takes the absolute path of git and the user's environment. It drops git's
// variables: a hook that calls us has GIT_DIR and GIT_INDEX_FILE set, others name
// programs, or files to write to.
func New(path string, environ []string) Git {
	env := withoutVariables(environ, func(name string) bool {
		return strings.HasPrefix(name, "GIT_") || name == "LC_ALL" || name == "LANGUAGE" || name == "PWD"
	})
	return Git{path: path, env: append(env,
		"GIT_OPTIONAL_LOCKS=0", // write nothing on the side
		"GIT_NO_LAZY_FETCH=1",  // fetch no objects that a partial clone lacks,
		// over no protocol, as git before 2.45 does not know the above. This overrides
		// a repository's protocol.NAME.allow.
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_TERMINAL_PROMPT=0", // ask nobody
		"GIT_FLUSH=1",           // answer each question at once
		"LC_ALL=C",
	)}
}

// In returns the same git for another directory, an absolute path.
func (g Git) In(dir string) Git {
	g.dir = dir
	return g
}

// Dir returns the directory.
func (g Git) Dir() string { return g.dir }

// Alone returns a git without user or system configuration, which can define filters.
// Its home is a directory without configuration.
func (g Git) Alone(home string) Git {
	env := withoutVariables(g.env, func(name string) bool { return name == "HOME" || name == "XDG_CONFIG_HOME" || name == "USERPROFILE" })
	g.env = append(env, "HOME="+home, "XDG_CONFIG_HOME="+home, "USERPROFILE="+home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1")
	return g
}

// Command returns a command that ends with ctx, for a caller that interacts with it.
func (g Git) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.path, append(safe[:len(safe):len(safe)], args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, append(slices.Clip(g.env), "PWD="+g.dir), killDelay
	return cmd
}

// withoutVariables returns an environment without the variables that leave selects by upper-case
// name.
func withoutVariables(environ []string, leave func(name string) bool) []string {
	kept := make([]string, 0, len(environ)+8)
	for _, setting := range environ {
		if name, _, _ := strings.Cut(setting, "="); !leave(strings.ToUpper(name)) {
			kept = append(kept, setting)
		}
	}
	return kept
}
