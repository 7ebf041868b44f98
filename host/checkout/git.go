package checkout

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	// maxAnswer bounds an answer of git that is a name, a path or an error.
	maxAnswer = 64 << 10
	// killDelay is how long a git that was told to end may take.
	killDelay = 5 * time.Second
)

// git runs git with nothing of a repository's configuration that executes
// something, and without fetching what the repository lacks.
type git struct {
	path string
	env  []string
}

// newGit makes a git from a user's environment. Variables of git would make it
// look elsewhere, as when a hook calls proctor.
func newGit(path string, environ []string) git {
	env := slices.DeleteFunc(slices.Clone(environ), func(setting string) bool {
		return len(setting) >= 4 && strings.EqualFold(setting[:4], "GIT_")
	})
	return git{path: path, env: append(env,
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		// Before git 2.45 nothing else keeps it from fetching missing objects.
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")}
}

// alone is a git that knows no configuration of the user or the machine: filters
// are defined there.
func (g git) alone(home string) git {
	env := slices.DeleteFunc(slices.Clone(g.env), func(setting string) bool {
		return strings.HasPrefix(setting, "HOME=") || strings.HasPrefix(setting, "XDG_CONFIG_HOME=") || strings.HasPrefix(setting, "USERPROFILE=")
	})
	return git{path: g.path, env: append(env, "HOME="+home, "XDG_CONFIG_HOME="+home, "USERPROFILE="+home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1")}
}

func (g git) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.path, append([]string{
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never",
	}, args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(slices.Clone(g.env), "PWD="+dir), killDelay
	return cmd
}

// answer is what git prints, without its line end.
func (g git) answer(ctx context.Context, dir string, args ...string) (string, error) {
	var out tail
	err := g.stream(ctx, dir, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// stream has git print into a writer.
func (g git) stream(ctx context.Context, dir string, out io.Writer, args ...string) error {
	var complaint tail
	cmd := g.command(ctx, dir, args...)
	cmd.Stdout, cmd.Stderr = out, &complaint
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &GitError{Doing: args[0], Detail: complaint.String(), Err: err}
}

// each calls yield with every record of an answer whose records end with NUL,
// until it returns false. A record that is longer than any path is left out.
func (g git) each(ctx context.Context, dir string, yield func(record string) bool, args ...string) error {
	within, stop := context.WithCancel(ctx)
	defer stop()
	records := &records{yield: yield, stop: stop}
	err := g.stream(within, dir, records, args...)
	if records.over && ctx.Err() == nil {
		return nil
	}
	return err
}

// records cuts a stream at its NUL bytes.
type records struct {
	yield func(string) bool
	stop  func()
	rest  []byte
	over  bool
}

func (r *records) Write(p []byte) (int, error) {
	for at := p; !r.over; {
		record, after, whole := bytes.Cut(at, []byte{0})
		if len(r.rest) <= maxAnswer {
			r.rest = append(r.rest, record...)
		}
		if !whole {
			break
		}
		if len(r.rest) <= maxAnswer && !r.yield(string(r.rest)) {
			r.over = true
			r.stop()
		}
		r.rest, at = r.rest[:0], after
	}
	return len(p), nil
}

// tail keeps the end of what is written.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - maxAnswer; over > 0 {
		t.kept = slices.Delete(t.kept, 0, over)
	}
	return len(p), nil
}

func (t *tail) String() string {
	return strings.ToValidUTF8(strings.TrimSpace(string(t.kept)), "\uFFFD")
}
