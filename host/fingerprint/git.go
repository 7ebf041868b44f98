package fingerprint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// git runs git in one directory. Its commands read, and run no program that the
// repository names.
type git struct {
	path string
	env  []string
	dir  string
}

// gitTimeout ends a git that waits for something: a repository can have its
// ignore file be a pipe. Reading half a million names takes a few seconds.
const gitTimeout = 60 * time.Second

// maxGitOutput bounds what is kept of one answer: the names of a few million files.
const maxGitOutput = 1 << 30

// safe are the settings that keep a repository from having a program run: no
// monitor and no hooks. [environ] keeps git from fetching what is missing.
var safe = [...]string{
	"--no-pager",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
}

func newGit(cfg Config, dir string) git {
	return git{path: cfg.Git, env: environ(cfg.env()), dir: dir}
}

func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.path, append(safe[:len(safe):len(safe)], args...)...)
	cmd.Dir, cmd.Env = g.dir, g.env
	cmd.WaitDelay = time.Second
	return cmd
}

// run returns what git wrote.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	return g.feed(ctx, nil, args...)
}

// feed is run with an input.
func (g git) feed(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := g.command(ctx, args...)
	out := &bounded{most: maxGitOutput}
	words := &bounded{most: 1 << 12}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, words
	if err := cmd.Run(); err != nil {
		return nil, g.fail(ctx, args[0], words.String(), err)
	}
	if out.over {
		return nil, g.fail(ctx, args[0], "", errors.New("it wrote more than is read"))
	}
	return out.Bytes(), nil
}

func (g git) fail(ctx context.Context, command, words string, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		return cause
	} else if cause != nil {
		err = fmt.Errorf("no answer: %w", cause)
	}
	words = strings.ToValidUTF8(strings.Join(strings.Fields(words), " "), "?")
	return &GitError{Dir: g.dir, Command: command, Detail: words, Err: err}
}

// exited tells whether git ended with this status.
func exited(err error, status int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == status
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); len(p) > room {
		b.over = true
		b.Buffer.Write(p[:room])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
