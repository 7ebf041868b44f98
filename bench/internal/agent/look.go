package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Mistake is one wrong line, for an agent that may edit only lines it was shown. If no answer
// shows it the line, it has to read the whole file.
type Mistake struct {
	// Make and Fix change the file. Shows reports whether a text has the line.
	Make, Fix func() error
	Shows     func(text string) bool
	// File is relative to the module.
	File string
	// LimitS is how long the tests may take, in seconds.
	LimitS int
}

// Look is what an agent read to fix a mistake. Told reports whether the first answer
// showed the line.
type Look struct {
	First, All Cost
	Told       bool
}

// FixByTools fixes a mistake with the tools of `proctor mcp`, as text. If before is set, the
// agent ran the tests before the mistake was made.
func (j Job) FixByTools(ctx context.Context, proctor string, m Mistake, before bool) (l Look, err error) {
	cmd := exec.CommandContext(ctx, proctor, "mcp", "--workspace", j.Dir)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return Look{}, fmt.Errorf("%s mcp: %w", proctor, err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	t := &tools{reader: reader{kept: j.Kept}, session: session, form: Text}
	limit := map[string]any{"timeout": m.LimitS}
	if before {
		if _, err := t.call(ctx, "run_tests", nil); err != nil {
			return Look{}, err
		}
		t.cost = Cost{}
	}
	if err := m.Make(); err != nil {
		return Look{}, err
	}
	a, err := t.call(ctx, "run_tests", limit)
	if err != nil {
		return Look{}, err
	}
	l.First, l.Told = t.cost, m.Shows(a.text)
	shown := l.Told
	if !shown {
		t.remember(a)
		more, err := t.more(ctx)
		if err != nil {
			return l, err
		}
		for _, text := range more.complaints {
			shown = shown || m.Shows(text)
		}
	}
	if !shown {
		if err := t.open(j.Dir, m.File); err != nil {
			return l, err
		}
	}
	if err := m.Fix(); err != nil {
		return l, err
	}
	// Without a timeout: what is fixed does not hang, and the machine may be busy.
	for _, tool := range []string{"run_failing_tests", "run_tests"} {
		if a, err = t.call(ctx, tool, nil); err != nil {
			return l, err
		}
	}
	if !a.passed {
		return l, &StuckError{Runs: 3, Last: a.text}
	}
	l.All = t.cost
	return l, nil
}

// FixByCommand fixes a mistake with a command in a shell, which runs all tests and exits
// with 0 if they pass.
func (j Job) FixByCommand(ctx context.Context, m Mistake, argv ...string) (l Look, err error) {
	if err := m.Make(); err != nil {
		return l, err
	}
	r := &reader{kept: j.Kept}
	run := func() (text string, passed bool, err error) {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir = j.Dir
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return "", false, err
		}
		return string(out), err == nil, r.read(cmd.String(), string(out))
	}
	text, _, err := run()
	if err != nil {
		return l, err
	}
	l.First, l.Told = r.cost, m.Shows(text)
	if !l.Told {
		if err := r.open(j.Dir, m.File); err != nil {
			return l, err
		}
	}
	if err := m.Fix(); err != nil {
		return l, err
	}
	text, passed, err := run()
	if err == nil && !passed {
		err = &StuckError{Runs: 2, Last: text}
	}
	l.All = r.cost
	return l, err
}

// open reads a whole file, for an agent that was not shown the line.
func (r *reader) open(dir, file string) error {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	return r.read("read "+file, string(text))
}
